// Chosen models side by side: rank and score, metrics, datasets, tags. All differences are from the first.
import { clamped, drawn, element, findOptional, framed, screenReaderText } from "../base/elements.js";
import { MISSING, fixed, number, signed, weight } from "../base/formats.js";
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
    this.place = element("div", {}, this.scores, this.pairs.place, this.datasets, this.tags);
    /** @type {string[]} */
    this.models = [];
    /** Their places among the board's models. @type {number[]} */
    this.at = [];
  }

  /** Hide scores by tag, which are of other models than those chosen now. */
  hideTags() {
    this.tags.hidden = true;
  }

  /**
   * Show the chosen models' part of the ranking and of the board's cells. Scores by tag do not depend on it.
   * @param {Ranking} ranking
   * @param {BoardView} view
   * @param {Set<string>} changed
   */
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
    const { data, view, ready } = this.page;
    const { activeElement: active } = document;
    const focused = active instanceof HTMLElement ? active.dataset.act : undefined;
    const metrics = data.metrics.map((metric, index) => this.metricRow(metric, index));
    const body = element("tbody", {}, this.rankRow(), this.scoreRow(), ...metrics);
    const weights = ready ? "at these weights" : "at the default weights";
    this.scores.replaceChildren(
      element("h2", { id: "scores-title" }, "Scores"),
      hint(
        `Ranks, Dynascores and what each metric adds to them ${weights}. Differences and bars compare with the first model: more to the right, less to the left.`,
      ),
      framed("Scores", "contrast", this.head("Score", true), body),
    );
    if (view.now.by === "z_score") {
      this.scores.append(hint("The link ranks by mean z-score; the Dynascore is shown beside it."));
    }
    if (focused) this.focus(focused);
  }

  /**
   * Focus a button that has been made anew.
   * @param {string} act what it does
   */
  focus(act) {
    const button = findOptional(this.scores, `[data-act="${CSS.escape(act)}"]`, HTMLElement);
    button?.focus({ preventScroll: true });
  }

  /**
   * The names of the models; with buttons to put one first or to remove it.
   * @param {string} title
   */
  head(title, buttons = false) {
    const cells = this.models.map((model, place) =>
      element(
        "th",
        { scope: "col", class: "right" },
        this.name(model),
        buttons ? this.buttons(model, place) : null,
      ),
    );
    return element("tr", {}, element("th", { scope: "col" }, title), ...cells);
  }

  /** @param {string} model */
  name(model) {
    return element("a", { class: "clamp", dir: "auto", href: this.page.link(model) }, this.page.label(model));
  }

  /**
   * @param {string} model
   * @param {number} place
   */
  buttons(model, place) {
    const rest = this.models.filter((other) => other !== model);
    const first = place > 0 ? this.button(`first ${model}`, "Put first", model, [model, ...rest]) : null;
    return element("span", { class: "acts" }, first, this.button(`remove ${model}`, "Remove", model, rest));
  }

  /**
   * @param {string} act
   * @param {string} text
   * @param {string} model
   * @param {string[]} chosen the models that are compared after a press
   */
  button(act, text, model, chosen) {
    const button = element(
      "button",
      { type: "button", class: "act", "data-act": act, "aria-label": `${text}: ${this.page.short(model)}` },
      text,
    );
    button.addEventListener("click", () => this.page.choose(chosen));
    return button;
  }

  rankRow() {
    const { ranking, data } = this.page;
    const cells = this.at.map((at) => cell(rankText(ranking.rankOf(at))));
    const head = rowHead("Rank", `of ${ranking.ranked} ranked, ${data.models.length} in all`);
    return element("tr", {}, head, ...cells);
  }

  scoreRow() {
    const values = this.at.map((at) => known(this.page.ranking.scores[at]));
    const cells = values.map((value, place) =>
      cell(
        element("strong", { class: "num" }, number(value)),
        place ? difference(value, values[0], 2, false) : null,
      ),
    );
    return element("tr", {}, rowHead("Dynascore", ""), ...cells);
  }

  /**
   * @param {MetricData} metric
   * @param {number} index
   */
  metricRow(metric, index) {
    const { ranking, own, view } = this.page;
    const { unit, colour } = own.columns[index];
    const share = view.now.metrics[metric.name];
    const values = this.at.map((at) => known(ranking.values[index][at]));
    const added = this.at.map((at) => (share ? known(ranking.contributions[index][at]) : null));
    const bars = added.map((value, place) => this.addedText(value, place ? (added[0] ?? 0) : null, colour));
    const facts = [unit, metric.cost ? "less is better" : "", `weight ${weight(share)}`];
    const head = rowHead(metric.label, facts.filter(Boolean).join(", "), colour);
    return element("tr", {}, head, ...valueCells(values, metric, bars));
  }

  /** The largest difference of a contribution from the first model's. */
  scale() {
    const { contributions } = this.page.ranking;
    const differences = contributions.flatMap((column) =>
      this.at.map((at) => Math.abs((known(column[at]) ?? 0) - (known(column[this.at[0]]) ?? 0))),
    );
    return Math.max(...differences, 1e-12);
  }

  /**
   * What a metric adds to a score, with a bar for the difference from the first model's.
   * @param {number | null} value
   * @param {number | null} first null for the first model itself
   * @param {number} colour
   */
  addedText(value, first, colour) {
    if (value === null) return null;
    const text = element("span", { class: "adds" }, `adds ${number(value)}`);
    if (first === null) return text;
    return element("span", { class: `with-bar m${colour}` }, text, bar(value - first, this.scale()));
  }

  // Datasets

  showDatasets() {
    const { datasets } = this.page.own;
    this.datasets.hidden = datasets.length < 2;
    if (this.datasets.hidden) return;
    const bodies = datasets
      .map((dataset) => this.datasetBody(dataset))
      .filter((body) => body.rows.length > 1);
    this.datasets.replaceChildren(
      element("h2", { id: "datasets-title" }, "By dataset"),
      framed("By dataset", "contrast by-dataset", this.head("Metric"), ...bodies),
    );
  }

  /** @param {CompareDataset} dataset */
  datasetBody(dataset) {
    const { data, own, values } = this.page;
    const rows = data.metrics.map((metric, index) => {
      const numbers = this.at.map((at) => values[dataset.id][metric.name][at]);
      if (numbers.every((value) => value === null)) return null;
      const head = rowHead(metric.label, own.columns[index].unit, own.columns[index].colour);
      return element("tr", {}, head, ...valueCells(numbers, metric));
    });
    return element("tbody", {}, element("tr", { class: "group" }, this.datasetHead(dataset)), ...rows);
  }

  /** @param {CompareDataset} dataset */
  datasetHead({ id, label, ranks }) {
    const { addresses, view } = this.page;
    const href = `${addresses.board}datasets/${id}/`;
    const name = element("a", { class: "clamp", dir: "auto", href }, label);
    const role = ranks ? `weight ${weight(view.now.datasets[id] ?? 0)}` : "shown, not ranked";
    const attributes = { scope: "rowgroup", colspan: this.models.length + 1 };
    return element("th", attributes, name, " ", element("small", {}, role));
  }

  // Tags

  /**
   * Scores on parts of the datasets, those that set the models apart most first.
   * @param {ModelDetails[]} details of each model
   */
  showDetails(details) {
    const { data, own } = this.page;
    const parts = partsByTag(own.datasets, details, data.metrics, data.base);
    this.tags.hidden = !parts.length;
    if (!parts.length) return;
    const rows = parts.map((part) => this.tagRow(part));
    for (const row of rows.slice(FIRST)) row.hidden = true;
    this.tags.replaceChildren(
      element("h2", { id: "tags-title" }, "By tag"),
      hint(
        `Scores on the examples that carry a tag; those that set these models apart most come first. Under ${FEW} examples, marked few, a few answers move a score by many points.`,
      ),
      framed("By tag", "contrast by-tag", this.head("Part of the data"), element("tbody", {}, ...rows)),
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
      `, ${examples} example${examples === 1 ? "" : "s"}`,
      examples < FEW ? element("span", { class: "few-mark" }, "few") : null,
      ", ",
      element("bdi", {}, metric.label),
    );
    const head = element("th", { scope: "row" }, clamped(value), about);
    return element("tr", {}, head, ...valueCells(numbers, metric));
  }
}

