// The menu of hard limits: for every metric the least and the most that a model may have, typed in any unit or dragged along
// a picture of how many models have what.
import { drawn, element, write } from "../base/elements.js";
import { number, weight } from "../base/formats.js";
import { shortened } from "../base/models.js";
import { text } from "../base/texts.js";
import { extremes } from "../charts/drawing.js";
import { Axis } from "../charts/svg.js";
import { kindOf, readAmount } from "../view/amounts.js";
import { BOUNDS, isLimit } from "../view/fragment.js";
import { isWithin, limited, rangeOf } from "../view/limits.js";

/** @import { BoardHost, BoardView, Bound, MetricData } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Ends } from "../view/limits.js" */

/** What a machine must have for a model. */
const RUNNING = ["memory", "throughput"];
/** Places of a slider, and bars of a picture. */
const STOPS = 96;
const BARS = 24;
const HEIGHT = 24;

export class Limits {
  /** @param {BoardHost} page @param {HTMLDetailsElement} menu @param {HTMLElement} panel */
  constructor(page, menu, panel) {
    this.page = page;
    this.menu = menu;
    this.panel = panel;
    /** Lines are made when somebody opens the menu. @type {Line[]} */
    this.lines = [];
    menu.addEventListener("toggle", () => {
      if (menu.open && !this.lines.length) this.fill();
      this.show(page.ranking, page.view.now);
    });
  }

  fill() {
    const { data, view } = this.page;
    this.lines = data.metrics.map((metric) => new Line(metric, view));
    const groups = [true, false].flatMap((running) => {
      const lines = this.lines.filter(({ metric }) => RUNNING.includes(metric.name) === running);
      return lines.length ? [group(text(running ? "limits.run" : "limits.good"), lines)] : [];
    });
    this.panel.append(...groups, element("p", { class: "muted small" }, text("limits.note")));
  }

  /** @param {Ranking} ranking @param {BoardView} view */
  show({ values }, { limits }) {
    if (!this.menu.open) return;
    this.lines.forEach((line, metric) => line.show(values[metric], rangeOf(limits, line.metric.name)));
  }
}

/** @param {string} title @param {Line[]} lines */
function group(title, lines) {
  const heads = element(
    "div",
    { class: "limit-line muted small", "aria-hidden": "true" },
    element("span"),
    ...BOUNDS.map((bound) => element("span", {}, text(`limits.at-${bound}`))),
  );
  return element("fieldset", {}, element("legend", {}, title), heads, ...lines.map(({ line }) => line));
}

