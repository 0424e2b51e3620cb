// A row of the ranking stays where it is and shows whichever model belongs there: new text in old elements
// costs a browser far less than other elements do.
import { corners, position } from "../charts/drawing.js";
import { element, screenReaderText, write } from "../base/elements.js";
import { MISSING, number, signed } from "../base/formats.js";

/** What a row says of its model at any weights, as the row says it that the page came with. */
export class Entry {
  constructor(index, line) {
    this.index = index;
    this.id = line.dataset.model;
    const { named, link, mark, origin } = places(line);
    this.label = link.textContent;
    this.names = named.map((control) => control?.getAttribute("aria-label"));
    this.address = link.getAttribute("href");
    this.mark = mark.className;
    this.origin = origin.lastChild.data;
    this.reasons = [...line.querySelectorAll(".reason")].map((reason) => reason.textContent);
    this.parts = [];
  }
}

export class Row {
  /** `page` has the board's data; `line` is any row that the page came with. */
  constructor(page, line) {
    this.data = page.data;
    this.first = page.first;
    this.line = line;
    Object.assign(this, places(line));
    this.controls = [this.box, this.opener, this.link, this.pin];
    this.place = line.querySelector(".place");
    this.change = line.querySelector(".change");
    this.score = line.querySelector(".score > .num");
    this.beside = line.querySelector(".beside");
    this.slot = line.querySelector(".bar-slot");
    this.bar = line.querySelector(".bar");
    this.ratio = line.querySelector(".ratio");
    this.cells = [...line.querySelectorAll("td.metric")];
    this.numbers = this.cells.map((cell) => cell.querySelector(".num"));
    this.dots = this.cells.map((cell) => cell.querySelector(".dot"));
    this.written = new Map();
  }

  /** Show what `state` says of a model: {ranking, bars, ranges, named, pinned, chosen, full, hidden}. */
  show(entry, state) {
    if (this.entry !== entry) this.take(entry);
    else if (this.state === state) return;
    this.state = state;
    const { ranking, bars } = state;
    const rank = ranking.rankOf(this.index);
    this.once("unranked", rank === null, () => this.line.classList.toggle("unranked", rank === null));
    this.once("place", rank, () => write(this.place, String(rank ?? MISSING)));
    this.showChange(rank);
    this.showScore(ranking);
    this.showBar(bars && rank !== null ? bars.of(this.index) : null, state);
    this.showCells(ranking, state.ranges);
    this.showMarks(state);
    hide(this.cells, state.hidden);
    for (const part of entry.parts) hide(part.metrics, state.hidden);
  }

  take(entry) {
    this.entry = entry;
    this.index = entry.index;
    this.line.dataset.model = entry.id;
    write(this.link, entry.label);
    this.named.forEach((control, at) => control?.setAttribute("aria-label", entry.names[at]));
    if (entry.address !== null) this.link.setAttribute("href", entry.address);
    this.once("mark", entry.mark, () => (this.mark.className = entry.mark));
    this.origin.lastChild.data = entry.origin;
    this.once("reasons", entry.reasons.join("\n"), () => this.showReasons(entry.reasons));
  }

  showReasons(reasons) {
    for (const old of this.line.querySelectorAll(".reason")) old.remove();
    this.origin.after(...reasons.map((text) => element("span", { class: "reason", dir: "auto" }, text)));
  }

  /** Lines with the numbers on each dataset have been opened, or closed. */
  showOpened() {
    const open = this.entry.parts.length > 0;
    this.once("open", open, () => this.opener?.setAttribute("aria-expanded", String(open)));
  }

  /** Which row of all it is, for those who cannot see how long the table is. */
  number(place) {
    this.once("number", place, () => this.line.setAttribute("aria-rowindex", String(place)));
  }

  /** A pinned row of a long table stays so many pixels below the frame's edge; null for any other. */
  hold(top) {
    this.once("top", top, () => (this.line.style.top = top === null ? "" : `${top}px`));
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
    this.once("score", main, () => write(this.score, figure(main, 2)));
    const beside = by === "z_score" && !Number.isNaN(main) ? `Dynascore ${figure(score, 2)}` : "";
    this.once("beside", beside, () => write(this.beside, beside));
  }

  showBar(bar, { named }) {
    this.once("slot", bar === null, () => (this.slot.hidden = bar === null));
    if (bar === null) return;
    // Points and ends of lines are no styles, as the sides of a rectangle and the centre of a circle are.
    bar.segments.forEach((segment, at) => {
      const points = corners(segment);
      this.once(`segment ${at}`, points, () => this.bar.children[at].setAttribute("points", points));
    });
    this.once("origin", bar.origin, () => this.moveAxis(bar.origin));
    const text = this.barText(bar, named === null);
    this.once("bar", text, () => this.bar.setAttribute("aria-label", text));
    const ratio = named?.index === this.index ? named.role : bar.ratio > 1 ? `1:${bar.ratio}` : "";
    this.once("ratio", ratio, () => write(this.ratio, ratio));
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
    const { id } = this.entry;
    this.once("pinned", pinned.has(id), () => {
      this.pin.setAttribute("aria-pressed", String(pinned.has(id)));
      this.line.classList.toggle("pinned", pinned.has(id));
    });
    this.box.checked = chosen.has(id);
    this.box.disabled = full && !chosen.has(id);
  }
}

/** Where a row says what is a model's own. */
function places(line) {
  const [box, link, mark, origin, opener, pin] = [
    ".choose input",
    ".model > :is(a, .name)",
    ".mark",
    ".origin",
    ".opener",
    ".pin",
  ].map((place) => line.querySelector(place));
  return { box, link, mark, origin, opener, pin, named: [box, opener, pin] };
}

/** A line under a model's row with its numbers on one dataset. */
export function partRow({ metrics, cells }, index, label) {
  const numbers = metrics.map((metric) => partCell(metric, cells[metric.name][index]));
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
  if (!Number.isNaN(value)) write(place, number(value, decimals));
  else
    place.replaceChildren(element("span", { "aria-hidden": "true" }, MISSING), screenReaderText("missing"));
}

function moveDot(dot, x) {
  const visibility = x === "" ? "hidden" : "visible";
  if (dot.getAttribute("visibility") !== visibility) dot.setAttribute("visibility", visibility);
  if (x !== "") dot.setAttribute("points", `${x},4 ${x},4`);
}

function showChange(place, moved) {
  place.className = `change${moved > 0 ? " up" : moved < 0 ? " down" : ""}`;
  const [arrow, word] = moved > 0 ? ["▲", "up"] : ["▼", "down"];
  const size = Math.abs(moved);
  write(place, moved ? `${arrow}${size}` : "");
  if (moved === 0) return ["role", "aria-label"].forEach((name) => place.removeAttribute(name));
  place.setAttribute("role", "img");
  return place.setAttribute("aria-label", `${word} ${size} from the default`);
}
