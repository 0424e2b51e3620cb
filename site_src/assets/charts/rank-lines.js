// From the ranking by accuracy to that by the metric: who moves, and whether the samples suffice to show it.
import { MISSING, number } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Figure, orderedBy } from "./difficulty-figure.js";
import { Pointer } from "./panel.js";
import {
  Axis,
  label,
  linesUp,
  nearestLine,
  path,
  picture,
  shownWidth,
  STRONG,
  svg,
  tagClass,
  widthOf,
} from "./svg.js";

/** @import { AnswerRow, Card, ChartTable, DifficultyHost, Interval, Point } from "../../types" */
/**
 * A row that has a value, and so both ranks.
 * @typedef {AnswerRow & { value: number, rank: number, accuracy_rank: number }} RankedRow
 */
const WIDEST = 1080;
// On a narrow screen names are at the right only, and intervals under them.
const NARROW = 820;
const ROW = { wide: 28, narrow: 44 };
const EDGE = { top: 40, bottom: 28 };
// Room of a rank and a value beside a line's end.
const FIGURES = 80;
const RANK = 28;
const DECIMALS = 1;

export class RankLines extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "lines", text("lines.keys"));
    /** The rows by accuracy, and by the metric. @type {[RankedRow[], RankedRow[]]} */
    this.sides = [[], []];
    this.narrow = false;
    this.row = ROW.wide;
    /** Where lines begin, where they end, and where the picture ends. */
    this.left = 0;
    this.right = 0;
    this.end = 0;
    /** The axis of the metric's values and intervals. */
    this.values = new Axis([], 0, 1);
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(this.frame, this);
  }

  paint() {
    const { answer, noise } = this.given;
    const rows = answer.models.filter(isRanked);
    this.sides = [orderedBy(rows, "accuracy_rank"), orderedBy(rows, "rank")];
    if (!rows.length) {
      this.panel.decline(this.words.lines);
      return;
    }
    this.end = Math.min(WIDEST, this.width);
    this.narrow = this.end < NARROW;
    this.row = this.narrow ? ROW.narrow : ROW.wide;
    this.left = this.narrow ? FIGURES - 8 : this.end * 0.22 + FIGURES;
    this.right = this.narrow ? Math.max(this.left + 40, this.end * 0.4) : this.left + this.end * 0.16;
    const all = rows.flatMap((row) => [row.value, ...(this.interval(row) ?? [])]);
    const [start, end] = this.narrow ? [this.right + RANK, this.end - 48] : [this.end * 0.74, this.end - 12];
    this.values = new Axis(all, start, end, { gap: 64 });
    const height = EDGE.top + this.row * rows.length + EDGE.bottom;
    const finding = `${this.words.lines} ${noise?.within ?? ""}`.trim();
    this.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, height, finding, ...this.layers(height)));
    const reading = [text("lines.reading"), text(noise ? "lines.dashed" : "lines.later")];
    this.panel.say(finding, reading, () => this.numbers());
  }

  /** How far what is known of a model may be noise; nothing while it is being computed. @param {RankedRow} row */
  noiseOf({ model }) {
    return this.given.noise?.models[model];
  }

  /** The interval of a model's value; null while it is being computed. @param {RankedRow} row */
  interval(row) {
    return this.noiseOf(row)?.value ?? null;
  }

  /** @returns {ChartTable} */
  numbers() {
    const [model, accuracy, before, interval, rank, ranks] = [
      ...[
        "charts.model",
        "lines.accuracy",
        "lines.rank-before",
        "lines.interval",
        "lines.rank",
        "lines.ranks",
      ],
    ].map((head) => text(head));
    const heads = [
      model,
      accuracy,
      before,
      this.page.source.label,
      interval,
      rank,
      ranks,
      text("charts.change"),
    ];
    const rows = this.sides[1].map((row) => [
      this.page.label(row.model),
      number(row.accuracy, DECIMALS),
      String(row.accuracy_rank),
      number(row.value, DECIMALS),
      rangeText(this.interval(row), DECIMALS),
      String(row.rank),
      rangeText(this.noiseOf(row)?.set, 0),
      this.moveInWords(row),
    ]);
    return { heads, rows };
  }

  /** @param {number} height */
  layers(height) {
    const start = { x: this.narrow ? 0 : this.left, "text-anchor": this.narrow ? "start" : "end" };
    const room = (this.narrow ? this.end : this.values.start - 12) - this.right;
    const values = { class: "axis-title", x: this.values.start, y: 14 };
    const title = text(this.given.noise ? "lines.value-interval" : "lines.value");
    const rows = this.sides[1];
    return [
      svg("text", { class: "axis-title", ...start, y: 14 }, text("lines.accuracy")),
      label(this.page.source.label, { class: "axis-title", x: this.right, y: 14 }, room, STRONG),
      ...(this.narrow ? [] : [svg("text", values, title)]),
      ...linesUp(this.values, EDGE.top - 8, height - EDGE.bottom + 4),
      ...rows.map((row) => svg("path", { class: `moving ${this.moveClass(row)}`, d: path(this.ends(row)) })),
      this.lit,
      ...rows.flatMap((row) => [...this.before(row), ...this.after(row), ...this.spread(row)]),
    ];
  }

  /** "up", "down" or "same", and "noise" where the move is within noise. @param {RankedRow} row */
  moveClass(row) {
    const move = moveOf(row);
    const direction = move > 0 ? "up" : move < 0 ? "down" : "same";
    const noise = move && this.withinNoise(row) ? " noise" : "";
    return `${direction}${noise}${row === this.pointed ? " loud" : ""}`;
  }

  /** Whether a model's move is within noise; null while that is being computed. @param {RankedRow} row */
  withinNoise(row) {
    const moved = this.noiseOf(row)?.moved;
    return moved ? moved[0] <= 0 && moved[1] >= 0 : null;
  }

  /** @param {RankedRow} row */
  moveInWords(row) {
    const move = moveOf(row);
    if (!move) return text("charts.same");
    const words = text(move > 0 ? "charts.up" : "charts.down", { size: Math.abs(move) });
    return this.withinNoise(row) ? text("lines.within-noise", { move: words }) : words;
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
    const { style, weight } = this.looks(row);
    const end = { y: this.y(0, row) + 4, "text-anchor": "end" };
    const x = this.left - FIGURES;
    return [
      ...(this.narrow ? [] : [label(this.page.label(row.model), { class: style, x, ...end }, x, weight)]),
      svg("text", { class: "place-tag", x: this.left - RANK, ...end }, number(row.accuracy, DECIMALS)),
      svg("text", { class: style, x: this.left, ...end }, String(row.accuracy_rank)),
    ];
  }

  /** The texts at the right of a model's line: how far it moves, and that this is within noise where there is room.
   * @param {RankedRow} row */
  after(row) {
    const { style, weight } = this.looks(row);
    const y = this.y(1, row) + (this.narrow ? -2 : 4);
    const all = (this.narrow ? this.end : this.values.start - 12) - this.right - RANK - 8;
    const name = this.page.label(row.model);
    const move = moveOf(row);
    const arrow = move ? (move > 0 ? `▲${move}` : `▼${-move}`) : "";
    const words = text("lines.arrow-noise", { arrow });
    const fits = widthOf(words, STRONG) <= all - widthOf(name.slice(0, 100), weight);
    const said = move && this.withinNoise(row) && fits ? words : arrow;
    const room = all - widthOf(said, STRONG);
    const tag = label(name, { class: style, x: this.right + RANK, y }, room, weight);
    const x = this.right + RANK + 8 + shownWidth(tag, weight);
    return [
      svg("text", { class: style, x: this.right, y }, String(row.rank)),
      tag,
      svg("text", { class: `move ${this.moveClass(row)}`, x, y }, said),
    ];
  }

  /** How the texts of a row look. @param {RankedRow} row */
  looks(row) {
    const strong = row === this.pointed;
    return { style: tagClass(strong), weight: strong ? STRONG : undefined };
  }

  /** The value as a dot on its interval, and the number right of that or left of it; on a narrow screen at the edge.
   * @param {RankedRow} row */
  spread(row) {
    const y = this.y(1, row) + (this.narrow ? 14 : 0);
    const strong = row === this.pointed;
    const style = strong ? { class: "pointed-dot", r: 5 } : { class: "value-dot", r: 4 };
    const ends = (this.interval(row) ?? [row.value]).map((value) => this.values.at(value));
    const line = path(ends.map((x) => [x, y]));
    const figure = number(row.value, DECIMALS);
    const after = Math.max(...ends) + 10;
    const before = this.narrow ? this.end : Math.min(...ends) - 10;
    const place =
      !this.narrow && after + widthOf(figure) <= this.end
        ? { x: after, "text-anchor": "start" }
        : { x: before, "text-anchor": "end" };
    return [
      ...(ends.length > 1 ? [svg("path", { class: strong ? "interval led" : "interval", d: line })] : []),
      svg("circle", { ...style, cx: this.values.at(row.value), cy: y }),
      svg("text", { class: "place-tag", ...place, y: y + 4 }, figure),
    ];
  }

  // Answers to the pointer; a mark is a model's id.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const within = Math.min(this.right - 8, Math.max(this.left + 8, x));
    const rows = this.sides[1];
    const at = nearestLine(
      rows.map((row) => this.ends(row)),
      [within, y],
      this.row / 2,
    );
    return at === null ? null : rows[at].model;
  }

  along() {
    return this.sides[1].map(({ model }) => model);
  }

  start() {
    return this.along()[0];
  }

  /** @param {string | null} id */
  light(id) {
    const row = this.sides[1].find(({ model }) => model === id);
    this.lit.setAttribute("d", row ? path(this.ends(row)) : "");
  }

  /** @param {string} id @returns {Card} */
  card(id) {
    const row = this.sides[1].find(({ model }) => model === id) ?? this.sides[1][0];
    const [, [x, y]] = this.ends(row);
    const noise = this.noiseOf(row);
    const values = {
      accuracy: number(row.accuracy, DECIMALS),
      before: row.accuracy_rank,
      name: this.page.source.label,
      value: number(row.value, DECIMALS),
      rank: row.rank,
      interval: noise?.value ? ` (${rangeText(noise.value, DECIMALS)})` : "",
      ranks: noise?.set ? ` (${rangeText(noise.set, 0)})` : "",
    };
    const lines = ["lines.card-accuracy", "lines.card-value", "lines.card-rank"].map((name) =>
      text(name, values),
    );
    return { x: x - 40, y: y - 8, title: this.page.label(id), lines: [...lines, this.moveInWords(row)] };
  }

  /** @param {string} id */
  choose(id) {
    this.page.pointOut(id);
  }
}

/** @param {AnswerRow} row @returns {row is RankedRow} */
function isRanked(row) {
  return row.value !== null && row.rank !== null && row.accuracy_rank !== null;
}

/** How many places a model climbs from accuracy to the metric; negative where it falls. @param {RankedRow} row */
function moveOf({ rank, accuracy_rank: before }) {
  return before - rank;
}

/** @param {Interval | null | undefined} ends @param {number} decimals */
function rangeText(ends, decimals) {
  if (!ends) return MISSING;
  return text("charts.range", { low: number(ends[0], decimals), high: number(ends[1], decimals) });
}
