// What is fragile: rates that depend on one pair, and models whose leaving moves others. One badge, one explanation.
import { AfterRest } from "../base/afterrest.js";
import { byId, element, find, findOptional } from "../base/elements.js";
import { shortened } from "../base/models.js";
import { released } from "../base/press.js";
import { MANY } from "../scorer/certainty.js";
import { Queue } from "../scorer/engine.js";
import { ranksAlike } from "../view/view.js";

/** @import { BoardHost, BoardView, LeavingData, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Table } from "./table.js" */

/** A page with the rows that are marked. @typedef {BoardHost & { readonly table: Pick<Table, "lines"> }} MarkedPage */

const FIELDS = ["ranking", "ready"];
/** How many moves of others a line says. */
const LISTED = 4;

/** The badge, with the number of models that change place. @param {number} [others] */
export function badge(others) {
  return element(
    "a",
    { class: "fragile few-mark", href: "#fragile" },
    others ? `fragile ${others}` : "fragile",
  );
}

/** @implements {Part} */
export class Fragile {
  /** @param {MarkedPage} page */
  constructor(page) {
    this.page = page;
    this.list = byId("fragile-list");
    /** What the page came with still holds. That of a snapshot comes without. */
    this.asCame = this.list.childElementCount > 0;
    this.queue = new Queue(() => this.update());
    this.rest = new AfterRest(() => this.queue.ask());
    /** Open the explanation that a badge leads to. */
    document.addEventListener("click", ({ target }) => {
      const link = target instanceof Element && target.closest("a.fragile");
      if (link) byId("fragile", HTMLDetailsElement).open = true;
    });
  }

  /** @param {Ranking} ranking @param {BoardView} _view @param {Set<string>} changed */
  show(ranking, _view, changed) {
    if (!this.page.ready || ranking.size > MANY || !FIELDS.some((field) => changed.has(field))) return;
    this.asCame &&= ranksAlike(this.page.ranked, this.page.view.defaults);
    if (!this.asCame) this.rest.ask();
  }

  async update() {
    const { ranking, certainty, scorer } = this.page;
    // The sets of all models come first.
    await certainty.ask();
    if (ranking !== this.page.ranking) return;
    const moves = await scorer.leaving(this.page.question);
    await released();
    if (!moves || ranking !== this.page.ranking) return;
    this.mark(moves);
    this.list.replaceChildren(...this.lines(ranking, moves));
  }

  /** Mark the rows of models that others depend on, whether they are in the page now or not.
   * @param {LeavingData} moves */
  mark(moves) {
    const counts = new Map(
      Object.entries(moves).map(([model, found]) => [this.page.data.models[Number(model)].id, found.length]),
    );
    for (const [model = "", line] of this.page.table.lines) {
      const count = counts.get(model);
      const present = findOptional(line, ".fragile", HTMLElement);
      if (present?.textContent === (count && `fragile ${count}`)) continue;
      present?.remove();
      if (count) find(line, ".origin .mark", HTMLElement).after(badge(count), " ");
    }
  }

  /** Each model that others depend on, by rank. @param {Ranking} ranking @param {LeavingData} moves */
  lines(ranking, moves) {
    const lines = [...ranking.order].flatMap((model) =>
      moves[model] ? [this.line(model, moves[model])] : [],
    );
    return lines.length ? lines : [element("li", {}, "Whichever model leaves, no other changes place.")];
  }

  /** @param {number} model @param {LeavingData[string]} moves */
  line(model, moves) {
    const words = moves.slice(0, LISTED).flatMap(([other, before, after], at) => {
      return [at ? ", " : "", this.name(other), ` from ${before} to ${after}`];
    });
    const rest = moves.length > LISTED ? ` and ${moves.length - LISTED} more` : "";
    return element("li", {}, "Without ", this.name(model), ": ", ...words, `${rest}.`);
  }

  /** @param {number} model */
  name(model) {
    return element("bdi", {}, shortened(this.page.data.models[model].label));
  }
}
