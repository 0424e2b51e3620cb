// The samples in the worker's Python: fetched files go in once, questions after that.
import { Files } from "../base/files.js";
import { Engine } from "./engine.js";

/**
 * @import { Answer, DifficultyData, DifficultyModelData, DifficultyTerms, DifficultyUrls } from "../../types"
 */
/** @import { ExamplesData, Noise, OwnAnswers, OwnSummary, Points } from "../../types" */

export class Samples {
  /** @param {DifficultyUrls} urls @param {DifficultyData} data */
  constructor(urls, data) {
    this.data = data;
    this.engine = new Engine(urls);
    this.files = new Files(urls.predictions);
    /** The models whose answers Python has. @type {Set<string>} */
    this.held = new Set();
    /** A visitor's own answers, where Python has them. @type {OwnAnswers | null} */
    this.own = null;
  }

  /** The examples' record. @returns {Promise<ExamplesData>} */
  async examples() {
    return this.files.json(this.data.examples);
  }

  /** Make Python hold the answers of these models, beside those it holds. Returns whether any were new.
   * @param {string[]} models */
  async hold(models) {
    const missing = models.filter((model) => !this.held.has(model));
    if (!missing.length) return false;
    const needed = this.data.models.filter(({ id }) => this.held.has(id) || missing.includes(id));
    await this.open(needed);
    for (const { id } of needed) this.held.add(id);
    if (this.own) await this.call("add_json", this.own, "rank.own_predictions");
    return true;
  }

  /** @param {DifficultyModelData[]} models */
  async open(models) {
    const [examples, difficulties, answers] = await Promise.all([
      this.files.text(this.data.examples),
      this.texts(this.data.sources),
      this.texts(models),
    ]);
    // The files are JSON already, and only Python reads what is in them.
    const predictions = models.map(({ id }, at) => `${JSON.stringify(id)}:${answers[at]}`);
    const labels = JSON.stringify(Object.fromEntries(models.map(({ id, label }) => [id, label])));
    const text = `{"examples":${examples},"difficulties":[${difficulties}],"predictions":{${predictions}},"labels":${labels}}`;
    await this.engine.ask("open", { name: "open_samples", text });
  }

  /** The texts of the files of those that have one. @param {{ file: string | null }[]} owners */
  texts(owners) {
    return Promise.all(owners.flatMap(({ file }) => (file === null ? [] : [this.files.text(file)])));
  }

  /** @param {DifficultyTerms} question @returns {Promise<Answer>} */
  answer(question) {
    return this.call("answer_json", question);
  }

  /** What drawings show of each sample. @param {DifficultyTerms} question @returns {Promise<Points>} */
  points(question) {
    return this.call("points_json", question);
  }

  /** How far each number may be due to chance. @param {DifficultyTerms} question @returns {Promise<Noise>} */
  noise(question) {
    return this.call("noise_json", question);
  }

  /** Take a visitor's own answers as those of a model. @param {OwnAnswers} own @returns {Promise<OwnSummary>} */
  async add(own) {
    /** @type {OwnSummary} */
    const summary = await this.call("add_json", own, "rank.own_predictions");
    this.own = own;
    return summary;
  }

  /** @param {OwnAnswers} own */
  async remove({ model }) {
    this.own = null;
    await this.call("remove_json", { model });
  }

  /**
   * Call a function of Python's; what it returns is for the caller to declare.
   * @template Result
   * @param {string} name @param {object} details @param {string} [module] @returns {Promise<Result>}
   */
  async call(name, details, module = "rank.difficulty") {
    return JSON.parse(await this.engine.ask("call", { module, name, text: JSON.stringify(details) }));
  }
}
