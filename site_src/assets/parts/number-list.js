// A list of numbers that a visitor sets, each in a field of its own and perhaps on a slider.
import { element } from "../base/elements.js";
import { weight } from "../base/formats.js";
import { text } from "../base/texts.js";

/**
 * What a list is made of: the label of each number, the largest there may be, and what is called on changes.
 * `slider` makes the numbers ascending ones from 0 to `most`: each has a slider, and there may be more or
 * fewer.
 * @typedef {object} Options
 * @property {(at: number, size: number) => string} label
 * @property {number} most
 * @property {(values: number[]) => void} onInput while something moves
 * @property {() => void} onChange at the end of a movement
 * @property {{ step: number, fewest: number, longest: number }} [slider]
 */
/** @typedef {{ line: HTMLElement, number: HTMLInputElement, slider: HTMLInputElement | null }} NumberRow */

export class NumberList {
  /** @param {HTMLElement} place @param {Options} options */
  constructor(place, options) {
    this.place = place;
    this.options = options;
    /** @type {NumberRow[]} */
    this.rows = [];
    this.more = this.act(text("numbers.more"), 1);
    this.fewer = this.act(text("numbers.fewer"), -1);
  }

  /** @param {string} words @param {1 | -1} change of the length */
  act(words, change) {
    const button = element("button", { type: "button", class: "link" }, words);
    button.addEventListener("click", () => this.resize(change));
    return button;
  }

  /** Show these values; null hides the list. @param {number[] | null} values */
  show(values) {
    this.place.hidden = values === null;
    if (values === null) return;
    if (values.length !== this.rows.length) this.build(values.length);
    for (const [at, { number, slider }] of this.rows.entries()) {
      fill(number, values[at]);
      if (slider) slide(slider, values[at]);
    }
  }

  /** @param {number} size */
  build(size) {
    const { slider } = this.options;
    this.rows = Array.from({ length: size }, (_, at) => this.row(at, size));
    this.place.replaceChildren(...this.rows.map(({ line }) => line));
    if (!slider) return;
    this.place.append(element("p", { class: "acts-line" }, this.more, this.fewer));
    this.more.disabled = size >= slider.longest;
    this.fewer.disabled = size <= slider.fewest;
  }

  /** @param {number} at @param {number} size @returns {NumberRow} */
  row(at, size) {
    const id = `${this.place.id}-${at}`;
    const name = this.options.label(at, size);
    const number = this.field(id, at);
    const slider = this.slider(text("numbers.slider", { name }), at);
    const label = element("label", { for: id }, name);
    const line = element("div", { class: "control", "data-kind": "split" }, label, number, slider);
    return { line, number, slider };
  }

  /** @param {string} id @param {number} at */
  field(id, at) {
    const limits = { min: "0", max: this.options.most, step: "any" };
    const field = element("input", { class: "number", type: "number", id, ...limits, inputmode: "decimal" });
    field.addEventListener("input", () => takesNumber(field) && this.input(at, field.valueAsNumber));
    field.addEventListener("change", () => this.options.onChange());
    return field;
  }

  /** @param {string} label @param {number} at */
  slider(label, at) {
    if (!this.options.slider) return null;
    const limits = { min: "0", max: this.options.most, step: this.options.slider.step };
    const slider = element("input", { class: "slider", type: "range", ...limits, "aria-label": label });
    slider.addEventListener("input", () => this.input(at, slider.valueAsNumber));
    slider.addEventListener("change", () => this.options.onChange());
    return slider;
  }

  /** One more at the end, or one fewer. @param {1 | -1} change */
  resize(change) {
    const { values } = this;
    const next = (values[values.length - 1] + this.options.most) / 2;
    this.options.onInput(change > 0 ? [...values, next] : values.slice(0, -1));
    this.options.onChange();
  }

  get values() {
    return this.rows.map(({ number }) => (Number.isFinite(number.valueAsNumber) ? number.valueAsNumber : 0));
  }

  /** A value has moved: its neighbours give way where they must keep an order.
   * @param {number} at @param {number} value */
  input(at, value) {
    const values = this.values.with(at, value);
    this.options.onInput(this.options.slider ? ascending(values, at) : values);
  }
}

/** Values with the one at `at` as it is, and none before it larger, none after it smaller.
 * @param {number[]} values @param {number} at */
export function ascending(values, at) {
  return values.map((other, place) =>
    place < at ? Math.min(other, values[at]) : Math.max(other, values[at]),
  );
}

/** Whether a field holds a number that it allows; the field says so. @param {HTMLInputElement} field */
export function takesNumber(field) {
  const fits = field.validity.valid && Number.isFinite(field.valueAsNumber);
  field.setAttribute("aria-invalid", String(!fits));
  return fits;
}

/** Write a value, unless the field is being typed in. @param {HTMLInputElement} field @param {number} value */
export function fill(field, value) {
  field.removeAttribute("aria-invalid");
  if (field !== document.activeElement) field.value = weight(value);
}

/** @param {HTMLInputElement} slider @param {number} value */
function slide(slider, value) {
  slider.value = String(value);
  slider.style.setProperty("--fill", `${100 * value}%`);
}
