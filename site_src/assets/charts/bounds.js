// The boundaries between splits: lines across all strips, each with a knob on top to drag or to move by keys.
import { number } from "../base/formats.js";
import { text as textOf } from "../base/texts.js";
import { svg, widthOf } from "./svg.js";

/** @import { Course } from "./swarm.js" */
/** The part of a picture that boundaries cross, in pixels. @typedef {{ left: number, right: number, top: number, bottom: number }} Area */
/** A line with a knob on top and its value beside it. @typedef {{ group: SVGGElement, text: SVGTextElement }} Boundary */

// Thresholds keep this many decimals and this distance from one another.
const DECIMALS = 3;
const APART = 0.001;
/** @type {Record<string, number>} */
const STEPS = {
  ArrowRight: 0.01,
  ArrowLeft: -0.01,
  ArrowUp: 0.01,
  ArrowDown: -0.01,
  PageUp: 0.05,
  PageDown: -0.05,
};
// These keys follow the screen, in whichever direction values grow; the others follow the value.
const SIDEWAYS = ["ArrowRight", "ArrowLeft"];

export class Bounds {
  /** `move(thresholds)` is called with every change of the thresholds, `drop()` at the end of one.
   * @param {(thresholds: number[]) => void} move @param {() => void} drop */
  constructor(move, drop) {
    this.move = move;
    this.drop = drop;
    /** Which one is being dragged. @type {number | null} */
    this.held = null;
    /** The thresholds, ascending. @type {number[]} */
    this.list = [];
    this.layer = svg("g", {});
    /** @type {Boundary[]} */
    this.lines = [];
    /** @type {Course | null} */
    this.course = null;
    /** @type {Area} */
    this.area = { left: 0, right: 0, top: 0, bottom: 0 };
    /** The height at which one is being dragged. @type {number | null} */
    this.height = null;
  }

  /** Draw ascending thresholds over `course`, whose left end is at `area.left`.
   * @param {number[]} list @param {Course} course @param {Area} area */
  show(list, course, area) {
    if (this.held === null) this.list = list;
    const fits = this.area === area && this.lines.length === this.list.length;
    this.course = course;
    this.area = area;
    if (!fits) {
      this.lines = this.list.map((_, at) => this.boundary(at, area));
      this.layer.replaceChildren(...this.lines.map(({ group }) => group));
    }
    this.place(course);
  }

  /** @param {number} at @param {Area} area @returns {Boundary} */
  boundary(at, { top, bottom }) {
    const line = (/** @type {string} */ style) => svg("path", { class: style, d: `M0 ${top}V${bottom}` });
    const text = svg("text", { class: "bound-value" });
    const group = svg(
      "g",
      { class: "bound", role: "slider", tabindex: "0", "aria-orientation": "horizontal" },
      line("bound-reach"),
      svg("circle", { class: "bound-reach", cy: top, r: 12 }),
      line("bound-line"),
      svg("circle", { class: "bound-knob", cy: top, r: 7 }),
      text,
    );
    group.addEventListener("pointerdown", (event) => this.hold(event, at));
    group.addEventListener("pointermove", (event) => this.drag(event, at));
    for (const name of ["pointerup", "pointercancel"]) group.addEventListener(name, () => this.release());
    group.addEventListener("keydown", (event) => this.press(event, at));
    return { group, text };
  }

  /** @param {Course} course */
  place(course) {
    const { left, right, top } = this.area;
    this.lines.forEach(({ group, text }, at) => {
      const value = this.list[at];
      const lower = course.flipped ? this.list.length - at : at + 1;
      const [least, most] = this.limits(at, course);
      const attributes = {
        "aria-label": textOf("swarm.boundary", { lower, upper: lower + 1 }),
        "aria-valuetext": number(value, DECIMALS),
        "aria-valuemin": rounded(least),
        "aria-valuemax": rounded(most),
        "aria-valuenow": rounded(value),
        transform: `translate(${(left + course.at(value)).toFixed(2)} 0)`,
      };
      for (const [name, said] of Object.entries(attributes)) group.setAttribute(name, String(said));
      text.textContent = number(value, DECIMALS);
      // The value is beside the line, within the picture.
      const end = left + course.at(value) + 16 + widthOf(text.textContent) > right;
      text.setAttribute("x", end ? "-12" : "12");
      text.setAttribute("y", String(this.height ?? top + 22));
      text.setAttribute("text-anchor", end ? "end" : "start");
    });
  }

  /** How far a threshold can move. @param {number} at @param {Course} course @returns {[number, number]} */
  limits(at, course) {
    const [low, high] = course.domain;
    return [
      Math.max(low, (this.list[at - 1] ?? -Infinity) + APART),
      Math.min(high, (this.list[at + 1] ?? Infinity) - APART),
    ];
  }

  /** @param {PointerEvent} event @param {number} at */
  hold(event, at) {
    if (event.button !== 0) return;
    event.preventDefault();
    const { group } = this.lines[at];
    group.setPointerCapture(event.pointerId);
    group.focus();
    group.classList.add("held");
    this.held = at;
  }

  /** @param {PointerEvent} event @param {number} at */
  drag(event, at) {
    const picture = this.layer.ownerSVGElement;
    if (this.held !== at || !picture || !this.course) return;
    const frame = picture.getBoundingClientRect();
    const zoom = picture.viewBox.baseVal.width / frame.width;
    this.height = (event.clientY - frame.top) * zoom - 8;
    this.set(at, this.course.value((event.clientX - frame.left) * zoom - this.area.left));
  }

  release() {
    if (this.held === null) return;
    this.lines[this.held]?.group.classList.remove("held");
    this.held = this.height = null;
    this.drop();
  }

  /** @param {KeyboardEvent} event @param {number} at */
  press(event, at) {
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.set(at, this.list[at] + (SIDEWAYS.includes(event.key) && this.course?.flipped ? -step : step));
    this.drop();
  }

  /** @param {number} at @param {number} value */
  set(at, value) {
    if (!this.course) return;
    const [least, most] = this.limits(at, this.course);
    const next = rounded(Math.min(most, Math.max(least, value)));
    if (next === this.list[at]) return;
    this.list = this.list.map((other, place) => (place === at ? next : rounded(other)));
    this.place(this.course);
    this.move(this.list);
  }
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toFixed(DECIMALS));
}
