// The ranking by mean z-score beside the one by Dynascore, as the paper has both.
import { AfterRest } from "../base/afterrest.js";
import { byId, element, find } from "../base/elements.js";
import { number } from "../base/formats.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** A model's ranks by both, and its mean z-score.
 * @typedef {{ index: number, dynascore: number | null, z: number | null, mean: number }} Ranks */

const SHOWN = 10;

/** @implements {Part} */
export class ZScores {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.rest = new AfterRest(() => this.compare());
    const details = document.getElementById("z-scores");
    this.details = details instanceof HTMLDetailsElement ? details : null;
    this.details?.addEventListener("toggle", () => this.later());
  }

  /**
   * @param {Ranking} _ranking
   * @param {BoardView} _view
   * @param {Set<string>} changed
   */
  show(_ranking, _view, changed) {
    if (changed.has("ranking") || changed.has("ready")) this.later();
  }

  later() {
    if (this.details?.open && this.page.ready) this.rest.ask();
  }

  async compare() {
    const { ranking, ranked, scorer } = this.page;
    const other = ranked.by === "z_score" ? "dynascore" : "z_score";
    const second = await scorer.rank({ ...this.page.question, by: other }, { beside: true });
    // A newer ranking has arrived meanwhile, and asks for itself.
    if (ranking !== this.page.ranking) return;
    if (other === "z_score") this.showRows(ranking, second);
    else this.showRows(second, ranking);
  }

  /**
   * @param {Ranking} scored by Dynascore
   * @param {Ranking} standard by mean z-score
   */
  showRows(scored, standard) {
    const both = [...scored.order.slice(0, scored.ranked)].map((index) => ({
      index,
      dynascore: scored.rankOf(index),
      z: standard.rankOf(index),
      mean: standard.main[index],
    }));
    const apart = both.filter(({ dynascore, z }) => dynascore !== z);
    apart.sort((left, right) => distance(right) - distance(left));
    byId("z-summary").textContent = summary(both.length, apart.length);
    byId("z-rows").replaceChildren(...apart.slice(0, SHOWN).map((row) => this.row(row)));
    find(document, "#z-scores .z-frame", HTMLElement).hidden = !apart.length;
  }

  /** @param {Ranks} ranks */
  row({ index, dynascore, z, mean }) {
    const name = element("span", { class: "clamp", dir: "auto" }, this.page.data.models[index].label);
    const numbers = [dynascore, z, number(mean)].map((text) => element("td", { class: "right num" }, text));
    return element("tr", {}, element("th", { scope: "row" }, name), ...numbers);
  }
}

/** @param {Ranks} ranks */
function distance({ dynascore, z }) {
  return Math.abs((dynascore ?? 0) - (z ?? 0));
}

/**
 * @param {number} all
 * @param {number} apart
 */
function summary(all, apart) {
  if (!apart) return `Both put the ${all} ranked models in the same order.`;
  const first = apart > SHOWN ? ` The ${SHOWN} furthest apart:` : "";
  return `${all - apart} of ${all} models have the same rank by both.${first}`;
}