/** The limits of one metric: two boxes, the picture with a slider for each of its ends, and what was understood. */
class Line {
  /** @param {MetricData} metric @param {BoardHost["view"]} view */
  constructor(metric, view) {
    this.metric = metric;
    this.view = view;
    this.axis = new Axis([], 0, STOPS);
    /** The limits, and how many of all models keep them. @type {{ range: Ends, part: number, all: number }} */
    this.told = { range: [null, null], part: 0, all: 0 };
    const { label, unit, colour } = metric;
    this.boxes = BOUNDS.map((bound) => this.box(bound));
    this.sliders = BOUNDS.map((bound, at) => this.slider(bound, at));
    this.bars = ["kept", "rest"].map((name) => drawn("path", { class: name }));
    const frame = { viewBox: `0 0 ${STOPS} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    this.read = element("output", { class: "muted small" });
    const aside = unit ? element("span", { class: "muted" }, ` ${unit}`) : null;
    this.line = element(
      "div",
      { class: `limit-line m${colour}` },
      element("span", { class: "clamp", dir: "auto", title: label }, label, aside),
      ...this.boxes,
      element("div", { class: "limit-range" }, drawn("svg", frame, ...this.bars), ...this.sliders),
      this.read,
    );
  }

  /** @param {Bound} bound */
  words(bound) {
    return `${this.metric.label} ${text(`limits.at-${bound}`)}`;
  }

  /** @param {Bound} bound */
  box(bound) {
    const { unit } = this.metric;
    const words = unit ? `${this.words(bound)}, ${unit}` : this.words(bound);
    const box = element("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": words,
    });
    box.addEventListener("input", () => {
      const value = readAmount(box.value, unit);
      box.ariaInvalid = String(value === null && box.value.trim() !== "");
      this.limit(bound, value);
      // What cannot be read may change no limit, so that nobody else asks for it.
      this.tell();
    });
    box.addEventListener("change", () => this.view.settle());
    return box;
  }

  /** @param {Bound} bound @param {number} at */
  slider(bound, at) {
    const attributes = { class: "slider", type: "range", max: STOPS, "aria-label": this.words(bound) };
    const slider = element("input", attributes);
    slider.addEventListener("input", () => {
      // Neither end goes past the other one.
      const other = this.sliders[1 - at].valueAsNumber;
      slider.value = String(Math[at ? "max" : "min"](slider.valueAsNumber, other));
      this.boxes[at].ariaInvalid = "false";
      this.limit(bound, this.valueAt(at, slider.valueAsNumber));
    });
    slider.addEventListener("change", () => this.view.settle());
    return slider;
  }

  /** The limit at a place of a slider, no number where it is at the end; round, and so that a model at that place keeps it.
   * @param {number} at @param {number} place */
  valueAt(at, place) {
    if (place === (at ? STOPS : 0)) return null;
    const value = this.axis.value(place);
    const steps = [-1, 1].map((step) => Math.abs(this.axis.value(place + step) - value));
    const power = Math.floor(Math.log10(Math.min(...steps) / 2));
    const round = (at ? Math.ceil : Math.floor)(value / 10 ** power) * 10 ** power;
    return Number(round.toFixed(Math.min(100, Math.max(0, -power))));
  }

  /** @param {Bound} bound @param {number | null} value */
  limit(bound, value) {
    const limit = value !== null && isLimit(value) ? value : null;
    this.view.change({ limits: limited(this.view.now.limits, this.metric.name, bound, limit) });
  }

  /** @param {Float64Array} values of all models, NaN where missing @param {Ends} range */
  show(values, range) {
    const known = values.filter((value) => !Number.isNaN(value));
    const inside = known.filter((value) => isWithin(value, range));
    this.axis = new Axis(known, 0, STOPS, { margin: 0 });
    this.draw(known, inside);
    const hints = extremes(known);
    range.forEach((limit, at) => {
      const [box, slider] = [this.boxes[at], this.sliders[at]];
      if (hints) box.placeholder = number(hints[at], this.metric.decimals);
      // What cannot be read stays, to be corrected, until there is another limit.
      if (limit !== null && box !== document.activeElement) box.ariaInvalid = "false";
      const written = limit === null ? "" : String(limit);
      if (box !== document.activeElement && box.ariaInvalid !== "true") box.value = written;
      const end = at ? STOPS : 0;
      const place = limit === null ? end : Math.round(this.axis.at(limit));
      const held = Number.isNaN(place) ? 0 : Math.min(STOPS, Math.max(0, place));
      if (slider !== document.activeElement) slider.value = String(held);
      slider.ariaValueText = limit === null ? text("limits.none") : this.amount(limit);
      // Of two ends at one place the one on top is the one that can move.
      slider.classList.toggle("front", at === 0 && held > STOPS / 2);
    });
    this.told = { range, part: inside.length, all: values.length };
    this.tell();
  }

  /** A bar for each part of the axis, as high as there are models: below those within the limits, above the others.
   * @param {Float64Array} known @param {Float64Array} inside */
  draw(known, inside) {
    const [all, kept] = [known, inside].map((values) => {
      const counts = Array.from({ length: BARS }, () => 0);
      for (const value of values) {
        counts[Math.min(BARS - 1, Math.floor((this.axis.at(value) / STOPS) * BARS))] += 1;
      }
      return counts;
    });
    const [width, unit] = [STOPS / BARS, HEIGHT / Math.max(1, ...all)];
    const bar = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) =>
      to > from
        ? `M${at * width + 0.25} ${HEIGHT - from * unit}V${HEIGHT - to * unit}h${width - 0.5}V${HEIGHT - from * unit}z`
        : "";
    this.bars[0].setAttribute("d", kept.map((count, at) => bar(at, 0, count)).join(""));
    this.bars[1].setAttribute("d", all.map((count, at) => bar(at, kept[at], count)).join(""));
  }

  /** @param {number} value */
  amount(value) {
    return `${weight(value)} ${this.metric.unit}`.trim();
  }

  /** Say the limits in the metric's own unit with how many models keep them, or what a box should have. */
  tell() {
    const unread = this.boxes.find((box) => box.ariaInvalid === "true");
    const example = text(`limits.like-${kindOf(this.metric.unit)}`);
    const words = unread
      ? text("limits.unread", { typed: shortened(unread.value.trim(), 40), example })
      : this.understood();
    write(this.read, words);
  }

  understood() {
    const { range: ends, part, all } = this.told;
    const [least, most] = ends.map((limit) => (limit === null ? "" : this.amount(limit)));
    if (!least && !most) return "";
    const range = text(`limits.read-${least && most ? "both" : least ? "least" : "most"}`, { least, most });
    return text("limits.count", { range, part, all });
  }
}
