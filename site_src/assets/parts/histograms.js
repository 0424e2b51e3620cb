// How the models' values of a metric spread: a small histogram in its line of the exchange rates.
import { AfterPaint } from "../base/afterpaint.js";
import { isolated, number } from "../base/formats.js";
import { shortened } from "../base/models.js";
import { explained } from "./why.js";

const WIDTH = 240;
const HEIGHT = 28;
const BINS = 24;
/** A bin with one model among a thousand is still to be seen. */
const LEAST = 2;
const SVG = "http://www.w3.org/2000/svg";

export class Histograms {
  constructor(page) {
    this.page = page;
    const spread = ({ name }) =>
      document.querySelector(`.rates li[data-metric="${CSS.escape(name)}"] .spread`);
    this.charts = page.data.metrics.map((metric, at) => ({ metric, at, svg: spread(metric) }));
    for (const { svg } of this.charts) svg.append(path("bins"), path("middle"), path("chosen"));
    this.later = new AfterPaint(() => this.draw());
  }

  show(ranking, view, changed) {
    if (changed.has("ranking") || changed.has("why")) this.later.ask();
  }

  draw() {
    const index = explained(this.page);
    const label = index === null ? "" : shortened(this.page.data.models[index].label);
    document.getElementById("spread-model").textContent = label || "the leader";
    for (const chart of this.charts) this.drawOne(chart, index, label);
  }

  /** A weight of a metric moves no value, and then nothing is drawn again unless another model leads. */
  drawOne(chart, index, label) {
    const { metric, at, svg } = chart;
    const all = this.page.ranking.values[at];
    if (chart.all === all && chart.index === index) return;
    Object.assign(chart, { all, index });
    const values = inOrder(all);
    const chosen = index === null || Number.isNaN(all[index]) ? null : all[index];
    const [bins, middle, mark] = svg.children;
    bins.setAttribute("d", columns(values));
    middle.setAttribute("d", values.length ? upright(median(values), values) : "");
    mark.setAttribute("d", chosen === null ? "" : upright(chosen, values));
    svg.setAttribute("aria-label", inWords(metric, values, chosen, label));
  }
}

/** The values that are there, smallest first. */
function inOrder(all) {
  const sorted = Float64Array.from(all).sort();
  const missing = sorted.findIndex(Number.isNaN);
  return missing < 0 ? sorted : sorted.subarray(0, missing);
}

function path(name) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("class", name);
  return made;
}

/** Where a value lies along the range; in the middle where all are equal. */
function place(value, values) {
  const [low, high] = [values[0], values.at(-1)];
  return high === low ? 0.5 : (value - low) / (high - low);
}

function columns(values) {
  const counts = new Array(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.floor(place(value, values) * BINS))] += 1;
  const most = Math.max(...counts);
  const width = WIDTH / BINS;
  return counts
    .map((count, bin) => [bin * width, count && Math.max(LEAST, (count / most) * (HEIGHT - 2))])
    .filter(([, height]) => height > 0)
    .map(([x, height]) => `M${x + 0.5} ${HEIGHT}v${-height.toFixed(1)}h${width - 1}v${height.toFixed(1)}z`)
    .join("");
}

function upright(value, values) {
  return `M${(1 + place(value, values) * (WIDTH - 2)).toFixed(1)} 0V${HEIGHT}`;
}

function median(values) {
  const half = Math.floor(values.length / 2);
  return values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

function inWords({ label, decimals }, values, chosen, model) {
  if (!values.length) return `${label}: no values`;
  const text = (value) => number(value, decimals);
  const own = chosen === null ? "" : `, ${isolated(model)} ${text(chosen)}`;
  return `${label} of ${values.length} models: ${text(values[0])} to ${text(values.at(-1))}, median ${text(median(values))}${own}`;
}
