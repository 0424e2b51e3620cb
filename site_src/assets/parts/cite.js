// "Cite this view": texts that follow the weights, on a snapshot's page of itself, on a live board's of its newest
// snapshot. The same as generator/views/citation.py.
import { byId, closest, find, findAll, islandIfAny } from "../base/elements.js";
import { counted, weight } from "../base/formats.js";
import { visible } from "../base/invisible.js";
import { listed } from "../charts/chart-words.js";
import { BOARD_PARTS, encode, same } from "../view/fragment.js";
import { limitWords } from "../view/limits.js";
import { shownView } from "./export-table.js";

/** @import { BoardData, BoardHost, BoardView, Part } from "../../types" */

/**
 * The island `citation-data`: what is cited in every view.
 * @typedef {object} CitationData
 * @property {string} id of the snapshot
 * @property {string} sha256 of its snapshot.json
 * @property {string} created when it was frozen, like 2026-11-21T15:20:00Z
 * @property {string} board the board's title
 * @property {string} publisher
 * @property {number} models how many
 * @property {string} [path] of a live board: where the snapshot's page is
 * @property {string} [parts] the keys of the parts of a view that this page reads
 * @property {Partial<BoardView>} [first] the view that it shows by itself
 */

/** The same with what depends on the view.
 * @typedef {CitationData & { url: string, title: string, weights: string, sentence: string }} Citation */

/** @type {Record<string, string>} */
const SIGNS = {
  "\\": "backslash",
  "{": "braceleft",
  "}": "braceright",
  "^": "asciicircum",
  "~": "asciitilde",
  "<": "less",
  ">": "greater",
  "|": "bar",
  '"': "quotedbl",
};
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
/** What parts of a view are called, of those that a snapshot's page may be too old for. @type {Record<string, string>} */
const UNREAD = { limits: "limits", among: "limits", rate: "the choice of exchange rates" };
/** Characters of a name; no citation needs more. */
const LONGEST = 300;
/** A citation is written once the weights have rested for this many milliseconds; other parts come first. */
const REST = 200;

/** On what scores depend besides weights. @typedef {Pick<BoardView, "base" | "threshold" | "rate">} ScoreTerms */

/** Where the page cites itself, and says what has been copied.
 * @typedef {NonNullable<ReturnType<typeof panelIn>>} CitePanel */

/** @implements {Part} */
export class Cite {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.waiting = 0;
    this.quiet = 0;
    const place = document.getElementById("cite");
    /** Only a snapshot's page has one. @type {CitePanel | null} */
    this.panel = place && panelIn(place);
    place?.addEventListener("click", (event) => this.copy(closest(event, "[data-copies]", HTMLElement)));
    if (place) byId("cite-open").addEventListener("click", () => this.open(place));
    if (place instanceof HTMLDialogElement) byId("cite-close").addEventListener("click", () => place.close());
  }

  /** @param {HTMLElement} place */
  open(place) {
    if (this.panel) this.write(this.panel);
    if (place instanceof HTMLDialogElement) return place.showModal();
    place.scrollIntoView({ block: "start" });
    byId("cite-title").focus({ preventScroll: true });
  }

  show() {
    const { panel } = this;
    if (panel && !this.waiting) this.waiting = setTimeout(() => this.write(panel), REST);
  }

  /** @param {CitePanel} panel */
  write({ about, texts }) {
    clearTimeout(this.waiting);
    this.waiting = 0;
    const { data } = this.page;
    const { view, first, unread } = this.cited(about);
    const fragment = encode(view, first, BOARD_PARTS);
    const address = new URL(about.path ?? location.pathname, location.href).href.split("#")[0];
    const url = fragment ? `${address}#${fragment}` : address;
    const cited = citation(about, data, view, url, first);
    if (about.path) this.describe(cited, unread);
    for (const [format, place] of texts) {
      const text = FORMATS[format](cited);
      if (place.textContent !== text) place.textContent = text;
    }
  }

  /** The view that is cited, that which the cited page shows by itself, and what of the view it cannot show.
   * @param {CitationData} about */
  cited({ parts, first }) {
    const { view } = this.page;
    const shown = shownView(this.page);
    if (parts === undefined) return { view: shown, first: view.defaults, unread: [] };
    const unread = BOARD_PARTS.filter(
      ([key, field]) => !parts.includes(key) && !same(shown[field], view.defaults[field]),
    ).map(([, field]) => field);
    const left = Object.fromEntries(unread.map((field) => [field, view.defaults[field]]));
    return { view: { ...shown, ...left }, first: { ...view.defaults, ...first }, unread };
  }

  /** Say on a live board's page what is cited, and what the cited page is too old for.
   * @param {Citation} cited @param {(keyof BoardView)[]} unread */
  describe({ weights }, unread) {
    byId("cite-weights").textContent = `at metric weights ${weights}`;
    const notice = byId("cite-unread");
    notice.hidden = !unread.length;
    const words = listed([...new Set(unread.map((field) => UNREAD[field] ?? field))]);
    notice.textContent = `The page of that snapshot is older than ${words}: it opens without them, and what is cited is without them, too.`;
    byId("cite-leads").textContent = unread.length ? "" : ", and its address leads to this view";
  }

  /** @param {HTMLElement | null} button */
  async copy(button) {
    const place = this.panel?.texts.get(button?.dataset.copies ?? "");
    if (!place) return;
    try {
      await navigator.clipboard.writeText(place.textContent);
      this.report("Copied");
    } catch {
      // Where the clipboard is refused the text is selected, to be copied by hand.
      getSelection()?.selectAllChildren(place);
      this.report("Selected: this browser does not let the page copy");
    }
  }

  /** @param {string} text */
  report(text) {
    if (this.panel) this.panel.status.textContent = text;
    clearTimeout(this.quiet);
    if (text) this.quiet = setTimeout(() => this.report(""), 3000);
  }
}

