// A window over parts by date: which months count. It sets the weights that the sliders set, and reads them back.
import { byId, findAll } from "../base/elements.js";
import { same } from "../view/fragment.js";

/** @import { BoardHost, BoardView, Part, Weights } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** The window of a board that has one. @implements {Part} */
export class Months {
  /** @param {BoardHost} page */
  constructor(page) {
    this.window = document.getElementById("months") ? new MonthsWindow(page) : null;
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (changed.has("datasets") || changed.has("ranking")) this.window?.show(view);
  }
}

class MonthsWindow {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.first = byId("months-first", HTMLSelectElement);
    this.last = byId("months-last", HTMLSelectElement);
    this.said = byId("months-said");
    /** The parts in the order of time. */
    this.parts = findAll(this.first, "option", HTMLOptionElement).map((option) => option.value);
    this.first.addEventListener("change", () => this.choose(this.first, this.last));
    this.last.addEventListener("change", () => this.choose(this.last, this.first));
  }

  /** Let the months from the first to the last count, each as many times as it has examples. The other end goes with
   * the one that was moved past it.
   * @param {HTMLSelectElement} moved @param {HTMLSelectElement} other */
  choose(moved, other) {
    if (this.first.selectedIndex > this.last.selectedIndex) other.selectedIndex = moved.selectedIndex;
    this.page.view.set({ datasets: this.weights(this.first.selectedIndex, this.last.selectedIndex) });
  }

  /** @param {number} first @param {number} last @returns {Weights} */
  weights(first, last) {
    const { defaults, now } = this.page.view;
    const inside = this.parts.map((name, at) => [
      name,
      at >= first && at <= last ? defaults.datasets[name] : 0,
    ]);
    return { ...now.datasets, ...Object.fromEntries(inside) };
  }

  /** @param {BoardView} view */
  show(view) {
    const counting = this.parts.flatMap((name, at) => (view.datasets[name] ? [at] : []));
    const [first, last] = [counting[0] ?? 0, counting.at(-1) ?? this.parts.length - 1];
    this.first.selectedIndex = first;
    this.last.selectedIndex = last;
    this.page.words.ask(
      "window",
      () => ({
        start: this.first.selectedOptions[0].text,
        whole: same(view.datasets, this.weights(first, last)),
        released: this.page.data.models.map((model) => model.released ?? null),
      }),
      (/** @type {string} */ words) => {
        this.said.textContent = words;
      },
    );
  }
}
