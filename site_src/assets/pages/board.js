// A board's page: a view in, a ranking out, and every part of the page shows it.
import { isolated } from "../base/formats.js";
import { Charts } from "../charts/charts.js";
import { carryAlong } from "../parts/carry.js";
import { Cite } from "../parts/cite.js";
import { ExportMenu } from "../parts/export-menu.js";
import { Find } from "../parts/find.js";
import { Fragile } from "../parts/fragile.js";
import { Histograms } from "../parts/histograms.js";
import { Lead } from "../parts/lead.js";
import { Presets } from "../parts/presets.js";
import { Rates } from "../parts/rates.js";
import { prepareKeysHelp } from "../parts/keys-help.js";
import { prepareSheet } from "../parts/sheet.js";
import { Really } from "../parts/really.js";
import { SaveCharts } from "../parts/save-charts.js";
import { Steps } from "../parts/steps.js";
import { SureNote } from "../parts/sure-note.js";
import { Table } from "../parts/table.js";
import { Terms } from "../parts/terms.js";
import { WeightControls } from "../parts/weights.js";
import { Why } from "../parts/why.js";
import { ZScores } from "../parts/zscores.js";
import { Shown } from "../view/shown.js";
import { Announcer } from "./page.js";
import { RankedPage } from "./ranked.js";

/** @import { BoardView } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

const PARTS = [
  Table,
  SureNote,
  Really,
  Find,
  ExportMenu,
  WeightControls,
  Presets,
  Steps,
  Terms,
  Rates,
  Why,
  Lead,
  Fragile,
  Histograms,
  ZScores,
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
    super("The ranking below is the one at the default weights.");
    this.shown = new Shown(this.data.models, this.data.metrics, this.certainty);
    this.announcer = new Announcer();
    this.parts = PARTS.map((Part) => new Part(this));
    this.table = /** @type {Table} */ (this.parts[0]);
  }

  start() {
    prepareSheet();
    prepareKeysHelp();
    carryAlong(() => this.view.fragment);
    for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
    this.view.start();
    this.show(["ranking"]);
    this.load();
  }

  /** @param {BoardView} view @param {Ranking} ranking */
  take(view, ranking) {
    super.take(view, ranking);
    this.announce();
  }

  /** @param {string[]} changed */
  show(changed) {
    super.show(changed);
    if (changed.includes("sets")) this.announce();
  }

  /** Who leads, and which ranks each of them may hold where that is known already. */
  announce() {
    const { ranking, certainty } = this;
    const top = [...ranking.order.slice(0, Math.min(3, ranking.ranked))];
    const name = (/** @type {number} */ index) => isolated(this.data.models[index].label);
    const held = (/** @type {number} */ index) =>
      certainty.current ? rankSetWords(certainty.setOf(index)) : "";
    this.announcer.announce(top.map((index) => `${ranking.rankOf(index)} ${name(index)}${held(index)}`));
  }

  /** All models where the rows are sorted by their sets. @returns {Iterable<number>} */
  seen() {
    const bySets = [".best", ".worst"].includes(this.view.now.sort.column);
    return bySets ? this.ranking.order : this.table.models;
  }
}

/** @param {[number, number] | null | undefined} found */
function rankSetWords(found) {
  return found ? `, may be ${found[0] === found[1] ? found[0] : `${found[0]} to ${found[1]}`}` : "";
}

new BoardPage().start();
