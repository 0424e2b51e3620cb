// Axes side by side with a line for each model; on narrow screens axes are below one another.
import { closest } from "../base/elements.js";
import { Axis, svg } from "./svg.js";

/** @import { MetricData, Point } from "../../types" */
// Axes closer than this have no room for their names side by side, so the picture is turned.
const NARROW = 88;
export const UPRIGHT = { height: 360, top: 48, bottom: 28 };
const TURNED = { row: 56, top: 36, side: 8 };
// Room at the left, and at the right for the names of lines that stand out.
const SIDE = 52;
export const NAMES = 140;
const REACH = 16;
// How far what one drags reaches to both sides of its axis, and what shows a limit.
const GRIP = 12;
const BAND = 6;

export class ParallelLayout {
  /**
   * `values` are those of all models by metric, NaN where one is missing.
   * @param {number} width @param {MetricData[]} metrics @param {Float64Array[]} values
   */
  constructor(width, metrics, values) {
    this.width = width;
    this.metrics = metrics;
    const gaps = metrics.length - 1;
    this.turned = (width - SIDE - NAMES) / Math.max(1, gaps) < NARROW;
    this.height = this.turned ? TURNED.top + TURNED.row * gaps + 20 : UPRIGHT.height;
    this.axes = metrics.map((metric, at) => this.axis(metric, values[at]));
    const models = values[0] ? [...values[0].keys()] : [];
    /** Each model's places on the axes, null where its number is missing. */
    this.lines = models.map((model) => metrics.map((_, at) => this.spot(at, values[at][model])));
  }

  /**
   * The axis of a metric, better upwards or to the right.
   * @param {MetricData} metric @param {Float64Array} values
   */
  axis({ cost }, values) {
    const [worst, best] = this.turned
      ? [TURNED.side, this.width - TURNED.side]
      : [this.height - UPRIGHT.bottom, UPRIGHT.top];
    return cost ? new Axis(values, best, worst, { margin: 0 }) : new Axis(values, worst, best, { margin: 0 });
  }

  /** Where along the picture an axis is. @param {number} at */
  standing(at) {
    if (this.turned) return TURNED.top + TURNED.row * at;
    const [left, right] = [SIDE, this.width - NAMES];
    return this.metrics.length === 1 ? left : left + ((right - left) * at) / (this.metrics.length - 1);
  }

  /** The place of a value on an axis. @param {number} at @param {number} value @returns {Point | null} */
  spot(at, value) {
    if (Number.isNaN(value)) return null;
    const place = this.axes[at].at(value);
    return this.turned ? [place, this.standing(at)] : [this.standing(at), place];
  }

  /** The ends of an axis as a line. @param {number} at @returns {[Point, Point]} */
  rule(at) {
    const place = this.standing(at);
    const [low, high] = this.turned
      ? [TURNED.side, this.width - TURNED.side]
      : [UPRIGHT.top, this.height - UPRIGHT.bottom];
    const spot = (/** @type {number} */ end) =>
      /** @type {Point} */ (this.turned ? [end, place] : [place, end]);
    return [spot(low), spot(high)];
  }

  /** Where along an axis a place is. @param {Point} place */
  along([x, y]) {
    return this.turned ? x : y;
  }

  /**
   * What one drags: a rectangle around the whole of an axis.
   * @param {number} at
   */
  grip(at) {
    const [from, to] = this.rule(at).map((spot) => this.along(spot));
    return this.around(at, [from, to], GRIP);
  }

  /**
   * A rectangle around a part of an axis, from one place along it to another.
   * @param {number} at @param {[number, number]} places @param {number} [reach]
   */
  around(at, places, reach = BAND) {
    const [from, to] = [...places].sort((a, b) => a - b);
    const across = { start: this.standing(at) - reach, size: 2 * reach };
    return this.turned
      ? { x: from, width: to - from, y: across.start, height: across.size }
      : { x: across.start, width: across.size, y: from, height: to - from };
  }

  /**
   * The model whose line is nearest to a place, of those that are `visible`; null where none is near.
   * @param {Point} place @param {(model: number) => boolean} visible
   */
  nearest(place, visible) {
    /** @type {number | null} */
    let nearest = null;
    let least = REACH;
    this.lines.forEach((line, model) => {
      const away = visible(model) ? distance(line, place, this.turned ? 1 : 0) : Infinity;
      if (away < least) [nearest, least] = [model, away];
    });
    return nearest;
  }
}

/**
 * How far a line is from a point, measured across the axis `along` which it runs: 0 across, 1 down.
 * @param {(Point | null)[]} line @param {Point} point @param {0 | 1} along
 */
export function distance(line, point, along = 0) {
  const across = along ? 0 : 1;
  for (let at = 0; at + 1 < line.length; at += 1) {
    const [from, to] = [line[at], line[at + 1]];
    if (!from || !to || point[along] < from[along] || point[along] > to[along]) continue;
    const share = (point[along] - from[along]) / (to[along] - from[along]);
    return Math.abs(from[across] + share * (to[across] - from[across]) - point[across]);
  }
  return Infinity;
}

// Limits drawn along the axes of parallel axes: a press on an axis, a drag, and what lies between is what is left.

/** A drag shorter than this many pixels is a click. */
const CLICK = 4;

/**
 * What is asked of the chart: where a pointer is, and to take the values between which it was dragged along an axis,
 * null for an end of the axis.
 * @typedef {object} Brushed
 * @property {ParallelLayout} layout
 * @property {(event: MouseEvent) => Point} pointed
 * @property {(at: number, values: [least: number | null, most: number | null]) => void} limit
 */

export class Brush {
  /** @param {HTMLElement} frame @param {Brushed} chart */
  constructor(frame, chart) {
    this.chart = chart;
    /** The axis that is pressed, and where along it. @type {{ at: number, from: number, to: number } | null} */
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
    const from = this.chart.layout.along(this.chart.pointed(event));
    this.drag = { at: Number(grip.dataset.at), from, to: from };
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.drag) return;
    this.drag.to = this.chart.layout.along(this.chart.pointed(event));
    const { at, from, to } = this.drag;
    this.dragged ||= Math.abs(to - from) > CLICK;
    if (this.dragged) this.draw(this.chart.layout.around(at, this.inside(at, [from, to])));
  }

  /** @param {Record<string, number>} place */
  draw(place) {
    for (const [name, value] of Object.entries(place)) this.band.setAttribute(name, String(value));
  }

  release() {
    const { drag } = this;
    this.forget();
    if (!drag || !this.dragged) return;
    const { at, from, to } = drag;
    this.chart.limit(at, this.values(at, this.inside(at, [from, to])));
  }

  forget() {
    this.drag = null;
    this.draw({ width: 0, height: 0 });
  }

  /** Places along an axis, no farther than its ends. @param {number} at @param {[number, number]} places
   * @returns {[number, number]} */
  inside(at, [from, to]) {
    const [first, last] = this.ends(at);
    const held = (/** @type {number} */ place) => Math.min(Math.max(place, first), last);
    return [held(from), held(to)];
  }

  /** @param {number} at */
  ends(at) {
    return this.chart.layout.rule(at).map((spot) => this.chart.layout.along(spot));
  }

  /** The values at two places; an end of the axis is no limit. @param {number} at @param {[number, number]} places
   * @returns {[number | null, number | null]} */
  values(at, places) {
    const ends = this.ends(at);
    const axis = this.chart.layout.axes[at];
    const [low, high] = [...places].sort((a, b) => axis.value(a) - axis.value(b));
    const value = (/** @type {number} */ place) => (ends.includes(place) ? null : axis.value(place));
    return [value(low), value(high)];
  }
}
