// The sliders and number boxes of a board.
import { percent, weight } from "./formats.js";
import { isWeight } from "./fragment.js";

const KINDS = { metric: "metrics", dataset: "datasets" };

export class Weights {
  /** `onMove` is called at every movement, `onSettle` when a movement has ended. */
  constructor(defaults, { onMove, onSettle }) {
    this.values = { metrics: { ...defaults.metrics }, datasets: { ...defaults.datasets } };
    this.controls = [...document.querySelectorAll(".control")].map((element) => ({
      named: KINDS[element.dataset.kind],
      name: element.dataset.name,
      slider: element.querySelector(".slider"),
      number: element.querySelector(".number"),
      share: element.querySelector(".share"),
    }));
    for (const control of this.controls) this.listen(control, onMove, onSettle);
  }

  listen(control, onMove, onSettle) {
    for (const input of [control.slider, control.number]) {
      input.addEventListener("input", () => this.move(control, input) && onMove());
      input.addEventListener("change", () => {
        this.show();
        onSettle();
      });
    }
  }

  /** Take an input's value; false where it is none, and then the last one stays. */
  move(control, input) {
    const valid = input.value.trim() !== "" && isWeight(Number(input.value));
    control.number.setAttribute("aria-invalid", String(!valid));
    if (!valid) return false;
    this.values[control.named][control.name] = Number(input.value);
    this.show(input);
    return true;
  }

  set(values) {
    this.values = { metrics: { ...values.metrics }, datasets: { ...values.datasets } };
    this.show();
  }

  /** Show all weights and shares; the input in which somebody is typing stays as it is. */
  show(typing = null) {
    const totals = { metrics: total(this.values.metrics), datasets: total(this.values.datasets) };
    for (const control of this.controls) {
      const value = this.values[control.named][control.name];
      if (typing !== control.number) this.showNumber(control, value);
      if (typing !== control.slider) control.slider.value = value;
      control.slider.style.setProperty("--fill", fill(control.slider));
      control.share.textContent = percent(totals[control.named] ? value / totals[control.named] : 0);
    }
  }

  showNumber(control, value) {
    control.number.value = weight(value);
    control.number.setAttribute("aria-invalid", "false");
  }
}

function total(named) {
  return Object.values(named).reduce((sum, value) => sum + value, 0);
}

function fill(slider) {
  return `${(100 * slider.value) / slider.max}%`;
}
