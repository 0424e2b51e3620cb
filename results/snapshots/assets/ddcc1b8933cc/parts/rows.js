// A row of the ranking always shows the same model, so that a click on one of its controls can never act on
// another model. Only what has changed is written.
import { corners, cutMarks, emptyBar, place, position, RANGE } from "../charts/drawing.js";
import { drawn, element, find, findAll, findOptional, screenReaderText, write } from "../base/elements.js";
import { MISSING, rankSetText, number, signed } from "../base/formats.js";

/** @import { BoardHost, CellsData, MetricData } from "../../types" */
/** @import { Bars } from "../charts/drawing.js" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Reference } from "./table.js" */

/** What all rows show beside their own model: `hidden` are places of metrics, `pinned` and `chosen` ids.
 * `full` says that no more models can be chosen.
 * @typedef {object} RowState
 * @property {Ranking} ranking
 * @property {Reference | null} reference
 * @property {Bars | null} bars
 * @property {([number, number] | null)[]} ranges
 * @property {Held} held
 * @property {Set<number>} hidden
 * @property {Set<string>} pinned
 * @property {Set<string>} chosen
 * @property {boolean} full
 */
/** How sure the ranks are: whether that is of this ranking, and of any model. `heat` are those that may be first.
 * @typedef {{ current: boolean, known: boolean, heat: Set<number>,
 *   of: (model: number) => [number, number] | null | undefined }} Held */
/** A line under a model's row. @typedef {{ line: HTMLTableRowElement, metrics: HTMLTableCellElement[] }} PartRow */
/** @typedef {ReturnType<Bars["of"]>} Bar */

export class Row {
  /** @param {BoardHost} page @param {number} index of the model
   * @param {HTMLTableRowElement} line the row that the page came with */
  constructor(page, index, line) {
    this.data = page.data;
    this.first = page.first;
    this.index = index;
    this.id = page.data.models[index].id;
    this.line = line;
    this.box = find(line, ".choose input", HTMLInputElement);
    // A board of one dataset has no opener.
    this.opener = findOptional(line, ".opener", HTMLButtonElement);
    this.pin = find(line, ".pin", HTMLButtonElement);
    // On a snapshot's page the name is no link.
    const link = find(line, ".model > :is(a, .name)", HTMLElement);
    this.controls = [this.box, this.opener, link, this.pin];
    /** Which of the controls is the name. */
    this.nameAt = 2;
    /** Lines with the numbers on each dataset, where they are open. @type {PartRow[]} */
    this.parts = [];
    this.place = find(line, ".place", HTMLElement);
    this.change = find(line, ".change", HTMLElement);
    /** What says how sure the rank is; a board of which nothing is known has none. */
    this.held = findOptional(line, ".ranks-held", HTMLElement);
    this.score = find(line, ".score > .num", HTMLElement);
    this.beside = find(line, ".beside", HTMLElement);
    this.slot = find(line, ".bar-slot", HTMLElement);
    this.bar = emptyBar(page.data.metrics.map(({ colour }) => colour));
    this.slot.prepend(this.bar);
    this.beyond = find(line, ".beyond", HTMLElement);
    this.cells = findAll(line, "td.metric", HTMLTableCellElement);
    this.numbers = this.cells.map((cell) => find(cell, ".num", HTMLElement));
    /** What was written last, by what it is. @type {Map<string | number, unknown>} */
    this.written = new Map();
    /** @type {RowState | null} */
    this.state = null;
  }

  /** One of the controls, the name where the row has none there. @param {number} at @returns {HTMLElement} */
  control(at) {
    return this.controls[at] ?? /** @type {HTMLElement} */ (this.controls[this.nameAt]);
  }

  /** Show what `state` says of the model. @param {RowState} state */
  show(state) {
    if (this.state === state) return;
    this.state = state;
    const { ranking, bars } = state;
    const rank = ranking.rankOf(this.index);
    this.once("unranked", rank === null, () => this.line.classList.toggle("unranked", rank === null));
    this.once("place", rank, () => write(this.place, String(rank ?? MISSING)));
    this.showChange(rank);
    if (state.held.current) this.showHeld(rank, state);
    this.showScore(ranking);
    this.showBar(bars && rank !== null ? bars.of(this.index) : null, state);
    this.showCells(ranking, state.ranges);
    this.showMarks(state);
    hide(this.cells, state.hidden);
    for (const part of this.parts) hide(part.metrics, state.hidden);
  }

  /** Show how sure the rank is, if the row is at the state before, from which the new one differs by that alone.
   * @param {RowState} state @param {RowState} before */
  showSure(state, before) {
    if (this.state !== before) return;
    this.state = state;
    this.showHeld(state.ranking.rankOf(this.index), state);
  }

