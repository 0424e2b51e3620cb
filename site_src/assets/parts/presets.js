// Weights that the board's owner has named, the default ones among them.
import { findAll } from "../base/elements.js";
import { makeOneStop } from "../base/roving.js";
import { same } from "../view/fragment.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @implements {Part} */
export class Presets {
  /** @param {BoardHost} page */
  constructor({ data, view }) {
    const known = new Map(data.presets.map(({ name, weights }) => [name, weights]));
    this.buttons = findAll(document, ".preset", HTMLElement).map((button) => ({
      button,
      weights: known.get(button.dataset.preset ?? "") ?? view.defaults.metrics,
    }));
    makeOneStop(this.buttons.map(({ button }) => button));
    for (const { button, weights } of this.buttons) {
      button.addEventListener("click", () => view.set({ metrics: weights, lockedMetrics: [] }));
    }
  }

  /**
   * @param {Ranking} _ranking
   * @param {BoardView} view
   * @param {Set<string>} changed
   */
  show(_ranking, view, changed) {
    if (!changed.has("metrics")) return;
    for (const { button, weights } of this.buttons) {
      button.setAttribute("aria-pressed", String(same(weights, view.metrics)));
    }
  }
}
