// Every metric as an axis of its own, better upwards, and every model as a line across them. On narrow screens the
// picture is turned: axes are below one another, better to the right. A drag along an axis limits its metric.
import { closest } from "../base/elements.js";
import { number } from "../base/formats.js";
import { text } from "../base/texts.js";
import { compared } from "../scorer/ranking.js";
import { limited, rangeOf } from "../view/limits.js";
import { listed, metricLine, numberOrDash, Pointer, rankLine } from "./panel.js";
import { extremes } from "./drawing.js";
import {
  Axis,
  colourKey,
  label,
  nearestLine,
  path,
  picture,
  shownWidth,
  STRONG,
  svg,
  tagClass,
  widthOf,
} from "./svg.js";

/** @import { BoardHost, Card, ChartTable, Point } from "../../types" */
/** @import { Charts } from "./charts.js" */
/** @import { Panel } from "./panel.js" */

// Axes closer than this have no room for their names side by side, so the picture is turned.
const NARROW = 88;
const UPRIGHT = { height: 360, top: 48, bottom: 28 };
const TURNED = { row: 56, top: 36, side: 8 };
// Room at the left, and at the right for the names of lines that stand out.
const SIDE = 52;
const NAMES = 140;
// How far from a line the pointer may be.
const REACH = 16;
// How far what one drags reaches to both sides of its axis, and what shows a limit.
const GRIP = 12;
const BAND = 6;
// With more lines than this each is fainter, so that where many run together is darker.
const MANY = 100;
// Names of lines are at least this far apart, in pixels.
const LINE = 15;
// A drag shorter than this many pixels is a click.
const CLICK = 4;

export class Parallel {
  /** @param {BoardHost} page @param {Panel} panel @param {Charts} charts */
  constructor(page, panel, charts) {
    this.page = page;
    this.panel = panel;
    this.charts = charts;
    this.metrics = page.data.metrics;
    /** What the picture shows. @type {string | null} */
    this.drawn = null;
    this.width = 0;
    this.height = 0;
    this.turned = false;
    /** @type {Axis[]} */
    this.axes = [];
    /** Each model's places on the axes, null where its number is missing. @type {(Point | null)[][]} */
    this.lines = [];
    /** The values of all models, by metric. @type {Float64Array[]} */
    this.values = [];
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(panel.frame, this);
    this.brush = new Brush(panel.frame, this);
  }

  key() {
    const { pointed, chosen, searched, ranking } = this.charts;
    const rank = pointed === null ? null : ranking.rankOf(pointed);
    return [this.page.ranked.datasets, searched, pointed, chosen, rank];
  }

  draw() {
    const gaps = this.metrics.length - 1;
    this.values = compared(this.charts.ranking, this.metrics);
    this.width = this.panel.width;
    this.turned = (this.width - SIDE - NAMES) / Math.max(1, gaps) < NARROW;
    this.height = this.turned ? TURNED.top + TURNED.row * gaps + 20 : UPRIGHT.height;
    const [worst, best] = this.ends;
    this.axes = this.metrics.map(({ cost }, at) => {
      const [start, end] = cost ? [best, worst] : [worst, best];
      return new Axis(this.values[at], start, end, { margin: 0 });
    });
    this.lines = this.charts.names.map((_, model) =>
      this.metrics.map((_metric, at) => {
        const value = this.values[at][model];
        return Number.isNaN(value) ? null : this.spot(at, this.axes[at].at(value));
      }),
    );
    this.pointer.hold(picture(this.width, this.height, text("parallel.title"), ...this.layers()));
    const terms = () => ({ model: this.charts.pointed, left: this.charts.left });
    this.panel.ask(this.page.words, "parallel", terms, this.reading(), () => this.numbers());
  }

  // Where things are.

  /** The ends of every axis along it, the worst first. */
  get ends() {
    return this.turned
      ? [TURNED.side, this.width - TURNED.side]
      : [this.height - UPRIGHT.bottom, UPRIGHT.top];
  }

  /** Where an axis stands across the picture. @param {number} at */
  standing(at) {
    if (this.turned) return TURNED.top + TURNED.row * at;
    const [left, right] = [SIDE, this.width - NAMES];
    return this.metrics.length === 1 ? left : left + ((right - left) * at) / (this.metrics.length - 1);
  }

  /** A place along an axis as one in the picture. @param {number} at @param {number} place @returns {Point} */
  spot(at, place) {
    return this.turned ? [place, this.standing(at)] : [this.standing(at), place];
  }

  /** Where along an axis an event is, no farther than its ends. @param {MouseEvent} event */
  placeAlong(event) {
    return this.held(this.pointer.place(event)[this.turned ? 0 : 1]);
  }

  /** A place along an axis, no farther than its ends. @param {number} place */
  held(place) {
    return Math.min(Math.max(place, Math.min(...this.ends)), Math.max(...this.ends));
  }

  /** A band along an axis, between two places. @param {number} at @param {number[]} places @param {number} [reach] */
  band(at, places, reach = BAND) {
    const [from, to] = [...places].sort((a, b) => a - b);
    const across = this.standing(at) - reach;
    return this.turned
      ? { x: from, width: to - from, y: across, height: 2 * reach }
      : { x: across, width: 2 * reach, y: from, height: to - from };
  }

