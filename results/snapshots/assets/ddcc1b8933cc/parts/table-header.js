// The header of the table: it sorts the rows, and says what the bars are measured against.
import { byId, element, find, findAll, write } from "../base/elements.js";

/** @import { BoardHost, BoardView, SortTerm } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Reference } from "./table.js" */

/** @type {SortTerm} */
const DEFAULT = { column: ".rank", direction: "up" };
/** @type {Record<SortTerm["direction"], SortTerm["direction"]>} */
const OPPOSITE = { up: "down", down: "up" };
/** @type {SortTerm["direction"][]} */
const DIRECTIONS = ["up", "down"];
/** Columns within the one of ranks. @type {Record<string, string>} */
const POSSIBLE = { ".best": "Best possible rank", ".worst": "Worst possible rank" };
const ARIA_SORT = { up: "ascending", down: "descending" };

export class TableHeader {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.data = page.data;
    const cells = findAll(document, ".ranks thead th", HTMLTableCellElement);
    this.columns = [".rank", ".model", ".score", ...this.data.metrics.map((metric) => metric.name)];
    this.cells = cells.map((cell, at) => this.head(cell, this.columns[at]));
    this.metrics = cells.slice(3);
    this.cols = findAll(document, ".ranks col", HTMLTableColElement).slice(3);
    this.title = byId("score-title");
    this.caption = byId("bars-caption");
    this.choice = byId("sort", HTMLSelectElement);
    this.held = this.heldHead();
    this.fillChoice();
  }

  /** Under the rank, where sets are known: sorts by the best possible rank, then by the worst one. */
  heldHead() {
    const text = document.querySelector(".ranks .held-head");
    if (!text) return null;
    const button = element("button", { type: "button", class: "sort" });
    button.append(...text.childNodes);
    text.append(button);
    const words = find(button, ".head", HTMLElement);
    button.addEventListener("click", () => this.page.view.set({ sort: this.nextHeld() }));
    return { words, plain: words.textContent };
  }

  /** @returns {SortTerm} */
  nextHeld() {
    const { column } = this.page.view.now.sort;
    if (column === ".worst") return DEFAULT;
    return { column: column === ".best" ? ".worst" : ".best", direction: "up" };
  }

  /** The heading's text becomes a button; without script it is only a text.
   * @param {HTMLTableCellElement} cell @param {string} column */
  head(cell, column) {
    const text = find(cell, ".head", HTMLElement);
    const button = element("button", { type: "button", class: "sort" });
    text.replaceWith(button);
    button.append(text);
    button.addEventListener("click", () => this.page.view.set({ sort: this.next(column) }));
    return { cell, column };
  }

  /** A column's best first, then its worst, then the ranking again.
   * @param {string} column @returns {SortTerm} */
  next(column) {
    const { sort } = this.page.view.now;
    const first = this.best(column);
    if (sort.column !== column) return { column, direction: first };
    return sort.direction === first && column !== ".rank"
      ? { column, direction: OPPOSITE[first] }
      : this.back(sort);
  }

  /** @param {SortTerm} sort @returns {SortTerm} */
  back({ column, direction }) {
    return column === ".rank" && direction === "up" ? { column, direction: "down" } : DEFAULT;
  }

  /** @param {string} column @returns {SortTerm["direction"]} */
  best(column) {
    const metric = this.data.metrics.find(({ name }) => name === column);
    if (metric) return metric.cost ? "up" : "down";
    return column === ".score" ? "down" : "up";
  }

  fillChoice() {
    const options = this.cells.flatMap(({ column, cell }) => {
      const label = find(cell, ".head", HTMLElement).textContent.trim();
      return DIRECTIONS.map((direction) => option(column, direction, label, direction === this.best(column)));
    });
    const held = this.held ? Object.entries(POSSIBLE) : [];
    this.choice.append(
      ...options,
      ...held.flatMap(([column, label]) =>
        DIRECTIONS.map((direction) => option(column, direction, label, direction === "up")),
      ),
    );
    this.choice.addEventListener("change", () => {
      const [direction, column] = this.choice.value.split(" ");
      this.page.view.set({ sort: { column, direction: direction === "up" ? "up" : "down" } });
    });
  }

  /** @param {Set<number>} hidden places of metrics */
  hide(hidden) {
    this.metrics.forEach((cell, at) => (cell.hidden = hidden.has(at)));
    this.cols.forEach((col, at) => (col.hidden = hidden.has(at)));
  }

  /** @param {Ranking} ranking @param {BoardView} view @param {Reference | null} reference */
  show(ranking, { sort }, reference) {
    for (const { cell, column } of this.cells) {
      if (column === sort.column) cell.setAttribute("aria-sort", ARIA_SORT[sort.direction]);
      else cell.removeAttribute("aria-sort");
    }
    if (this.held) {
      const by = POSSIBLE[sort.column];
      if (by) this.cells[0].cell.setAttribute("aria-sort", "other");
      write(this.held.words, by ? by.replace(" possible rank", " possible") : this.held.plain);
    }
    this.choice.value = `${sort.direction} ${sort.column}`;
    write(this.title, ranking.by === "z_score" ? "Mean z-score" : "Dynascore");
    const { index = null, role = "" } = reference ?? {};
    this.page.words.ask(
      "bars",
      () => ({ reference: index, role }),
      (said) => write(this.caption, said),
    );
  }
}

/** @param {string} column @param {string} direction @param {string} label @param {boolean} best */
function option(column, direction, label, best) {
  const order = column === ".model" ? (best ? "A to Z" : "Z to A") : best ? "best first" : "worst first";
  return element("option", { value: `${direction} ${column}` }, `${label}, ${order}`);
}
