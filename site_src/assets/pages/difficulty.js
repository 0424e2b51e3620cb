// The difficulty page: a view in, a ranking by what is hard out, and every part of the page shows it.
import { byId, find, findAll, island } from "../base/elements.js";
import { reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Beeswarm } from "../charts/beeswarm.js";
import { RankLines } from "../charts/rank-lines.js";
import { SplitLines } from "../charts/split-lines.js";
import { Sunburst } from "../charts/sunburst.js";
import { Controls } from "../parts/difficulty-controls.js";
import { HardRanking } from "../parts/difficulty-ranking.js";
import { OwnPredictions } from "../parts/own-predictions.js";
import { saveFigures } from "../charts/figures.js";
import { prepareSheet } from "../parts/weights.js";
import { Samples } from "../scorer/difficulty-samples.js";
import { fitting, questionOf, rounded, termsOf } from "../view/difficulty-state.js";
import { fragmentNow } from "../view/address.js";
import { same } from "../view/fragment.js";
import { boardOf, carryOn } from "../view/links.js";
import { View } from "../view/view.js";
import { Announcer, Dialogue, drawAll, showMessage } from "./page.js";

/** @import { Answer, DifficultyData, DifficultyTerms, DifficultyUrls, DifficultyView, ExamplesData, Noise, OwnAnswers, OwnSummary, Points } from "../../types" */

/** Resampling starts once the view has not changed for this many milliseconds. */
const SETTLED = 300;
/** What moves no sample to another place in a drawing. @type {(keyof DifficultyTerms)[]} */
const LIGHT = ["kind", "splits", "thresholds", "case", "reward", "penalty", "scale", "weights"];

/** Every chart is made with the page and its place, and draws(answer, points, noise). */
const CHARTS = /** @type {const} */ ([
  ["beeswarm", Beeswarm],
  ["splits", SplitLines],
  ["lines", RankLines],
  ["sunburst", Sunburst],
]);

/** @typedef {{ answer: Answer, points: Points, question: DifficultyTerms }} Outcome */
/** @typedef {{ view: DifficultyView, own: OwnAnswers | null }} Subject */

class DifficultyPage {
  constructor() {
    /** @type {DifficultyData} */
    this.data = island("difficulty-data");
    /** @type {DifficultyUrls} */
    this.urls = { ...island("board-urls"), ...island("difficulty-urls") };
    /** Names of models by id, in the order of their colours. @type {Map<string, string>} */
    this.names = new Map(this.data.models.map(({ id, label }) => [id, label]));
    this.answer = this.data.answer;
    /** @type {Noise | null} */
    this.noise = this.data.noise;
    /** @type {Points | null} */
    this.points = null;
    /** The visitor's own model. @type {OwnAnswers | null} */
    this.own = null;
    /** What the newest question is about. @type {Subject | null} */
    this.pending = null;
    /** What `answer` is about. @type {Subject | null} */
    this.answered = null;
    /** @type {DifficultyTerms | null} */
    this.question = null;
    /** The samples themselves, once they are fetched. @type {ExamplesData | null} */
    this.examples = null;
    this.moving = false;
    this.settled = 0;
    this.view = new View(termsOf(this.data), {
      onChange: (view, changed) => this.changed(view, changed),
      onMessage: (message) => showMessage("notice", message),
      shared: true,
    });
    this.samples = new Samples(this.urls, this.data);
    this.announcer = new Announcer();
    this.dialogue = new Dialogue({
      now: () => this.state,
      asksAnew: (view) => view !== this.answered?.view || this.own !== this.answered?.own,
      ask: (view) => this.find(view),
      take: (_, outcome) => this.take(outcome),
      refuse: (_, reason) => this.refuse(reason),
    });
    this.controls = new Controls(this);
    this.ranking = new HardRanking(this);
    new OwnPredictions(this);
    this.charts = CHARTS.map(([name, Chart]) => new Chart(this, byId(name)));
    saveFigures(".difficulty-chart", describe);
  }

  start() {
    prepareSheet();
    this.controls.show(this.state);
    this.view.start();
    // No link of this page says a part of the board's view itself.
    carryOn(this.urls.board, () => boardOf(fragmentNow() ?? ""));
    this.dialogue.load(
      (onBytes) => {
        this.loaded = this.samples.engine.start(onBytes).then(() => this.samples.hold(this.state.models));
        return Promise.all([this.loaded, this.loadExamples()]);
      },
      () => markOutdated(true),
    );
  }

  async loadExamples() {
    this.examples = await this.samples.examples();
  }

  // What the parts of the page use

  /** All models that can be chosen, in the board's order; a visitor's own is the last. */
  get models() {
    const own = this.own ? [this.own.model] : [];
    return [...this.data.models.map(({ id }) => id), ...own];
  }

  /** The models that are shown. */
  get chosen() {
    return this.own ? [...this.state.models, this.own.model] : this.state.models;
  }

  /** The question of the newest view, and the highlighted model, `focus`. */
  get state() {
    return this.view.now;
  }

  /** What says how difficult the samples are. */
  get source() {
    const { sources } = this.data;
    return sources.find(({ name }) => name === this.state.metric) ?? sources[0];
  }

  /** @param {string} model */
  label(model) {
    return this.names.get(model) ?? model;
  }

  /** A model's own number, from 0, by which it has its colour and its mark. @param {string} model */
  mark(model) {
    return [...this.names.keys()].indexOf(model);
  }

  /** @param {string} model */
  link(model) {
    return `${this.urls.board}models/${model}/`;
  }

