// How every model does in each split alone: an axis a split, the easiest at the left, a line a model, its
// name at the end.
import { number } from "../base/formats.js";
import { Figure, shade } from "./difficulty-figure.js";
import { numberOrDash, Pointer } from "./panel.js";
import { distance } from "./parallel-layout.js";
import { Axis, label, path, picture, strokes, STRONG, svg, tagClass, widthOf } from "./svg.js";

/** @import { AnswerRow, Card, ChartTable, DifficultyHost, Point } from "../../types" */
/**
 * A name at the right end of a line.
 * @typedef {{ end: Point, name: string, style: string, score: number, strong: boolean }} LineName
 */

// A name is followed by its score in the last split, where both have this room.
const BOTH = 120;
const REACH = 16;
const DECIMALS = 1;
const KEYS = "Models by split: arrow keys go from one to the next, Enter points one out";

export class SplitLines extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "splits", KEYS);
    /** The models that have splits. @type {AnswerRow[]} */
    this.rows = [];
    this.layout = new SplitLayout([], 0);
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(this.frame, this);
  }

  paint() {
    const { answer } = this.given;
    this.rows = answer.models.filter(({ splits }) => splits.some(({ score }) => score !== null));
    this.layout = new SplitLayout(this.rows, this.width);
    const finding = this.words.splits;
    if (!this.rows.length) {
      this.panel.decline(finding);
      return;
    }
    this.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.layout.height, finding, ...this.layers()));
    const remarks = [
      `Each axis is one split, the ${this.words.ends[0]} at the left; scores count that split alone, so weights do not move them.`,
      answer.splits ? "" : "Every model has splits of its own.",
      this.range(0) ? "Under an axis: the difficulties B that it holds." : "",
      this.gaps ? "Where a split is empty the line has a gap." : "",
    ];
    this.panel.say(finding, remarks, () => this.numbers());
  }

  /** @returns {ChartTable} */
  numbers() {
    const heads = this.layout.means.map((_, split) => `Split ${split + 1}`);
    const rows = this.rows.map((row) => [
      this.page.label(row.model),
      ...row.splits.map(({ score }) => number(score, DECIMALS)),
    ]);
    return { heads: ["Model", ...heads], rows };
  }

  /** Whether a line has a gap. */
  get gaps() {
    return this.layout.lines.some((line) => line.some((spot) => !spot));
  }

  layers() {
    const { lines, means } = this.layout;
    const first = this.rows.findIndex((row) => row === this.pointed);
    const quiet = lines.filter((_, at) => at !== first);
    return [
      ...this.grid(),
      ...means.flatMap((_, split) => this.axis(split)),
      svg("g", { class: "lines" }, ...quiet.map((line) => svg("path", { d: path(line) }))),
      ...(this.hasMean ? [svg("path", { class: "line mean", d: path(this.meanLine) })] : []),
      ...(first < 0 ? [] : this.highlight(lines[first])),
      this.lit,
      ...this.names(first),
    ];
  }

  get hasMean() {
    return this.rows.length > 2;
  }

  get meanLine() {
    return this.layout.line(this.layout.means);
  }

  grid() {
    const { left, right, y } = this.layout;
    const ticks = y.ticks().map(({ value, text }) => ({ at: y.at(value), text }));
    /** @type {[Point, Point][]} */
    const lines = ticks.map(({ at }) => [
      [left, at],
      [right, at],
    ]);
    const texts = ticks.map(({ at, text }) =>
      svg("text", { class: "tick", x: left - 8, y: at + 4, "text-anchor": "end" }, text),
    );
    const title = svg("text", { class: "better", x: 0, y: 14 }, "Score, %");
    return [svg("path", { class: "grid", d: strokes(lines) }), ...texts, title];
  }

  /**
   * The axis of a split: its number and colour on top, what it holds at the bottom where there is room.
   * @param {number} split
   */
  axis(split) {
    const { height, count } = this.layout;
    const x = this.layout.standing(split);
    const bottom = height - EDGE.bottom;
    const middle = { x, "text-anchor": "middle" };
    const key = { x: x - 8, y: EDGE.top - 9, width: 16, height: 6, rx: 2 };
    return [
      svg("path", {
        class: "rule",
        d: strokes([
          [
            [x, EDGE.top],
            [x, bottom],
          ],
        ]),
      }),
      svg("rect", { class: `s${shade(split, count)}`, ...key }),
      svg("text", { class: "axis-title", ...middle, y: EDGE.top - 14 }, String(split + 1)),
      svg("text", { class: "tick", ...middle, y: bottom + 16 }, this.range(split)),
      this.endWord(split, x, bottom + 34),
    ];
  }

  /**
   * What the first and the last split are; nothing under the others.
   * @param {number} split @param {number} x @param {number} y
   */
  endWord(split, x, y) {
    const [first, last] = this.words.ends;
    const word = split === 0 ? first : split === this.layout.count - 1 ? last : "";
    const close = split === 0 && this.layout.standing(1) - x < 60;
    const place = close ? { x: x - 8, "text-anchor": "start" } : { x, "text-anchor": "middle" };
    return svg("text", { class: "better", ...place, y }, word);
  }

  /**
   * What a split holds, "0.82–0.97"; nothing where models have splits of their own, or no room.
   * @param {number} split
   */
  range(split) {
    const { low = null, high = null } = this.given.answer.splits?.[split] ?? {};
    if (low === null) return "";
    const text = `${number(low)}–${number(high)}`;
    return widthOf(text) + 8 > this.layout.gap ? "" : text;
  }

  /** The line of the highlighted model. @param {Line} line */
  highlight(line) {
    const dots = line.map(
      (spot) => spot && svg("circle", { class: "pointed-dot", cx: spot[0], cy: spot[1], r: 4 }),
    );
    return [svg("path", { class: "line led", d: path(line) }), ...dots.filter((dot) => dot !== null)];
  }

  /**
   * Names at the right end, moved apart, each tied to its line by a hair.
   * @param {number} first the position of the highlighted model
   */
  names(first) {
    const names = [...this.rows.map((_, at) => this.nameOfLine(at, at === first)), this.nameOfMean];
    const known = names.filter((name) => name !== null);
    const places = keptApart(
      known.map(({ end }) => end[1]),
      LINE,
      EDGE.top - 8,
      this.layout.height - 8,
    );
    return known.flatMap((name, at) => [this.hair(name.end, places[at]), this.nameTag(name, places[at] + 4)]);
  }

  /** @param {number} at @param {boolean} strong @returns {LineName | null} */
  nameOfLine(at, strong) {
    const end = endOf(this.layout.lines[at]);
    const name = this.page.label(this.rows[at].model);
    return end && { end, name, style: tagClass(strong), score: lastScore(this.rows[at]), strong };
  }

  /** @returns {LineName | null} */
  get nameOfMean() {
    const end = this.hasMean ? endOf(this.meanLine) : null;
    const score = this.layout.means.at(-1) ?? NaN;
    return end && { end, name: "mean", style: "name-tag of-mean", score, strong: false };
  }

  /** @param {Point} from @param {number} y */
  hair([x, from], y) {
    const { right } = this.layout;
    const points = /** @type {Point[]} */ ([
      [x + 6, from],
      [right + 4, y],
      [right + 10, y],
    ]);
    return svg("path", { class: "hair", d: path(points) });
  }

  /** @param {LineName} name @param {number} y */
  nameTag({ name, style, score, strong }, y) {
    const text = numberOrDash(score, DECIMALS);
    const x = this.layout.right + 14;
    const room = this.width - x;
    const both = room > BOTH;
    const left = both ? room - 8 - widthOf(text, STRONG) : room;
    const written = label(name, { class: style, x, y }, left, strong ? STRONG : undefined);
    if (!both) return svg("g", {}, written);
    return svg("g", {}, written, svg("text", { class: style, x: this.width, y, "text-anchor": "end" }, text));
  }

  // Answers to the pointer; a mark is a model's position in `rows`.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const distances = this.layout.lines.map((line) => distance(line, [x, y]));
    const least = Math.min(...distances);
    return least < REACH ? distances.indexOf(least) : null;
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
    this.lit.setAttribute("d", at === null ? "" : path(this.layout.lines[at] ?? []));
  }

  /** @param {number} at @param {Point | null} place @returns {Card} */
  card(at, place) {
    const [x, y] = place ?? this.layout.lines[at].find((spot) => spot !== null) ?? [0, 0];
    const { model, splits } = this.rows[at];
    const lines = splits.map(
      ({ score, examples }, split) => `split ${split + 1}: ${number(score, DECIMALS)} % of ${examples}`,
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

/** A model's score in the last split; NaN where that is empty. @param {AnswerRow} row */
function lastScore({ splits }) {
  return splits.at(-1)?.score ?? NaN;
}

// Where the lines of models across splits go, and places that are kept apart.

/** The places of a model in the splits, null where one is empty. @typedef {(Point | null)[]} Line */

export const EDGE = { top: 40, bottom: 44 };
const HEIGHT = { least: 320, most: 460, share: 0.42 };
export const LINE = 16;
// Names at the right end, as wide as a share of the picture allows.
const NAMES = { share: 0.34, most: 200 };
const SIDE = 12;

class SplitLayout {
  /** `rows` have splits, all of them as many. @param {AnswerRow[]} rows @param {number} width */
  constructor(rows, width) {
    this.width = width;
    this.count = rows[0]?.splits.length ?? 0;
    this.height = heightFor(rows.length, width);
    const scores = rows.map(({ splits }) => splits.map(({ score }) => score ?? NaN));
    this.y = new Axis(scores.flat(), this.height - EDGE.bottom, EDGE.top, { gap: 48 });
    this.left = SIDE + Math.max(0, ...this.y.ticks().map(({ text }) => widthOf(text)));
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

  /** Pixels from one axis to the next. */
  get gap() {
    return this.count > 1 ? this.standing(1) - this.standing(0) : Infinity;
  }
}

/** @param {number} rows @param {number} width */
function heightFor(rows, width) {
  const room = Math.max(width * HEIGHT.share, EDGE.top + EDGE.bottom + (rows + 1) * LINE);
  return Math.max(HEIGHT.least, Math.min(room, Math.max(HEIGHT.most, rows * LINE + 100)));
}

/** The mean of the values that are there; NaN without any. @param {number[]} values */
function mean(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN;
}

/**
 * `places` moved so that they are `gap` apart and between `low` and `high`, in the order they have.
 * @param {number[]} places @param {number} gap @param {number} low @param {number} high
 */
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
