// A board's page: a view in, a ranking out, and every part of the page shows it.
import { Charts } from "../charts/charts.js";
import { Cite } from "../parts/cite.js";
import { write } from "../base/elements.js";
import { Queue } from "../scorer/engine.js";
import { Find } from "../parts/find.js";
import { isolated, weight } from "../base/formats.js";
import { Histograms } from "../parts/histograms.js";
import { Presets } from "../parts/presets.js";
import { Ranking } from "../scorer/ranking.js";
import { Rates } from "../parts/rates.js";
import { Scorer } from "../scorer/scorer.js";
import { prepareSheet } from "../parts/sheet.js";
import { Shown } from "../view/shown.js";
import { Steps } from "../parts/steps.js";
import { Table } from "../parts/table.js";
import { Takeaway } from "../parts/export-menu.js";
import { Terms } from "../parts/terms.js";
import { View, boardTerms, question, ranksAlike } from "../view/view.js";
import { Weights } from "../parts/weights.js";
import { Why } from "../parts/why.js";
import { ZScores } from "../parts/zscores.js";

// After this long without the scorer the page says that something is wrong.
const PATIENCE = 20_000;
// A screen reader is told the outcome once the weights rest for this long.
const REST = 400;

const island = (id) => JSON.parse(document.getElementById(id).textContent);

/**
 * What the parts of the page share. `ranking` is the newest one, at first the default ranking that the
 * page came with; `scorer` answers once `ready`. A part is a class made with the page; its
 * `show(ranking, view, changed)` is called when the ranking is new (then `changed` has "ranking") and
 * when other fields of the view change.
 */
class Page {
  constructor() {
    this.data = island("board-data");
    this.urls = island("board-urls");
    this.first = Ranking.fromPage(island("board-ranking"));
    this.ranking = this.first;
    this.ready = false;
    this.view = new View(boardTerms(this.data), {
      onChange: (view, changed) => this.changed(view, changed),
      onMessage: notice,
    });
    this.scorer = new Scorer({ ...this.urls, board: document.getElementById("board-cells").textContent });
    this.queue = new Queue(() => this.rank());
    this.announcer = new Announcer(this.data.models);
    this.shown = new Shown(this.data.models, this.data.metrics);
    this.parts = [
      Table,
      Find,
      Takeaway,
      Weights,
      Presets,
      Steps,
      Terms,
      Rates,
      Why,
      Histograms,
      ZScores,
      Charts,
      Cite,
    ].map((Part) => new Part(this));
  }

  /** The view that the newest ranking answers; the present one may be ahead of it. */
  get ranked() {
    return this.asked ?? this.view.defaults;
  }

  start() {
    prepareSheet();
    for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
    this.view.start();
    this.show(["ranking"]);
    this.load();
  }

  async load() {
    const late = setTimeout(() => failed("it has not loaded yet; it may have been blocked"), PATIENCE);
    try {
      await this.scorer.ready;
      this.ready = true;
      showState("ready", ", Python in this page");
      problem("");
      this.show(["ready"]);
      this.queue.ask();
    } catch (error) {
      failed(error.message);
    } finally {
      clearTimeout(late);
    }
  }

  changed(view, changed) {
    // Python ranks while the page shows the weights.
    if (!this.allZero(view)) this.queue.ask();
    describe(this.data, view, this.view.defaults);
    this.show(changed);
  }

  allZero({ metrics, datasets }) {
    const zero = [metrics, datasets].some((named) => Object.values(named).every((value) => value === 0));
    if (this.ready) {
      problem(zero ? "All weights are zero, so there is nothing to rank by. This is the last ranking." : "");
    }
    return zero;
  }

  async rank() {
    if (!this.ready || (this.asked && ranksAlike(this.asked, this.view.now))) return;
    const asked = this.view.now;
    try {
      this.ranking = await this.scorer.rank(question(asked));
      this.asked = asked;
      this.show(["ranking"]);
      this.announcer.tell(this.ranking);
    } catch (error) {
      problem(`The scorer could not rank these weights: ${error.message}`);
    }
  }

  show(changed) {
    for (const part of this.parts) part.show(this.ranking, this.view.now, new Set(changed));
  }
}

/** Tells those who cannot see the table who leads it now. */
class Announcer {
  constructor(models) {
    this.models = models;
    this.rest = 0;
  }

  tell(ranking) {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      const top = [...ranking.order.slice(0, Math.min(3, ranking.ranked))];
      const words = top.map((index) => `${ranking.rankOf(index)} ${isolated(this.models[index].label)}`);
      document.getElementById("announcer").textContent = words.length ? `Top three: ${words.join(", ")}` : "";
    }, REST);
  }
}

function failed(reason) {
  showState("not available", "");
  problem(`The scorer is not available: ${reason}. The ranking below is the one at the default weights.`);
}

function showState(state, detail) {
  const element = document.getElementById("scorer-state");
  element.textContent = state;
  element.dataset.state = state;
  document.getElementById("scorer-detail").textContent = detail;
}

function problem(text) {
  say("problem", text);
}

function notice(text) {
  say("notice", text);
}

function say(id, text) {
  const element = document.getElementById(id);
  element.textContent = text;
  element.hidden = !text;
}

/** Say in the head of the page which weights these are. */
function describe(data, view, defaults) {
  const known = [{ label: "default", weights: defaults.metrics }, ...data.presets];
  const current = JSON.stringify(view.metrics);
  const match = known.find((candidate) => JSON.stringify(candidate.weights) === current);
  const plain = ["datasets", "base", "threshold", "by"].every(
    (field) => JSON.stringify(view[field]) === JSON.stringify(defaults[field]),
  );
  write(document.getElementById("weights-name"), match && plain ? match.label : "custom");
  write(document.getElementById("weights-list"), `(${Object.values(view.metrics).map(weight).join(" · ")})`);
}

new Page().start();
