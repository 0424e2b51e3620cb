// "Why this score": how one model's Dynascore comes about, what would put the model first, and how the ranking by mean
// z-score differs. Nothing is scored here, and all words are Python's.
import { byId, closest, element, find, findAll } from "../base/elements.js";
import { fillWithModels } from "../base/models.js";
import { text } from "../base/texts.js";
import { Queue } from "../scorer/engine.js";
import { AfterRest, piecesOf } from "../scorer/words.js";
import { makeChange } from "./verdict.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Text } from "../scorer/words.js" */
/** @import { Change } from "./verdict.js" */

/** `score_explained` of evaluator/rank/score_sentences.py. @typedef {object} Explained
 * @property {string} base
 * @property {number | null} model
 * @property {string} name
 * @property {string} score
 * @property {Text} formula
 * @property {Text} question
 * @property {Record<string, Cells>} rows by metric
 */
/** @typedef {{ idle: boolean, value: Text, rate: string, converted: string, share: string, contribution: string }} Cells */
/** `orders_compared`. @typedef {{ summary: string, rows: [label: string, score: number, z: number, mean: string][] }} OrdersWords */
/** `first_place`. @typedef {{ change: Text, shares: string, set: Change | null }} FirstPlaceWords */

/** Columns before the last one of the table: by trade-offs nothing is converted and shared out after it is divided. */
const WHOLE = 5;
const SHORT = 3;

/** The model whose score is explained: the one chosen, else the leader; by index, null without any.
 * @param {Pick<BoardHost, "data" | "view" | "ranking">} page */
export function explained({ data, view, ranking }) {
  const chosen = data.models.findIndex(({ id }) => id === view.now.why);
  if (chosen >= 0) return chosen;
  return ranking.ranked ? ranking.order[0] : null;
}

/** @implements {Part} */
export class Explanation {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    /** A board without any ranked model has nothing to explain. */
    this.section = document.getElementById("why-model") ? byId("why") : null;
    if (!this.section) return;
    this.first = new FirstPlace(page);
    this.orders = new Orders(page);
    this.select = byId("why-model", HTMLSelectElement);
    fillWithModels(this.select, page.data.models);
    this.select.addEventListener("change", () => page.view.set({ why: this.select?.value }));
    find(document, ".ranks", HTMLElement).addEventListener("click", (event) => this.pick(event));
  }

  /** A click on a score explains it. @param {Event} event */
  pick(event) {
    const model = closest(event, ".score > .num", HTMLElement) && closest(event, "[data-model]", HTMLElement);
    if (!model) return;
    this.page.view.set({ why: model.dataset.model });
    this.section?.scrollIntoView({ block: "nearest" });
    this.select?.focus({ preventScroll: true });
  }

  /** @param {Ranking} ranking @param {BoardView} view @param {Set<string>} changed */
  show({ by }, view, changed) {
    if (!this.section || !["ranking", "why", "ready"].some((field) => changed.has(field))) return;
    if (this.select) this.select.value = view.why;
    const name = byId("why-name", HTMLTableCellElement);
    name.colSpan = by === "trades" ? SHORT : WHOLE;
    name.textContent = text(`header.${by === "z_score" ? "dynascore" : by}`);
    const { words } = this.page;
    words.ask(
      "score",
      () => ({ model: explained(this.page) }),
      (said) => this.write(said),
    );
    this.first?.ask();
    this.orders?.ask();
  }

  /** @param {Explained} said */
  write({ base, score, formula, rows, question }) {
    byId("why-base").textContent = base;
    byId("why-score").textContent = score;
    byId("why-formula").replaceChildren(...piecesOf(formula));
    this.first?.entitle(question);
    for (const row of findAll(byId("why"), "tbody [data-metric]", HTMLTableRowElement)) {
      const cells = rows[row.dataset.metric ?? ""];
      if (!cells) continue;
      row.classList.toggle("idle", cells.idle);
      const [, value, ...others] = row.cells;
      value.replaceChildren(...piecesOf(cells.value));
      const texts = [cells.rate, cells.converted, cells.share, cells.contribution];
      texts.forEach((said, at) => (others[at].textContent = said));
      const { by } = this.page.ranking;
      others[0].dataset.label = text(by === "trades" ? "why.over-trade" : "why.over-rate");
    }
  }
}

/** "What would put X first?": the smallest change of one weight, and under how many weightings X leads. Nothing is asked
 * for what nobody reads, and of the leader the verdict above the table says it. */
class FirstPlace {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.title = element("summary", {});
    this.body = element("div", { role: "status" });
    this.details = element("details", { id: "first-place", hidden: "" }, this.title, this.body);
    find(document, ".why-frame", HTMLElement).after(this.details);
    this.queue = new Queue(() => this.update());
    this.rest = new AfterRest(() => this.queue.ask());
    this.details.addEventListener("toggle", () => this.queue.ask());
  }

  /** @param {Text} question */
  entitle(question) {
    this.details.hidden = !question.length;
    this.title.replaceChildren(...piecesOf(question));
  }

  ask() {
    this.body.setAttribute("aria-busy", "true");
    this.rest.ask();
  }

  async update() {
    const { ranking, ready, certainty, scorer, data, question, words } = this.page;
    const model = explained(this.page);
    if (!ready || model === null || !this.details.open || this.details.hidden) return;
    // The sets of all models come first.
    await certainty.ask();
    if (ranking !== this.page.ranking) return;
    const found = await scorer.firstPlace(question, data.models[model].id);
    if (!found || ranking !== this.page.ranking) return;
    /** @type {FirstPlaceWords} */
    const said = await words.now("first_place", { found });
    if (ranking !== this.page.ranking || model !== explained(this.page)) return;
    const change = element("p", {}, ...piecesOf(said.change), said.set && this.button(said.set));
    this.body.replaceChildren(change, element("p", {}, said.shares));
    this.body.setAttribute("aria-busy", "false");
  }

  /** Makes the change. @param {Change} set */
  button(set) {
    const made = element("button", { type: "button", class: "link" }, text("why.set"));
    made.addEventListener("click", () => makeChange(this.page, set));
    return made;
  }
}

/** The ranking by mean z-score beside the one by Dynascore, as the paper has both. */
class Orders {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.details = document.getElementById("z-scores");
    this.details?.addEventListener("toggle", () => this.ask());
  }

  ask() {
    if (!(this.details instanceof HTMLDetailsElement) || !this.details.open) return;
    this.page.words.ask(
      "orders",
      () => ({}),
      (said) => this.write(said),
    );
  }

  /** @param {OrdersWords} said */
  write({ summary, rows }) {
    byId("z-summary").textContent = summary;
    find(document, "#z-scores .z-frame", HTMLElement).hidden = !rows.length;
    byId("z-rows").replaceChildren(
      ...rows.map(([label, ...numbers]) => {
        const name = element("span", { class: "clamp", dir: "auto" }, label);
        const cells = numbers.map((text) => element("td", { class: "right num" }, text));
        return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
      }),
    );
  }
}
