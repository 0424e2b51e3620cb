// Undo, redo and reset: by buttons beside the weights and beside search, filters and limits, and by the keys that people
// know for it. They take back everything that an address says.
import { byId, closest, findAll } from "../base/elements.js";
import { makeOneStop } from "../base/roving.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */

/** Where these keys take back what was typed. */
const TYPING = "input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]";

/** @implements {Part} */
export class Steps {
  /** @param {Pick<BoardHost, "view">} page */
  constructor({ view }) {
    this.view = view;
    this.undos = findAll(document, "[data-step=undo]", HTMLElement);
    this.redos = findAll(document, "[data-step=redo]", HTMLElement);
    for (const undo of this.undos) undo.addEventListener("click", () => view.undo());
    for (const redo of this.redos) redo.addEventListener("click", () => view.redo());
    byId("reset").addEventListener("click", () => view.set(rankedBy(view.defaults)));
    for (const group of findAll(document, ".steps", HTMLElement)) {
      makeOneStop(findAll(group, "button", HTMLElement));
    }
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Called on every change, and when a change has become a step. */
  show() {
    for (const undo of this.undos) enable(undo, this.view.canUndo);
    for (const redo of this.redos) enable(redo, this.view.canRedo);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const letter = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || closest(event, TYPING, HTMLElement)) return;
    if (letter !== "z" && !(letter === "y" && event.ctrlKey)) return;
    event.preventDefault();
    if (letter === "y" || event.shiftKey) this.view.redo();
    else this.view.undo();
  }
}

/**
 * What the weights' own reset takes back: everything that a ranking depends on, and the locks.
 * @param {BoardView} view
 */
function rankedBy({ metrics, datasets, lockedMetrics, lockedDatasets, base, threshold, rate, by }) {
  return { metrics, datasets, lockedMetrics, lockedDatasets, base, threshold, rate, by };
}

/**
 * Not `disabled`, which would take the focus away from somebody who presses it again and again.
 * @param {HTMLElement} button
 * @param {boolean} able
 */
function enable(button, able) {
  button.setAttribute("aria-disabled", String(!able));
}
