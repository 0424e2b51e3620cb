// The weights of the metrics and of the datasets: sliders, numbers, shares and locks.
import { write } from "../base/elements.js";
import { percent, weight } from "../base/formats.js";
import { isWeight, LARGEST } from "../view/fragment.js";
import { canMove, evened, moved, room, share } from "../view/shares.js";

const GROUPS = [
  { kind: "metric", field: "metrics", locks: "lockedMetrics" },
  { kind: "dataset", field: "datasets", locks: "lockedDatasets" },
];

export class Weights {
  constructor(page) {
    this.groups = GROUPS.map((group) => new Group(page.view, group));
  }

  show(ranking, view, changed) {
    for (const group of this.groups) {
      if (changed.has(group.field) || changed.has(group.locks)) group.show();
    }
  }
}

/** The weights of one kind: moved together where some are locked. */
class Group {
  constructor(view, { kind, field, locks }) {
    Object.assign(this, { view, field, locks });
    this.form = document.getElementById(`${kind}-weights`);
    this.problem = this.form.querySelector(".weight-problem");
    this.controls = [...this.form.querySelectorAll(".control")].map(parts);
    for (const control of this.controls) this.listen(control);
    this.even = this.form.querySelector(".even");
    this.even?.addEventListener("click", () => view.set({ [field]: evened(this.weights, this.locked) }));
    this.begin();
    this.show();
  }

  get weights() {
    return this.view.now[this.field];
  }

  get locked() {
    return this.view.now[this.locks];
  }

  /** Movements are reckoned from here, so that a weight squeezed to nothing comes back. */
  begin() {
    this.before = this.weights;
  }

  listen(control) {
    for (const input of [control.slider, control.number]) {
      input.addEventListener("input", () => this.move(control, input));
      input.addEventListener("change", () => this.settle());
    }
    control.lock?.addEventListener("click", () => this.turn(control.name));
  }

  /** Take an input's value; where it is none, say so and keep the last one. */
  move(control, input) {
    const value = input.value.trim() === "" ? NaN : Number(input.value);
    // A slider simply stops there; a line of text would push it away from under the hand.
    if (input === control.number) this.say(control, this.wrong(value));
    if (!isWeight(value)) return;
    this.typing = input;
    this.view.change({ [this.field]: moved(this.before, control.name, value, this.locked) });
    this.typing = null;
  }

  wrong(value) {
    if (!isWeight(value)) {
      return `A weight is a number from 0 to ${weight(LARGEST)}. The last one still counts.`;
    }
    const left = room(this.before, this.locked);
    return value > left * (1 + 1e-9) ? `The locked weights leave ${weight(left)} to share.` : "";
  }

  say(control, text) {
    control.number.setAttribute("aria-invalid", String(text !== ""));
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  settle() {
    for (const control of this.controls) this.say(control, "");
    this.view.settle();
    this.show();
  }

  turn(name) {
    const locked = this.locked.includes(name)
      ? this.locked.filter((other) => other !== name)
      : [...this.locked, name];
    this.view.set({ [this.locks]: locked });
  }

  /** Show all weights, shares and locks; the input that somebody moves stays as it is. */
  show() {
    if (!this.typing) this.begin();
    for (const control of this.controls) this.showControl(control);
    if (this.even) this.even.disabled = this.locked.length === this.controls.length;
  }

  showControl({ name, slider, number, output, lock }) {
    const value = this.weights[name];
    const text = percent(share(this.weights, name));
    if (this.typing !== number) put(number, weight(value));
    put(slider, value);
    slider.style.setProperty("--fill", `${(100 * slider.value) / slider.max}%`);
    slider.setAttribute("aria-valuetext", `${weight(value)}, ${text} of the weight`);
    write(output, text);
    lock?.setAttribute("aria-pressed", String(this.locked.includes(name)));
    number.disabled = slider.disabled = !canMove(this.weights, name, this.locked);
  }
}

function parts(element) {
  const [slider, number, output, lock] = [".slider", ".number", ".share", ".lock"].map((part) =>
    element.querySelector(part),
  );
  return { name: element.dataset.name, slider, number, output, lock };
}

function put(input, value) {
  if (input.value !== String(value)) input.value = value;
}
