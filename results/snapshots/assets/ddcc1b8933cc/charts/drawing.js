// Where the marks of a board's charts go. No score is computed here.
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
const LAST = 56;

/**
 * The median model: the middle one of those ranked, the better of two; -1 where none is.
 * @param {Ranking} ranking
 */
export function median(ranking) {
  return ranking.ranked ? ranking.order[Math.floor((ranking.ranked - 1) / 2)] : -1;
}

/** Contribution bars of the models of a ranking, all at one scale. */
export class Bars {
  /**
   * `reference`: the index of the model that bars are differences from, or null for whole contributions.
   * @param {Pick<Ranking, "contributions" | "order" | "ranked">} ranking @param {number | null} reference
   */
  constructor(ranking, reference) {
    /** @type {Float64Array[]} */
    this.parts = ranking.contributions;
    this.reference = reference;
    this.row = new Float64Array(this.parts.length);
    this.full = 0;
    this.unit = 0;
    this.origin = 0;
    const ranked = ranking.order.subarray(0, ranking.ranked);
    if (reference === null) this.fit(ranked);
    else this.scale(ranked);
  }

  /** A model's bar: where its axis is, its segments, and the sums of what lowers and raises the score where that side
   * is longer than there is room for, else 0. @param {number} index */
  of(index) {
    const [gains, losses] = sides(this.read(index));
    const cut = [-this.cut(losses), this.cut(gains)];
    return { origin: this.origin, segments: this.segments(this.origin, this.unit), cut };
  }

  /** Differences: the longest fill half the width, unless they are far longer than the others.
   * @param {Uint32Array} ranked */
  scale(ranked) {
    this.full = fullScale(Float64Array.from(ranked, (index) => Math.max(...sides(this.read(index)))));
    this.unit = this.full > 0 ? HALF / this.full : 0;
    this.origin = HALF;
  }

  /** The length of a side if it is cut, else 0. @param {number} side */
  cut(side) {
    return side > this.full * (1 + 1e-9) ? side : 0;
  }

  /**
   * Whole contributions: the axis is where the most negative sum leaves room for it.
   * @param {Uint32Array} ranked
   */
  fit(ranked) {
    let [left, right] = [0, 0];
    for (const index of ranked) {
      const [gains, losses] = sides(this.read(index));
      right = Math.max(right, gains);
      left = Math.max(left, losses);
    }
    this.full = Infinity;
    this.unit = left + right > 0 ? WIDTH / (left + right) : 0;
    this.origin = left * this.unit;
  }

  /** The differences of a model, metric by metric. @param {number} index */
  read(index) {
    for (let at = 0; at < this.row.length; at++) {
      this.row[at] = this.part(at, index) - (this.reference === null ? 0 : this.part(at, this.reference));
    }
    return this.row;
  }

  /** @param {number} at @param {number} index */
  part(at, index) {
    return this.parts[at][index] || 0;
  }

  /** @param {number} origin @param {number} unit @returns {Segment[]} */
  segments(origin, unit) {
    let left = origin;
    let right = origin;
    return Array.from(this.row, (difference) => {
      const width = Math.abs(difference) * unit;
      if (difference < 0) left -= width;
      const x = difference < 0 ? left : right;
      if (difference > 0) right += width;
      const start = inside(x);
      return { difference, x: start, width: inside(x + width) - start };
    });
  }
}

/**
 * A bar without lengths: a polygon for each metric, the marks of its cuts, and its axis, in the middle.
 * @param {number[]} colours of the metrics
 */
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

/**
 * The corners of a segment, as a polygon has them; none where it is too narrow to be seen.
 * @param {Segment} segment
 */
export function corners({ x, width }) {
  const [left, right] = [x.toFixed(2), (x + width).toFixed(2)];
  return left === right ? "" : `${left},2 ${right},2 ${right},12 ${left},12`;
}

/** The sums of what is positive and of what is negative, both as lengths. @param {Float64Array} row */
function sides(row) {
  let [gains, losses] = [0, 0];
  for (const difference of row) {
    if (difference > 0) gains += difference;
    else losses -= difference;
  }
  return [gains, losses];
}

/** The length that fills half a bar: the upper quartile of those that are not zero. @param {Float64Array} extents */
function fullScale(extents) {
  const lengths = extents.filter((length) => length > 0).sort();
  return lengths.length ? lengths[Math.floor((3 * (lengths.length - 1)) / 4)] : 0;
}

/**
 * Smallest and largest of the values that are there (NaN where missing), null without any.
 * @param {Iterable<number>} values @returns {[number, number] | null}
 */
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

/** Which of the places of its metric's range is a value's: the style sheet has a class for each.
 * @param {number} value @param {[number, number]} range */
export function place(value, range) {
  return Math.floor(share(value, range) * LAST + 0.5);
}

/** @param {number} value @param {[number, number]} range */
function share(value, [low, high]) {
  return high === low ? 0.5 : (value - low) / (high - low);
}
