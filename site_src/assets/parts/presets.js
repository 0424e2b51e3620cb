// Weights that the board's owner has named, the default ones among them.
import { same } from "../view/fragment.js";

export class Presets {
  constructor(page) {
    const { view } = page;
    const known = new Map(page.data.presets.map((preset) => [preset.name, preset.weights]));
    this.buttons = [...document.querySelectorAll(".preset")].map((button) => ({
      button,
      weights: known.get(button.dataset.preset) ?? view.defaults.metrics,
    }));
    for (const { button, weights } of this.buttons) {
      button.addEventListener("click", () => view.set({ metrics: weights, lockedMetrics: [] }));
    }
  }

  show(ranking, view, changed) {
    if (!changed.has("metrics")) return;
    for (const { button, weights } of this.buttons) {
      button.setAttribute("aria-pressed", String(same(weights, view.metrics)));
    }
  }
}
