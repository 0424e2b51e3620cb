// A window over parts by date: which months count. It sets the weights that the sliders set, and reads them back.
import { byId, findAll } from "../base/elements.js";
import { same } from "../view/fragment.js";

/** @import { BoardHost, BoardView, Part, Weights } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @implements {Part} */
export class Months {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    const place = document.getElementById("months");
    if (!place) return;
    this.first = byId("months-first", HTMLSelectElement);
    this.last = byId("months-last", HTMLSelectElement);
    this.said = byId("months-said");
    /** The parts in the order of time. */
    this.parts = findAll(this.first, "option", HTMLOptionElement).map((option) => option.value);
    this.first.addEventListener("change", () => this.choose(this.first));
    this.last.addEventListener("change", () => this.choose(this.last));
  }

  /** Let the months from the first to the last count, each as many times as it has examples.
   * @param {HTMLSelectElement | undefined} moved */
  choose(moved) {
    if (!this.first || !this.last || !this.parts) return;
    // The end that was moved goes with the other one past it.
    if (this.first.selectedIndex > this.last.selectedIndex) {
      if (moved === this.first) this.last.selectedIndex = this.first.selectedIndex;
      else this.first.selectedIndex = this.last.selectedIndex;
    }
    this.page.view.set({ datasets: this.weights(this.first.selectedIndex, this.last.selectedIndex) });
  }

  /** @param {number} first @param {number} last @returns {Weights} */
  weights(first, last) {
    const { defaults, now } = this.page.view;
    const inside = (this.parts ?? []).map((name, at) => [
      name,
      at >= first && at <= last ? defaults.datasets[name] : 0,
    ]);
    return { ...now.datasets, ...Object.fromEntries(inside) };
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (!this.first || !this.last || !this.parts || !this.said) return;
    if (!changed.has("datasets") && !changed.has("ranking")) return;
    const counting = this.parts.flatMap((name, at) => (view.datasets[name] ? [at] : []));
    const [first, last] = [counting[0] ?? 0, counting.at(-1) ?? this.parts.length - 1];
    this.first.selectedIndex = first;
    this.last.selectedIndex = last;
    const whole = same(view.datasets, this.weights(first, last));
    const { said } = this;
    this.page.words.ask(
      "window",
      () => ({
        start: this.first?.selectedOptions[0].text.slice(0, 7) ?? "",
        whole,
        released: this.released,
      }),
      (/** @type {string} */ words) => {
        said.textContent = words;
      },
    );
  }

  /** When models came out, by their places on the board. */
  get released() {
    return this.page.data.models.map((model) => model.released ?? null);
  }
}
