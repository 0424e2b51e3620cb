// The forms beside the ranking: they show the view and change it.
import { LEAST_SPLITS } from "../view/difficulty-state.js";
import { element } from "../base/elements.js";
import { weight } from "../base/formats.js";

const byId = (id) => document.getElementById(id);
/** Steps of a threshold's slider. */
const STEP = 0.005;

export class Controls {
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.thresholds = new Numbers(byId("thresholds"), {
      label: (at) => `Threshold ${at + 1}`,
      most: 1,
      step: STEP,
      slides: true,
    });
    this.weights = new Numbers(byId("split-weights"), {
      label: (at, size) => splitLabel(at, size),
      most: 1000,
      step: "any",
    });
    for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
    byId("reset").addEventListener("click", () => page.view.set(page.view.defaults));
    this.prepareChoices();
    this.prepareNumbers();
    this.prepareModels();
  }

  // What changes the view

  prepareChoices() {
    const choose = (id, change) =>
      byId(id).addEventListener("change", (event) => this.page.set(change(event.target.value)));
    choose("metric", (metric) => ({ metric }));
    choose("percent", (text) => ({ percent: Number(text) }));
    choose("cut", (cut) => this.cut(cut));
    choose("count", (text) => ({ splits: Number(text) }));
    choose("scale", (scale) =>
      scale === "own" ? { weights: this.splitWeights() } : { scale, weights: null },
    );
    choose("case", (text) => ({ case: text === "own" ? null : Number(text) }));
    for (const id of ["factor", "ties", "zeros"]) choose(id, (value) => ({ [id]: value }));
  }

  cut(choice) {
    if (choice === "own") return { kind: "thresholds", thresholds: this.page.boundaries() };
    return { kind: choice === "even" ? "thresholds" : choice, thresholds: null };
  }

  prepareNumbers() {
    this.thresholds.onInput = (values) => this.page.setThresholds(values);
    this.thresholds.onChange = () => this.page.settle();
    this.weights.onInput = (values) => this.page.change({ weights: values });
    this.weights.onChange = () => this.page.settle();
    for (const id of ["reward", "penalty", "clip"]) {
      byId(id).addEventListener(
        "input",
        ({ target }) => validated(target) && this.page.change({ [id]: target.valueAsNumber }),
      );
      byId(id).addEventListener("change", () => this.page.settle());
    }
  }

  prepareModels() {
    const list = byId("models-list");
    const boxes = [...list.querySelectorAll("input")];
    list.addEventListener("change", () => {
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      this.page.set({ models: chosen });
    });
    byId("all-models").addEventListener("click", () =>
      this.page.set({ models: boxes.map((box) => box.value) }),
    );
    this.boxes = boxes;
  }

  splitWeights() {
    const { splits, scale, weights } = this.page.state;
    const scales = {
      linear: (at) => at,
      square: (at) => at * at,
      logarithmic: (at) => Number(Math.log2(1 + at).toFixed(3)),
    };
    return weights ?? Array.from({ length: splits }, (_, at) => scales[scale](at + 1));
  }

  // What shows it

  show(view) {
    const { source } = this.page;
    byId("metric").value = view.metric;
    byId("metric-meaning").textContent = [source.meaning, source.warning ?? ""].join(" ");
    this.showPercent(source, view);
    this.showSplits(view);
    this.showTerms(view);
    for (const box of this.boxes) box.checked = view.models.includes(box.value);
  }

  showPercent({ percentages }, { percent }) {
    byId("percent-choice").hidden = !percentages.length;
    byId("percent").replaceChildren(
      ...percentages.map((value) => element("option", { value, selected: value === percent }, `${value} %`)),
    );
  }

  showSplits({ kind, thresholds, splits, weights, scale }) {
    const own = thresholds !== null;
    byId("cut").value = own ? "own" : kind === "thresholds" ? "even" : kind;
    byId("count-choice").hidden = own || kind === "continuous";
    byId("count").value = splits;
    this.thresholds.show(own ? thresholds : null);
    this.thresholds.canGrow(own);
    byId("scale-choice").hidden = kind === "continuous";
    byId("scale").value = weights ? "own" : scale;
    this.weights.show(weights);
  }

  showTerms(view) {
    byId("case").value = view.case ?? "own";
    byId("terms-choice").hidden = view.case !== null;
    byId("clip-choice").hidden = view.zeros !== "clip";
    for (const id of ["factor", "ties", "zeros"]) byId(id).value = view[id];
    for (const id of ["reward", "penalty", "clip"]) filled(byId(id), view[id]);
  }
}

