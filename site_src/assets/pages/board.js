// A board's page: a view in, a ranking out, and every part of the page shows it.
import { byId, closest } from "../base/elements.js";
import { Charts } from "../charts/charts.js";
import "../charts/figures.js";
import { CertaintyWords } from "../parts/certainty-words.js";
import { Cite } from "../parts/cite.js";
import { Coverage, LostRanks } from "../parts/coverage.js";
import { ExchangeRates } from "../parts/exchange-rates.js";
import { Explanation } from "../parts/explanation.js";
import { ExportMenu, SaveCharts } from "../parts/exporting.js";
import { Find } from "../parts/find.js";
import { Months } from "../parts/months.js";
import { Table } from "../parts/table.js";
import { Terms } from "../parts/terms.js";
import { TradeControls } from "../parts/trades.js";
import { Verdict } from "../parts/verdict.js";
import { Presets, Steps, TYPING, WeightControls, prepareSheet } from "../parts/weights.js";
import { Shown } from "../view/shown.js";
import { Announcer } from "./page.js";
import { RankedPage } from "./ranked.js";

/** @import { Part } from "../../types" */

const PARTS = [
  Table,
  Verdict,
  CertaintyWords,
  Find,
  Coverage,
  LostRanks,
  ExportMenu,
  WeightControls,
  TradeControls,
  Months,
  Presets,
  Steps,
  Terms,
  ExchangeRates,
  Explanation,
  Charts,
  SaveCharts,
  Cite,
];

/**
 * A part is a class made with the page; its `show(ranking, view, changed)` is called when the ranking is new
 * (then `changed` has "ranking"), when the scorer is ready ("ready"), and when fields of the view change.
 */
class BoardPage extends RankedPage {
  constructor() {
    super();
    this.shown = new Shown(this.data.models, this.data.metrics, this.certainty);
    this.announcer = new Announcer();
    /** @type {Part[]} */
    this.parts = PARTS.map((Part) => new Part(this));
    this.table = /** @type {Table} */ (this.parts[0]);
  }

  start() {
    prepareSheet();
    prepareKeysHelp();
    this.carryView();
    for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
    this.view.start();
    this.show(["ranking"]);
    this.load();
    if (this.data.prices) this.addPrices();
  }

  /** Few boards have prices: only these load what changes them. */
  async addPrices() {
    const { PriceControls } = await import("../parts/prices.js");
    this.parts.push(new PriceControls(this));
  }

  /** @param {string[]} changed */
  show(changed) {
    super.show(changed);
    if (changed.includes("ranking") || changed.includes("sets")) this.announce();
  }

  /** Who leads, and which ranks each of them may hold where that is known already. */
  announce() {
    const { certainty } = this;
    this.words.ask(
      "leaders",
      () => ({ sets: certainty.current ? certainty.found.sets : null }),
      (said) => this.announcer.announce(said),
    );
  }

  /** All models where the rows are sorted by their sets. @returns {Iterable<number>} */
  seen() {
    const bySets = [".best", ".worst"].includes(this.view.now.sort.column);
    return bySets ? this.ranking.order : this.table.models;
  }
}

/** The list of the page's keys: a dialog, opened by its button or by "?". */
function prepareKeysHelp() {
  const dialog = byId("keys", HTMLDialogElement);
  byId("keys-open").addEventListener("click", () => dialog.showModal());
  byId("keys-close").addEventListener("click", () => dialog.close());
  document.addEventListener("keydown", (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (key !== "?" || altKey || ctrlKey || metaKey || closest(event, `${TYPING}, select`, HTMLElement)) {
      return;
    }
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
  });
}

new BoardPage().start();
