// A board's page: a view in, a ranking out, and every part of the page shows it. Nothing starts before it is told to.
import { byId, closest, findAll } from "../base/elements.js";
import { CertaintyWords } from "../parts/certainty-words.js";
import { Coverage, LostRanks } from "../parts/coverage.js";
import { ExchangeRates } from "../parts/exchange-rates.js";
import { Explanation } from "../parts/explanation.js";
import { Find } from "../parts/find.js";
import { Months } from "../parts/months.js";
import { Table } from "../parts/table.js";
import { Terms } from "../parts/terms.js";
import { TradeControls } from "../parts/trades.js";
import { Verdict } from "../parts/verdict.js";
import { Presets, Steps, TYPING, WeightControls, prepareSheet } from "../parts/weights.js";
import { Shown } from "../view/shown.js";
import { Announcer, drawAll } from "./page.js";
import { RankedPage } from "./ranked.js";

/** @import { Part } from "../../types" */

const PARTS = [
  Table,
  Verdict,
  CertaintyWords,
  Find,
  Coverage,
  LostRanks,
  WeightControls,
  TradeControls,
  Months,
  Presets,
  Steps,
  Terms,
  ExchangeRates,
  Explanation,
];
/** Where charts are drawn and what is shown is cited; a citation in a dialog is nowhere until that is open. */
const PLACES = "#tradeoffs, #cite, [data-lines], [data-title], .rounds";
/** What does nothing without the parts that come later. */
const PRESSED = "#cite-open, #copy-link, #newest";
const NEAR = "600px";

/**
 * A part is a class made with the page; its `show(ranking, view, changed)` is called when the ranking is new
 * (then `changed` has "ranking"), when the scorer is ready ("ready"), and when fields of the view change.
 */
export class BoardPage extends RankedPage {
  constructor() {
    super();
    /** Charts, exports and citations, once they are asked for. @type {Promise<void> | null} */
    this.rest = null;
    this.hasRest = false;
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
    this.awaitRest();
    this.load().then(() => this.bringRest());
    if (this.data.prices) this.addPrices();
  }

  /** Charts, exports and citations come when somebody gets near them, else once there is nothing else to wait for. */
  awaitRest() {
    const bring = () => this.bringRest();
    const near = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && bring(), {
      rootMargin: NEAR,
    });
    for (const place of findAll(document, PLACES, Element)) near.observe(place);
    addEventListener("beforeprint", bring);
    for (const type of ["pointerover", "focusin"]) {
      addEventListener(
        type,
        (event) => closest(event, `${PRESSED}, #export-menu, #tradeoffs`, HTMLElement) && bring(),
        { passive: true },
      );
    }
    document.addEventListener("click", (event) => this.pressAgain(event), { capture: true });
  }

  /** Who presses a button before what it does is here presses it once more then. @param {Event} event */
  async pressAgain(event) {
    const pressed = this.hasRest ? null : closest(event, PRESSED, HTMLElement);
    if (!pressed) return;
    event.preventDefault();
    await this.bringRest();
    if (this.hasRest) pressed.click();
  }

  bringRest() {
    this.rest ??= this.broughtRest().catch(() => {
      // It is asked for again when somebody wants it again.
      this.rest = null;
    });
    return this.rest;
  }

  async broughtRest() {
    const { REST } = await import("./board-rest.js");
    /** @type {Part[]} */
    const made = REST.map((Part) => new Part(this));
    this.parts.push(...made);
    this.hasRest = true;
    drawAll(made, (part) => part.show(this.ranking, this.view.now, new Set(["ranking"])));
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