  /** Lines with the numbers on each dataset have been opened, or closed. */
  showOpened() {
    const open = this.parts.length > 0;
    this.once("open", open, () => this.opener?.setAttribute("aria-expanded", String(open)));
  }

  /** Which row of all it is, for those who cannot see how long the table is. @param {number} place */
  number(place) {
    this.once("number", place, () => this.line.setAttribute("aria-rowindex", String(place)));
  }

  /** A pinned row of a long table stays this many pixels below the frame's edge; null for any other.
   * @param {number | null} top */
  hold(top) {
    this.once("top", top, () => (this.line.style.top = top === null ? "" : `${top}px`));
  }

  /** Write only what differs from what was written last: most of a ranking stays.
   * @param {string | number} key @param {unknown} value @param {() => void} change */
  once(key, value, change) {
    if (this.written.has(key) && Object.is(this.written.get(key), value)) return;
    this.written.set(key, value);
    change();
  }

  /** @param {number | null} rank */
  showChange(rank) {
    const before = this.first.rankOf(this.index);
    const moved = before === null || rank === null ? 0 : before - rank;
    this.once("change", moved, () => showChange(this.change, moved));
  }

  /** The ranks that the model may hold. @param {number | null} rank @param {RowState} state */
  showHeld(rank, { held: sure, ranking }) {
    const heat = sure.heat.has(this.index);
    this.once("heat", heat, () => this.line.classList.toggle("heat", heat));
    const found = sure.of(this.index);
    const words = rank === null || !sure.known ? "" : rankSetText(found);
    const ends = found && words ? endsOf(found, Number(rank), ranking.ranked) : [];
    this.once("held", `${words} ${ends}`, () => this.writeHeld(words, ends));
  }

  /** @param {string} words @param {string[]} ends of the whisker, and its dot */
  writeHeld(words, ends) {
    if (!this.held && !words) return;
    this.held ??= this.place.parentElement?.appendChild(emptyWhisker()) ?? this.place;
    showWhisker(this.held, words, ends);
  }

  /** @param {Ranking} ranking */
  showScore({ by, scores, zScores }) {
    const score = scores[this.index];
    const main = by === "z_score" && zScores ? zScores[this.index] : score;
    this.once("score", main, () => write(this.score, figure(main, 2)));
    const beside = by === "z_score" && !Number.isNaN(main) ? `Dynascore ${figure(score, 2)}` : "";
    this.once("beside", beside, () => write(this.beside, beside));
  }

  /** @param {Bar | null} bar @param {RowState} state */
  showBar(bar, { reference }) {
    this.once("slot", bar === null, () => (this.slot.hidden = bar === null));
    if (bar === null) return;
    // Points and ends of lines are no styles, as the sides of a rectangle and the centre of a circle are.
    [...bar.segments.map(corners), ...cutMarks(bar.cut)].forEach((points, at) => {
      this.once(`segment ${at}`, points, () => this.bar.children[at].setAttribute("points", points));
    });
    this.once("origin", bar.origin, () => this.moveAxis(bar.origin));
    const text = this.barText(bar, reference === null);
    this.once("bar", text, () => this.bar.setAttribute("aria-label", text));
    const cut = bar.cut.filter(Boolean);
    // Two numbers have room for no decimals.
    const lengths = cut.map((length) => signed(length, cut.length > 1 ? 0 : 2)).join(" ");
    const beyond = reference?.index === this.index ? reference.role : lengths;
    this.once("beyond", beyond, () => write(this.beyond, beyond));
  }

  /** @param {number} origin */
  moveAxis(origin) {
    const axis = find(this.bar, ":scope > :last-child", SVGElement);
    for (const end of ["x1", "x2"]) axis.setAttribute(end, String(Number(origin.toFixed(2))));
  }

  /** @param {Bar} bar @param {boolean} whole */
  barText({ segments }, whole) {
    const text = whole ? number : signed;
    /** @type {string[]} */
    const words = [];
    segments.forEach(({ difference }, at) => {
      if (difference !== 0) words.push(`${this.data.metrics[at].label} ${text(difference)}`);
    });
    return words.join(", ") || "the reference";
  }

  /** @param {Ranking} ranking @param {RowState["ranges"]} ranges */
  showCells({ values }, ranges) {
    for (let at = 0; at < this.cells.length; at++) {
      const value = values[at][this.index];
      this.once(at, value, () => writeFigure(this.numbers[at], value, this.data.metrics[at].decimals));
      const range = ranges[at];
      const dot = Number.isNaN(value) || range === null ? "" : ` at${place(value, range)}`;
      this.once(-1 - at, dot, () => (this.numbers[at].className = `num range${dot}`));
    }
  }