  // What is drawn.

  layers() {
    const { pointed, chosen, outstanding, matches } = this.charts;
    const faint = this.lines.filter((_, model) => matches[model] && !outstanding.includes(model));
    const line = (/** @type {number} */ model, /** @type {string} */ style) =>
      svg("path", { class: `line ${style}`, d: path(this.lines[model]) });
    return [
      ...this.metrics.map((_, at) =>
        svg("path", { class: "rule", d: path(this.ends.map((end) => this.spot(at, end))) }),
      ),
      svg(
        "g",
        { class: faint.length > MANY ? "lines many" : "lines" },
        ...faint.map((one) => svg("path", { d: path(one) })),
      ),
      ...chosen.filter((model) => model !== pointed).map((model) => line(model, "picked")),
      ...(pointed === null ? [] : [line(pointed, "led")]),
      this.lit,
      ...this.metrics.flatMap((_, at) => this.heading(at)),
      ...(pointed === null ? [] : this.figures(pointed)),
      ...this.lineNames(),
      ...this.metrics.flatMap((_, at) => this.grips(at)),
      this.brush.band,
    ];
  }

  /** The part of an axis that limits leave, and what one drags to set them. @param {number} at */
  grips(at) {
    const grip = svg("rect", { class: "grip", "data-at": at, ...this.band(at, this.ends, GRIP) });
    const [least, most] = rangeOf(this.page.view.now.limits, this.metrics[at].name);
    if (least === null && most === null) return [grip];
    const axis = this.axes[at];
    const within = (/** @type {number | null} */ value, /** @type {number} */ open) =>
      value === null || !Number.isFinite(axis.at(value)) ? open : this.held(axis.at(value));
    const band = this.band(at, [within(least, axis.start), within(most, axis.end)]);
    return [svg("rect", { class: "brush", ...band }), grip];
  }

  /** Limit a metric to what is between two places along its axis; an end of it is no limit.
   * @param {number} at @param {number[]} places */
  limit(at, places) {
    const { name, decimals } = this.metrics[at];
    const axis = this.axes[at];
    const [least, most] = [...places]
      .sort((a, b) => axis.value(a) - axis.value(b))
      .map((place) => (this.ends.includes(place) ? null : Number(axis.value(place).toFixed(decimals))));
    const { view } = this.page;
    const limits = limited(limited(view.now.limits, name, "least", least), name, "most", most);
    view.set({ limits });
  }

  /** The name of an axis, and the numbers at both of its ends. @param {number} at */
  heading(at) {
    const metric = this.metrics[at];
    const name = metric.label + (this.axes[at].log ? ` ${text("charts.log-mark")}` : "");
    const place = this.standing(at);
    const [worst, best] = this.endTexts(at);
    if (this.turned) {
      const [left, y] = [widthOf(worst), place - 10];
      const room = this.width - left - widthOf(best) - 56;
      return [
        svg("text", { class: "tick", x: 0, y }, worst),
        colourKey(metric.colour, left + 12, place - 19),
        label(name, { class: "axis-title", x: left + 28, y }, room, STRONG),
        svg("text", { class: "tick", x: this.width, y, "text-anchor": "end" }, best),
      ];
    }
    const gap = this.metrics.length > 1 ? this.standing(1) - this.standing(0) : this.width;
    const title = label(name, { class: "axis-title", y: 14, "text-anchor": "middle" }, gap - 24, STRONG);
    const half = shownWidth(title, STRONG) / 2;
    const left = Math.max(8, place - half);
    title.setAttribute("x", String(left + half + 8));
    const tick = { class: "tick", x: place, "text-anchor": "middle" };
    return [
      colourKey(metric.colour, left - 8, 4),
      title,
      svg("text", { ...tick, y: UPRIGHT.top - 10 }, best),
      svg("text", { ...tick, y: this.height - 8 }, worst),
    ];
  }

  /** The worst and the best number of a metric. @param {number} at @returns {string[]} */
  endTexts(at) {
    const range = extremes(this.values[at]);
    if (!range) return ["", ""];
    const { cost, decimals } = this.metrics[at];
    const [low, high] = range.map((value) => number(value, decimals));
    return cost ? [high, low] : [low, high];
  }

  /** Dots where the line that stands out meets the axes, and its numbers beside them where there is room: on the side away
   * from the line, and none where an end of the axis shows it already. @param {number} model */
  figures(model) {
    return this.lines[model].flatMap((spot, at) => {
      if (!spot) return [];
      const [x, y] = spot;
      const dot = svg("circle", { class: "pointed-dot", cx: x, cy: y, r: 4 });
      const figure = this.textOf(at, model);
      if (this.turned || this.endTexts(at).includes(figure)) return [dot];
      const next = this.lines[model][at + 1];
      const shift = next ? (next[1] > y ? -4 : 12) : 4;
      return [dot, svg("text", { class: tagClass(true), x: x + 8, y: y + shift }, figure)];
    });
  }

