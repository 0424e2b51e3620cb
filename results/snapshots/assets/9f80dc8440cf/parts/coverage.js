// Which models have which datasets: where some have not all, views of the datasets that others have; and which models lose
// their rank at other weights. All words are Python's.
import { makeOneStop } from "../base/controls.js";
import { byId, element, write } from "../base/elements.js";
import { same } from "../view/fragment.js";

/** @import { BoardHost, BoardView, CoverageWords, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @implements {Part} */
export class Coverage {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    /** @type {CoverageWords["views"]} */
    this.views = [];
    /** @type {HTMLElement[]} */
    this.buttons = [];
    // There is none where parts of datasets are weighed.
    if (page.data.coverage) this.write(page.data.coverage);
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (changed.has("datasets")) this.mark(view);
    // What a model needs depends on the metrics that have weight.
    if (!this.page.data.coverage || !changed.has("metrics")) return;
    const terms = () => ({ weights: this.page.view.defaults.datasets });
    this.page.words.ask("coverage", terms, (/** @type {CoverageWords} */ said) => this.write(said));
  }

  /** @param {CoverageWords} said */
  write({ line, views }) {
    byId("coverage").hidden = !line;
    byId("coverage-line").textContent = line;
    if (same(views, this.views)) return;
    this.views = views;
    this.buttons = views.map(({ label, weights }) => {
      const button = element("button", { type: "button", class: "preset", dir: "auto" }, label);
      button.addEventListener("click", () => this.page.view.set({ datasets: weights, lockedDatasets: [] }));
      return button;
    });
    byId("coverage-views").replaceChildren(...this.buttons);
    makeOneStop(this.buttons);
    this.mark(this.page.view.now);
  }

  /** Show which of the views the weights are. @param {BoardView} view */
  mark({ datasets }) {
    this.buttons.forEach((button, at) => {
      button.setAttribute("aria-pressed", String(same(this.views[at].weights, datasets)));
    });
  }
}

/**
 * That models which are ranked by default have no rank at these weights, since they have no number for something that
 * weighs now, and a way back to the last weights at which all of them had one.
 * @implements {Part}
 */
export class LostRanks {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.line = byId("lost");
    this.words = byId("lost-words");
    /** The models that are ranked by default. @type {number[]} */
    this.before = [...page.first.order].filter((model) => page.first.rankOf(model) !== null);
    this.whole = termsOf(page.view.defaults);
    byId("lost-back").addEventListener("click", () => page.view.set(this.whole));
  }

  /** @param {Ranking} ranking @param {BoardView} _view @param {Set<string>} changed */
  show(ranking, _view, changed) {
    if (!changed.has("ranking")) return;
    if (this.before.every((model) => ranking.rankOf(model) !== null)) {
      this.whole = termsOf(this.page.ranked);
      this.write("");
    } else {
      this.page.words.ask(
        "lost",
        () => ({ before: this.before }),
        (said) => {
          if (ranking === this.page.ranking) this.write(said);
        },
      );
    }
  }

  /** @param {string} said */
  write(said) {
    this.line.hidden = !said;
    write(this.words, said);
  }
}

/** What decides which models are ranked. @param {BoardView} view */
function termsOf({ metrics, datasets, base, by, trades }) {
  return { metrics, datasets, base, by, trades };
}
