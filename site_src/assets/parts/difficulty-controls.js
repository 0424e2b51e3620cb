// The forms beside the ranking: they show the view and change it.
import { byId, element, findAll, selected } from "../base/elements.js";
import { text } from "../base/texts.js";
import {
  FACTORS,
  LEAST_SPLITS,
  MOST_SPLITS,
  SCALES,
  TIES,
  ZEROS,
  byHand,
  hasCase,
  withCase,
} from "../view/difficulty-state.js";
import { NumberList, fill, takesNumber } from "./number-list.js";

/** @import { DifficultyHost, DifficultySourceData, DifficultyTerms, DifficultyView } from "../../types" */

/** How samples can be split: by even or own thresholds, or as the view's kind says.
 * @type {("equal" | "even" | "own" | "continuous")[]} */
const CUTS = ["equal", "even", "own", "continuous"];
/** What stands for the mean of several percentages. */
const MEAN = "mean";
/** Own thresholds: the steps of their sliders, and how many there may be. */
const THRESHOLDS = { step: 0.005, fewest: LEAST_SPLITS - 1, longest: MOST_SPLITS - 1 };
/** @type {("reward" | "penalty" | "clip")[]} */
const NUMBERS = ["reward", "penalty", "clip"];
/** The weight of a split by its number, from 1.
 * @type {Record<DifficultyTerms["scale"], (split: number) => number>} */
const WEIGHTS = {
  linear: (split) => split,
  square: (split) => split * split,
  logarithmic: (split) => Number(Math.log2(1 + split).toFixed(3)),
};

/** @param {string} id */
const select = (id) => byId(id, HTMLSelectElement);
/** @param {string} id */
const input = (id) => byId(id, HTMLInputElement);

export class Controls {
  /** @param {DifficultyHost} page */
  constructor(page) {
    this.page = page;
    this.boxes = findAll(byId("models-list"), "input", HTMLInputElement);
    this.thresholds = new NumberList(byId("thresholds"), {
      label: (at) => text("hard.threshold", { number: at + 1 }),
      most: 1,
      onInput: (values) => page.setThresholds(values),
      onChange: () => page.settle(),
      slider: THRESHOLDS,
    });
    this.weights = new NumberList(byId("split-weights"), {
      label: splitLabel,
      most: 1000,
      onInput: (values) => page.change({ weights: values }),
      onChange: () => page.settle(),
    });
    for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
    byId("reset").addEventListener("click", () => page.view.set(page.view.defaults));
    this.prepareChoices();
    this.prepareNumbers();
    this.prepareModels();
  }

  // What changes the view

  prepareChoices() {
    this.onChoice("metric", ({ value }) => ({ metric: value }));
    this.onChoice("percent", ({ value }) =>
      value === MEAN
        ? { percents: this.page.source.percentages }
        : { percent: Number(value), percents: null },
    );
    byId("percents").addEventListener("change", () => this.page.set({ percents: checkedPercents() }));
    this.onChoice("cut", (choice) => byHand(this.page.state, this.splitting(selected(choice, CUTS))));
    this.onChoice("count", ({ value }) => ({ splits: Number(value) }));
    this.onChoice("scale", (choice) => this.scaling(choice));
    this.onChoice("case", ({ value }) => withCase(this.page.state, value === "own" ? null : Number(value)));
    this.onChoice("factor", (choice) => byHand(this.page.state, { factor: selected(choice, FACTORS) }));
    this.onChoice("ties", (choice) => ({ ties: selected(choice, TIES) }));
    this.onChoice("zeros", (choice) => ({ zeros: selected(choice, ZEROS) }));
  }

  /** @param {string} id @param {(choice: HTMLSelectElement) => Partial<DifficultyView>} fieldsOf */
  onChoice(id, fieldsOf) {
    const choice = select(id);
    choice.addEventListener("change", () => this.page.set(fieldsOf(choice)));
  }

  /** @param {typeof CUTS[number]} choice @returns {Partial<DifficultyView>} */
  splitting(choice) {
    if (choice === "own") return { kind: "thresholds", thresholds: this.page.boundaries() };
    return { kind: choice === "even" ? "thresholds" : choice, thresholds: null };
  }

  /** @param {HTMLSelectElement} choice @returns {Partial<DifficultyView>} */
  scaling(choice) {
    if (choice.value === "own") return { weights: this.splitWeights() };
    return { scale: selected(choice, SCALES), weights: null };
  }