/** @param {HTMLElement} place */
function panelIn(place) {
  /** @type {CitationData | null} */
  const about = islandIfAny("citation-data");
  // A live board without a snapshot has nothing to cite.
  if (!about) return null;
  const texts = findAll(place, "[data-format]", HTMLElement);
  return {
    about,
    texts: new Map(texts.map((text) => [text.dataset.format ?? "", text])),
    status: find(place, "[role=status]", HTMLElement),
  };
}

/**
 * What is cited: the view that the ranking on the page answers, and its address.
 * @param {CitationData} about
 * @param {Pick<BoardData, "metrics" | "datasets">} data
 * @param {ScoreTerms & Pick<BoardView, "metrics" | "datasets" | "by" | "limits" | "among">} ranked
 * @param {string} url
 * @param {ScoreTerms} [first] those of the view that the cited page shows by itself; others are named
 * @returns {Citation}
 */
export function citation(about, data, ranked, url, first) {
  const metrics = weighed(data.metrics.map(({ name, label }) => [label, ranked.metrics[name]]));
  const datasets = weighed(Object.entries(data.datasets).map(([id, label]) => [label, ranked.datasets[id]]));
  const moment = `${about.created.slice(0, 10)} ${about.created.slice(11, 19)} UTC`;
  const scores = ranked.by === "z_score" ? "Mean z-scores" : "Dynascores";
  const models = counted(about.models, "model");
  return {
    ...about,
    url,
    weights: named(metrics, true),
    title: `${about.board}: snapshot of ${moment}`,
    sentence:
      `${scores} of ${models} on ${named(datasets, datasets.length > 1)} at metric weights ${named(metrics, true)}${first ? otherTerms(data, ranked, first) : ""}${among(data, ranked)}:` +
      ` ${about.board}, snapshot ${about.id}, frozen ${moment}, SHA-256 ${about.sha256}.`,
  };
}

/** @type {Record<string, (citation: Citation) => string>} */
export const FORMATS = {
  sentence: ({ sentence, url }) => `${sentence} ${url}`,
  apa: ({ publisher, created, board, id, sha256, url }) => {
    const [year, month, day] = created.slice(0, 10).split("-").map(Number);
    const what = `${board} (Snapshot ${id}, SHA-256 ${sha256}) [Leaderboard]`;
    return `${publisher}. (${year}, ${MONTHS[month - 1]} ${day}). ${what}. ${url}`;
  },
  bibtex,
  ris,
  cff,
};

