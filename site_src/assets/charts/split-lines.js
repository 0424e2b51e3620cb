// How every model does in each split alone: an axis a split, the easiest at the left, a line a model, its
// name at the end.
import { number } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Figure, shade } from "./difficulty-figure.js";
import { numberOrDash, Pointer } from "./panel.js";
import {
  Axis,
  label,
  linesAcross,
  nearestLine,
  path,
  picture,
  STRONG,
  svg,
  tagClass,
  widthOf,
} from "./svg.js";

/** @import { AnswerRow, Card, ChartTable, DifficultyHost, Point } from "../../types" */
/** The places of a model in the splits, null where one is empty. @typedef {(Point | null)[]} Line */

const EDGE = { top: 40, bottom: 44 };
const HEIGHT = { least: 320, most: 460, share: 0.42 };
const LINE = 16;
// Names at the right end, as wide as a share of the picture allows.
const NAMES = { share: 0.34, most: 200 };
const SIDE = 12;
// A name is followed by its score in the last split, where both have this room.
const BOTH = 120;
const REACH = 16;
const DECIMALS = 1;

export class SplitLines extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "splits", text("splits.keys"));
    /** The models that have splits. @type {AnswerRow[]} */
    this.rows = [];
    this.count = 0;
    this.height = 0;
    this.left = 0;
    this.right = 0;
    this.y = new Axis([], 0, 1);
    /** @type {Line[]} */
    this.lines = [];
    /** The mean of each split, NaN where it is empty. @type {number[]} */
    this.means = [];
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(this.frame, this);
  }

  paint() {
    const { answer } = this.given;
    this.rows = answer.models.filter(({ splits }) => splits.some(({ score }) => score !== null));
    const finding = this.words.splits;
    if (!this.rows.length) {
      this.lines = [];
      this.panel.decline(finding);
      return;
    }
    this.measure();
    this.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers()));
    const reading = [
      text("splits.reading", { first: this.words.ends[0] }),
      answer.splits ? "" : text("splits.own"),
      this.range(0) ? text("splits.under") : "",
      this.lines.some((line) => line.some((spot) => !spot)) ? text("splits.gap") : "",
    ];
    this.panel.say(finding, reading, () => this.numbers());
  }

  measure() {
    const { rows, width } = this;
    this.count = rows[0].splits.length;
    const room = Math.max(width * HEIGHT.share, EDGE.top + EDGE.bottom + (rows.length + 1) * LINE);
    this.height = Math.max(HEIGHT.least, Math.min(room, Math.max(HEIGHT.most, rows.length * LINE + 100)));
    const scores = rows.map(({ splits }) => splits.map(({ score }) => score ?? NaN));
    this.y = new Axis(scores.flat(), this.height - EDGE.bottom, EDGE.top, { gap: 48 });
    this.left = SIDE + Math.max(0, ...this.y.ticks().map((tick) => widthOf(tick.text)));
    this.right = width - Math.min(NAMES.most, width * NAMES.share);
    this.means = Array.from({ length: this.count }, (_, split) => mean(scores.map((row) => row[split])));
    this.lines = scores.map((row) => this.line(row));
  }

  /** Where the axis of a split is. @param {number} split */
  standing(split) {
    const [from, to] = [this.left + SIDE, this.right - SIDE];
    return this.count === 1 ? from : from + ((to - from) * split) / (this.count - 1);
  }

  /** @param {number[]} scores NaN where a split is empty @returns {Line} */
  line(scores) {
    return scores.map((score, split) =>
      Number.isNaN(score) ? null : [this.standing(split), this.y.at(score)],
    );
  }

  /** @returns {ChartTable} */
  numbers() {
    const heads = this.means.map((_, split) => text("charts.split", { number: split + 1 }));
    const rows = this.rows.map((row) => [
      this.page.label(row.model),
      ...row.splits.map(({ score }) => number(score, DECIMALS)),
    ]);
    return { heads: [text("charts.model"), ...heads], rows };
  }

  layers() {
    const first = this.rows.findIndex((row) => row === this.pointed);
    const quiet = this.lines.filter((_, at) => at !== first);
    const led = this.lines[first] ?? [];
    const meanLine = this.rows.length > 2 ? this.line(this.means) : null;
    return [
      ...linesAcross(this.y, this.left, this.right),
      svg("text", { class: "better", x: 0, y: 14 }, text("splits.score")),
      ...this.means.flatMap((_, split) => this.axis(split)),
      svg("g", { class: "lines" }, ...quiet.map((line) => svg("path", { d: path(line) }))),
      ...(meanLine ? [svg("path", { class: "line mean", d: path(meanLine) })] : []),
      svg("path", { class: "line led", d: path(led) }),
      ...led.flatMap((spot) =>
        spot ? [svg("circle", { class: "pointed-dot", cx: spot[0], cy: spot[1], r: 4 })] : [],
      ),
      this.lit,
      ...this.names(first, meanLine),
    ];
  }

  /** The axis of a split: its number and colour on top, at the bottom what it holds where there is room, and what the
   * first and the last split are. @param {number} split */
  axis(split) {
    const x = this.standing(split);
    const bottom = this.height - EDGE.bottom;
    const middle = { x, "text-anchor": "middle" };
    const key = { x: x - 8, y: EDGE.top - 9, width: 16, height: 6, rx: 2 };
    const [first, last] = this.words.ends;
    const word = split === 0 ? first : split === this.count - 1 ? last : "";
    const close = split === 0 && this.standing(1) - x < 60;
    const place = close ? { x: x - 8, "text-anchor": "start" } : middle;
    return [
      svg("path", {
        class: "rule",
        d: path([
          [x, EDGE.top],
          [x, bottom],
        ]),
      }),
      svg("rect", { class: `s${shade(split, this.count)}`, ...key }),
      svg("text", { class: "axis-title", ...middle, y: EDGE.top - 14 }, String(split + 1)),
      svg("text", { class: "tick", ...middle, y: bottom + 16 }, this.range(split)),
      svg("text", { class: "better", ...place, y: bottom + 34 }, word),
    ];
  }

  /** What a split holds, "0.82–0.97"; nothing where models have splits of their own, or no room. @param {number} split */
  range(split) {
    const { low = null, high = null } = this.given.answer.splits?.[split] ?? {};
    if (low === null) return "";
    const held = `${number(low)}–${number(high)}`;
    const gap = this.count > 1 ? this.standing(1) - this.standing(0) : Infinity;
    return widthOf(held) + 8 > gap ? "" : held;
  }

  /** Names at the right end, moved apart, each tied to its line by a hair and followed by its last score.
   * @param {number} first the position of the highlighted model @param {Line | null} meanLine */
  names(first, meanLine) {
    const models = this.rows.map((row, at) => ({
      end: endOf(this.lines[at]),
      name: this.page.label(row.model),
      style: tagClass(at === first),
      score: row.splits[row.splits.length - 1].score ?? NaN,
      weight: at === first ? STRONG : undefined,
    }));
    const mean = {
      end: endOf(meanLine ?? []),
      name: text("splits.mean"),
      style: "name-tag of-mean",
      score: this.means[this.count - 1],
      weight: undefined,
    };
    const known = [...models, mean].flatMap((one) => (one.end ? [{ ...one, end: one.end }] : []));
    const ends = known.map(({ end }) => end[1]);
    const places = keptApart(ends, LINE, EDGE.top - 8, this.height - 8);
    const x = this.right + 14;
    const room = this.width - x;
    return known.flatMap(({ end, name, style, score, weight }, at) => {
      const y = places[at];
      const hair = path([
        [end[0] + 6, end[1]],
        [this.right + 4, y],
        [this.right + 10, y],
      ]);
      const figure = numberOrDash(score, DECIMALS);
      const both = room > BOTH;
      const left = both ? room - 8 - widthOf(figure, STRONG) : room;
      const last = { class: style, x: this.width, y: y + 4, "text-anchor": "end" };
      return [
        svg("path", { class: "hair", d: hair }),
        label(name, { class: style, x, y: y + 4 }, left, weight),
        ...(both ? [svg("text", last, figure)] : []),
      ];
    });
  }

  // Answers to the pointer; a mark is a model's position in `rows`.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    return nearestLine(this.lines, [x, y], REACH);
  }

  along() {
    return this.rows.map((_, at) => at);
  }

  start() {
    return Math.max(
      0,
      this.rows.findIndex((row) => row === this.pointed),
    );
  }

  /** @param {number | null} at */
  light(at) {
    this.lit.setAttribute("d", at === null ? "" : path(this.lines[at] ?? []));
  }

  /** @param {number} at @param {Point | null} place @returns {Card} */
  card(at, place) {
    const [x, y] = place ?? this.lines[at].find((spot) => spot !== null) ?? [0, 0];
    const { model, splits } = this.rows[at];
    const lines = splits.map(({ score, examples }, split) =>
      text("splits.card", { number: split + 1, score: number(score, DECIMALS), examples }),
    );
    return { x, y, title: this.page.label(model), lines };
  }

  /** @param {number} at */
  choose(at) {
    this.page.pointOut(this.rows[at].model);
  }
}

/** The last place of a line; null where it has none. @param {Line} line */
function endOf(line) {
  return line.findLast((spot) => spot !== null) ?? null;
}

/** The mean of the values that are there; NaN without any. @param {number[]} values */
function mean(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN;
}

/** `places` moved so that they are `gap` apart and between `low` and `high`, in the order they have.
 * @param {number[]} places @param {number} gap @param {number} low @param {number} high */
export function keptApart(places, gap, low, high) {
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b]);
  const moved = [...places];
  order.forEach((at, rank) => (moved[at] = Math.max(places[at], rank ? moved[order[rank - 1]] + gap : low)));
  let limit = high;
  for (const at of order.toReversed()) {
    moved[at] = Math.min(moved[at], limit);
    limit = moved[at] - gap;
  }
  return moved;
}
