// A row of the ranking: the one that the page came with, brought up to date when it is on the screen.
import { position } from "./drawing.js";
import { element, heard } from "./elements.js";
import { MISSING, number, signed } from "./formats.js";

export class Row {
  /** `page` has the board's data; `line` is the row of the model at `index`. */
  constructor(page, index, line) {
    this.data = page.data;
    this.first = page.first;
    this.index = index;
    this.line = line;
    this.place = line.querySelector(".place");
    this.change = line.querySelector(".change");
    this.score = line.querySelector(".score > .num");
    this.beside = line.querySelector(".beside");
    this.slot = line.querySelector(".bar-slot");
    this.bar = line.querySelector(".bar");
    this.ratio = line.querySelector(".ratio");
    this.cells = [...line.querySelectorAll("td.metric")];
    this.numbers = this.cells.map((cell) => cell.querySelector(".num"));
    this.dots = this.cells.map((cell) => cell.querySelector("circle"));
    this.pin = line.querySelector(".pin");
    this.choose = line.querySelector(".choose input");
    this.opener = line.querySelector(".opener");
    this.written = new Map();
    this.parts = [];
  }

  /** Show what `state` says of this model: {ranking, bars, ranges, named, pinned, chosen, full, hidden}. */
  show(state) {
    const { ranking, bars } = state;
    const rank = ranking.rankOf(this.index);
    this.line.classList.toggle("unranked", rank === null);
    this.once("place", rank, () => (this.place.textContent = rank ?? MISSING));
    this.showChange(rank);
    this.showScore(ranking);
    this.showBar(bars && rank !== null ? bars.of(this.index) : null, state);
    this.showCells(ranking, state.ranges);
    this.showMarks(state);
    hide(this.cells, state.hidden);
    for (const part of this.parts) hide(part.metrics, state.hidden);
  }

  /** Write only what differs from what was written last: most of a ranking stays. */
  once(key, value, write) {
    if (this.written.has(key) && Object.is(this.written.get(key), value)) return;
    this.written.set(key, value);
    write();
  }

  showChange(rank) {
    const before = this.first.rankOf(this.index);
    const moved = before === null || rank === null ? 0 : before - rank;
    this.once("change", moved, () => showChange(this.change, moved));
  }

  showScore({ by, scores, zScores }) {
    const score = scores[this.index];
    const main = by === "z_score" ? zScores[this.index] : score;
    this.once("score", main, () => (this.score.textContent = figure(main, 2)));
    const beside = by === "z_score" && !Number.isNaN(main) ? `Dynascore ${figure(score, 2)}` : "";
    this.once("beside", beside, () => (this.beside.textContent = beside));
  }

  showBar(bar, { named }) {
    this.once("slot", bar === null, () => (this.slot.hidden = bar === null));
    if (bar === null) return;
    bar.segments.forEach(({ x, width }, at) => {
      this.bar.children[at].setAttribute("x", x.toFixed(2));
      this.bar.children[at].setAttribute("width", width.toFixed(2));
    });
    this.once("origin", bar.origin, () => this.moveAxis(bar.origin));
    this.bar.setAttribute("aria-label", this.barText(bar, named === null));
    const ratio = named?.index === this.index ? named.role : bar.ratio > 1 ? `1:${bar.ratio}` : "";
    this.once("ratio", ratio, () => (this.ratio.textContent = ratio));
  }

  moveAxis(origin) {
    const axis = this.bar.lastElementChild;
    for (const end of ["x1", "x2"]) axis.setAttribute(end, String(Number(origin.toFixed(2))));
  }

  barText({ segments }, whole) {
    const text = whole ? number : signed;
    const words = [];
    segments.forEach(({ difference }, at) => {
      if (difference !== 0) words.push(`${this.data.metrics[at].label} ${text(difference)}`);
    });
    return words.join(", ") || "the reference";
  }

  showCells({ values }, ranges) {
    for (let at = 0; at < this.cells.length; at++) {
      const value = values[at][this.index];
      this.once(at, value, () => writeFigure(this.numbers[at], value, this.data.metrics[at].decimals));
      const dot = Number.isNaN(value) ? "" : position(value, ranges[at]).toFixed(2);
      this.once(-1 - at, dot, () => moveDot(this.dots[at], dot));
    }
  }

  showMarks({ pinned, chosen, full }) {
    const { id } = this.data.models[this.index];
    this.once("pinned", pinned.has(id), () => {
      this.pin.setAttribute("aria-pressed", String(pinned.has(id)));
      this.line.classList.toggle("pinned", pinned.has(id));
    });
    this.choose.checked = chosen.has(id);
    this.choose.disabled = full && !chosen.has(id);
  }

  /** Open or close the lines for each dataset. */
  open(parts) {
    this.parts = parts;
    this.opener.setAttribute("aria-expanded", String(parts.length > 0));
  }
}

/** A line under a model's row with its numbers on one dataset. */
export function partRow({ metrics, cells }, index, label) {
  const numbers = metrics.map((metric, at) => partCell(metric, cells[metric.name][index]));
  const name = element("span", { class: "clamp", dir: "auto", title: label }, label);
  const head = element("th", { class: "model", scope: "row", role: "rowheader" }, name);
  const empty = ["rank", "score"].map((kind) => element("td", { class: kind, role: "cell" }));
  const line = element("tr", { class: "part", role: "row" }, empty[0], head, empty[1], ...numbers);
  return { line, metrics: numbers };
}

function partCell({ label, decimals, colour }, value) {
  const text = element("span", { class: "num" });
  writeFigure(text, value ?? NaN, decimals);
  return element("td", { class: `metric m${colour}`, role: "cell", "data-label": label }, text);
}

/** Show the columns of metrics that are not in `hidden`, a set of their places. */
export function hide(cells, hidden) {
  cells.forEach((cell, at) => {
    if (cell.hidden !== hidden.has(at)) cell.hidden = hidden.has(at);
  });
}

function figure(value, decimals) {
  return Number.isNaN(value) ? MISSING : number(value, decimals);
}

function writeFigure(place, value, decimals) {
  if (!Number.isNaN(value)) place.textContent = number(value, decimals);
  else place.replaceChildren(element("span", { "aria-hidden": "true" }, MISSING), heard("missing"));
}

function moveDot(dot, x) {
  const visibility = x === "" ? "hidden" : "visible";
  if (dot.getAttribute("visibility") !== visibility) dot.setAttribute("visibility", visibility);
  if (x !== "") dot.setAttribute("cx", x);
}

function showChange(place, moved) {
  place.className = `change${moved > 0 ? " up" : moved < 0 ? " down" : ""}`;
  if (moved === 0) return place.replaceChildren();
  const [arrow, word] = moved > 0 ? ["▲", "up"] : ["▼", "down"];
  const size = Math.abs(moved);
  const seen = element("span", { "aria-hidden": "true" }, `${arrow}${size}`);
  return place.replaceChildren(seen, heard(`${word} ${size} from the default`));
}
