// Rows move from where their models were to where they are now, unless motion is reduced.
/** @import { Row } from "./rows.js" */
/** @import { Window } from "./window.js" */

const MOVE = { duration: 250, easing: "ease-out" };
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {Map<number, Row>} Rows rows by their place in the list */

export class RowAnimation {
  /** @param {Window | null} window knows where the rows of a long board are, so that nothing is measured */
  constructor(window) {
    this.window = window;
    /** @type {Animation[]} */
    this.running = [];
    /** Where each model was, by its index. @type {Map<number, number>} */
    this.before = new Map();
  }

  /** Remember where the models are that these rows show. @param {Rows} rows */
  remember(rows) {
    this.before = new Map();
    if (reducedMotion.matches) return;
    for (const [place, row] of rows) this.before.set(row.index, this.top(place, row));
  }

  /** Move the rows of models that have been in the page before. @param {Rows} rows */
  start(rows) {
    for (const animation of this.running.splice(0)) animation.cancel();
    for (const [place, row] of rows) {
      const before = this.before.get(row.index);
      if (before === undefined) continue;
      const top = this.top(place, row);
      if (before !== top && this.visible(top, before)) this.move(row.line, before - top);
    }
  }

  /** @param {number} place @param {Row} row */
  top(place, { line }) {
    return this.window ? this.window.top(place) : line.getBoundingClientRect().top;
  }

  /** Whether a way leads through the screen. @param {number} from @param {number} to */
  visible(from, to) {
    const [top, bottom] = this.window ? this.window.sight : [0, innerHeight];
    return Math.min(from, to) < bottom && Math.max(from, to) > top;
  }

  /** @param {HTMLElement} line @param {number} distance in pixels */
  move(line, distance) {
    this.running.push(
      line.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], MOVE),
    );
  }
}
