// Chosen models side by side: rank and score, metrics, datasets, tags. All differences are from the first.
import { clamped, drawn, element, findOptional, framed, screenReaderText } from "../base/elements.js";
import { MISSING, fixed, number, signed, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { textOf } from "../view/trades.js";
import { ComparedPairs } from "./certainty-words.js";
import { partsByTag } from "./tags.js";

/** @import { BoardView, CompareDataset, CompareHost, MetricData, ModelDetails } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { TagPart } from "./tags.js" */

/** With fewer examples than this, a few answers more or less move a score by many points. */
const FEW = 30;
/** Parts of the data that are shown before somebody asks for all. */
const FIRST = 12;
/** A bar's own coordinates; its middle is the first model. */
const WIDTH = 120;

export class Contrast {
  /** @param {CompareHost} page */
  constructor(page) {
    this.page = page;
    this.scores = element("section", { "aria-labelledby": "scores-title" });
    this.datasets = element("section", { "aria-labelledby": "datasets-title" });
    this.tags = element("section", { "aria-labelledby": "tags-title" });
    this.pairs = new ComparedPairs(page);
    this.place = element("div", {}, this.pairs.lead, this.scores, this.pairs.place, this.datasets, this.tags);
    /** @type {string[]} */
    this.models = [];
    /** Their places among the board's models. @type {number[]} */
    this.at = [];
  }

  /** Hide scores by tag, which are of other models than those chosen now. */
  hideTags() {
    this.tags.hidden = true;
  }

  /** Show the chosen models' part of the ranking and of the board's cells. Scores by tag do not depend on it.
   * @param {Ranking} ranking @param {BoardView} view @param {Set<string>} changed */
  show(ranking, view, changed) {
    this.pairs.show(ranking, view, changed);
    if (!changed.has("ranking") && !changed.has("chosen")) return;
    this.models = this.page.chosen;
    if (this.models.length < 2) return;
    this.at = this.models.map((model) => this.page.at(model));
    this.showScores();
    this.showDatasets();
  }

  // Rank, score, metrics

  showScores() {
    const { data, view, ready, ranking } = this.page;
    const { activeElement: active } = document;
    const focused = active instanceof HTMLElement ? active.dataset.act : undefined;
    const ranks = this.at.map((at) => cell(rankText(ranking.rankOf(at))));
    const among = text("contrast.ranked", { ranked: ranking.ranked, all: data.models.length });
    const scores = this.at.map((at) => known(ranking.scores[at]));
    const scoreCells = scores.map((value, place) =>
      cell(
        element("strong", { class: "num" }, number(value)),
        place ? difference(value, scores[0], 2, false) : null,
      ),
    );
    const body = element(
      "tbody",
      {},
      element("tr", {}, rowHead(text("contrast.rank"), among), ...ranks),
      element(
        "tr",
        {},
        rowHead(text(`header.${view.now.by === "z_score" ? "dynascore" : view.now.by}`), ""),
        ...scoreCells,
      ),
      ...data.metrics.map((metric, index) => this.metricRow(metric, index)),
    );
    const title = text("contrast.scores");
    this.scores.replaceChildren(
      element("h2", { id: "scores-title" }, title),
      hint(text(ready ? "contrast.scores-hint" : "contrast.scores-hint-default")),
      framed(title, "contrast", this.head(text("contrast.score"), true), body),
    );
    if (view.now.by === "z_score") this.scores.append(hint(text("contrast.z-score")));
    if (!focused) return;
    // The button that had the focus has been made anew.
    const button = findOptional(this.scores, `[data-act="${CSS.escape(focused)}"]`, HTMLElement);
    button?.focus({ preventScroll: true });
  }

  /** The names of the models; with buttons to put one first or to remove it. @param {string} title */
  head(title, buttons = false) {
    const cells = this.models.map((model, place) => {
      const attributes = { class: "clamp", dir: "auto", href: this.page.link(model) };
      const name = element("a", attributes, this.page.label(model));
      return element(
        "th",
        { scope: "col", class: "right" },
        name,
        buttons ? this.buttons(model, place) : null,
      );
    });
    return element("tr", {}, element("th", { scope: "col" }, title), ...cells);
  }

  /** @param {string} model @param {number} place */
  buttons(model, place) {
    const rest = this.models.filter((other) => other !== model);
    /** @param {string} act @param {string[]} chosen the models that are compared after a press */
    const button = (act, chosen) => {
      const words = text(`contrast.${act}`);
      const label = text("contrast.act", { act: words, name: this.page.short(model) });
      const attributes = { class: "act", "data-act": `${act} ${model}`, "aria-label": label };
      const made = element("button", { type: "button", ...attributes }, words);
      made.addEventListener("click", () => this.page.choose(chosen));
      return made;
    };
    const first = place > 0 ? button("first", [model, ...rest]) : null;
    return element("span", { class: "acts" }, first, button("remove", rest));
  }

  /** Whether a metric adds to scores. @param {MetricData} metric */
  counts({ name }) {
    const { by, base, metrics, trades } = this.page.view.now;
    return by === "trades" ? name === base || name in trades : metrics[name] > 0;
  }

  /** For how much a metric counts: its weight, or its trade-off. @param {MetricData} metric */
  weighed(metric) {
    const { by, base, metrics, trades } = this.page.view.now;
    if (by !== "trades") return text("contrast.weight", { weight: weight(metrics[metric.name]) });
    if (metric.name === base) return text("contrast.base");
    const trade = trades[metric.name];
    if (trade === undefined) return text("contrast.idle");
    return text("contrast.trade", { amount: textOf(trade, metric) });
  }

  /** @param {MetricData} metric @param {number} index */
  metricRow(metric, index) {
    const { ranking, own } = this.page;
    const { unit, colour } = own.columns[index];
    const counts = this.counts(metric);
    const values = this.at.map((at) => known(ranking.values[index][at]));
    const added = this.at.map((at) => (counts ? known(ranking.contributions[index][at]) : null));
    // The largest difference of any contribution from the first model's.
    const differences = ranking.contributions.flatMap((column) =>
      this.at.map((at) => Math.abs((known(column[at]) ?? 0) - (known(column[this.at[0]]) ?? 0))),
    );
    const scale = Math.max(...differences, 1e-12);
    const bars = added.map((value, place) => {
      if (value === null) return null;
      const words = element("span", { class: "adds" }, text("contrast.adds", { amount: number(value) }));
      if (!place) return words;
      const length = bar(value - (added[0] ?? 0), scale);
      return element("span", { class: `with-bar m${colour}` }, words, length);
    });
    const less = metric.cost ? text("contrast.less-is-better") : "";
    const facts = [unit, less, this.weighed(metric)];
    const head = rowHead(metric.label, facts.filter(Boolean).join(", "), colour);
    return element("tr", {}, head, ...valueCells(values, metric, this.silent(metric), bars));
  }

  /** Of which models a metric says nothing, as they answer the same to everything. @param {MetricData} metric */
  silent({ one_answer: silent = [] }) {
    return this.at.map((at) => silent.includes(at));
  }

  // Datasets

  showDatasets() {
    const { datasets } = this.page.own;
    this.datasets.hidden = datasets.length < 2;
    if (this.datasets.hidden) return;
    const title = text("contrast.by-dataset");
    const bodies = datasets
      .map((dataset) => this.datasetBody(dataset))
      .filter((body) => body.rows.length > 1);
    this.datasets.replaceChildren(
      element("h2", { id: "datasets-title" }, title),
      framed(title, "contrast by-dataset", this.head(text("contrast.metric")), ...bodies),
    );
  }

  /** @param {CompareDataset} dataset */
  datasetBody({ id, label, ranks }) {
    const { data, own, values, addresses, view, scorer } = this.page;
    const cells = scorer.cellsAt(id, values[id]);
    const rows = data.metrics.map((metric, index) => {
      const numbers = this.at.map((at) => cells[metric.name][at]);
      if (numbers.every((value) => value === null)) return null;
      const head = rowHead(metric.label, own.columns[index].unit, own.columns[index].colour);
      return element("tr", {}, head, ...valueCells(numbers, metric, this.silent(metric)));
    });
    const link = { class: "clamp", dir: "auto", href: `${addresses.board}datasets/${id}/` };
    const share = weight(view.now.datasets[id] ?? 0);
    const role = ranks ? text("contrast.weight", { weight: share }) : text("contrast.not-ranked-by");
    const attributes = { scope: "rowgroup", colspan: this.models.length + 1 };
    const head = element("th", attributes, element("a", link, label), " ", element("small", {}, role));
    return element("tbody", {}, element("tr", { class: "group" }, head), ...rows);
  }

  // Tags

  /** Scores on parts of the datasets, those that set the models apart most first. @param {ModelDetails[]} details of each */
  showDetails(details) {
    const { data, own } = this.page;
    const parts = partsByTag(own.datasets, details, data.metrics, data.base);
    this.tags.hidden = !parts.length;
    if (!parts.length) return;
    const rows = parts.map((part) => this.tagRow(part));
    for (const row of rows.slice(FIRST)) row.hidden = true;
    const title = text("contrast.by-tag");
    this.tags.replaceChildren(
      element("h2", { id: "tags-title" }, title),
      hint(text("contrast.tags-hint", { few: FEW })),
      framed(title, "contrast by-tag", this.head(text("contrast.part")), element("tbody", {}, ...rows)),
    );
    if (rows.length > FIRST) this.tags.append(showAll(rows));
  }

  /** @param {TagPart} part */
  tagRow({ dataset, tag, value, metric, numbers, examples }) {
    const several = this.page.own.datasets.length > 1 ? [element("bdi", {}, dataset.label), ", "] : [];
    const about = element(
      "small",
      { class: "clamp" },
      ...several,
      element("bdi", {}, tag),
      `, ${text("contrast.examples", { count: examples })}`,
      examples < FEW ? element("span", { class: "few-mark" }, text("contrast.few")) : null,
      ", ",
      element("bdi", {}, metric.label),
    );
    const head = element("th", { scope: "row" }, clamped(value), about);
    return element("tr", {}, head, ...valueCells(numbers, metric));
  }
}

/** @param {string} words */
function hint(words) {
  return element("p", { class: "muted small" }, words);
}

/** @param {string} label @param {string} unit @param {number | null} colour */
function rowHead(label, unit, colour = null) {
  const swatch =
    colour === null ? null : element("span", { class: `swatch m${colour}`, "aria-hidden": "true" });
  return element(
    "th",
    { scope: "row" },
    element("span", { class: "named" }, swatch, clamped(label)),
    element("small", { class: "clamp", dir: "auto" }, unit),
  );
}

/** @param {number | null} rank */
function rankText(rank) {
  if (rank === null) return element("span", { class: "muted" }, text("contrast.unranked"));
  return element("strong", { class: "place" }, String(rank));
}

/**
 * A cell for each model: its value, how far that is from the first model's, and what else there is to show. Of those of
 * which the value says nothing it is not compared.
 * @param {(number | null)[]} values
 * @param {Pick<MetricData, "decimals" | "cost">} metric
 * @param {boolean[]} silent
 * @param {(Node | null)[]} more
 */
function valueCells(values, { decimals, cost }, silent = [], more = []) {
  return values.map((value, place) => {
    const figure = element("span", { class: "num" });
    if (value !== null) figure.textContent = number(value, decimals);
    else {
      const dash = element("span", { "aria-hidden": "true" }, MISSING);
      figure.append(dash, screenReaderText(text("rows.missing")));
    }
    if (silent[place]) return cell(figure, oneAnswer(), more[place] ?? null);
    const against = place && !silent[0] ? difference(value, values[0], decimals, cost) : null;
    return cell(figure, against, more[place] ?? null);
  });
}

/** A cell with spaces between its parts, for those who listen to it or copy it. @param {(Node | null)[]} children */
function cell(...children) {
  const parts = children.filter((child) => child !== null).flatMap((child) => [child, " "]);
  return element("td", { class: "right" }, ...parts);
}

function oneAnswer() {
  const about = { class: "muted", title: text("contrast.one-answer-means") };
  return element("small", about, text("contrast.one-answer"));
}

/** A number of the ranking, null where it has none. @param {number} value */
function known(value) {
  return Number.isNaN(value) ? null : value;
}

/** How far a value is from the first model's, and whether that is better.
 * @param {number | null} value @param {number | null} first @param {number} decimals @param {boolean} cost */
function difference(value, first, decimals, cost) {
  const place = element("span", { class: "difference" });
  if (value === null || first === null) return place;
  if (Number(fixed(value, decimals)) === Number(fixed(first, decimals))) {
    place.textContent = text("contrast.same");
    return place;
  }
  const kind = (cost ? first > value : value > first) ? "better" : "worse";
  place.classList.add(kind);
  place.append(signed(value - first, decimals), screenReaderText(` ${text(`contrast.${kind}`)}`));
  return place;
}

/** @param {number} size @param {number} scale */
function bar(size, scale) {
  const middle = WIDTH / 2;
  const width = (Math.abs(size) / scale) * middle;
  const x = (size < 0 ? middle - width : middle).toFixed(2);
  const label = text("contrast.to-score", { amount: signed(size) });
  const frame = { class: "bar", viewBox: `0 0 ${WIDTH} 8`, preserveAspectRatio: "none" };
  return drawn(
    "svg",
    { ...frame, role: "img", "aria-label": label },
    drawn("rect", { x, y: "1", width: width.toFixed(2), height: "6" }),
    drawn("line", { x1: middle, y1: "0", x2: middle, y2: "8" }),
  );
}

/** @param {HTMLTableRowElement[]} rows */
function showAll(rows) {
  const words = text("contrast.show-all", { all: rows.length });
  const button = element("button", { type: "button", class: "button more" }, words);
  button.addEventListener("click", () => {
    for (const row of rows) row.hidden = false;
    rows[FIRST].tabIndex = -1;
    rows[FIRST].focus();
    button.remove();
  });
  return button;
}
