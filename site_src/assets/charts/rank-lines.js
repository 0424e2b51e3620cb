// From the ranking by accuracy to that by the metric: who moves, and whether the samples suffice to show it.
import { MISSING, number } from "../base/formats.js";
import { Figure, orderedBy } from "./difficulty-figure.js";
import { Pointer } from "./panel.js";
import { Axis, label, path, picture, shownWidth, strokes, STRONG, svg, tagClass, widthOf } from "./svg.js";

/** @import { AnswerRow, Card, ChartTable, DifficultyHost, Interval, Noise, Point } from "../../types" */
const WIDEST = 1080;
// On a narrow screen names are at the right only, and intervals under them.
const NARROW = 820;
const ROW = { wide: 28, narrow: 44 };
const EDGE = { top: 40, bottom: 28 };
// Room of a rank and a value beside a line's end.
const FIGURES = 80;
const RANK = 28;
const DECIMALS = 1;
const KEYS = "Models by accuracy and by the metric: arrow keys go from one to the next, Enter points one out";

export class RankLines extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "lines", KEYS);
    /** @type {Noise | null} */
    this.noise = null;
    /** @type {RankedRow[]} */
    this.rows = [];
    /** The rows by accuracy, and by the metric. @type {[RankedRow[], RankedRow[]]} */
    this.sides = [[], []];
    this.narrow = false;
    this.row = ROW.wide;
    this.height = 0;
    /** Where lines begin, where they end, and where the picture ends. */
    this.left = 0;
    this.right = 0;
    this.end = 0;
    this.values = new Axis([], 0, 1);
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(this.frame, this);
  }

  paint() {
    const { answer, noise } = this.given;
    this.noise = noise;
    this.rows = answer.models.filter(isRanked);
    this.sides = [orderedBy(this.rows, "accuracy_rank"), orderedBy(this.rows, "rank")];
    if (!this.rows.length) {
      this.panel.decline(this.words.lines);
      return;
    }
    this.measure();
    const finding = `${this.words.lines} ${noise?.within ?? ""}`.trim();
    this.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers()));
    const remarks = [
      "Lines lead from the rank by accuracy to the rank by the metric; those that cross have changed places.",
      noise
        ? "Dashed: other examples of the same kind could well undo the move; solid: hardly."
        : "Intervals are being computed.",
    ];
    this.panel.say(finding, remarks, () => this.numbers());
  }

  measure() {
    this.end = Math.min(WIDEST, this.width);
    this.narrow = this.end < NARROW;
    this.row = this.narrow ? ROW.narrow : ROW.wide;
    this.left = this.narrow ? FIGURES - 8 : this.end * 0.22 + FIGURES;
    this.right = this.narrow ? Math.max(this.left + 40, this.end * 0.4) : this.left + this.end * 0.16;
    this.height = EDGE.top + this.row * this.rows.length + EDGE.bottom;
    this.values = this.scale();
  }

  /** The axis of the metric's values and intervals. */
  scale() {
    const all = this.rows.flatMap((row) => [row.value, ...(this.interval(row) ?? [])]);
    const [start, end] = this.narrow ? [this.right + RANK, this.end - 48] : [this.end * 0.74, this.end - 12];
    return new Axis(all, start, end, { gap: 64 });
  }

  /**
   * The interval of a model's value; null while it is being computed.
   * @param {RankedRow} row @returns {Interval | null}
   */
  interval({ model }) {
    return this.noise?.models[model]?.value ?? null;
  }

  get metric() {
    return this.page.source.label;
  }

  /** @returns {ChartTable} */
  numbers() {
    const byAccuracy = ["Model", "Accuracy", "Rank by accuracy"];
    const byMetric = [this.metric, "95 % interval", "Rank", "95 % of ranks", "Change"];
    return { heads: [...byAccuracy, ...byMetric], rows: this.sides[1].map((row) => this.cells(row)) };
  }

  /** @param {RankedRow} row */
  cells(row) {
    const noise = this.noise?.models[row.model];
    return [
      this.page.label(row.model),
      number(row.accuracy, DECIMALS),
      String(row.accuracy_rank),
      number(row.value, DECIMALS),
      rangeText(noise?.value, DECIMALS),
      String(row.rank),
      rangeText(noise?.rank, 0),
      moveInWords(row, this.noise),
    ];
  }

  /** What the card of a model says. @param {RankedRow} row */
  factsOf(row) {
    const noise = this.noise?.models[row.model];
    const interval = noise?.value ? ` (${rangeText(noise.value, DECIMALS)})` : "";
    return [
      `accuracy ${number(row.accuracy, DECIMALS)} %, rank ${row.accuracy_rank}`,
      `${this.metric} ${number(row.value, DECIMALS)} %${interval}`,
      `rank ${row.rank}${noise?.rank ? ` (${rangeText(noise.rank, 0)})` : ""}`,
      moveInWords(row, this.noise),
    ];
  }

  layers() {
    const lines = this.rows.map((row) =>
      svg("path", { class: `moving ${this.moveClass(row)}`, d: path(this.ends(row)) }),
    );
    const writing = this.rows.flatMap((row) => [
      ...this.before(row),
      ...this.after(row),
      ...this.spread(row),
    ]);
    return [...this.titles(), ...this.grid(), ...lines, this.lit, ...writing];
  }

  titles() {
    const start = { x: this.narrow ? 0 : this.left, "text-anchor": this.narrow ? "start" : "end" };
    const room = (this.narrow ? this.end : this.values.start - 12) - this.right;
    const titles = [
      svg("text", { class: "axis-title", ...start, y: 14 }, "Accuracy"),
      label(this.metric, { class: "axis-title", x: this.right, y: 14 }, room, STRONG),
    ];
    if (this.narrow) return titles;
    const text = this.noise ? "Value and 95 % interval" : "Value";
    return [...titles, svg("text", { class: "axis-title", x: this.values.start, y: 14 }, text)];
  }

  grid() {
    const [top, bottom] = [EDGE.top - 8, this.height - EDGE.bottom + 4];
    const ticks = this.values.ticks().map(({ value, text }) => ({ x: this.values.at(value), text }));
    /** @type {[Point, Point][]} */
    const lines = ticks.map(({ x }) => [
      [x, top],
      [x, bottom],
    ]);
    const texts = ticks.map(({ x, text }) =>
      svg("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, text),
    );
    return [svg("path", { class: "grid", d: strokes(lines) }), ...texts];
  }

  /** "up", "down" or "same", and "noise" where the move is within noise. @param {RankedRow} row */
  moveClass(row) {
    const move = moveOf(row);
    const direction = move > 0 ? "up" : move < 0 ? "down" : "same";
    const noise = move && withinNoise(row, this.noise) ? " noise" : "";
    return `${direction}${noise}${row === this.pointed ? " loud" : ""}`;
  }

  /** @param {0 | 1} side @param {RankedRow} row */
  y(side, row) {
    return EDGE.top + this.row * (this.sides[side].indexOf(row) + 0.5);
  }

  /** Where a model's line begins and ends. @param {RankedRow} row @returns {[Point, Point]} */
  ends(row) {
    return [
      [this.left + 8, this.y(0, row)],
      [this.right - 8, this.y(1, row)],
    ];
  }

  /** The texts at the left of a model's line. @param {RankedRow} row */
  before(row) {
    const strong = row === this.pointed;
    const end = { y: this.y(0, row) + 4, "text-anchor": "end" };
    const accuracy = number(row.accuracy, DECIMALS);
    const numbers = [
      svg("text", { class: "place-tag", x: this.left - RANK, ...end }, accuracy),
      svg("text", { class: tagClass(strong), x: this.left, ...end }, String(row.accuracy_rank)),
    ];
    if (this.narrow) return numbers;
    const x = this.left - FIGURES;
    return [
      label(this.page.label(row.model), { class: tagClass(strong), x, ...end }, x, weight(strong)),
      ...numbers,
    ];
  }

  /** The texts at the right of a model's line. @param {RankedRow} row */
  after(row) {
    const y = this.y(1, row) + (this.narrow ? -2 : 4);
    const strong = row === this.pointed;
    const all = (this.narrow ? this.end : this.values.start - 12) - this.right - RANK - 8;
    const text = this.page.label(row.model);
    const move = this.move(row, all - widthOf(text.slice(0, 100), weight(strong)));
    const room = all - widthOf(move, STRONG);
    const name = label(text, { class: tagClass(strong), x: this.right + RANK, y }, room, weight(strong));
    const x = this.right + RANK + 8 + shownWidth(name, weight(strong));
    return [
      svg("text", { class: tagClass(strong), x: this.right, y }, String(row.rank)),
      name,
      svg("text", { class: `move ${this.moveClass(row)}`, x, y }, move),
    ];
  }

  /**
   * How far a model moves, and that it is within noise, where there is room to say so.
   * @param {RankedRow} row @param {number} room
   */
  move(row, room) {
    const move = moveOf(row);
    if (!move) return "";
    const arrow = move > 0 ? `▲${move}` : `▼${-move}`;
    const words = `${arrow} within noise`;
    return withinNoise(row, this.noise) && widthOf(words, STRONG) <= room ? words : arrow;
  }

  /** The value as a dot on its interval. @param {RankedRow} row */
  spread(row) {
    const y = this.y(1, row) + (this.narrow ? 14 : 0);
    const strong = row === this.pointed;
    const style = strong ? { class: "pointed-dot", r: 5 } : { class: "value-dot", r: 4 };
    const dot = svg("circle", { ...style, cx: this.values.at(row.value), cy: y });
    return [...this.intervalLine(row, y), dot, this.written(row, y)];
  }

  /** @param {RankedRow} row @param {number} y */
  intervalLine(row, y) {
    const interval = this.interval(row);
    if (!interval) return [];
    const ends = interval.map((value) => /** @type {Point} */ ([this.values.at(value), y]));
    return [svg("path", { class: row === this.pointed ? "interval led" : "interval", d: path(ends) })];
  }

  /**
   * The number, right of its interval or left of it; on a narrow screen at the edge.
   * @param {RankedRow} row @param {number} y
   */
  written(row, y) {
    const text = number(row.value, DECIMALS);
    const ends = this.interval(row) ?? [row.value];
    const after = this.values.at(Math.max(...ends)) + 10;
    const fits = !this.narrow && after + widthOf(text) <= this.end;
    const before = this.narrow ? this.end : this.values.at(Math.min(...ends)) - 10;
    const place = fits ? { x: after, "text-anchor": "start" } : { x: before, "text-anchor": "end" };
    return svg("text", { class: "place-tag", ...place, y: y + 4 }, text);
  }

  // Answers to the pointer; a mark is a model's id.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const share = Math.min(1, Math.max(0, (x - this.left) / (this.right - this.left)));
    const distances = this.rows.map((row) => {
      const [from, to] = this.ends(row);
      return Math.abs(from[1] + share * (to[1] - from[1]) - y);
    });
    const least = Math.min(...distances);
    return least < this.row / 2 ? this.rows[distances.indexOf(least)].model : null;
  }

  along() {
    return this.sides[1].map(({ model }) => model);
  }

  start() {
    return this.along()[0];
  }

  /** @param {string | null} id */
  light(id) {
    const row = this.rows.find(({ model }) => model === id);
    this.lit.setAttribute("d", row ? path(this.ends(row)) : "");
  }

  /** @param {string} id @returns {Card} */
  card(id) {
    const row = this.rows.find(({ model }) => model === id) ?? this.rows[0];
    const [, [x, y]] = this.ends(row);
    return { x: x - 40, y: y - 8, title: this.page.label(id), lines: this.factsOf(row) };
  }

  /** @param {string} id */
  choose(id) {
    this.page.pointOut(id);
  }
}

