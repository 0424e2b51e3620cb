// How the models' values of a metric spread: a small histogram in its line of the exchange rates.
import { AfterPaint } from "../base/afterpaint.js";
import { byId, drawn, find } from "../base/elements.js";
import { isolated, number } from "../base/formats.js";
import { shortened } from "../base/models.js";
import { explained } from "./why.js";

/** @import { BoardHost, BoardView, MetricData, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

const WIDTH = 240;
const HEIGHT = 28;
const BINS = 24;
/** A bin with one model among a thousand is still to be seen. */
const LEAST = 2;

/** @implements {Part} */
export class Histograms {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.charts = page.data.metrics.map((metric, at) => new Histogram(metric, at));
    this.later = new AfterPaint(() => this.draw());
  }

  /**
   * @param {Ranking} _ranking
   * @param {BoardView} _view
   * @param {Set<string>} changed
   */
  show(_ranking, _view, changed) {
    if (changed.has("ranking") || changed.has("why")) this.later.ask();
  }

  draw() {
    const index = explained(this.page);
    const label = index === null ? "" : shortened(this.page.data.models[index].label);
    byId("spread-model").textContent = label || "the leader";
    for (const chart of this.charts) chart.show(this.page.ranking, index, label);
  }
}

/** The values of one metric, with a mark at their median and one at the model whose score is explained. */
class Histogram {
  /**
   * @param {MetricData} metric
   * @param {number} at its place among the metrics
   */
  constructor(metric, at) {
    this.metric = metric;
    this.at = at;
    this.svg = find(document, `.rates li[data-metric="${CSS.escape(metric.name)}"] .spread`, SVGElement);
    const [bins, middle, mark] = ["bins", "middle", "chosen"].map((name) => drawn("path", { class: name }));
    this.svg.append(bins, middle, mark);
    this.paths = { bins, middle, mark };
    /** @type {{ all: Float64Array, index: number | null } | null} */
    this.shown = null;
  }

  /**
   * A weight of a metric moves no value, and then nothing is drawn again unless another model leads.
   * @param {Ranking} ranking
   * @param {number | null} index
   * @param {string} label
   */
  show({ values }, index, label) {
    const all = values[this.at];
    if (this.shown?.all === all && this.shown.index === index) return;
    this.shown = { all, index };
    this.draw(inOrder(all), index === null || Number.isNaN(all[index]) ? null : all[index], label);
  }

  /**
   * @param {Float64Array} values
   * @param {number | null} chosen
   * @param {string} label
   */
  draw(values, chosen, label) {
    const { bins, middle, mark } = this.paths;
    bins.setAttribute("d", columns(values));
    middle.setAttribute("d", values.length ? upright(median(values), values) : "");
    mark.setAttribute("d", chosen === null ? "" : upright(chosen, values));
    this.svg.setAttribute("aria-label", inWords(this.metric, values, chosen, label));
  }
}

/**
 * The values that are there, smallest first.
 * @param {Float64Array} all
 */
function inOrder(all) {
  const sorted = Float64Array.from(all).sort();
  const missing = sorted.findIndex(Number.isNaN);
  return missing < 0 ? sorted : sorted.subarray(0, missing);
}

/**
 * Where a value is along the range; in the middle where all are equal.
 * @param {number} value
 * @param {Float64Array} values
 */
function place(value, values) {
  const [low, high] = [values[0], values[values.length - 1]];
  return high === low ? 0.5 : (value - low) / (high - low);
}

/** @param {Float64Array} values */
function columns(values) {
  /** @type {number[]} */
  const counts = new Array(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.floor(place(value, values) * BINS))] += 1;
  const most = Math.max(...counts);
  const width = WIDTH / BINS;
  return counts
    .map((count, bin) => [bin * width, count && Math.max(LEAST, (count / most) * (HEIGHT - 2))])
    .filter(([, height]) => height > 0)
    .map(([x, height]) => [x, height.toFixed(1)])
    .map(([x, height]) => `M${Number(x) + 0.5} ${HEIGHT}v-${height}h${width - 1}v${height}z`)
    .join("");
}

/**
 * @param {number} value
 * @param {Float64Array} values
 */
function upright(value, values) {
  return `M${(1 + place(value, values) * (WIDTH - 2)).toFixed(1)} 0V${HEIGHT}`;
}

/** @param {Float64Array} values in order */
function median(values) {
  const half = Math.floor(values.length / 2);
  return values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/**
 * @param {MetricData} metric
 * @param {Float64Array} values
 * @param {number | null} chosen
 * @param {string} model
 */
function inWords({ label, decimals }, values, chosen, model) {
  if (!values.length) return `${label}: no values`;
  const [low, middle, high] = [values[0], median(values), values[values.length - 1]].map((value) =>
    number(value, decimals),
  );
  const own = chosen === null ? "" : `, ${isolated(model)} ${number(chosen, decimals)}`;
  return `${label} of ${values.length} models: ${low} to ${high}, median ${middle}${own}`;
}
