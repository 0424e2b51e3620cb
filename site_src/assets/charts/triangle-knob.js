// The visitor's weights on a triangle between three metrics: a knob to drag, or to move by the arrow keys.
import { element } from "../base/elements.js";
import { percent } from "../base/formats.js";
import { withinTriangle } from "./triangle-grid.js";

/** @import { Triangle } from "./triangle.js" */
/** @import { Triple } from "./triangle-grid.js" */

// A knob that is dragged goes by hundredths; the arrow keys move this share.
const FINE = 100;
const KEY = 0.025;
/** Left and right trade the lower corners, up and down go to the top one and away from it.
 * @type {Record<string, Triple>} */
const STEPS = {
  ArrowLeft: [0, KEY, -KEY],
  ArrowRight: [0, -KEY, KEY],
  ArrowUp: [KEY, -KEY / 2, -KEY / 2],
  ArrowDown: [-KEY, KEY / 2, KEY / 2],
};
/** Where the knob is while the three weigh nothing. @type {Triple} */
const MIDDLE = [1 / 3, 1 / 3, 1 / 3];
const SLIDER = {
  class: "knob",
  role: "slider",
  tabindex: "0",
  "aria-label": "Your weights",
  "aria-valuemin": "0",
  "aria-valuemax": "100",
};

export class Knob {
  /** @param {Triangle} triangle */
  constructor(triangle) {
    this.triangle = triangle;
    this.held = false;
    this.moved = false;
    this.element = element("div", SLIDER);
    this.element.addEventListener("pointerdown", (event) => this.take(event));
    this.element.addEventListener("pointermove", (event) => this.drag(event));
    this.element.addEventListener("pointerup", () => this.release());
    this.element.addEventListener("pointercancel", () => this.release());
    this.element.addEventListener("keydown", (event) => this.walk(event));
    this.element.addEventListener("keyup", () => this.release());
  }

  /** @param {PointerEvent} event */
  take(event) {
    this.held = true;
    this.element.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.held) return;
    const shares = this.triangle.shape.sharesAt(...this.triangle.pointer.place(event));
    const [a, b] = shares.map((share) => Math.round(share * FINE) / FINE);
    this.move([a, b, Math.max(0, 1 - a - b)]);
  }

  release() {
    if (this.moved) this.triangle.page.view.settle();
    this.held = this.moved = false;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [a, b, c] = this.triangle.shares ?? MIDDLE;
    this.move(withinTriangle([a + step[0], b + step[1], c + step[2]]));
  }

  /** @param {Triple} shares */
  move(shares) {
    this.moved = true;
    this.triangle.weigh(shares);
    this.show();
  }

  show() {
    const { triangle } = this;
    const shares = triangle.shares ?? MIDDLE;
    const [x, y] = triangle.shape.spot(shares);
    const { zoom } = triangle.pointer;
    this.element.style.left = `${x * zoom}px`;
    this.element.style.top = `${y * zoom}px`;
    this.element.classList.toggle("weightless", !triangle.shares);
    const words = triangle.cornerMetrics.map(({ label }, at) => `${label} ${percent(shares[at], 0)}`);
    this.element.setAttribute("aria-valuenow", String(Math.round(shares[0] * 100)));
    this.element.setAttribute("aria-valuetext", words.join(", "));
  }
}