/** @param {string} text */
function hint(text) {
  return element("p", { class: "muted small" }, text);
}

/**
 * @param {string} label
 * @param {string} unit
 * @param {number | null} colour
 */
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
  if (rank === null) return element("span", { class: "muted" }, "not ranked");
  return element("strong", { class: "place" }, String(rank));
}

/**
 * A cell for each model: its value, how far that is from the first model's, and what else there is to show.
 * @param {(number | null)[]} values
 * @param {Pick<MetricData, "decimals" | "cost">} metric
 * @param {(Node | null)[]} more
 */
function valueCells(values, { decimals, cost }, more = []) {
  return values.map((value, place) =>
    cell(
      figure(value, decimals),
      place ? difference(value, values[0], decimals, cost) : null,
      more[place] ?? null,
    ),
  );
}

/**
 * A cell with spaces between its parts, for those who listen to it or copy it.
 * @param {(Node | null)[]} children
 */
function cell(...children) {
  const parts = children.filter((child) => child !== null).flatMap((child) => [child, " "]);
  return element("td", { class: "right" }, ...parts);
}

/**
 * A number, or a dash that is read out as missing.
 * @param {number | null} value
 * @param {number} decimals
 */
function figure(value, decimals) {
  if (value !== null) return element("span", { class: "num" }, number(value, decimals));
  const dash = element("span", { "aria-hidden": "true" }, MISSING);
  return element("span", { class: "num" }, dash, screenReaderText("missing"));
}

