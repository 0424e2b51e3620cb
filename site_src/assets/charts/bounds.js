// The boundaries between splits: lines across all strips, each with a knob on top to drag or to move by keys.
import { number } from "../base/formats.js";
import { svg, widthOf } from "./svg.js";

// Thresholds keep this many decimals and this distance from one another.
const DECIMALS = 3;
const APART = 0.001;
const STEPS = {
  ArrowRight: 0.01,
  ArrowLeft: -0.01,
  ArrowUp: 0.01,
  ArrowDown: -0.01,
  PageUp: 0.05,
  PageDown: -0.05,
};
// These follow the screen, whichever way values run on it; the others follow the value.
const SIDEWAYS = ["ArrowRight", "ArrowLeft"];

export class Bounds {
  /** `move(list)` hears of every change of the thresholds, `drop()` of the end of one. */
  constructor(move, drop) {
    Object.assign(this, { move, drop, held: null, list: [], layer: svg("g", {}) });
  }

  /** Draw `list`, ascending thresholds, over `course`, whose left end is at `box.left`. */
  show(list, course, box) {
    if (this.held === null) this.list = list;
    if (this.box !== box || this.layer.childElementCount !== this.list.length) this.build(course, box);
    this.place();
  }

  build(course, box) {
    Object.assign(this, { course, box });
    this.layer.replaceChildren(...this.list.map((_, at) => this.bound(at)));
  }

  bound(at) {
    const { top, bottom } = this.box;
    const line = (style) => svg("path", { class: style, d: `M0 ${top}V${bottom}` });
    const knob = svg("circle", { class: "bound-knob", cy: top, r: 7 });
    const reach = svg("circle", { class: "bound-reach", cy: top, r: 12 });
    const attributes = { class: "bound", role: "slider", tabindex: "0", "aria-orientation": "horizontal" };
    const group = svg(
      "g",
      attributes,
      line("bound-reach"),
      reach,
      line("bound-line"),
      knob,
      svg("text", { class: "bound-value" }),
    );
    group.addEventListener("pointerdown", (event) => this.hold(event, at));
    group.addEventListener("pointermove", (event) => this.drag(event, at));
    for (const name of ["pointerup", "pointercancel"]) group.addEventListener(name, () => this.release());
    group.addEventListener("keydown", (event) => this.press(event, at));
    return group;
  }

  place() {
    const count = this.list.length;
    [...this.layer.children].forEach((group, at) => {
      const value = this.list[at];
      group.setAttribute("transform", `translate(${(this.box.left + this.course.at(value)).toFixed(2)} 0)`);
      const lower = this.course.flipped ? count - at : at + 1;
      const words = {
        "aria-label": `Boundary between split ${lower} and split ${lower + 1}`,
        "aria-valuetext": number(value, DECIMALS),
      };
      const [least, most] = this.limits(at);
      const numbers = {
        "aria-valuemin": rounded(least),
        "aria-valuemax": rounded(most),
        "aria-valuenow": rounded(value),
      };
      for (const [name, text] of Object.entries({ ...words, ...numbers })) group.setAttribute(name, text);
      this.write(group, number(value, DECIMALS));
    });
  }

  /** The value stands beside its line, within the picture, as high as the hand that holds it. */
  write(group, text) {
    const label = group.lastElementChild;
    const end =
      this.box.left + this.course.at(Number(group.getAttribute("aria-valuenow"))) + 16 + widthOf(text) >
      this.box.right;
    label.textContent = text;
    label.setAttribute("x", end ? "-12" : "12");
    label.setAttribute("y", String(this.height ?? this.box.top + 22));
    label.setAttribute("text-anchor", end ? "end" : "start");
  }

  limits(at) {
    const [low, high] = this.course.domain;
    return [
      Math.max(low, (this.list[at - 1] ?? -Infinity) + APART),
      Math.min(high, (this.list[at + 1] ?? Infinity) - APART),
    ];
  }

  hold(event, at) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus();
    event.currentTarget.classList.add("held");
    this.held = at;
  }

  drag(event, at) {
    if (this.held !== at) return;
    const picture = this.layer.ownerSVGElement;
    const frame = picture.getBoundingClientRect();
    const zoom = picture.viewBox.baseVal.width / frame.width;
    this.height = (event.clientY - frame.top) * zoom - 8;
    this.set(at, this.course.value((event.clientX - frame.left) * zoom - this.box.left));
  }

  release() {
    if (this.held === null) return;
    this.layer.children[this.held]?.classList.remove("held");
    this.held = this.height = null;
    this.drop();
  }

  press(event, at) {
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.set(at, this.list[at] + (SIDEWAYS.includes(event.key) && this.course.flipped ? -step : step));
    this.drop();
  }

  set(at, value) {
    const [least, most] = this.limits(at);
    const next = rounded(Math.min(most, Math.max(least, value)));
    if (next === this.list[at]) return;
    this.list = this.list.map((other, place) => (place === at ? next : rounded(other)));
    this.place();
    this.move(this.list);
  }
}

function rounded(value) {
  return Number(value.toFixed(DECIMALS));
}