  /** One of the samples: its id, its right answer and, where texts may be published, how it begins.
   * @param {number} index */
  example(index) {
    if (!this.examples) throw new Error("no example is known before the scorer is ready");
    const { ids, labels, gold, texts } = this.examples;
    return { id: ids[index], text: texts?.[index] ?? null, gold: labels[gold[index]] };
  }

  /** Where one split ends and the next begins, ascending; evenly spaced where each model has its own. */
  boundaries() {
    const { splits, thresholds } = this.state;
    if (thresholds) return thresholds;
    const lows =
      this.state.kind === "equal"
        ? (this.answer.splits ?? []).map(({ low }) => low).filter((low) => low !== null)
        : [];
    const starts = lows.sort((one, other) => one - other).slice(1);
    return rounded(starts.length ? starts : Array.from({ length: splits - 1 }, (_, at) => (at + 1) / splits));
  }

  // What changes the view

  /** Change some fields, as while something is dragged; `settle` then makes it a step.
   * @param {Partial<DifficultyView>} fields */
  change(fields) {
    this.moving = true;
    this.view.change(fitting({ ...this.state, ...fields }, this.data));
  }

  /** @param {Partial<DifficultyView>} fields */
  set(fields) {
    this.change(fields);
    this.settle();
  }

  settle() {
    this.moving = false;
    this.view.settle();
    this.wait();
  }

  /** @param {number[]} thresholds */
  setThresholds(thresholds) {
    this.change({ kind: "thresholds", thresholds: rounded(thresholds) });
  }

  /** @param {string} model */
  pointOut(model) {
    this.set({ focus: model === this.state.focus || model === this.own?.model ? null : model });
  }

  /** @param {OwnAnswers} own @returns {Promise<OwnSummary>} */
  async addOwn(own) {
    await this.loaded;
    const summary = await this.samples.add(own);
    this.ranking.forget(own.model);
    this.own = own;
    this.names.set(own.model, own.name);
    await this.ask();
    return summary;
  }

  // Its name is kept: it may still be drawn until the next answer.
  async removeOwn() {
    if (this.own) await this.samples.remove(this.own);
    this.own = null;
    await this.ask();
  }

  // The scorer

  /** @param {DifficultyView} view @param {string[]} changed */
  changed(view, changed) {
    this.controls.show(view);
    if (same(changed, ["focus"])) this.show();
    else if (changed.length) this.ask();
  }

  ask() {
    markOutdated(this.dialogue.ready);
    return this.dialogue.ask();
  }

  /** @param {DifficultyView} view @returns {Promise<Outcome>} */
  async find(view) {
    this.pending = { view, own: this.own };
    const question = questionOf(view, this.chosen);
    const more = await this.samples.hold(view.models);
    const answer = await this.samples.answer(question);
    const kept = !more && this.points && this.placedAs(question) ? this.points : null;
    return { answer, question, points: kept ?? (await this.samples.points(question)) };
  }

  /** Whether the points shown are those of a question, except for what moves none of them.
   * @param {DifficultyTerms} question */
  placedAs(question) {
    const light = Object.fromEntries(LIGHT.map((field) => [field, null]));
    return same({ ...this.question, ...light }, { ...question, ...light });
  }

  /** @param {Outcome} outcome */
  take({ answer, points, question }) {
    Object.assign(this, { answer, points, question, answered: this.pending, noise: null });
    this.show();
    this.wait();
  }

  /** @param {string} reason */
  refuse(reason) {
    this.answered = this.pending;
    markOutdated(false);
    return text("hard.refused", { reason });
  }

  show() {
    drawAll([this.ranking], (ranking) => ranking.show(this.answer, this.noise));
    drawAll(this.charts, (chart) => chart.draw(this.answer, this.points, this.noise));
  }

  /** Once the view rests: how far the numbers may be chance, and who leads now for those who cannot see it.
   * Python that is at it answers nothing else, so nothing of this begins while somebody drags. */
  wait() {
    clearTimeout(this.settled);
    this.announcer.cancel();
    if (this.moving || this.noise || !this.question) return;
    const { question } = this;
    this.settled = setTimeout(() => this.findNoise(question), SETTLED);
    this.announcer.announce(this.answer.words.leaders);
  }

  /** @param {DifficultyTerms} question */
  async findNoise(question) {
    try {
      const noise = await this.samples.noise(question);
      if (question !== this.question) return;
      this.noise = noise;
      this.show();
    } catch (error) {
      showMessage("problem", text("hard.unfound", { reason: reasonOf(error) }));
    }
    markOutdated(false);
  }
}

/** What the picture of a chart says, in the words that stand on the page. @param {HTMLElement} figure */
function describe(figure) {
  const texts = (/** @type {string} */ selector) => findAll(document, selector, HTMLElement).map(textOf);
  const host = figure.closest("section");
  const title = host ? textOf(find(host, "h2, h3", HTMLElement)) : "";
  const [metric] = texts("#metric-name");
  const ranked = text("hard.ranked", { metric, counts: texts("#counts li").join(" ") });
  return {
    title,
    lines: [`${texts("h1")[0]} · ${texts(".state li")[0]}`, textOf(find(figure, ".finding", HTMLElement))],
    foot: [ranked, location.href],
  };
}

/** @param {HTMLElement} place */
function textOf(place) {
  return place.textContent.replace(/\s+/gu, " ").trim();
}

/** Whether the sentences on noise are still about an earlier question. @param {boolean} outdated */
function markOutdated(outdated) {
  byId("sentences").setAttribute("aria-busy", String(outdated));
}

new DifficultyPage().start();
