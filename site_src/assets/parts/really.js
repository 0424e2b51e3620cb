// "Is A really above B?": the first chosen model and each of the others, and whether these data can tell.
import { element } from "../base/elements.js";
import { number } from "../base/formats.js";
import { Queue } from "../scorer/engine.js";
import { COMPARED } from "../view/fragment.js";

/** @import { BoardHost, BoardView, ComparisonData, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** What is needed of a page. @typedef {Pick<BoardHost, "data" | "ranking" | "question" | "ready" | "scorer" | "certainty" | "view">} ReallyHost */
/** Two models by their places on the board. @typedef {[higher: number, lower: number]} Pair */

const FIELDS = ["ranking", "chosen", "ready"];

/** @implements {Part} */
export class Really {
  /** @param {ReallyHost} page */
  constructor(page) {
    this.page = page;
    this.place = element("section", { class: "really", "aria-labelledby": "really-title", hidden: "" });
    this.title = element("h2", { id: "really-title" });
    this.body = element("div", { role: "status" });
    this.place.append(this.title, this.body);
    // A board has its place for it; the compare page puts it among its own parts.
    document.getElementById("place-really")?.replaceWith(this.place);
    this.queue = new Queue(() => this.update());
  }

  /** @param {Ranking} _ranking @param {BoardView} _view @param {Set<string>} changed */
  show(_ranking, _view, changed) {
    if (!FIELDS.some((field) => changed.has(field))) return;
    this.body.setAttribute("aria-busy", "true");
    this.queue.ask();
  }

  /** The pairs to compare: the first chosen model with each of the others. @returns {Pair[]} */
  pairs() {
    const { data, ranking, view } = this.page;
    const chosen = view.now.chosen.slice(0, COMPARED);
    const [first, ...others] = chosen.map((id) => data.models.findIndex((model) => model.id === id));
    return others.map((other) => (isAbove(ranking, other, first) ? [other, first] : [first, other]));
  }

  async update() {
    const { ranking, ready, certainty } = this.page;
    const pairs = ready ? this.pairs() : [];
    this.place.hidden = !pairs.length;
    if (!pairs.length) return;
    // The sets of all models come first.
    await certainty.ask();
    const found = await Promise.all(pairs.map((pair) => this.compared(pair)));
    if (ranking !== this.page.ranking) return;
    this.title.replaceChildren(...this.heading(pairs));
    this.body.replaceChildren(...pairs.map((pair, at) => this.sentence(pair, found[at])));
    this.body.setAttribute("aria-busy", "false");
  }

  /** @param {Pair} pair @returns {Promise<ComparisonData | null>} */
  async compared([higher, lower]) {
    const { data, certainty, scorer } = this.page;
    if (!certainty.able) return null;
    return scorer.compare(this.page.question, [data.models[higher].id, data.models[lower].id]);
  }

  /** @param {Pair[]} pairs */
  heading(pairs) {
    const [[higher, lower]] = pairs;
    if (pairs.length > 1) return ["Which of these are really above others?"];
    return ["Is ", this.name(higher), " really above ", this.name(lower), "?"];
  }

  /** @param {number} index */
  name(index) {
    return element("bdi", {}, this.page.data.models[index].label);
  }

  /** @param {Pair} pair @param {ComparisonData | null} found */
  sentence([higher, lower], found) {
    const [above, below] = [this.name(higher), this.name(lower)];
    if (!found?.interval || found.difference === null) {
      return element(
        "p",
        {},
        above,
        " and ",
        below,
        ": ",
        element("strong", {}, "unknown"),
        ", as nothing tells how their scores vary at these weights.",
      );
    }
    if (found.difference < 0) {
      const why = " has the higher score, but is ranked last, as no better than a constant answer.";
      return element("p", {}, below, why);
    }
    const unit = this.page.ranking.by === "z_score" ? "" : " points";
    const [low, high] = found.interval.map((end) => number(end, 1));
    const gap = `Difference ${number(found.difference, 2)}${unit}, 95 % interval ${low} to ${high}: `;
    const verdict = found.interval[0] > 0 ? ["is really above ", this.name(lower)] : null;
    const words = verdict ? [this.name(higher), " ", ...verdict] : ["these data cannot tell"];
    const alone = Object.values(found.alone).flatMap((one) => this.alone(one, higher, lower));
    return element("p", {}, gap, element("strong", {}, ...words), ".", ...alone);
  }

  /** @param {ComparisonData["alone"][string]} alone @param {number} higher @param {number} lower */
  alone({ label, counts: [first, second], p }, higher, lower) {
    return [
      " On ",
      element("bdi", {}, label),
      ` alone, ${number(first, 0)} examples are right only for `,
      this.name(higher),
      ` and ${number(second, 0)} only for `,
      this.name(lower),
      p === null ? "; as some share a source, no exact test fits." : ` (exact McNemar ${chance(p)}).`,
    ];
  }
}

/** Whether the first of two models is above the second; by the score where one of them has no rank.
 * @param {Ranking} ranking @param {number} first @param {number} second */
function isAbove(ranking, first, second) {
  const [rank, other] = [ranking.ranks[first], ranking.ranks[second]];
  if (Number.isNaN(rank) || Number.isNaN(other)) return ranking.main[first] > ranking.main[second];
  return rank < other;
}

/** @param {number} p */
function chance(p) {
  return p < 0.001 ? "p < 0.001" : `p = ${number(p, p < 0.1 ? 3 : 2)}`;
}
