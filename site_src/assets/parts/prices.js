// What models cost at other prices: boxes for the prices of their tokens. Python makes costs of them, and ranks.
import { byId, find, findAll } from "../base/elements.js";
import { weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { MOST_PRICE, isPrice } from "../view/fragment.js";

/** @import { BoardHost, BoardView, Part, Prices } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @implements {Part} */
export class PriceControls {
  /** @param {BoardHost} page */
  constructor({ view }) {
    this.view = view;
    this.problem = byId("prices-problem");
    this.models = findAll(byId("prices"), ".priced", HTMLElement).map((place) => ({
      model: place.dataset.model ?? "",
      boxes: findAll(place, "input", HTMLInputElement),
    }));
    for (const { model, boxes } of this.models) {
      for (const box of boxes) {
        box.addEventListener("input", () => this.type(model, boxes));
        box.addEventListener("change", () => this.settle());
      }
    }
    byId("prices-reset").addEventListener("click", () => view.set({ prices: {} }));
    this.showAll(view.now);
    // An address with prices shows them.
    const details = byId("prices", HTMLDetailsElement);
    if (Object.keys(view.now.prices).length) details.open = true;
    find(details, "form", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
  }

  /** Rank by what somebody typed; an empty box is the price of the day.
   * @param {string} model @param {HTMLInputElement[]} boxes */
  type(model, boxes) {
    const prices = boxes.map((box) => (box.value.trim() === "" ? null : Number(box.value.replace(",", "."))));
    const wrong = boxes.filter((_, at) => prices[at] !== null && !isPrice(prices[at]));
    this.showProblem(wrong[0] ?? null);
    if (wrong.length) return;
    const { [model]: _, ...others } = this.view.now.prices;
    const given = prices.some((price) => price !== null);
    // In the order of the page, so that one set of prices has one address.
    const next = { ...others, ...(given && { [model]: /** @type {Prices} */ (prices) }) };
    const known = this.models.filter((one) => Object.hasOwn(next, one.model));
    this.view.change({ prices: Object.fromEntries(known.map((one) => [one.model, next[one.model]])) });
  }

  settle() {
    this.showProblem(null);
    this.view.settle();
    this.showAll(this.view.now);
  }

  /** @param {HTMLInputElement | null} at */
  showProblem(at) {
    for (const { boxes } of this.models) {
      for (const box of boxes) box.setAttribute("aria-invalid", String(box === at));
    }
    this.problem.textContent = at ? text("prices.no-price", { most: weight(MOST_PRICE) }) : "";
    this.problem.hidden = !at;
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (changed.has("prices")) this.showAll(view);
  }

  /** @param {BoardView} view */
  showAll({ prices }) {
    for (const { model, boxes } of this.models) {
      boxes.forEach((box, kind) => {
        const price = prices[model]?.[kind] ?? null;
        const written = price === null ? "" : String(price);
        if (box !== document.activeElement && box.value !== written) box.value = written;
      });
    }
  }
}
