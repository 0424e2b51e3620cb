// How certain the ranks are, in words: who is in a dead heat and which gaps can be told, and of chosen models whether the
// first of them is really above the others.
import { byId, element, write } from "../base/elements.js";
import { Queue } from "../scorer/engine.js";
import { piecesOf } from "../scorer/words.js";
import { COMPARED } from "../view/fragment.js";

/** @import { BoardView, Part, RankedHost } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Text } from "../scorer/words.js" */

/** @implements {Part} */
export class CertaintyWords {
  /** @param {RankedHost} page */
  constructor(page) {
    this.page = page;
    this.place = byId("certainty-words");
    /** How far exchange rates may be off. */
    this.factor = byId("factor-words");
    // A board with too few datasets for another one says nothing of it.
    this.elsewhere = document.getElementById("elsewhere-words");
    this.head = document.querySelector(".elsewhere-head");
    this.pairs = new ComparedPairs(page);
    byId("place-pairs").replaceWith(this.pairs.place);
  }

  /** @param {Ranking} ranking @param {BoardView} view @param {Set<string>} changed */
  show(ranking, view, changed) {
    this.pairs.show(ranking, view, changed);
    if (!changed.has("ranking") && !changed.has("sets")) return;
    const { certainty } = this.page;
    this.place.classList.toggle("old", !certainty.current);
    if (certainty.current && certainty.words) write(this.place, certainty.words);
    this.page.words.ask(
      "factor",
      () => ({ thin: certainty.current && certainty.thin }),
      (said) => write(this.factor, said),
    );
    this.showElsewhere();
  }

  showElsewhere() {
    const { current, elsewhere } = this.page.certainty;
    if (!this.elsewhere || !this.head) return;
    this.elsewhere.classList.toggle("old", !current);
    if (!current) return;
    write(this.elsewhere, elsewhere?.words ?? "");
    write(this.head, elsewhere?.label ?? "");
  }
}

/** "Is A really above B?": the first chosen model and each of the others. */
export class ComparedPairs {
  /** @param {RankedHost} page */
  constructor(page) {
    this.page = page;
    this.title = element("h2", { id: "pairs-title" });
    this.body = element("div", { role: "status" });
    /** Who of them leads, for above a table of theirs. */
    this.lead = element("p", { class: "leads" });
    const attributes = { class: "compared-pairs", "aria-labelledby": "pairs-title", hidden: "" };
    this.place = element("section", attributes, this.title, this.body);
    this.queue = new Queue(() => this.update());
  }

  /** @param {Ranking} _ranking @param {BoardView} _view @param {Set<string>} changed */
  show(_ranking, _view, changed) {
    if (!["ranking", "chosen", "ready"].some((field) => changed.has(field))) return;
    this.body.setAttribute("aria-busy", "true");
    this.lead.classList.add("old");
    this.queue.ask();
  }

  async update() {
    const { ranking, ready, certainty, data, view, words, scorer } = this.page;
    const chosen = ready ? view.now.chosen.slice(0, COMPARED) : [];
    if (chosen.length < 2) {
      this.place.hidden = true;
      return;
    }
    // The sets of all models come first.
    await certainty.ask();
    if (certainty.able) await scorer.vary();
    const models = chosen.map((id) => data.models.findIndex((model) => model.id === id));
    /** @type {{ lead: Text, title: Text, paragraphs: Text[] }} */
    const { lead, title, paragraphs } = await words.now("pairs", { models });
    if (ranking !== this.page.ranking) return;
    this.lead.replaceChildren(...piecesOf(lead));
    this.lead.classList.remove("old");
    this.title.replaceChildren(...piecesOf(title));
    this.body.replaceChildren(...paragraphs.map((text) => element("p", {}, ...piecesOf(text))));
    this.body.setAttribute("aria-busy", "false");
    this.place.hidden = false;
  }
}
