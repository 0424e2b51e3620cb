// The difficulty page: a view in, a ranking by what is hard out, and every part of the page shows it.
import { Beeswarm } from "../charts/beeswarm.js";
import { Controls } from "../parts/difficulty-controls.js";
import { HardRanking } from "../parts/difficulty-ranking.js";
import { Samples } from "../scorer/difficulty-samples.js";
import { fitting, questionOf, rounded, termsOf } from "../view/difficulty-state.js";
import { Queue } from "../scorer/engine.js";
import { isolated, number } from "../base/formats.js";
import { same } from "../view/fragment.js";
import { OwnPredictions } from "../parts/own-predictions.js";
import { RankLines } from "../charts/rank-lines.js";
import { prepareSheet } from "../parts/sheet.js";
import { SplitLines } from "../charts/split-lines.js";
import { Sunburst } from "../charts/sunburst.js";
import { View } from "../view/view.js";

// After this long without the scorer the page says that something is wrong.
const PATIENCE = 20_000;
// Milliseconds of rest before resampling starts, and before a screen reader is told the outcome.
const SETTLED = 300;
const REST = 400;
// What moves no sample to another place in a drawing.
const LIGHT = ["thresholds", "case", "reward", "penalty", "scale", "weights", "focus"];

const byId = (id) => document.getElementById(id);
const island = (id) => JSON.parse(byId(id).textContent);

/** Every chart is made with the page and its place, and draws(answer, points, noise). */
const CHARTS = [
  ["beeswarm", Beeswarm],
  ["splits", SplitLines],
  ["lines", RankLines],
  ["sunburst", Sunburst],
];

class Page {
  constructor() {
    this.data = island("difficulty-data");
    this.urls = { ...island("board-urls"), ...island("difficulty-urls") };
    this.names = new Map(this.data.models.map(({ id, label }) => [id, label]));
    this.answer = this.data.answer;
    this.noise = this.data.noise;
    this.points = null;
    this.own = null;
    this.ready = false;
    this.view = new View(termsOf(this.data), {
      onChange: (view, changed) => this.changed(view, changed),
      onMessage: (text) => say("notice", text),
    });
    this.samples = new Samples(this.urls, this.data);
    this.queue = new Queue(() => this.rank());
    this.controls = new Controls(this);
    this.ranking = new HardRanking(this);
    this.ownPredictions = new OwnPredictions(this);
    this.charts = CHARTS.map(([name, Chart]) => new Chart(this, this.host(name)));
  }

  start() {
    prepareSheet();
    this.controls.show(this.state);
    this.view.start();
    this.load();
  }

  // What the parts of the page are told

  /** All models that can be chosen, in the board's order; a visitor's own is the last. */
  get models() {
    const own = this.own ? [this.own.model] : [];
    return [...this.data.models.map(({ id }) => id), ...own];
  }

  /** The models that are shown. */
  get chosen() {
    return this.own ? [...this.state.models, this.own.model] : this.state.models;
  }

  /** The question that the newest view asks, and the model that is pointed out, `focus`. */
  get state() {
    return this.view.now;
  }

  /** What difficulty is known from: {name, label, meaning, percentages, file, kin, warning}. */
  get source() {
    return this.data.sources.find(({ name }) => name === this.state.metric);
  }

  label(model) {
    return this.names.get(model);
  }

  /** A model's own number, from 0, by which it has its colour and its mark. */
  mark(model) {
    return [...this.names.keys()].indexOf(model);
  }

  link(model) {
    return `${this.urls.board}models/${model}/`;
  }

  host(name) {
    return byId(name);
  }

  /** One of the samples: its id, its right answer and, where texts may be published, how it begins. */
  example(index) {
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
    const found = lows.sort((one, other) => one - other).slice(1);
    return rounded(found.length ? found : Array.from({ length: splits - 1 }, (_, at) => (at + 1) / splits));
  }

  // What changes the view

  /** Change some fields, as while something is dragged; `settle` then makes it a step. */
  change(fields) {
    this.moving = true;
    this.view.change(fitting({ ...this.state, ...fields }, this.data));
  }

  set(fields) {
    this.change(fields);
    this.settle();
  }

  settle() {
    this.moving = false;
    this.view.settle();
    this.wait();
  }

  setThresholds(list) {
    this.change({ kind: "thresholds", thresholds: rounded(list) });
  }

