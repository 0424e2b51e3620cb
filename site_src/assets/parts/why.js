// How one model's score comes about. The contributions are the ranking's; nothing is scored here.
import { AfterPaint } from "../base/afterpaint.js";
import { byId, closest, element, find, findAll } from "../base/elements.js";
import { isolated, number, percent, significant } from "../base/formats.js";
import { fillWithModels, metricNamed, shortened } from "../base/models.js";
import { share } from "../view/shares.js";

/** @import { BoardHost, BoardView, MetricData, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** The parts of the page that explain a score. @typedef {ReturnType<typeof placesOf>} Places */

/** One metric's part of a score. @typedef {ReturnType<typeof termOf>} Term */

/**
 * The model whose score is explained: the one chosen, else the leader; by index, null without any.
 * @param {BoardHost} page
 */
export function explained(page) {
  const chosen = page.data.models.findIndex(({ id }) => id === page.view.now.why);
  if (chosen >= 0) return chosen;
  return page.ranking.ranked ? page.ranking.order[0] : null;
}

/** @implements {Part} */
export class Why {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    /** A board without any ranked model has nothing to explain. @type {Places | null} */
    this.places = document.getElementById("why-model") && placesOf(byId("why"));
    this.later = new AfterPaint(() => this.showScore());
    if (this.places) this.listen(this.places);
  }

  /** @param {Places} places */
  listen({ select }) {
    fillWithModels(select, this.page.data.models);
    select.addEventListener("change", () => this.page.view.set({ why: select.value }));
    find(document, ".ranks", HTMLElement).addEventListener("click", (event) => this.pick(event));
  }

  /**
   * A click on a score explains it.
   * @param {Event} event
   */
  pick(event) {
    if (!this.places || !closest(event, ".score > .num", HTMLElement)) return;
    const model = closest(event, "[data-model]", HTMLElement)?.dataset.model;
    if (!model) return;
    this.page.view.set({ why: model });
    this.places.section.scrollIntoView({ block: "nearest" });
    this.places.select.focus({ preventScroll: true });
  }

  /**
   * @param {Ranking} _ranking
   * @param {BoardView} _view
   * @param {Set<string>} changed
   */
  show(_ranking, _view, changed) {
    if (this.places && (changed.has("ranking") || changed.has("why"))) this.later.ask();
  }

  showScore() {
    const { data, ranking, ranked, view } = this.page;
    if (!this.places) return;
    const { select, base, score, formula } = this.places;
    select.value = view.now.why;
    base.textContent = this.base.label;
    const index = explained(this.page);
    if (index === null) return;
    const terms = data.metrics.map((metric, at) =>
      termOf(metric, ranking, at, index, share(ranked.metrics, metric.name)),
    );
    for (const term of terms) this.showRow(this.places, term);
    score.textContent = number(known(ranking.scores[index]));
    formula.replaceChildren(...this.sentence(data.models[index].label, known(ranking.scores[index]), terms));
  }

  get base() {
    return metricNamed(this.page.data.metrics, this.page.ranked.base);
  }

  /**
   * @param {Places} places
   * @param {Term} term
   */
  showRow({ rows }, term) {
    const row = rows.get(term.metric.name);
    if (!row) return;
    row.classList.toggle("idle", term.share === 0);
    const [, value, ...cells] = row.cells;
    value.replaceChildren(...valueParts(term));
    const texts = [
      term.rate === null ? "undefined" : significant(term.rate),
      number(term.converted),
      percent(term.share),
      number(term.share ? term.contribution : 0),
    ];
    texts.forEach((text, index) => (cells[index].textContent = text));
  }

  /**
   * The formula in numbers; or why there is none.
   * @param {string} label
   * @param {number | null} score
   * @param {Term[]} terms
   * @returns {(string | Node)[]}
   */
  sentence(label, score, terms) {
    const name = element("strong", { dir: "auto" }, shortened(label));
    if (score === null) return [name, ` is not ranked: ${lacking(terms)}.`];
    const sum = terms.filter(weighs).flatMap((term, at) => [at ? " + " : "", product(term)]);
    const unit = element("span", { class: "muted" }, this.base.unit);
    return ["Dynascore of ", name, " = ", ...sum, " = ", element("strong", {}, number(score)), " ", unit];
  }
}

/** @param {HTMLElement} section */
function placesOf(section) {
  const rows = findAll(section, "tbody [data-metric]", HTMLTableRowElement);
  return {
    section,
    select: byId("why-model", HTMLSelectElement),
    base: byId("why-base"),
    score: byId("why-score"),
    formula: byId("why-formula"),
    rows: new Map(rows.map((row) => [row.dataset.metric, row])),
  };
}

/**
 * One metric's part of a score, the same as `Term` of generator/views/why.py. A cost enters as `cap` less the
 * value; `rate` is null where it is undefined, and the metric then counts 0; `contribution` is null without weight.
 * @param {MetricData} metric
 * @param {Pick<Ranking, "values" | "contributions" | "rates">} ranking
 * @param {number} at the metric's place
 * @param {number} index of the model
 * @param {number} share of the metric in all weights
 */
export function termOf(metric, { values, contributions, rates }, at, index, share) {
  const value = known(values[at][index]);
  const contribution = share > 0 ? known(contributions[at][index]) : null;
  const { rate } = rates[metric.name];
  const cap = metric.cost ? (metric.cap ?? largest(values[at])) : null;
  const good = value === null || cap === null ? value : cap - value;
  return {
    metric,
    value,
    cap,
    good,
    rate,
    share,
    converted: worth(good, rate, contribution, share),
    contribution,
  };
}

/**
 * What a value is worth in units of the base metric; null where that is not known.
 * @param {number | null} good
 * @param {number | null} rate
 * @param {number | null} contribution
 * @param {number} share
 */
function worth(good, rate, contribution, share) {
  if (good !== null) return rate ? good / rate : 0;
  // A missing cell that the board counts as the worst has a contribution all the same.
  return contribution === null ? null : contribution / share;
}

/** @param {Term} term */
function weighs({ share, converted }) {
  return share > 0 && converted !== null;
}

/** @param {Term} term */
function product({ metric, share, converted }) {
  return element("span", { class: `why-term m${metric.colour}` }, `${percent(share)} × ${number(converted)}`);
}

/** @param {Float64Array} values */
function largest(values) {
  return values.reduce((most, value) => (value > most ? value : most), -Infinity);
}

/**
 * @param {Term} term
 * @returns {(string | Node)[]}
 */
function valueParts({ metric: { decimals }, value, cap, good, contribution }) {
  if (value === null) return [contribution === null ? "missing" : "missing, the worst counts"];
  if (cap === null) return [number(good, decimals)];
  const difference = `${number(cap, decimals)} − ${number(value, decimals)} =`;
  return [element("span", { class: "muted" }, difference), " ", number(good, decimals)];
}

/** @param {Term[]} terms */
function lacking(terms) {
  const names = terms
    .filter(({ share, value }) => share > 0 && value === null)
    .map(({ metric }) => isolated(metric.label));
  return names.length ? `it has no value for ${names.join(", ")}` : "nothing has weight";
}

/** @param {number} value */
function known(value) {
  return Number.isNaN(value) ? null : value;
}
