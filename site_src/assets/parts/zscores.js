// The ranking by mean z-score beside the one by Dynascore, as the paper has both.
import { element } from "../base/elements.js";
import { number } from "../base/formats.js";
import { question } from "../view/view.js";

/** Asked for once the weights rest for this long: nobody reads it while a slider moves. */
const REST = 250;
const SHOWN = 10;

export class ZScores {
  constructor(page) {
    this.page = page;
    this.details = document.getElementById("z-scores");
    this.details?.addEventListener("toggle", () => this.later());
  }

  show(ranking, view, changed) {
    if (changed.has("ranking") || changed.has("ready")) this.later();
  }

  later() {
    clearTimeout(this.rest);
    if (this.details?.open && this.page.ready) this.rest = setTimeout(() => this.compare(), REST);
  }

  async compare() {
    const { ranking, ranked, scorer } = this.page;
    const other = ranked.by === "z_score" ? "dynascore" : "z_score";
    const second = await scorer.rank(question({ ...ranked, by: other }));
    // A newer ranking has arrived meanwhile, and asks for itself.
    if (ranking !== this.page.ranking) return;
    this.showRows(...(other === "z_score" ? [ranking, second] : [second, ranking]));
  }

  showRows(scored, standard) {
    const both = [...scored.order.slice(0, scored.ranked)].map((index) => ({
      index,
      dynascore: scored.rankOf(index),
      z: standard.rankOf(index),
      mean: standard.zScores[index],
    }));
    const apart = both.filter(({ dynascore, z }) => dynascore !== z);
    apart.sort((left, right) => Math.abs(right.dynascore - right.z) - Math.abs(left.dynascore - left.z));
    document.getElementById("z-summary").textContent = summary(both.length, apart.length);
    document.getElementById("z-rows").replaceChildren(...apart.slice(0, SHOWN).map((row) => this.row(row)));
    this.details.querySelector(".z-frame").hidden = !apart.length;
  }

  row({ index, dynascore, z, mean }) {
    const name = element("span", { class: "clamp", dir: "auto" }, this.page.data.models[index].label);
    const numbers = [dynascore, z, number(mean)].map((text) => element("td", { class: "right num" }, text));
    return element("tr", {}, element("th", { scope: "row" }, name), ...numbers);
  }
}

function summary(all, apart) {
  if (!apart) return `Both put the ${all} ranked models in the same order.`;
  const first = apart > SHOWN ? ` The ${SHOWN} furthest apart:` : "";
  return `${all - apart} of ${all} models have the same rank by both.${first}`;
}