  prepareNumbers() {
    for (const id of NUMBERS) {
      const field = input(id);
      field.addEventListener("input", () => {
        if (takesNumber(field)) this.page.change({ [id]: field.valueAsNumber });
      });
      field.addEventListener("change", () => this.page.settle());
    }
  }

  prepareModels() {
    const choose = (/** @type {HTMLInputElement[]} */ boxes) =>
      this.page.set({ models: boxes.map(({ value }) => value) });
    byId("models-list").addEventListener("change", () => choose(this.boxes.filter((box) => box.checked)));
    byId("all-models").addEventListener("click", () => choose(this.boxes));
  }

  /** The weights of the splits as they are now. */
  splitWeights() {
    const { splits, scale, weights } = this.page.state;
    return weights ?? Array.from({ length: splits }, (_, at) => WEIGHTS[scale](at + 1));
  }

  // What shows it

  /** @param {DifficultyView} view */
  show(view) {
    const { source } = this.page;
    select("metric").value = view.metric;
    byId("metric-meaning").textContent = [source.meaning, source.warning ?? ""].join(" ");
    showPercent(source, view);
    this.showSplits(view);
    showTerms(view);
    for (const box of this.boxes) box.checked = view.models.includes(box.value);
  }

  /** @param {DifficultyView} view */
  showSplits({ kind, thresholds, splits, weights, scale }) {
    const own = thresholds !== null;
    select("cut").value = own ? "own" : kind === "thresholds" ? "even" : kind;
    byId("count-choice").hidden = own || kind === "continuous";
    select("count").value = String(splits);
    this.thresholds.show(thresholds);
    byId("scale-choice").hidden = kind === "continuous";
    select("scale").value = weights ? "own" : scale;
    this.weights.show(weights);
  }
}

/** @param {DifficultySourceData} source @param {DifficultyView} view */
function showPercent({ percentages }, { percent, percents }) {
  byId("percent-choice").hidden = !percentages.length;
  const chosen = percents ? MEAN : String(percent);
  const options = percentages.map((value) => [String(value), `${value} %`]);
  if (percentages.length > 1) options.push([MEAN, text("hard.mean")]);
  select("percent").replaceChildren(
    ...options.map(([value, label]) => element("option", { value, selected: value === chosen }, label)),
  );
  showPercents(percentages, percents);
}

/** A box for each percentage, where the mean of several counts. They stay, so that focus does.
 * @param {number[]} percentages @param {number[] | null} percents */
function showPercents(percentages, percents) {
  const group = byId("percents");
  group.hidden = percents === null;
  if (
    findAll(group, "input", HTMLInputElement)
      .map(({ value }) => Number(value))
      .join() !== percentages.join()
  ) {
    group.replaceChildren(...percentages.map(percentBox));
  }
  for (const box of findAll(group, "input", HTMLInputElement)) {
    box.checked = !!percents?.includes(Number(box.value));
  }
}

/** @param {number} value */
function percentBox(value) {
  const box = element("input", { type: "checkbox", value: String(value) });
  return element("label", { class: "check" }, box, `${value} %`);
}

/** The percentages whose mean is asked for; null where none is left. */
function checkedPercents() {
  const boxes = findAll(byId("percents"), "input", HTMLInputElement).filter((box) => box.checked);
  return boxes.length ? boxes.map(({ value }) => Number(value)) : null;
}

/** @param {DifficultyView} view */
function showTerms(view) {
  for (const option of select("case").options) {
    option.hidden = option.disabled = !hasCase(Number(option.value), view.metric);
  }
  const [inverse] = findAll(select("factor"), "option[value=inverse]", HTMLOptionElement);
  inverse.hidden = inverse.disabled = view.metric === "wmprob";
  select("case").value = String(view.case ?? "own");
  byId("terms-choice").hidden = view.case !== null;
  byId("clip-choice").hidden = view.zeros !== "clip";
  select("factor").value = view.factor;
  select("ties").value = view.ties;
  select("zeros").value = view.zeros;
  for (const id of NUMBERS) fill(input(id), view[id]);
}

/** @param {number} at @param {number} size */
function splitLabel(at, size) {
  const end = at === 0 ? "hard.easiest" : "hard.hardest";
  return text(at === 0 || at === size - 1 ? end : "charts.split", { number: at + 1 });
}