  /** @param {RowState} state */
  showMarks({ pinned, chosen, full }) {
    const { id } = this;
    this.once("pinned", pinned.has(id), () => {
      this.pin.setAttribute("aria-pressed", String(pinned.has(id)));
      this.line.classList.toggle("pinned", pinned.has(id));
    });
    this.box.checked = chosen.has(id);
    this.box.disabled = full && !chosen.has(id);
  }
}

/** A line under a model's row with its numbers on one dataset.
 * @param {{ metrics: MetricData[], cells: CellsData["values"][string] }} columns
 * @param {number} index of the model @param {string} label of the dataset @returns {PartRow} */
export function partRow({ metrics, cells }, index, label) {
  const numbers = metrics.map((metric) => partCell(metric, cells[metric.name][index]));
  const name = element("span", { class: "clamp", dir: "auto", title: label }, label);
  const head = element("th", { class: "model", scope: "row", role: "rowheader" }, name);
  const empty = ["rank", "score"].map((kind) => element("td", { class: kind, role: "cell" }));
  const line = element("tr", { class: "part", role: "row" }, empty[0], head, empty[1], ...numbers);
  return { line, metrics: numbers };
}

/** @param {MetricData} metric @param {number | null} value */
function partCell({ label, decimals, colour }, value) {
  const text = element("span", { class: "num" });
  writeFigure(text, value ?? NaN, decimals);
  return element("td", { class: `metric m${colour}`, role: "cell", "data-label": label }, text);
}

/** Show the columns of metrics that are not in `hidden`, a set of their places.
 * @param {HTMLElement[]} cells @param {Set<number>} hidden */
export function hide(cells, hidden) {
  cells.forEach((cell, at) => {
    if (cell.hidden !== hidden.has(at)) cell.hidden = hidden.has(at);
  });
}

/** @param {number} value @param {number} decimals */
function figure(value, decimals) {
  return Number.isNaN(value) ? MISSING : number(value, decimals);
}

/** @param {Element} place @param {number} value @param {number} decimals */
function writeFigure(place, value, decimals) {
  if (!Number.isNaN(value)) write(place, number(value, decimals));
  else {
    place.replaceChildren(element("span", { "aria-hidden": "true" }, MISSING), screenReaderText("missing"));
  }
}

/** @param {HTMLElement} place @param {number} moved */
function showChange(place, moved) {
  place.className = `change${moved > 0 ? " up" : moved < 0 ? " down" : ""}`;
  const [arrow, word] = moved > 0 ? ["▲", "up"] : ["▼", "down"];
  const size = Math.abs(moved);
  write(place, moved ? `${arrow}${size}` : "");
  if (moved === 0) return ["role", "aria-label"].forEach((name) => place.removeAttribute(name));
  place.setAttribute("role", "img");
  return place.setAttribute("aria-label", `${word} ${size} from the default`);
}

/** The ranks that a model may hold, in numbers and as a whisker on an axis of all ranks that has no marks yet. */
export function emptyWhisker() {
  const place = element("span", { class: "ranks-held" });
  const frame = { class: "whisker", viewBox: `0 0 ${RANGE} 8`, "aria-hidden": "true" };
  const marks = [drawn("path"), drawn("polyline", { class: "dot" })];
  place.append(drawn("svg", frame, ...marks), element("span", { class: "held" }));
  return place;
}

/** Where a rank set and the rank are on an axis of so many ranked models.
 * @param {[number, number]} found @param {number} rank @param {number} ranked */
export function endsOf(found, rank, ranked) {
  const axis = /** @type {[number, number]} */ ([1, ranked]);
  return [...found, rank].map((place) => position(place, axis).toFixed(2));
}

/**
 * @param {HTMLElement} place as `emptyWhisker` makes it, or the page came with it
 * @param {string} words @param {string[]} ends as `endsOf` gives them; none where the set is unknown
 */
export function showWhisker(place, words, [low, high, at]) {
  place.classList.toggle("unknown", !low);
  if (!place.querySelector("path")) place.replaceChildren(...emptyWhisker().childNodes);
  write(find(place, ".held", HTMLElement), words);
  find(place, "path", SVGElement).setAttribute("d", low ? `M${low} 4H${high}` : "");
  find(place, ".dot", SVGElement).setAttribute("points", low ? `${at},4 ${at},4` : "");
}

// Rows move from where their models were to where they are now, unless motion is reduced.

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
