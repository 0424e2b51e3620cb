// The verdict above the table: who leads or ties, what would end that, and how often it leads of all weightings. Python
// words it: at once who leads, then whether that is certain, then what takes longer to find.
import { byId } from "../base/elements.js";
import { text } from "../base/texts.js";
import { Queue } from "../scorer/engine.js";
import { AfterRest, piecesOf } from "../scorer/words.js";
import { room } from "../view/shares.js";
import { ranksAlike } from "../view/view.js";
import { addressOf, copyText, shownView } from "./sharing.js";

/** @import { BoardView, LeaderData, Part, RankedHost } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Text } from "../scorer/words.js" */

/** A metric and its weight or, by trade-offs, its trade-off, null for none.
 * @typedef {[metric: string, amount: number | string | null]} Change */
/** `verdict` of evaluator/rank/verdict_sentences.py.
 * @typedef {{ lead: Text, change: Text, shares: Text, set: Change | null }} VerdictWords */

/** @implements {Part} */
export class Verdict {
  /** @param {RankedHost} page */
  constructor(page) {
    this.page = page;
    this.lead = byId("verdict-lead");
    this.rest = byId("verdict-rest");
    /** The view that the verdict is of. */
    this.of = page.view.defaults;
    /** What was found of a leader, and the ranking that it leads. @type {{ ranking: Ranking, leader: LeaderData } | null} */
    this.found = null;
    this.change = byId("verdict-change");
    this.shares = byId("verdict-shares");
    // One button for all changes, so that it keeps its focus.
    this.button = byId("verdict-set", HTMLButtonElement);
    /** The change that it makes. @type {Change | null} */
    this.set = JSON.parse(this.button.dataset.set ?? "null");
    this.button.addEventListener("click", () => this.set && makeChange(page, this.set));
    this.queue = new Queue(() => this.find());
    this.calm = new AfterRest(() => this.queue.ask());
    // The first page has no button that copies.
    document.getElementById("verdict-copy")?.addEventListener("click", () => this.copy());
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (!changed.has("ranking") && !changed.has("sets")) return;
    const old = !ranksAlike(this.of, view);
    this.lead.classList.toggle("old", old);
    this.rest.classList.toggle("old", old || !this.known);
    this.ask();
    this.calm.ask();
  }

  ask() {
    this.page.words.ask(
      "verdict",
      () => this.terms,
      (said) => this.write(said),
    );
  }

  get terms() {
    return { sets: this.page.certainty.setsOfAll, found: this.known };
  }

  /** What is known of the leader of the newest ranking; null where it is still to be found. */
  get known() {
    const { certainty, ranked, ranking, view } = this.page;
    if (ranksAlike(ranked, view.defaults)) return certainty.first.leader ?? null;
    return this.found?.ranking === ranking ? this.found.leader : null;
  }

  async find() {
    const { ranking, ready, certainty, scorer, data, question } = this.page;
    if (!ready || !ranking.ranked || this.known) return;
    // The sets of all models come first.
    await certainty.ask();
    if (ranking !== this.page.ranking) return;
    const leader = await scorer.firstPlace(question, data.models[ranking.order[0]].id);
    if (!leader || ranking !== this.page.ranking) return;
    this.found = { ranking, leader };
    this.ask();
  }

  /** @param {VerdictWords} said */
  write({ lead, change, shares, set }) {
    this.of = this.page.ranked;
    this.lead.classList.remove("old");
    this.keepRoom();
    this.lead.replaceChildren(...piecesOf(lead));
    this.rest.classList.toggle("old", !this.known);
    if (!this.known) return;
    this.set = set;
    this.button.hidden = !set;
    this.change.replaceChildren(...piecesOf(change));
    this.shares.replaceChildren(...piecesOf(shares));
  }

  /** Until it is known who ties, words may be shorter for a moment: nothing below moves up and down again under somebody's
   * pointer. */
  keepRoom() {
    const { style } = this.lead;
    if (this.terms.sets) style.minHeight = "";
    else style.minHeight ||= `${this.lead.getBoundingClientRect().height}px`;
  }

  /** Copy the verdict with its weights, its board and the address of this view; before Python is there, as it stands. */
  async copy() {
    const { page } = this;
    if (!page.ready) {
      const said = [this.lead, this.change, this.shares].map((place) => place.textContent.trim());
      return copyText([...said, addressOf(page, this.of)].join(" "), text("verdict.sentence"));
    }
    const view = shownView(page);
    const more = { view, first: page.view.defaults, address: addressOf(page, view) };
    await copyText(
      await page.words.now("verdict_copied", { ...this.terms, ...more }),
      text("verdict.sentence"),
    );
  }
}

/** Make a change that words name. It leaves all other weights as they are, so that a locked one could not keep its share of
 * them: then nothing is set, and that is said.
 * @param {RankedHost} page @param {Change} set */
export function makeChange(page, [metric, amount]) {
  const { view } = page;
  const { by, metrics, trades, lockedMetrics: locked } = view.now;
  const held = by !== "trades" && (locked.includes(metric) || room(metrics, locked) !== Infinity);
  page.showNotice(held ? text("weights.held") : "");
  if (held) return;
  if (by !== "trades") return view.set({ metrics: { ...metrics, [metric]: Number(amount) } });
  const { [metric]: _, ...others } = trades;
  view.set({ trades: amount === null ? others : { ...trades, [metric]: amount } });
}
