// The header of the table: it sorts the rows, and says what the bars are measured against.
import { byId, element, find, findAll, write } from "../base/elements.js";
import { text } from "../base/texts.js";

/** @import { BoardHost, BoardView, SortTerm } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Reference } from "./table.js" */

/** @type {SortTerm} */
const DEFAULT = { column: ".rank", direction: "up" };
/** @type {SortTerm["direction"][]} */
const DIRECTIONS = ["up", "down"];
/** Columns within the one of ranks. */
const POSSIBLE = [".best", ".worst"];

export class TableHeader {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.cells = findAll(document, ".ranks thead th", HTMLTableCellElement);
    this.columns = [".rank", ".model", ".score", ...this.data.metrics.map((metric) => metric.name)];
    this.cols = findAll(document, ".ranks col", HTMLTableColElement).slice(3);
    this.weights = findAll(document, "#column-weights [data-name]", HTMLTableCellElement);
    this.title = byId("score-title");
    this.caption = byId("bars-caption");
    this.choice = byId("sort", HTMLSelectElement);
    // Heads become buttons; without script they are only texts.
    const labels = this.cells.map((cell, at) => {
      const head = find(cell, ".head", HTMLElement);
      const button = element("button", { type: "button", class: "sort" });
      head.replaceWith(button);
      button.append(head);
      button.addEventListener("click", () => this.sort(this.next(this.columns[at])));
      return head.textContent.trim();
    });
    this.held = this.heldHead();
    this.choice.append(
      ...labels.flatMap((label, at) => this.options(this.columns[at], label)),
      ...(this.held
        ? POSSIBLE.flatMap((column) => this.options(column, text(`header.${column.slice(1)}-rank`)))
        : []),
    );
    this.choice.addEventListener("change", () => {
      const [direction, column] = this.choice.value.split(" ");
      this.sort({ column, direction: direction === "up" ? "up" : "down" });
    });
  }

  /** @param {SortTerm} sort */
  sort(sort) {
    this.page.view.set({ sort });
  }

  /** Under the rank, where sets are known: sorts by the best possible rank, then by the worst one. */
  heldHead() {
    const place = document.querySelector(".ranks .held-head");
    if (!place) return null;
    const button = element("button", { type: "button", class: "sort" });
    button.append(...place.childNodes);
    place.append(button);
    const words = find(button, ".head", HTMLElement);
    button.addEventListener("click", () => {
      const { column } = this.page.view.now.sort;
      if (column === ".worst") this.sort(DEFAULT);
      else this.sort({ column: column === ".best" ? ".worst" : ".best", direction: "up" });
    });
    return { words, plain: words.textContent };
  }

  /** A column's best first, then its worst, then the ranking again. @param {string} column @returns {SortTerm} */
  next(column) {
    const { sort } = this.page.view.now;
    const best = this.best(column);
    if (sort.column !== column) return { column, direction: best };
    return sort.direction === best ? { column, direction: best === "up" ? "down" : "up" } : DEFAULT;
  }

  /** @param {string} column @returns {SortTerm["direction"]} */
  best(column) {
    const metric = this.data.metrics.find(({ name }) => name === column);
    if (metric) return metric.cost ? "up" : "down";
    return column === ".score" ? "down" : "up";
  }

  /** Both directions of a column. @param {string} column @param {string} label */
  options(column, label) {
    return DIRECTIONS.map((direction) => {
      const order = `${column === ".model" ? "name" : "number"}-${direction === this.best(column) ? "best" : "worst"}`;
      return element("option", { value: `${direction} ${column}` }, text(`header.${order}`, { label }));
    });
  }

  /** @param {Set<number>} hidden places of metrics */
  hide(hidden) {
    for (const columns of [this.cells.slice(3), this.cols, this.weights]) {
      columns.forEach((one, at) => (one.hidden = hidden.has(at)));
    }
  }

  /** @param {Ranking} ranking @param {BoardView} view @param {Reference | null} reference */
  show(ranking, { sort }, reference) {
    this.cells.forEach((cell, at) => {
      if (this.columns[at] !== sort.column) cell.removeAttribute("aria-sort");
      else cell.setAttribute("aria-sort", sort.direction === "up" ? "ascending" : "descending");
    });
    if (this.held) {
      const by = POSSIBLE.includes(sort.column);
      if (by) this.cells[0].setAttribute("aria-sort", "other");
      write(this.held.words, by ? text(`header${sort.column}`) : this.held.plain);
    }
    this.choice.value = `${sort.direction} ${sort.column}`;
    write(this.title, text(`header.${ranking.by.replace("_", "-")}`));
    const { index = null, role = "" } = reference ?? {};
    this.page.words.ask(
      "bars",
      () => ({ reference: index, role }),
      (said) => write(this.caption, said),
    );
  }
}