/** @param {boolean} strong */
function weight(strong) {
  return strong ? STRONG : undefined;
}

/**
 * A row that has a value, and so both ranks.
 * @typedef {AnswerRow & { value: number, rank: number, accuracy_rank: number }} RankedRow
 */

/** @param {AnswerRow} row @returns {row is RankedRow} */
function isRanked(row) {
  return row.value !== null && row.rank !== null && row.accuracy_rank !== null;
}

/**
 * How many places a model climbs from accuracy to the metric; negative where it falls.
 * @param {RankedRow} row
 */
function moveOf({ rank, accuracy_rank: before }) {
  return before - rank;
}

/**
 * Whether a model's move is within noise; null while that is being computed.
 * @param {RankedRow} row @param {Noise | null} noise
 */
function withinNoise({ model }, noise) {
  const moved = noise?.models[model]?.moved;
  return moved ? moved[0] <= 0 && moved[1] >= 0 : null;
}

/** A move in words. @param {RankedRow} row @param {Noise | null} noise */
function moveInWords(row, noise) {
  const move = moveOf(row);
  if (!move) return "same";
  const text = move > 0 ? `up ${move}` : `down ${-move}`;
  return withinNoise(row, noise) ? `${text}, within noise` : text;
}

/** @param {Interval | null | undefined} ends @param {number} decimals */
function rangeText(ends, decimals) {
  return ends ? `${number(ends[0], decimals)} to ${number(ends[1], decimals)}` : MISSING;
}
