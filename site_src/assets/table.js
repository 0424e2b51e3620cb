// Shows a ranking in the table that the page came with.
import * as drawing from "./drawing.js";
import { MISSING, number, signed } from "./formats.js";

const MOVE = { duration: 250, easing: "ease-out" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Table {
  constructor(metrics, labels) {
    this.metrics = metrics;
    this.labels = labels;
    this.names = metrics.map((metric) => metric.name);
    this.body = document.getElementById("rows");
    this.rows = new Map([...this.body.rows].map((row) => [row.dataset.model, parts(row)]));
    this.ranks = new Map([...this.rows].map(([model, row]) => [model, place(row)]));
  }

  /** Show a ranking: order, ranks, scores, bars, cells. */
  show(ranking) {
    const bars = drawing.bars(ranking.models, this.names);
    const ranges = this.names.map((name) => drawing.extremes(ranking.models, name));
    this.reorder(ranking.models.map((model) => this.rows.get(model.model).element));
    const middle = drawing.reference(ranking.models);
    for (const model of ranking.models) this.showRow(model, bars.get(model.model), ranges, model === middle);
    document.getElementById("middle").textContent = middle ? this.labels[middle.model] : "no model";
  }

  showRow(model, bar, ranges, median) {
    const row = this.rows.get(model.model);
    row.element.classList.toggle("unranked", model.rank === null);
    row.place.textContent = model.rank ?? MISSING;
    showChange(row.change, this.ranks.get(model.model), model.rank);
    row.score.textContent = number(model.dynascore);
    this.showBar(row, bar, median);
    row.cells.forEach((cell, index) => showCell(cell, model.values[this.names[index]], this.metrics[index], ranges[index]));
  }

  showBar(row, bar, median) {
    row.slot.hidden = !bar;
    if (!bar) return;
    bar.segments.forEach(({ x, width }, index) => {
      row.bar.children[index].setAttribute("x", x.toFixed(2));
      row.bar.children[index].setAttribute("width", width.toFixed(2));
    });
    row.bar.setAttribute("aria-label", this.barText(bar));
    row.ratio.textContent = median ? "median" : bar.ratio > 1 ? `1:${bar.ratio}` : "";
  }

  barText({ segments }) {
    const words = segments
      .map(({ difference }, index) => [difference, `${this.metrics[index].label} ${signed(difference)}`])
      .filter(([difference]) => difference !== 0);
    return words.map(([, text]) => text).join(", ") || "the reference";
  }

  /** Put rows in order; those on the screen glide to their places. */
  reorder(elements) {
    const present = [...this.body.rows];
    if (elements.every((element, index) => element === present[index])) return;
    const before = new Map(elements.map((element) => [element, element.getBoundingClientRect().top]));
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    this.body.append(...elements);
    focused?.focus({ preventScroll: true });
    if (!still.matches) for (const [element, top] of before) glide(element, top);
  }
}

function parts(row) {
  return {
    element: row,
    place: row.querySelector(".place"),
    change: row.querySelector(".change"),
    score: row.querySelector(".score > .num"),
    slot: row.querySelector(".bar-slot"),
    bar: row.querySelector(".bar"),
    ratio: row.querySelector(".ratio"),
    cells: [...row.querySelectorAll("td.metric")].map((cell) => ({
      number: cell.querySelector(".num"),
      dot: cell.querySelector("circle"),
    })),
  };
}

function place(row) {
  const rank = Number(row.place.textContent);
  return Number.isNaN(rank) ? null : rank;
}

function showChange(element, before, now) {
  const moved = before === null || now === null ? 0 : before - now;
  element.className = `change${moved > 0 ? " up" : moved < 0 ? " down" : ""}`;
  if (moved === 0) return element.replaceChildren();
  const [arrow, word] = moved > 0 ? ["▲", "up"] : ["▼", "down"];
  const size = Math.abs(moved);
  return element.replaceChildren(
    span("aria-hidden", "true", `${arrow}${size}`),
    span("class", "sr", `${word} ${size} from the default`),
  );
}

function showCell({ number: element, dot }, value, { decimals }, ends) {
  dot.setAttribute("visibility", value === null ? "hidden" : "visible");
  if (value === null) return element.replaceChildren(span("aria-hidden", "true", MISSING), span("class", "sr", "missing"));
  element.textContent = number(value, decimals);
  return dot.setAttribute("cx", drawing.position(value, ends).toFixed(2));
}

function span(attribute, value, text) {
  const element = document.createElement("span");
  element.setAttribute(attribute, value);
  element.textContent = text;
  return element;
}

function glide(element, before) {
  const top = element.getBoundingClientRect().top;
  const visible = Math.min(top, before) < innerHeight && Math.max(top, before) > 0;
  if (top !== before && visible) element.animate([{ transform: `translateY(${before - top}px)` }, {}], MOVE);
}
