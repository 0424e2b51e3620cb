// Where the marks of a board's table go. No score is computed here.
import { drawn } from "../base/elements.js";

/** @import { Ranking } from "../scorer/ranking.js" */

/**
 * One metric's part of a bar: right of the bar's origin where it is positive, left where it is negative.
 * @typedef {{ difference: number, x: number, width: number }} Segment
 */

export const WIDTH = 240;
const HALF = WIDTH / 2;
/** The corners of the marks at either end that say that a bar is cut. */
const CUTS = ["8,0 14,0 10,14 4,14", "230,0 236,0 232,14 226,14"];
/** Width of a whisker. */
export const RANGE = 64;
/** The last place of a dot on the range of its metric, one pixel from the place before. */
export const LAST = 56;

/** The median model: the middle one of those ranked, the better of two; -1 where none is. @param {Ranking} ranking */
export function median(ranking) {
  return ranking.ranked ? ranking.order[Math.floor((ranking.ranked - 1) / 2)] : -1;
}

/** Contribution bars of the models of a ranking, all at one scale. */
export class Bars {
  /** `reference`: the index of the model that bars are differences from, or null for whole contributions.
   * @param {Pick<Ranking, "contributions" | "order" | "ranked">} ranking @param {number | null} reference */
  constructor({ contributions, order, ranked }, reference) {
    this.parts = contributions;
    this.reference = reference;
    const all = Array.from(order.subarray(0, ranked), (index) => sides(this.row(index)));
    if (reference === null) {
      // Whole contributions all fit; the axis is where the most negative sum leaves room for it.
      const [right, left] = [0, 1].map((side) => Math.max(0, ...all.map((lengths) => lengths[side])));
      this.full = Infinity;
      this.unit = left + right > 0 ? WIDTH / (left + right) : 0;
      this.origin = left * this.unit;
    } else {
      // The longest differences fill half the width, unless they are far longer than the others.
      const lengths = all.map((pair) => Math.max(...pair)).filter((length) => length > 0);
      lengths.sort((one, other) => one - other);
      this.full = lengths[Math.floor((3 * (lengths.length - 1)) / 4)] ?? 0;
      this.unit = this.full > 0 ? HALF / this.full : 0;
      this.origin = HALF;
    }
  }

  /** The differences of a model, metric by metric. @param {number} index */
  row(index) {
    const { reference } = this;
    return this.parts.map((part) => (part[index] || 0) - (reference === null ? 0 : part[reference] || 0));
  }

  /** A model's bar: where its axis is, its segments, and the sums of what lowers and raises the score where that side
   * is longer than there is room for, else 0. @param {number} index */
  of(index) {
    const row = this.row(index);
    const [gains, losses] = sides(row).map((side) => (side > this.full * (1 + 1e-9) ? side : 0));
    let [left, right] = [this.origin, this.origin];
    /** @type {Segment[]} */
    const segments = row.map((difference) => {
      const width = Math.abs(difference) * this.unit;
      if (difference < 0) left -= width;
      const x = difference < 0 ? left : right;
      if (difference > 0) right += width;
      return { difference, x: inside(x), width: inside(x + width) - inside(x) };
    });
    return { origin: this.origin, segments, cut: [-losses, gains] };
  }
}

/** A bar without lengths: a polygon for each metric, the marks of its cuts, and its axis, in the middle.
 * @param {number[]} colours of the metrics */
export function emptyBar(colours) {
  const frame = { class: "bar", viewBox: `0 0 ${WIDTH} 14`, preserveAspectRatio: "none", role: "img" };
  const parts = colours.map((colour) => drawn("polygon", { class: `m${colour}` }));
  const cuts = CUTS.map(() => drawn("polygon", { class: "cut" }));
  return drawn("svg", frame, ...parts, ...cuts, drawn("line", { x1: HALF, y1: 0, x2: HALF, y2: 14 }));
}

/** The corners of the mark at either end of a bar; none where it is not cut there. @param {number[]} cut */
export function cutMarks(cut) {
  return CUTS.map((points, end) => (cut[end] ? points : ""));
}

/** The nearest place within the width. @param {number} x */
function inside(x) {
  return Math.min(Math.max(x, 0), WIDTH);
}

/** The corners of a segment, as a polygon has them; none where it is too narrow to be seen. @param {Segment} segment */
export function corners({ x, width }) {
  const [left, right] = [x.toFixed(2), (x + width).toFixed(2)];
  return left === right ? "" : `${left},2 ${right},2 ${right},12 ${left},12`;
}

/** The sums of what is positive and of what is negative, both as lengths. @param {number[]} row */
function sides(row) {
  return [1, -1].map((sign) => row.reduce((sum, part) => sum + Math.max(0, sign * part), 0));
}

/** Smallest and largest of the values that are there (NaN where missing), null without any.
 * @param {Iterable<number>} values @returns {[number, number] | null} */
export function extremes(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** Where a value's dot goes on a whisker. @param {number} value @param {[number, number]} range */
export function position(value, range) {
  return 4 + share(value, range) * (RANGE - 8);
}

/** How far along its range a value is, from 0 to 1; in the middle of an empty one.
 * @param {number} value @param {[number, number]} range */
export function share(value, [low, high]) {
  return high === low ? 0.5 : (value - low) / (high - low);
}
