// A row of the ranking always shows the same model, so that a click on one of its controls can never act on
// another model.
import { corners, cutMarks, emptyBar, LAST, position, RANGE, share } from "../charts/drawing.js";
import { drawn, element, find, findAll, findOptional, screenReaderText, write } from "../base/elements.js";
import { MISSING, rankSetText, number, signed } from "../base/formats.js";
import { text } from "../base/texts.js";

/** @import { BoardHost, CellsData, MetricData } from "../../types" */
/** @import { Bars } from "../charts/drawing.js" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Reference } from "./table.js" */

/** What all rows show beside their own model: `hidden` are places of metrics, `pinned` and `chosen` ids.
 * `outside` has the models that do not keep a limit. `full` says that no more models can be chosen, `alike` that the same
 * models are ranked as by default.
 * @typedef {object} RowState
 * @property {Ranking} ranking
 * @property {Reference | null} reference
 * @property {Bars | null} bars
 * @property {([number, number] | null)[]} ranges
 * @property {Held} held
 * @property {Set<number>} hidden
 * @property {Set<string>} pinned
 * @property {Set<string>} chosen
 * @property {Set<number>} outside
 * @property {boolean} full
 * @property {boolean} alike
 */
/** How sure the ranks are: whether that is of this ranking, and of any model. `heat` are those that may be first,
 * `within` has the sets that are wider where exchange rates are off, and `elsewhere` the ranks on another dataset.
 * @typedef {{ current: boolean, known: boolean, heat: Set<number>,
 *   of: (model: number) => [number, number] | null | undefined, given: (model: number) => string,
 *   within: (model: number) => [number, number] | undefined,
 *   elsewhere: ([number, number] | null)[] }} Held */
/** A line under a model's row. @typedef {{ line: HTMLTableRowElement, metrics: HTMLTableCellElement[] }} PartRow */
/** @typedef {ReturnType<Bars["of"]>} Bar */

/** Which of a row's controls is the name. */
export const NAME = 2;

export class Row {
  /** @param {BoardHost} page @param {number} index of the model
   * @param {HTMLTableRowElement} line the row that the page came with */
  constructor(page, index, line) {
    this.metrics = page.data.metrics;
    this.before = page.first.rankOf(index);
    this.index = index;
    this.id = page.data.models[index].id;
    this.line = line;
    this.box = find(line, ".choose input", HTMLInputElement);
    // A board of one dataset has no opener.
    this.opener = findOptional(line, ".opener", HTMLButtonElement);
    this.pin = find(line, ".pin", HTMLButtonElement);
    // On a snapshot's page the name is no link.
    const name = find(line, ".model > :is(a, .name)", HTMLElement);
    /** @type {(HTMLElement | null)[]} */
    this.controls = [this.box, this.opener, name, this.pin];
    /** Lines with the numbers on each dataset, where they are open. @type {PartRow[]} */
    this.parts = [];
    this.place = find(line, ".place", HTMLElement);
    this.change = find(line, ".change", HTMLElement);
    /** What is read out of a model outside limits. @type {HTMLElement | null} */
    this.aside = null;
    /** What says how sure the rank is; a board of which nothing is known has none. */
    this.held = findOptional(line, ".ranks-held", HTMLElement);
    this.elsewhere = findOptional(line, ".elsewhere", HTMLElement);
    this.score = find(line, ".score > .num", HTMLElement);
    this.beside = find(line, ".beside", HTMLElement);
    this.slot = find(line, ".bar-slot", HTMLElement);
    this.bar = emptyBar(this.metrics.map(({ colour }) => colour));
    this.slot.prepend(this.bar);
    this.beyond = find(line, ".beyond", HTMLElement);
    this.cells = findAll(line, "td.metric", HTMLTableCellElement);
    this.numbers = this.cells.map((cell) => find(cell, ".num", HTMLElement));
    /** @type {RowState | null} */
    this.state = null;
  }

  /** One of the controls, the name where the row has none there. @param {number} at @returns {HTMLElement} */
  control(at) {
    return this.controls[at] ?? /** @type {HTMLElement} */ (this.controls[NAME]);
  }

  /** Show what `state` says of the model. @param {RowState} state */
  show(state) {
    if (this.state === state) return;
    this.state = state;
    const { ranking, bars, pinned, chosen, outside, full, alike } = state;
    const rank = ranking.rankOf(this.index);
    this.line.classList.toggle("unranked", rank === null);
    this.showOutside(outside.has(this.index));
    write(this.place, String(rank ?? MISSING));
    showChange(this.change, !alike || this.before === null || rank === null ? 0 : this.before - rank);
    if (state.held.current) this.showHeld(rank, state);
    this.showScore(ranking);
    this.slot.hidden = !bars || rank === null;
    if (bars && rank !== null) this.showBar(bars.of(this.index), state);
    this.showCells(state);
    this.pin.setAttribute("aria-pressed", String(pinned.has(this.id)));
    this.line.classList.toggle("pinned", pinned.has(this.id));
    this.box.checked = chosen.has(this.id);
    this.box.disabled = full && !chosen.has(this.id);
    this.opener?.setAttribute("aria-expanded", String(this.parts.length > 0));
  }

