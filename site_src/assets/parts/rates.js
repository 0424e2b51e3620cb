// The exchange rates panel, what a unit is worth, and the notes under the ranking.
import { AfterPaint } from "../base/afterpaint.js";
import { byId, element, find, findAll, findOptional, write } from "../base/elements.js";
import { counted, isolated, percent, significant } from "../base/formats.js";
import { metricNamed } from "../base/models.js";
import { badge } from "./fragile.js";

/** @import { BoardHost, BoardView, MetricData, Part, RateData, Weights } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** What units of metrics are worth in units of the base metric; null where that has no answer.
 * @typedef {Map<string, number | null>} Worths */

/** @implements {Part} */
export class Rates {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.metrics = page.data.metrics;
    this.labels = new Map(page.data.models.map(({ id, label }) => [id, label]));
    this.later = new AfterPaint(() => this.showRates());
    this.lines = new Map(
      findAll(document, ".rates li", HTMLElement).map((line) => [line.dataset.metric, line]),
    );
  }

  /**
   * @param {Ranking} _ranking
   * @param {BoardView} _view
   * @param {Set<string>} changed
   */
  show(_ranking, _view, changed) {
    if (changed.has("ranking")) this.later.ask();
  }

  showRates() {
    const { rates, notes } = this.page.ranking;
    const { metrics: weights, base: name } = this.page.ranked;
    const worths = new Map(
      this.metrics.map((metric) => [metric.name, worth(metric.name, name, rates, weights)]),
    );
    const base = metricNamed(this.metrics, name);
    write(byId("base-one"), base.one);
    write(byId("base-label"), base.label);
    for (const metric of this.metrics) {
      this.showLine(metric, rates[metric.name], worths.get(metric.name) ?? null, base);
    }
    write(byId("worth"), sentence(this.metrics, worths, base));
    showNotes(notes);
  }

  /**
   * @param {MetricData} metric
   * @param {RateData} rate
   * @param {number | null} worth
   * @param {MetricData} base
   */
  showLine(metric, rate, worth, base) {
    const line = this.lines.get(metric.name);
    if (!line) return;
    const own = metric === base;
    const part = (/** @type {string} */ name) => find(line, `.${name}`, HTMLElement);
    write(part("rate"), significant(rate.rate));
    write(part("rate-unit"), own ? "base" : metric.amounts);
    write(part("worth"), own || worth === null ? "" : `each worth ${significant(worth)} ${base.amounts}`);
    part("drives").classList.toggle("flagged", rate.note !== null);
    showDrives(part("drives"), this.drives(rate), rate.note !== null && rate.largest_pair !== null);
  }

  /**
   * Which pair of models a rate depends on most, or why there is no rate.
   * @param {RateData} rate
   */
  drives({ largest_pair: pair, largest_share: share, note }) {
    if (!pair) return note ?? "";
    const [one, other] = pair.map((id) => isolated(this.labels.get(id) ?? id));
    return `${percent(share ?? 0, 0)} from ${one} and ${other}`;
  }
}

/**
 * The badge is left alone where it stays: it may have the focus.
 * @param {HTMLElement} place @param {string} words @param {boolean} fragile
 */
function showDrives(place, words, fragile) {
  const present = findOptional(place, ".fragile", HTMLElement);
  if (!fragile) present?.remove();
  else if (!present) place.prepend(badge());
  const text = place.lastChild instanceof Text ? place.lastChild : place.appendChild(new Text());
  const label = fragile ? ` ${words}` : words;
  if (text.data !== label) text.data = label;
}

/**
 * What one unit of a metric is worth in units of the base metric.
 * @param {string} name
 * @param {string} base
 * @param {Record<string, RateData>} rates
 * @param {Weights} weights
 */
function worth(name, base, rates, weights) {
  const { rate } = rates[name];
  return rate && weights[base] ? weights[name] / (rate * weights[base]) : null;
}

/**
 * @param {MetricData[]} metrics
 * @param {Worths} worths
 * @param {MetricData} base
 */
function sentence(metrics, worths, base) {
  const parts = metrics
    .filter(({ name, cost }) => cost && name !== base.name && worths.get(name))
    .map(({ name, label, one }) => {
      const size = significant(worths.get(name) ?? null);
      return `${one} of ${label} is worth ${size} ${base.amounts} of ${base.label}`;
    });
  return parts.length ? `At these weights ${parts.join("; ")}.` : "";
}

/** @param {string[]} notes */
function showNotes(notes) {
  const list = byId("notes-list");
  const present = [...list.children].map((item) => item.textContent);
  if (present.length === notes.length && notes.every((note, index) => note === present[index])) return;
  list.replaceChildren(...notes.map((note) => element("li", { dir: "auto" }, note)));
  byId("notes").hidden = !notes.length;
  byId("notes-count").textContent = notes.length
    ? ` · ${counted(notes.length, "note")} at these weights`
    : "";
}