  pointOut(model) {
    this.set({ focus: model === this.state.focus || model === this.own?.model ? null : model });
  }

  async addOwn(own) {
    await this.loaded;
    const said = await this.samples.add(own);
    this.ranking.forget(own.model);
    this.own = own;
    this.names.set(own.model, own.name);
    this.outdated = true;
    await this.ask();
    return said;
  }

  // Its name is kept: it may still be drawn until the next answer.
  async removeOwn() {
    await this.samples.remove(this.own);
    this.own = null;
    this.outdated = true;
    await this.ask();
  }

  // The scorer

  load() {
    this.loaded = this.samples.ready.then(() => this.samples.hold(this.state.models));
    const late = setTimeout(() => this.failed("it has not loaded yet; it may have been blocked"), PATIENCE);
    const done = Promise.all([this.loaded, this.samples.examples()]);
    done
      .then(
        ([, examples]) => this.begin(examples),
        (error) => this.failed(error.message),
      )
      .finally(() => clearTimeout(late));
  }

  begin(examples) {
    this.examples = examples;
    this.ready = true;
    showState("ready", ", Python in this page");
    say("problem", "");
    this.ask();
  }

  failed(reason) {
    showState("not available", "");
    say("problem", `The scorer is not available: ${reason}. The ranking below is the default one.`);
  }

  changed(view, changed) {
    this.controls.show(view);
    if (same(changed, ["focus"])) this.show();
    else if (changed.length) this.ask();
  }

  ask() {
    busy(this.ready);
    return this.queue.ask();
  }

  /** Ask for the newest view; whatever has changed meanwhile is asked for next. */
  async rank() {
    const asked = this.state;
    if (!this.ready || (asked === this.asked && !this.outdated)) return;
    this.outdated = false;
    try {
      const more = await this.samples.hold(asked.models);
      const question = questionOf(asked, this.chosen);
      this.answer = await this.samples.answer(question);
      if (more || !this.points || !this.placedAs(question)) await this.place(question);
      this.asked = asked;
      this.question = question;
      this.noise = null;
      say("problem", "");
      this.show();
      this.wait();
    } catch (error) {
      this.asked = asked;
      say("problem", `This cannot be ranked: ${error.message}`);
      busy(false);
    }
  }

  /** Whether the points in hand are those of a question, but for what moves none of them. */
  placedAs(question) {
    const light = Object.fromEntries(LIGHT.map((field) => [field, null]));
    return same({ ...this.placed, ...light }, { ...question, ...light });
  }

  async place(question) {
    this.points = await this.samples.points(question);
    this.placed = question;
  }

  show() {
    this.ranking.show(this.answer, this.noise);
    for (const chart of this.charts) chart.draw(this.answer, this.points, this.noise);
  }

  /** Once the view rests: how far the numbers may be chance, and who leads now for those who cannot see it.
   * Python that resamples answers nothing else, so nothing of this begins while somebody drags. */
  wait() {
    clearTimeout(this.settled);
    clearTimeout(this.rest);
    if (this.moving || this.noise || !this.question) return;
    this.settled = setTimeout(() => this.resample(this.question), SETTLED);
    this.rest = setTimeout(() => this.announce(), REST);
  }

  async resample(question) {
    try {
      const noise = await this.samples.noise(question);
      if (question !== this.question) return;
      this.noise = noise;
      this.show();
    } catch (error) {
      say("problem", `Resampling did not work: ${error.message}`);
    }
    busy(false);
  }

  announce() {
    const top = this.answer.models.filter(({ rank }) => rank !== null).slice(0, 3);
    const words = top.map(
      ({ rank, model, value }) => `${rank} ${isolated(this.label(model))} ${number(value)}`,
    );
    byId("announcer").textContent = words.length ? `Top three: ${words.join(", ")}` : "No model has a value";
  }
}

function showState(state, detail) {
  const place = byId("scorer-state");
  place.textContent = state;
  place.dataset.state = state;
  byId("scorer-detail").textContent = detail;
}

/** Whether what is said of noise is still of an earlier question. */
function busy(is) {
  byId("sentences").setAttribute("aria-busy", String(is));
}

function say(id, text) {
  const place = byId(id);
  place.textContent = text;
  place.hidden = !text;
}

new Page().start();
