// What models cost at other prices: boxes for the prices of their tokens. Python makes costs of them, and ranks.
import { byId, find, findAll, write } from "../base/elements.js";
import { isolated, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { readAmount } from "../view/amounts.js";
import { MOST_PRICE, isPrice } from "../view/fragment.js";
import { effective, isInPart } from "../view/prices.js";

/** @import { BoardHost, BoardView, Part, Prices } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @implements {Part} */
export class PriceControls {
  /** @param {BoardHost} page */
  constructor({ view, data }) {
    this.view = view;
    this.currency = data.prices?.currency ?? "";
    this.day = data.prices?.day ?? {};
    this.problem = byId("prices-problem");
    this.models = findAll(byId("prices"), ".priced", HTMLElement).map((place) => ({
      model: place.dataset.model ?? "",
      label: find(place, "legend", HTMLElement).textContent,
      boxes: findAll(place, "input", HTMLInputElement),
    }));
    for (const { model, boxes } of this.models) {
      for (const box of boxes) {
        box.addEventListener("input", () => this.type(model, boxes));
        box.addEventListener("blur", () => this.showAll(view.now));
        box.addEventListener("change", () => this.settle());
      }
    }
    byId("prices-reset").addEventListener("click", () => this.reset());
    this.showAll(view.now);
    // An address with prices shows them.
    const details = byId("prices", HTMLDetailsElement);
    if (Object.keys(view.now.prices).length) details.open = true;
    find(details, "form", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
  }

  /** Rank by what somebody typed; an empty box is the price of the day.
   * @param {string} model @param {HTMLInputElement[]} boxes */
  type(model, boxes) {
    this.showProblem();
    if (boxes.some((box) => this.isUnread(box))) return;
    const prices = /** @type {Prices} */ (boxes.map((box) => this.priceIn(box)));
    const typed = { ...this.view.now.prices, [model]: prices };
    // In the order of the page, so that one set of prices has one address.
    const ordered = this.models.filter((one) => Object.hasOwn(typed, one.model));
    const next = Object.fromEntries(ordered.map((one) => [one.model, typed[one.model]]));
    this.view.change({ prices: effective(next, this.day).prices });
  }

  reset() {
    for (const { boxes } of this.models) for (const box of boxes) box.value = "";
    this.view.set({ prices: {} });
    this.showProblem();
  }

  settle() {
    this.view.settle();
    this.showAll(this.view.now);
  }

  /** The price in a box; null where it is empty, or has none. @param {HTMLInputElement} box */
  priceIn(box) {
    return readAmount(box.value, this.currency);
  }

  /** @param {HTMLInputElement} box */
  isUnread(box) {
    return box.value.trim() !== "" && !isPrice(this.priceIn(box));
  }

  /** Whether boxes say too little of a model of which the day has no prices.
   * @param {string} model @param {HTMLInputElement[]} boxes */
  isInPart(model, boxes) {
    return isInPart(/** @type {Prices} */ (boxes.map((box) => this.priceIn(box))), this.day[model]);
  }

  /** Say what is wrong with what stands in the boxes. */
  showProblem() {
    const wrong = this.models.flatMap(({ boxes }) => boxes.filter((box) => this.isUnread(box)));
    for (const { boxes } of this.models) {
      for (const box of boxes) box.ariaInvalid = String(wrong.includes(box));
    }
    const inPart = this.models.find(({ model, boxes }) => this.isInPart(model, boxes));
    const problem = wrong.length
      ? text("prices.no-price", { most: weight(MOST_PRICE) })
      : inPart
        ? text("link.in-part", { model: isolated(inPart.label) })
        : "";
    write(this.problem, problem);
    this.problem.hidden = !problem;
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (changed.has("prices")) this.showAll(view);
  }

  /** @param {BoardView} view */
  showAll({ prices }) {
    for (const { model, boxes } of this.models) {
      // What is still to be completed stays.
      if (!prices[model] && this.isInPart(model, boxes)) continue;
      boxes.forEach((box, kind) => {
        const price = prices[model]?.[kind] ?? null;
        const written = price === null ? "" : String(price);
        if (box !== document.activeElement && box.value !== written) box.value = written;
      });
    }
    this.showProblem();
  }
}
