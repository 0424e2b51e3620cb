// The single examples on which the chosen models differ, from files fetched for these models only.
import { element } from "../base/elements.js";
import { Files } from "../base/files.js";
import { reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { same } from "../view/fragment.js";
import { Answers } from "./answers.js";
import { Comparison } from "./comparison.js";

/** @import { CompareDataset, CompareHost, ModelDetails } from "../../types" */
/** @import { ExamplesFile, PredictionsFile } from "./answers.js" */

export class Examples {
  /** @param {CompareHost} page */
  constructor(page) {
    this.page = page;
    this.files = new Files(page.addresses.predictions);
    this.place = element("section", { "aria-labelledby": "examples-title" });
    this.body = element("div");
    /** @type {string[]} */
    this.models = [];
    /** What is known of each of them. @type {ModelDetails[]} */
    this.details = [];
    /** @type {CompareDataset | null} */
    this.dataset = null;
  }

  /** Offer the datasets on which at least two of the models have predictions, and show the first.
   * @param {ModelDetails[]} details */
  async showDetails(details) {
    this.details = details;
    this.models = this.page.chosen;
    const datasets = this.page.own.datasets.filter(
      (dataset) => dataset.examples && this.modelsWith(dataset).length > 1,
    );
    this.place.replaceChildren(element("h2", { id: "examples-title" }, text("examples.title")));
    if (!datasets.length) {
      const without = this.models.filter((_, place) => !Object.keys(this.details[place].predictions).length);
      return this.place.append(this.unknown(without, true, "muted"));
    }
    const dataset = datasets.find(({ id }) => id === this.dataset?.id) ?? datasets[0];
    if (datasets.length > 1) this.place.append(this.choice(datasets, dataset));
    this.place.append(this.body);
    return this.load(dataset);
  }

  /** The models that have predictions on a dataset. @param {CompareDataset} dataset */
  modelsWith({ id }) {
    return this.models.filter((_, place) => this.details[place].predictions[id]);
  }

  /** Of which models the answers are not known.
   * @param {string[]} models @param {boolean} nothing no two have any to one dataset @param {string} style */
  unknown(models, nothing, style) {
    const place = element("p", { class: style });
    const terms = { models: models.map((model) => this.page.at(model)), nothing };
    this.page.words.ask(
      "unknown",
      () => terms,
      (said) => (place.textContent = said),
    );
    return place;
  }

  /** @param {CompareDataset[]} datasets @param {CompareDataset} first */
  choice(datasets, first) {
    const options = datasets.map(({ id, label }) =>
      element("option", { value: id, selected: id === first.id }, label),
    );
    const select = element("select", { id: "examples-dataset" }, ...options);
    select.addEventListener("change", () => this.load(datasets[select.selectedIndex]));
    return element(
      "p",
      { class: "fields" },
      element("label", { for: "examples-dataset" }, text("examples.dataset")),
      select,
    );
  }

  /** @param {CompareDataset} dataset */
  async load(dataset) {
    this.dataset = dataset;
    const { models } = this;
    const current = () => dataset === this.dataset && same(models, this.page.chosen);
    this.body.replaceChildren(element("p", { class: "muted", role: "status" }, text("examples.fetching")));
    try {
      const [examples, documents] = await this.filesOf(dataset);
      // What is laid out asks for words, so nothing is that nobody will see.
      if (current()) this.body.replaceChildren(...this.comparisonParts(dataset, examples, documents));
    } catch (error) {
      if (current()) this.body.replaceChildren(problem(error), this.again(dataset));
    }
  }

  /** The examples of a dataset, and the answers to it of each model that has some.
   * @param {CompareDataset} dataset */
  filesOf(dataset) {
    const names = this.modelsWith(dataset).map(
      (model) => this.details[this.models.indexOf(model)].predictions[dataset.id],
    );
    return Promise.all([
      /** @type {Promise<ExamplesFile>} */ (this.files.json(dataset.examples ?? "")),
      Promise.all(names.map((name) => /** @type {Promise<PredictionsFile>} */ (this.files.json(name)))),
    ]);
  }

  /** What the answers to a dataset have in common and what not.
   * @param {CompareDataset} dataset @param {ExamplesFile} examples @param {PredictionsFile[]} documents */
  comparisonParts(dataset, examples, documents) {
    const models = this.modelsWith(dataset);
    const left = this.models.filter((model) => !models.includes(model));
    const { id, ids, values } = dataset;
    const { metrics } = this.page.data;
    const answers = documents.map((document) => new Answers(document, examples, ids, values, metrics));
    const note = left.length ? [this.unknown(left, false, "muted small")] : [];
    return [...note, ...new Comparison(this.page, id, models, examples, answers).parts];
  }

  /** @param {CompareDataset} dataset */
  again(dataset) {
    const button = element("button", { type: "button", class: "button" }, text("examples.again"));
    button.addEventListener("click", () => this.load(dataset));
    return button;
  }
}

/** @param {unknown} error */
function problem(error) {
  const reason = reasonOf(error);
  return element("p", { class: "problem", role: "alert" }, text("examples.failed", { reason }));
}