  /** A model's number of a metric. @param {number} at @param {number} model */
  textOf(at, model) {
    return numberOrDash(this.values[at][model], this.metrics[at].decimals);
  }

  /** Names at the right end of the lines that stand out, as many as find a place. */
  lineNames() {
    if (this.turned) return [];
    const last = this.metrics.length - 1;
    /** @type {number[]} */
    const taken = [];
    return this.charts.outstanding.flatMap((model) => {
      const end = this.lines[model].at(-1);
      if (!end || taken.some((other) => Math.abs(other - end[1]) < LINE)) return [];
      taken.push(end[1]);
      const strong = model === this.charts.pointed;
      const figure = this.textOf(last, model);
      const own = strong && !this.endTexts(last).includes(figure) ? widthOf(figure, STRONG) + 8 : 0;
      const attributes = { class: tagClass(strong), x: this.standing(last) + 8 + own, y: end[1] + 4 };
      return [label(this.charts.names[model], attributes, NAMES - own - 8, strong ? STRONG : undefined)];
    });
  }

  reading() {
    const logs = this.metrics.filter((_, at) => this.axes[at].log).map((metric) => metric.label);
    const costs = this.metrics.filter(({ cost }) => cost).map((metric) => metric.label);
    const side = this.turned ? "right" : "up";
    return [
      text(costs.length ? `parallel.better-${side}-least` : `parallel.better-${side}`, {
        names: listed(costs),
      }),
      text("parallel.drag"),
      logs.length ? text("charts.log", { names: listed(logs) }) : "",
    ];
  }

  /** @returns {ChartTable} */
  numbers() {
    const { ranking, names } = this.charts;
    const rows = Array.from(ranking.order, (model) => [
      names[model],
      ...this.metrics.map((_, at) => this.textOf(at, model)),
    ]);
    return { heads: [text("charts.model"), ...this.metrics.map((metric) => metric.label)], rows };
  }

  // Answers to the pointer.

  /** A test of which models have a line: those that are searched for, and those that stand out. */
  get hasLine() {
    const { matches, outstanding } = this.charts;
    return (/** @type {number} */ model) => matches[model] || outstanding.includes(model);
  }

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const lines = this.lines.map((line, model) => (this.hasLine(model) ? line : []));
    return nearestLine(lines, [x, y], REACH, this.turned ? 1 : 0);
  }

  along() {
    const models = [...this.charts.ranking.order].filter(this.hasLine);
    return models.filter((model) => this.lines[model]?.some(Boolean));
  }

  start() {
    return this.charts.pointed ?? this.along()[0];
  }

  /** @param {number | null} model */
  light(model) {
    this.lit.setAttribute("d", model === null ? "" : path(this.lines[model]));
  }

  /** @param {number} model @param {Point | null} place @returns {Card} */
  card(model, place) {
    const { ranking, names } = this.charts;
    const [x, y] = place ?? this.lines[model].find((spot) => spot !== null) ?? [0, 0];
    const lines = this.metrics.map((metric, at) => metricLine(metric, this.values[at][model]));
    return { x, y, title: names[model], lines: [rankLine(ranking.rankOf(model)), ...lines] };
  }

  /** @param {number} model */
  choose(model) {
    this.charts.pointOut(model);
  }
}

/** Limits drawn along the axes: a press on an axis, a drag, and what lies between is what is left. */
class Brush {
  /** @param {HTMLElement} frame @param {Parallel} chart */
  constructor(frame, chart) {
    this.chart = chart;
    /** The axis that is pressed, and from where to where along it.
     * @type {{ at: number, from: number, to: number } | null} */
    this.drag = null;
    this.dragged = false;
    this.band = svg("rect", { class: "brush", width: 0, height: 0 });
    frame.addEventListener("pointerdown", (event) => this.press(event));
    frame.addEventListener("pointermove", (event) => this.move(event));
    frame.addEventListener("pointerup", () => this.release());
    frame.addEventListener("pointercancel", () => this.forget());
    // A drag ends with a click, which would choose a model.
    frame.addEventListener("click", (event) => this.dragged && event.stopImmediatePropagation(), true);
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.dragged = false;
    const grip = closest(event, ".grip", SVGElement);
    if (!grip || event.button !== 0) return;
    grip.setPointerCapture(event.pointerId);
    const from = this.chart.placeAlong(event);
    this.drag = { at: Number(grip.dataset.at), from, to: from };
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.drag) return;
    this.drag.to = this.chart.placeAlong(event);
    const { at, from, to } = this.drag;
    this.dragged ||= Math.abs(to - from) > CLICK;
    if (this.dragged) this.draw(this.chart.band(at, [from, to]));
  }

  /** @param {Record<string, number>} place */
  draw(place) {
    for (const [name, value] of Object.entries(place)) this.band.setAttribute(name, String(value));
  }

  release() {
    const { drag } = this;
    this.forget();
    if (drag && this.dragged) this.chart.limit(drag.at, [drag.from, drag.to]);
  }

  forget() {
    this.drag = null;
    this.draw({ width: 0, height: 0 });
  }
}
