// The weights of the metrics and of the datasets: sliders, numbers, shares and locks.
import { byId, find, findAll, findOptional, write } from "../base/elements.js";
import { percent, weight } from "../base/formats.js";
import { isWeight, LARGEST } from "../view/fragment.js";
import { canMove, evened, moved, room, share } from "../view/shares.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/**
 * Weights of one kind: the form that has them, and the fields of the view with the weights and the locks.
 * @typedef {object} Kind
 * @property {string} form
 * @property {"metrics" | "datasets"} field
 * @property {"lockedMetrics" | "lockedDatasets"} locks
 */

/** What one weight is set by. Groups of one weight have no locks. @typedef {ReturnType<typeof controlIn>} Control */

/** @type {Kind[]} */
const KINDS = [
  { form: "metric-weights", field: "metrics", locks: "lockedMetrics" },
  { form: "dataset-weights", field: "datasets", locks: "lockedDatasets" },
];

/** @implements {Part} */
export class WeightControls {
  /** @param {Pick<BoardHost, "view">} page */
  constructor({ view }) {
    // Where there is one dataset, there is nothing to weigh.
    const kinds = KINDS.filter(({ form }) => byId(form).querySelector(".control"));
    this.groups = kinds.map((kind) => new Group(view, kind));
  }

  /**
   * @param {Ranking} _ranking
   * @param {BoardView} _view
   * @param {Set<string>} changed
   */
  show(_ranking, _view, changed) {
    for (const group of this.groups) {
      if (changed.has(group.field) || changed.has(group.locks)) group.show();
    }
  }
}

/** The weights of one kind: moved together where some are locked. */
class Group {
  /**
   * @param {BoardHost["view"]} view
   * @param {Kind} kind
   */
  constructor(view, { form, field, locks }) {
    this.view = view;
    this.field = field;
    this.locks = locks;
    this.form = byId(form);
    this.problem = findOptional(this.form, ".weight-problem", HTMLElement);
    this.controls = findAll(this.form, ".control", HTMLElement).map(controlIn);
    this.even = findOptional(this.form, ".even", HTMLButtonElement);
    /** The input that somebody moves. @type {HTMLInputElement | null} */
    this.typing = null;
    /** Movements begin here, so that a weight squeezed to nothing comes back. */
    this.before = this.weights;
    this.listen();
    this.show();
  }

  get weights() {
    return this.view.now[this.field];
  }

  get locked() {
    return this.view.now[this.locks];
  }

  listen() {
    for (const control of this.controls) this.listenTo(control);
    this.even?.addEventListener("click", () =>
      this.view.set({ [this.field]: evened(this.weights, this.locked) }),
    );
  }

  /** @param {Control} control */
  listenTo(control) {
    for (const input of [control.slider, control.number]) {
      input.addEventListener("input", () => this.move(control, input));
      input.addEventListener("change", () => this.settle());
    }
    control.lock?.addEventListener("click", () => this.turnLock(control.name));
  }

  /**
   * Take an input's value; where it is not a weight, show a message and keep the last one.
   * @param {Control} control
   * @param {HTMLInputElement} input
   */
  move(control, input) {
    const value = input.value.trim() === "" ? NaN : Number(input.value);
    // A slider simply stops there; a line of text would push it away from under the hand.
    if (input === control.number) this.showProblem(control, this.problemWith(value));
    if (!isWeight(value)) return;
    this.typing = input;
    this.view.change({ [this.field]: moved(this.before, control.name, value, this.locked) });
    this.typing = null;
  }

  /** @param {number} value */
  problemWith(value) {
    if (!isWeight(value)) {
      return `A weight is a number from 0 to ${weight(LARGEST)}. The last one still counts.`;
    }
    const left = room(this.before, this.locked);
    return value > left * (1 + 1e-9) ? `The locked weights leave ${weight(left)} to share.` : "";
  }

  /**
   * @param {Control} control
   * @param {string} text
   */
  showProblem({ number }, text) {
    number.setAttribute("aria-invalid", String(text !== ""));
    if (!this.problem) return;
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  settle() {
    for (const control of this.controls) this.showProblem(control, "");
    this.view.settle();
    this.show();
  }

  /** @param {string} name */
  turnLock(name) {
    const others = this.locked.filter((other) => other !== name);
    this.view.set({ [this.locks]: this.locked.includes(name) ? others : [...others, name] });
  }

  /** Show all weights, shares and locks; the input that somebody moves stays as it is. */
  show() {
    if (!this.typing) this.before = this.weights;
    for (const control of this.controls) this.showControl(control);
    if (this.even) this.even.disabled = this.locked.length === this.controls.length;
  }

  /** @param {Control} control */
  showControl({ name, slider, number, output, lock }) {
    const value = this.weights[name];
    const text = percent(share(this.weights, name));
    if (this.typing !== number) put(number, weight(value));
    put(slider, String(value));
    slider.style.setProperty("--fill", `${(100 * Number(slider.value)) / Number(slider.max)}%`);
    slider.setAttribute("aria-valuetext", `${weight(value)}, ${text} of the weight`);
    write(output, text);
    lock?.setAttribute("aria-pressed", String(this.locked.includes(name)));
    const fixed = !canMove(this.weights, name, this.locked);
    slider.disabled = fixed;
    number.disabled = fixed;
  }
}

/** @param {HTMLElement} place */
function controlIn(place) {
  return {
    name: place.dataset.name ?? "",
    slider: find(place, ".slider", HTMLInputElement),
    number: find(place, ".number", HTMLInputElement),
    output: find(place, ".share", HTMLElement),
    lock: findOptional(place, ".lock", HTMLElement),
  };
}

/**
 * @param {HTMLInputElement} input
 * @param {string} value
 */
function put(input, value) {
  if (input.value !== value) input.value = value;
}