  /** Whether the model is outside limits, to be seen and to be heard. @param {boolean} outside */
  showOutside(outside) {
    if (outside === this.line.classList.contains("outside")) return;
    this.line.classList.toggle("outside", outside);
    this.aside ??= screenReaderText(text("rows.outside"));
    if (outside) this.place.after(this.aside);
    else this.aside.remove();
  }

  /** The ranks that the model may hold. @param {number | null} rank @param {RowState} state */
  showHeld(rank, { held, ranking }) {
    this.line.classList.toggle("heat", held.heat.has(this.index));
    this.showElsewhere(held.elsewhere[this.index]);
    const found = held.of(this.index);
    const words = rank === null || !held.known ? "" : rankSetText(found);
    if (!this.held && !words) return;
    this.held ??= this.place.parentElement?.appendChild(emptyWhisker()) ?? this.place;
    const outer = held.within(this.index);
    const ends = found && words ? endsOf(found, Number(rank), ranking.ranked, outer) : [];
    showWhisker(this.held, words, ends);
    const given = found && words ? held.given(this.index) : "";
    this.held.classList.toggle("given", given !== "");
    const rates = ranking.by === "trades" ? "rows.within-trades" : "rows.within";
    const wide = outer && text(rates, { ranks: rankSetText(outer) });
    const title = [given, wide].filter(Boolean).join("; ");
    if (title) this.held.title = title;
    else this.held.removeAttribute("title");
  }

  /** @param {[number, number] | null | undefined} found */
  showElsewhere(found) {
    if (!this.elsewhere && !found) return;
    this.elsewhere ??= this.place.parentElement?.appendChild(emptyElsewhere()) ?? this.place;
    this.elsewhere.hidden = !found;
    if (found) write(find(this.elsewhere, "span", HTMLElement), rankSetText(found));
  }

  /** @param {Ranking} ranking */
  showScore({ by, scores, zScores }) {
    const score = scores[this.index];
    const main = by === "z_score" && zScores ? zScores[this.index] : score;
    write(this.score, figure(main, 2));
    const beside = by === "z_score" && !Number.isNaN(main);
    write(this.beside, beside ? text("rows.beside", { score: figure(score, 2) }) : "");
  }

  /** @param {Bar} bar @param {RowState} state */
  showBar({ origin, segments, cut }, { reference }) {
    // Points and ends of lines are no styles, as the sides of a rectangle and the centre of a circle are.
    [...segments.map(corners), ...cutMarks(cut)].forEach((points, at) => {
      this.bar.children[at].setAttribute("points", points);
    });
    for (const end of ["x1", "x2"]) this.bar.lastElementChild?.setAttribute(end, origin.toFixed(2));
    const amount = reference === null ? number : signed;
    const words = segments.flatMap(({ difference }, at) =>
      difference ? [`${this.metrics[at].label} ${amount(difference)}`] : [],
    );
    this.bar.setAttribute("aria-label", words.join(", ") || text("rows.reference"));
    // A number beside a score can only be read as how far that is from the reference's.
    const whole = segments.reduce((sum, { difference }) => sum + difference, 0);
    const beyond = cut.some(Boolean) ? signed(whole, 2) : "";
    write(this.beyond, reference?.index === this.index ? text(`rows.${reference.role}`) : beyond);
  }

  /** @param {RowState} state */
  showCells({ ranking: { values }, ranges, hidden }) {
    this.cells.forEach((_, at) => {
      const value = values[at][this.index];
      const place = this.numbers[at];
      writeFigure(place, value, this.metrics[at].decimals);
      const range = ranges[at];
      const silent = this.metrics[at].one_answer?.includes(this.index);
      if (Number.isNaN(value) || range === null || silent) place.style.removeProperty("--at");
      else place.style.setProperty("--at", String(Math.round(share(value, range) * LAST)));
    });
    hide(this.cells, hidden);
    for (const part of this.parts) hide(part.metrics, hidden);
  }
}

/** A line under a model's row with its numbers on one dataset.
 * @param {{ metrics: MetricData[], cells: CellsData["values"][string] }} columns
 * @param {number} index of the model @param {string} label of the dataset @returns {PartRow} */
