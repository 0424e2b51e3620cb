// The menu of hard limits: for every metric the least and the most that a model may have.
import { element } from "../base/elements.js";
import { number } from "../base/formats.js";
import { text } from "../base/texts.js";
import { extremes } from "../charts/drawing.js";
import { BOUNDS, isLimit } from "../view/fragment.js";
import { limited, rangeOf } from "../view/limits.js";

/** @import { BoardHost, BoardView, Bound, MetricData } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** What a machine must have for a model. */
const RUNNING = ["memory", "throughput"];

export class Limits {
  /** @param {BoardHost} page @param {HTMLElement} panel */
  constructor({ data, view }, panel) {
    this.view = view;
    this.metrics = data.metrics;
    /** A box for the least and one for the most of every metric, by name. @type {Map<string, HTMLInputElement[]>} */
    this.boxes = new Map();
    const runs = this.metrics.filter(({ name }) => RUNNING.includes(name));
    const others = this.metrics.filter(({ name }) => !RUNNING.includes(name));
    panel.append(
      ...this.group("limits.run", runs),
      ...this.group("limits.good", others),
      element("p", { class: "muted small" }, text("limits.note")),
    );
  }

  /** @param {string} title @param {MetricData[]} metrics */
  group(title, metrics) {
    if (!metrics.length) return [];
    const heads = element(
      "div",
      { class: "limit-line muted small", "aria-hidden": "true" },
      element("span"),
      ...BOUNDS.map((bound) => element("span", {}, text(`limits.at-${bound}`))),
    );
    const lines = metrics.map((metric) => this.line(metric));
    return [element("fieldset", {}, element("legend", {}, text(title)), heads, ...lines)];
  }

  /** @param {MetricData} metric */
  line({ name, label, unit }) {
    const boxes = BOUNDS.map((bound) => {
      const words = `${label} ${text(`limits.at-${bound}`)}${unit ? `, ${unit}` : ""}`;
      const attributes = { type: "number", step: "any", inputmode: "decimal", "aria-label": words };
      const box = element("input", attributes);
      box.addEventListener("input", () => this.limit(name, bound, box.valueAsNumber));
      box.addEventListener("change", () => this.view.settle());
      return box;
    });
    this.boxes.set(name, boxes);
    const aside = unit ? element("span", { class: "muted" }, ` ${unit}`) : null;
    const head = element("span", { class: "clamp", dir: "auto", title: label }, label, aside);
    return element("div", { class: "limit-line" }, head, ...boxes);
  }

  /** @param {string} metric @param {Bound} bound @param {number} value NaN for none */
  limit(metric, bound, value) {
    const limit = Number.isFinite(value) && isLimit(value) ? value : null;
    this.view.change({ limits: limited(this.view.now.limits, metric, bound, limit) });
  }

  /** Show the limits, and hint at the range that the board has. @param {Ranking} ranking @param {BoardView} view */
  show({ values }, { limits }) {
    this.metrics.forEach(({ name, decimals }, metric) => {
      const range = rangeOf(limits, name);
      const hints = extremes(values[metric]);
      this.boxes.get(name)?.forEach((box, at) => {
        const written = range[at] === null ? "" : String(range[at]);
        if (box !== document.activeElement && box.value !== written) box.value = written;
        box.placeholder = hints ? number(hints[at], decimals) : "";
      });
    });
  }
}
