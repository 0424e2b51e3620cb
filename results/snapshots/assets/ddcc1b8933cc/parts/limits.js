// The menu of hard limits: for every metric the least and the most that a model may have.
import { element } from "../base/elements.js";
import { number } from "../base/formats.js";
import { metricNamed } from "../base/models.js";
import { extremes } from "../charts/drawing.js";
import { BOUNDS, isLimit } from "../view/fragment.js";
import { limited, rangeOf } from "../view/limits.js";

/** @import { BoardHost, BoardView, Bound, MetricData } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** What a machine must have for a model. */
const RUNNING = ["memory", "throughput"];
/** @typedef {{ box: HTMLInputElement, metric: string, at: number }} LimitBox */

export class Limits {
  /**
   * @param {BoardHost} page
   * @param {HTMLElement} panel
   */
  constructor(page, panel) {
    const { data, view } = page;
    this.view = view;
    this.metrics = data.metrics;
    /** The values whose range the boxes hint at. @type {Float64Array[] | null} */
    this.hinted = null;
    /** @type {LimitBox[]} */
    this.boxes = [];
    const runs = this.metrics.filter(({ name }) => RUNNING.includes(name));
    const others = this.metrics.filter(({ name }) => !RUNNING.includes(name));
    panel.append(
      ...this.group("Only what I can run", runs),
      ...this.group("How good it must be", others),
      note(),
    );
  }

  /**
   * @param {string} title
   * @param {MetricData[]} metrics
   */
  group(title, metrics) {
    if (!metrics.length) return [];
    const heads = element(
      "div",
      { class: "limit-line muted small", "aria-hidden": "true" },
      element("span"),
      element("span", {}, "at least"),
      element("span", {}, "at most"),
    );
    return [
      element("fieldset", {}, element("legend", {}, title), heads, ...metrics.map((one) => this.line(one))),
    ];
  }

  /** @param {MetricData} metric */
  line(metric) {
    const unit = metric.unit ? element("span", { class: "muted" }, ` ${metric.unit}`) : null;
    const name = element("span", { class: "clamp", dir: "auto", title: metric.label }, metric.label, unit);
    return element(
      "div",
      { class: "limit-line" },
      name,
      ...BOUNDS.map((bound, at) => this.box(metric, bound, at)),
    );
  }

  /**
   * @param {MetricData} metric
   * @param {Bound} bound
   * @param {number} at
   */
  box({ name, label, unit }, bound, at) {
    const words = `${label} at ${bound}${unit ? `, ${unit}` : ""}`;
    const box = element("input", { type: "number", step: "any", inputmode: "decimal", "aria-label": words });
    box.addEventListener("input", () => this.limit(name, bound, box));
    box.addEventListener("change", () => this.view.settle());
    this.boxes.push({ box, metric: name, at });
    return box;
  }

  /**
   * @param {string} metric
   * @param {Bound} bound
   * @param {HTMLInputElement} box
   */
  limit(metric, bound, box) {
    const value = Number.isFinite(box.valueAsNumber) && isLimit(box.valueAsNumber) ? box.valueAsNumber : null;
    this.view.change({ limits: limited(this.view.now.limits, metric, bound, value) });
  }

  /** @param {Ranking} ranking @param {BoardView} view */
  show({ values }, { limits }) {
    for (const { box, metric, at } of this.boxes) {
      const value = rangeOf(limits, metric)[at];
      const text = value === null ? "" : String(value);
      if (box !== document.activeElement && box.value !== text) box.value = text;
    }
    if (values !== this.hinted) this.hint(values);
  }

  /** Hint at the range that the board has. @param {Ranking["values"]} values */
  hint(values) {
    this.hinted = values;
    const ranges = new Map(this.metrics.map(({ name }, at) => [name, extremes(values[at])]));
    for (const { box, metric, at } of this.boxes) {
      const range = ranges.get(metric);
      box.placeholder = range ? number(range[at], metricNamed(this.metrics, metric).decimals) : "";
    }
  }
}

function note() {
  const text = "A model without a number for what is limited is left out. Limits change nobody’s score.";
  return element("p", { class: "muted small" }, text);
}
