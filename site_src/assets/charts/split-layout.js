// Where the lines of models across splits go, and places that are kept apart.
import { Axis } from "./axes.js";
import { widthOf } from "./svg.js";

/** @import { AnswerRow, Point } from "../../types" */
/** The places of a model in the splits, null where one is empty. @typedef {(Point | null)[]} Line */

export const EDGE = { top: 40, bottom: 44 };
const HEIGHT = { least: 320, most: 460, share: 0.42 };
export const LINE = 16;
// Names at the right end, as wide as a share of the picture allows.
const NAMES = { share: 0.34, most: 200 };
const SIDE = 12;

export class SplitLayout {
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