/**
 * A number of the ranking, null where it has none.
 * @param {number} value
 */
function known(value) {
  return Number.isNaN(value) ? null : value;
}

/**
 * How far a value is from the first model's, and whether that is better.
 * @param {number | null} value
 * @param {number | null} first
 * @param {number} decimals
 * @param {boolean} cost
 */
function difference(value, first, decimals, cost) {
  if (value === null || first === null) return element("span", { class: "difference" });
  if (Number(fixed(value, decimals)) === Number(fixed(first, decimals))) {
    return element("span", { class: "difference" }, "same");
  }
  const kind = (cost ? first > value : value > first) ? "better" : "worse";
  const text = signed(value - first, decimals);
  return element("span", { class: `difference ${kind}` }, text, screenReaderText(` ${kind}`));
}

/**
 * @param {number} size
 * @param {number} scale
 */
function bar(size, scale) {
  const middle = WIDTH / 2;
  const width = (Math.abs(size) / scale) * middle;
  const x = (size < 0 ? middle - width : middle).toFixed(2);
  const attributes = {
    class: "bar",
    viewBox: `0 0 ${WIDTH} 8`,
    role: "img",
    preserveAspectRatio: "none",
    "aria-label": `${signed(size)} to the score`,
  };
  return drawn(
    "svg",
    attributes,
    drawn("rect", { x, y: "1", width: width.toFixed(2), height: "6" }),
    drawn("line", { x1: middle, y1: "0", x2: middle, y2: "8" }),
  );
}

/** @param {HTMLTableRowElement[]} rows */
function showAll(rows) {
  const button = element("button", { type: "button", class: "button more" }, `Show all ${rows.length}`);
  button.addEventListener("click", () => {
    for (const row of rows) row.hidden = false;
    rows[FIRST].tabIndex = -1;
    rows[FIRST].focus();
    button.remove();
  });
  return button;
}
