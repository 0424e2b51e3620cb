// Rows move from where their models were to where they are now, unless motion is reduced.
/** @import { Row } from "./rows.js" */

const MOVE = { duration: 250, easing: "ease-out" };
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {Map<number, Row>} Rows rows by their place in the list */

export class RowAnimation {
  constructor() {
    /** @type {Animation[]} */
    this.running = [];
    /** Where each model was, by its index. @type {Map<number, number>} */
    this.before = new Map();
  }

  /** Remember where the models are that these rows show. @param {Rows} rows */
  remember(rows) {
    this.before = new Map();
    if (reducedMotion.matches) return;
    for (const row of rows.values()) this.before.set(row.index, row.line.getBoundingClientRect().top);
  }

  /** Move the rows of models that have been in the page before, those whose way leads through the screen.
   * @param {Rows} rows */
  start(rows) {
    for (const animation of this.running.splice(0)) animation.cancel();
    for (const { index, line } of rows.values()) {
      const before = this.before.get(index);
      if (before === undefined) continue;
      const { top } = line.getBoundingClientRect();
      if (before === top || Math.min(before, top) > innerHeight || Math.max(before, top) < 0) continue;
      const way = [{ transform: `translateY(${before - top}px)` }, { transform: "none" }];
      this.running.push(line.animate(way, MOVE));
    }
  }
}