/** @param {Citation} citation */
function bibtex({ id, created, publisher, title, sentence, url }) {
  const fields = [
    ["author", `{${tex(publisher)}}`],
    ["title", `{${tex(title)}}`],
    ["year", created.slice(0, 4)],
    ["month", String(Number(created.slice(5, 7)))],
    ["howpublished", "Leaderboard snapshot"],
    ["version", id],
    ["note", tex(sentence)],
    ["url", url],
  ];
  const lines = fields.map(([name, value]) => `  ${name} = {${value}},\n`).join("");
  return `@misc{steelyard-${id.toLowerCase()},\n${lines}}\n`;
}

/**
 * Lines end as they do on a page; in the file that Python writes they end in CRLF.
 * @param {Citation} citation
 */
function ris({ id, created, publisher, title, sentence, url }) {
  const fields = [
    ["TY", "DATA"],
    ["AU", publisher],
    ["TI", title],
    ["PY", created.slice(0, 4)],
    ["DA", created.slice(0, 10).replaceAll("-", "/")],
    ["ET", id],
    ["PB", publisher],
    ["N1", sentence],
    ["UR", url],
    ["ER", ""],
  ];
  return fields.map(([name, value]) => `${name}  - ${value}\n`).join("");
}

/** @param {Citation} citation */
function cff({ id, sha256, created, publisher, title, sentence, url }) {
  const lines = [
    "cff-version: 1.2.0",
    "type: dataset",
    `message: ${JSON.stringify("Cite this snapshot with its datasets, its weights and its time.")}`,
    `title: ${JSON.stringify(title)}`,
    "authors:",
    `  - name: ${JSON.stringify(publisher)}`,
    `abstract: ${JSON.stringify(sentence)}`,
    `version: ${JSON.stringify(id)}`,
    `date-released: ${JSON.stringify(created.slice(0, 10))}`,
    "identifiers:",
    "  - type: other",
    `    value: ${JSON.stringify(`sha256:${sha256}`)}`,
    `    description: ${JSON.stringify("SHA-256 of snapshot.json")}`,
    ...(url.startsWith("https://") ? [`url: ${JSON.stringify(url)}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Names with their weights, those that weigh anything.
 * @param {[name: string, weight: number][]} named
 * @returns {[name: string, weight: string][]}
 */
function weighed(named) {
  return named.filter(([, value]) => value > 0).map(([label, value]) => [plain(label), weight(value)]);
}

/**
 * The terms that are not those of the cited page by itself, since they change scores as weights do.
 * @param {Pick<BoardData, "metrics">} data
 * @param {ScoreTerms & Pick<BoardView, "by">} view
 * @param {ScoreTerms} first
 */
function otherTerms({ metrics }, { by, base, threshold, rate }, first) {
  if (by === "z_score") return "";
  const label = metrics.find(({ name }) => name === base)?.label ?? base;
  const named = [
    base === first.base ? "" : `, base metric ${plain(label)}`,
    same(threshold, first.threshold) ? "" : `, threshold ${weight(threshold.epsilon)} (${threshold.kind})`,
    rate === first.rate ? "" : `, exchange rates by ${rate === "ratio" ? "ratio of sums" : "mean of slopes"}`,
  ];
  return named.join("");
}

/**
 * Among whom models are ranked, where limits say that.
 * @param {Pick<BoardData, "metrics">} data
 * @param {Pick<BoardView, "limits" | "among">} view
 */
function among({ metrics }, view) {
  if (view.among !== "left" || !view.limits.length) return "";
  return `, among those with ${listed(view.limits.map((limit) => plain(limitWords(limit, metrics))))}`;
}

/**
 * @param {[name: string, weight: string][]} weighed
 * @param {boolean} withWeights
 */
function named(weighed, withWeights) {
  return listed(weighed.map(([name, value]) => (withWeights ? `${name} (${value})` : name)));
}

/**
 * One line of text, of some length at most, without anything that cannot be seen.
 * @param {string} text
 */
function plain(text) {
  const line = [...visible(text)];
  return line.length <= LONGEST ? line.join("") : `${line.slice(0, LONGEST - 1).join("")}…`;
}

/**
 * A text that TeX prints and that BibTeX can read.
 * @param {string} text
 */
function tex(text) {
  return text.replace(/[\\{}^~<>|"$&#%_]/g, (sign) => (SIGNS[sign] ? `\\text${SIGNS[sign]}{}` : `\\${sign}`));
}