export function partRow({ metrics, cells }, index, label) {
  const numbers = metrics.map((metric) => {
    const place = element("span", { class: "num" });
    writeFigure(place, cells[metric.name][index] ?? NaN, metric.decimals);
    const attributes = { class: `metric m${metric.colour}`, role: "cell", "data-label": metric.label };
    return element("td", attributes, place);
  });
  const name = element("span", { class: "clamp", dir: "auto", title: label }, label);
  const head = element("th", { class: "model", scope: "row", role: "rowheader" }, name);
  const [rank, score] = ["rank", "score"].map((kind) => element("td", { class: kind, role: "cell" }));
  const line = element("tr", { class: "part", role: "row" }, rank, head, score, ...numbers);
  return { line, metrics: numbers };
}

/** Show the columns of metrics that are not in `hidden`, a set of their places.
 * @param {HTMLElement[]} cells @param {Set<number>} hidden */
export function hide(cells, hidden) {
  cells.forEach((cell, at) => (cell.hidden = hidden.has(at)));
}

/** @param {number} value @param {number} decimals */
function figure(value, decimals) {
  return Number.isNaN(value) ? MISSING : number(value, decimals);
}

/** @param {Element} place @param {number} value @param {number} decimals */
function writeFigure(place, value, decimals) {
  if (!Number.isNaN(value)) return write(place, number(value, decimals));
  const dash = element("span", { "aria-hidden": "true" }, MISSING);
  return place.replaceChildren(dash, screenReaderText(text("rows.missing")));
}

/** @param {HTMLElement} place @param {number} moved how many places up from the default */
function showChange(place, moved) {
  const way = moved > 0 ? "up" : "down";
  place.className = moved ? `change ${way}` : "change";
  const size = Math.abs(moved);
  write(place, moved ? `${moved > 0 ? "▲" : "▼"}${size}` : "");
  if (moved) {
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", text(`rows.${way}`, { size }));
  } else for (const name of ["role", "aria-label"]) place.removeAttribute(name);
}

/** The ranks that a model may hold, in numbers and as a whisker on an axis of all ranks that has no marks yet. */
export function emptyWhisker() {
  const frame = { class: "whisker", viewBox: `0 0 ${RANGE} 8`, "aria-hidden": "true" };
  const marks = [drawn("path", { class: "outer" }), drawn("path"), drawn("polyline", { class: "dot" })];
  return element(
    "span",
    { class: "ranks-held" },
    drawn("svg", frame, ...marks),
    element("span", { class: "held" }),
  );
}

/** The ranks that a model may get on another dataset, with their name for where the table has no head. */
function emptyElsewhere() {
  const name = element("small", {}, `${text("rows.elsewhere")} `);
  return element("span", { class: "elsewhere" }, name, element("span"));
}

/** Where a rank set, the rank and a wider set are on an axis of so many ranked models.
 * @param {[number, number]} found @param {number} rank @param {number} ranked @param {[number, number]} [outer] */
export function endsOf(found, rank, ranked, outer = found) {
  return [...found, rank, ...outer].map((place) => position(place, [1, ranked]).toFixed(2));
}

/**
 * @param {HTMLElement} place as `emptyWhisker` makes it, or the page came with it
 * @param {string} words @param {string[]} ends as `endsOf` gives them; none where the set is unknown
 */
export function showWhisker(place, words, [low, high, at, least, most]) {
  place.classList.toggle("unknown", !low);
  if (!place.querySelector("path")) place.replaceChildren(...emptyWhisker().childNodes);
  write(find(place, ".held", HTMLElement), words);
  find(place, "path:not(.outer)", SVGElement).setAttribute("d", low ? `M${low} 4H${high}` : "");
  find(place, ".outer", SVGElement).setAttribute("d", low ? `M${least} 4H${low}M${high} 4H${most}` : "");
  find(place, ".dot", SVGElement).setAttribute("points", low ? `${at},4 ${at},4` : "");
}

// Rows move from where their models were to where they are now, unless motion is reduced.

const MOVE = { duration: 250, easing: "ease-out" };
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export class RowAnimation {
  constructor() {
    /** @type {Animation[]} */
    this.running = [];
    /** Where each row was. @type {Map<Row, number>} */
    this.before = new Map();
  }

  /** Remember where these rows are. @param {Iterable<Row>} rows */
  remember(rows) {
    const places = reducedMotion.matches
      ? []
      : [...rows].map((row) => /** @type {const} */ ([row, row.line.getBoundingClientRect().top]));
    this.before = new Map(places);
  }

  /** Move the rows that have been in the page before, those whose way leads through the screen.
   * @param {Iterable<Row>} rows */
  start(rows) {
    for (const animation of this.running.splice(0)) animation.cancel();
    for (const row of rows) {
      const before = this.before.get(row);
      if (before === undefined) continue;
      const { top } = row.line.getBoundingClientRect();
      if (before === top || Math.min(before, top) > innerHeight || Math.max(before, top) < 0) continue;
      const way = [{ transform: `translateY(${before - top}px)` }, { transform: "none" }];
      this.running.push(row.line.animate(way, MOVE));
    }
  }
}
