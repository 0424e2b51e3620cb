// The rows of the ranking are one stop of the Tab key, on a board of any length: arrow keys go from model to model and
// along a row's controls. The stop stays with its model as ranks change.
import { plainKey } from "../base/controls.js";
import { findAll } from "../base/elements.js";
import { NAME } from "./rows.js";

/** @import { Focus, Table } from "./table.js" */

/** How many rows a page is. */
const PAGE = 10;
/** Where a key leads among `count` rows. @type {Record<string, (nth: number, count: number) => number>} */
const ROWS = {
  ArrowDown: (nth) => nth + 1,
  ArrowUp: (nth) => nth - 1,
  PageDown: (nth) => nth + PAGE,
  PageUp: (nth) => nth - PAGE,
  Home: () => 0,
  End: (_nth, count) => count - 1,
};
/** @type {Record<string, number>} */
const ALONG = { ArrowRight: 1, ArrowLeft: -1 };

export class RowKeys {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    /** The control that Tab leads to: the model, and which of its row. @type {Focus | null} */
    this.stop = null;
    table.frame.addEventListener("focusin", () => {
      this.stop = table.focused() ?? this.stop;
      this.show();
    });
    table.frame.addEventListener("keydown", (event) => this.key(event));
  }

  /** One control of the rows in the page is the stop, and no other. */
  show() {
    const { rows } = this.table;
    const row = rows.find(({ index }) => index === this.stop?.index) ?? rows[0];
    const stop = row?.control(this.stop?.at ?? NAME);
    for (const { line } of rows) {
      for (const control of findAll(line, "a, button, input", HTMLElement)) {
        control.tabIndex = control === stop ? 0 : -1;
      }
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const focus = plainKey(event) ? this.table.focused() : null;
    const next = focus && (this.along(focus, event.key) ?? this.across(focus, event.key));
    if (!next) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.table.go(next);
  }

  /** Another control of the same row. @param {Focus} focus @param {string} key @returns {Focus | null} */
  along({ index, at }, key) {
    const step = ALONG[key];
    if (!step) return null;
    const { controls } = this.table.row(index);
    let to = at + step;
    while (to >= 0 && to < controls.length && !controls[to]) to += step;
    return { index, at: controls[to] ? to : at };
  }

  /** The same control of another row. @param {Focus} focus @param {string} key @returns {Focus | null} */
  across({ index, at }, key) {
    const step = ROWS[key];
    if (!step) return null;
    const models = [...this.table.pinned, ...this.table.list];
    const to = step(models.indexOf(index), models.length);
    return { index: models[Math.min(Math.max(to, 0), models.length - 1)], at };
  }
}
