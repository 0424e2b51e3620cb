// The heads of the table: they sort it, and say what the bars are measured against.
import { element, write } from "../base/elements.js";
import { isolated } from "../base/formats.js";

const DEFAULT = { column: ".rank", direction: "up" };
const OPPOSITE = { up: "down", down: "up" };
const SAID = { up: "ascending", down: "descending" };

export class Heads {
  constructor(page) {
    this.page = page;
    this.data = page.data;
    const cells = [...document.querySelectorAll(".ranks thead th")];
    this.columns = [".rank", ".model", ".score", ...this.data.metrics.map((metric) => metric.name)];
    this.heads = cells.map((cell, at) => this.head(cell, this.columns[at]));
    this.metrics = cells.slice(3);
    this.cols = [...document.querySelectorAll(".ranks col")].slice(3);
    this.title = document.getElementById("score-title");
    this.caption = document.getElementById("bars-caption");
    this.choice = document.getElementById("sort");
    this.fillChoice();
  }

  /** The heading's text becomes a button; without script it is only a text. */
  head(cell, column) {
    const text = cell.querySelector(".head");
    const button = element("button", { type: "button", class: "sort" });
    text.replaceWith(button);
    button.append(text);
    button.addEventListener("click", () => this.page.view.set({ sort: this.next(column) }));
    return { cell, column };
  }

  /** A column's best first, then its worst, then the ranking again. */
  next(column) {
    const { sort } = this.page.view.now;
    const first = this.best(column);
    if (sort.column !== column) return { column, direction: first };
    return sort.direction === first && column !== ".rank"
      ? { column, direction: OPPOSITE[first] }
      : this.back(sort);
  }

  back({ column, direction }) {
    return column === ".rank" && direction === "up" ? { column, direction: "down" } : DEFAULT;
  }

  best(column) {
    const metric = this.data.metrics.find(({ name }) => name === column);
    if (metric) return metric.cost ? "up" : "down";
    return column === ".score" ? "down" : "up";
  }

  fillChoice() {
    const options = this.heads.flatMap(({ column, cell }) => {
      const label = cell.querySelector(".head").textContent.trim();
      return ["up", "down"].map((direction) =>
        option(column, direction, label, direction === this.best(column)),
      );
    });
    this.choice.append(...options);
    this.choice.addEventListener("change", () => {
      const [direction, column] = this.choice.value.split(" ");
      this.page.view.set({ sort: { column, direction } });
    });
  }

  hide(hidden) {
    this.metrics.forEach((cell, at) => (cell.hidden = hidden.has(at)));
    this.cols.forEach((col, at) => (col.hidden = hidden.has(at)));
  }

  show(ranking, { sort }, named) {
    for (const { cell, column } of this.heads) {
      if (column === sort.column) cell.setAttribute("aria-sort", SAID[sort.direction]);
      else cell.removeAttribute("aria-sort");
    }
    this.choice.value = `${sort.direction} ${sort.column}`;
    write(this.title, ranking.by === "z_score" ? "Mean z-score" : "Dynascore");
    write(this.caption, this.words(ranking, named));
  }

  words(ranking, named) {
    if (ranking.by === "z_score") return "with the Dynascore beside it; bars are parts of a Dynascore";
    if (!named) return "weight × converted value of each metric";
    const label = this.data.models[named.index]?.label ?? "no model";
    return `lifted and lowered by, against ${isolated(label)}${named.role === "picked" ? "" : `, the ${named.role}`}`;
  }
}

function option(column, direction, label, best) {
  const order = column === ".model" ? (best ? "A to Z" : "Z to A") : best ? "best first" : "worst first";
  return element("option", { value: `${direction} ${column}` }, `${label}, ${order}`);
}
