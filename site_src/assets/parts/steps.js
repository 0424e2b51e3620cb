// Undo, redo and reset: by buttons, and by the keys that people know for it.

/** What the weights' own reset takes back: everything that a ranking depends on, and the locks. */
const RESET = ["metrics", "datasets", "lockedMetrics", "lockedDatasets", "base", "threshold", "by"];
/** Where these keys take back what was typed. */
const TYPING = "input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]";

export class Steps {
  constructor({ view }) {
    this.view = view;
    this.buttons = new Map(["undo", "redo", "reset"].map((name) => [name, document.getElementById(name)]));
    for (const [name, button] of this.buttons) button.addEventListener("click", () => this[name]());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Told of every change, and when a change has become a step. */
  show() {
    this.able("undo", this.view.canUndo);
    this.able("redo", this.view.canRedo);
  }

  undo() {
    this.view.undo();
  }

  redo() {
    this.view.redo();
  }

  reset() {
    const { defaults } = this.view;
    this.view.set(Object.fromEntries(RESET.map((field) => [field, defaults[field]])));
  }

  key(event) {
    const letter = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest?.(TYPING)) return;
    if (letter !== "z" && !(letter === "y" && event.ctrlKey)) return;
    event.preventDefault();
    this[letter === "y" || event.shiftKey ? "redo" : "undo"]();
  }

  // Not `disabled`, which would take the focus away from somebody who presses it again and again.
  able(name, able) {
    this.buttons.get(name).setAttribute("aria-disabled", String(!able));
  }
}
