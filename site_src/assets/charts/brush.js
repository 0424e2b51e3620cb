// Limits drawn along the axes of parallel axes: a press on an axis, a drag, and what lies between is what is left.
import { closest } from "../base/elements.js";
import { svg } from "./svg.js";

/** @import { Point } from "../../types" */
/** @import { ParallelLayout } from "./parallel-layout.js" */

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