/** A list of numbers, each in a field of its own and perhaps on a slider. */
class Numbers {
  constructor(place, { label, most, step, slides = false }) {
    Object.assign(this, { place, label, most, step, slides });
    this.rows = [];
  }

  /** Show these values; null hides the list. */
  show(values) {
    this.place.hidden = values === null;
    if (values === null) return;
    if (values.length !== this.rows.length) this.build(values.length);
    for (const [at, { number, slider }] of this.rows.entries()) {
      filled(number, values[at]);
      if (slider) slide(slider, values[at]);
    }
  }

  build(size) {
    this.rows = Array.from({ length: size }, (_, at) => this.row(at, size));
    this.place.replaceChildren(...this.rows.map(({ line }) => line), ...(this.slides ? [this.acts()] : []));
  }

  row(at, size) {
    const id = `${this.place.id}-${at}`;
    const text = this.label(at, size);
    const number = element("input", {
      class: "number",
      type: "number",
      id,
      min: "0",
      max: this.most,
      step: "any",
      inputmode: "decimal",
    });
    const slider = this.slides
      ? element("input", {
          class: "slider",
          type: "range",
          min: "0",
          max: this.most,
          step: this.step,
          "aria-label": `${text}, slider`,
        })
      : null;
    number.addEventListener("input", () => validated(number) && this.input(at, number.valueAsNumber));
    slider?.addEventListener("input", () => this.input(at, slider.valueAsNumber));
    for (const field of [number, slider]) field?.addEventListener("change", () => this.onChange());
    return {
      line: element(
        "div",
        { class: "control", "data-kind": "split" },
        element("label", { for: id }, text),
        number,
        slider,
      ),
      number,
      slider,
    };
  }

  /** One more threshold, or one less. */
  acts() {
    const act = (text, change) => {
      const button = element("button", { type: "button", class: "link" }, text);
      button.addEventListener("click", () => this.resize(change));
      return button;
    };
    this.more = act("One more", 1);
    this.less = act("One less", -1);
    return element("p", { class: "acts-line" }, this.more, this.less);
  }

  canGrow(shown) {
    if (!shown) return;
    const size = this.rows.length;
    this.more.disabled = size > 5;
    this.less.disabled = size < LEAST_SPLITS;
  }

  resize(change) {
    const values = this.values();
    const last = values.at(-1);
    this.onInput(change > 0 ? [...values, (last + 1) / 2] : values.slice(0, -1));
    this.onChange();
  }

  values() {
    return this.rows.map(({ number }) => (Number.isFinite(number.valueAsNumber) ? number.valueAsNumber : 0));
  }

  /** A value has moved: its neighbours give way where they must keep an order. */
  input(at, value) {
    const values = this.values().with(at, value);
    this.onInput(
      this.slides
        ? values.map((other, place) => (place < at ? Math.min(other, value) : Math.max(other, value)))
        : values,
    );
  }
}

function splitLabel(at, size) {
  if (at === 0) return "Split 1, easiest";
  return at === size - 1 ? `Split ${size}, hardest` : `Split ${at + 1}`;
}

/** Whether a field holds a number that it allows; the field says so. */
function validated(field) {
  const fits = field.validity.valid && Number.isFinite(field.valueAsNumber);
  field.setAttribute("aria-invalid", String(!fits));
  return fits;
}

/** Nobody's typing is taken from under their fingers. */
function filled(field, value) {
  field.removeAttribute("aria-invalid");
  if (field !== document.activeElement) field.value = weight(value);
}

function slide(slider, value) {
  slider.value = value;
  slider.style.setProperty("--fill", `${100 * value}%`);
}
