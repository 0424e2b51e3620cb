// Where the marks of a board's charts go; the same as generator/views/drawing.py. No score is computed here.
export const WIDTH = 240;
const HALF = WIDTH / 2;
const ROOM = 2;
export const RANGE = 64;

/** The median model: the middle one of those ranked, the better of two; -1 where none is. */
export function median(ranking) {
  return ranking.ranked ? ranking.order[Math.floor((ranking.ranked - 1) / 2)] : -1;
}

/** Contribution bars of the models of a ranking, all at one scale. */
export class Bars {
  /** `reference`: the index of the model that bars are differences from, or null for whole contributions. */
  constructor(ranking, reference) {
    this.parts = ranking.contributions;
    this.reference = reference;
    this.row = new Float64Array(this.parts.length);
    const ranked = ranking.order.subarray(0, ranking.ranked);
    if (reference === null) this.fit(ranked);
    else this.full = fullScale(Array.from(ranked, (index) => this.extent(index)));
  }

  /** A model's bar: {ratio, origin, segments: [{difference, x, width}]}. */
  of(index) {
    this.read(index);
    if (this.reference === null) {
      return { ratio: 1, origin: this.origin, segments: this.segments(this.origin, this.unit) };
    }
    const ratio = this.ratio(index);
    const unit = this.full > 0 ? HALF / (this.full * ratio) : 0;
    return { ratio, origin: HALF, segments: this.segments(HALF, unit) };
  }

  /** Whole contributions: the axis lies where the most negative sum leaves room for it. */
  fit(ranked) {
    let lifted = 0;
    let lowered = 0;
    for (const index of ranked) {
      const [up, down] = sides(this.read(index));
      lifted = Math.max(lifted, up);
      lowered = Math.max(lowered, down);
    }
    this.unit = lifted + lowered > 0 ? WIDTH / (lifted + lowered) : 0;
    this.origin = lowered * this.unit;
  }

  /** How often a row far longer than the others is halved, as a power of two. */
  ratio(index) {
    const extent = this.extent(index);
    let ratio = 1;
    while (this.full > 0 && extent > this.full * ratio * (1 + 1e-9)) ratio *= 2;
    return ratio;
  }

  extent(index) {
    return Math.max(...sides(this.read(index)));
  }

  read(index) {
    for (let at = 0; at < this.row.length; at++) {
      this.row[at] = this.part(at, index) - (this.reference === null ? 0 : this.part(at, this.reference));
    }
    return this.row;
  }

  part(at, index) {
    return this.parts[at][index] || 0;
  }

  segments(origin, unit) {
    let left = origin;
    let right = origin;
    return Array.from(this.row, (difference) => {
      const width = Math.abs(difference) * unit;
      if (difference < 0) left -= width;
      const x = difference < 0 ? left : right;
      if (difference > 0) right += width;
      return { difference, x, width };
    });
  }
}

/** The corners of a segment, as a polygon has them; none where it is too narrow to be seen. */
export function corners({ x, width }) {
  const [left, right] = [x.toFixed(2), (x + width).toFixed(2)];
  return left === right ? "" : `${left},2 ${right},2 ${right},12 ${left},12`;
}

function sides(row) {
  let lifted = 0;
  let lowered = 0;
  for (const difference of row) {
    if (difference > 0) lifted += difference;
    else lowered -= difference;
  }
  return [lifted, lowered];
}

function fullScale(extents) {
  const lengths = extents.filter((length) => length > 0).sort((a, b) => a - b);
  if (!lengths.length) return 0;
  return Math.min(lengths.at(-1), ROOM * lengths[Math.floor((lengths.length - 1) / 2)]);
}

/** Smallest and largest of a metric's values, null without any. */
export function extremes(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** Where a value's dot goes on its metric's range. */
export function position(value, [low, high]) {
  return 4 + (high === low ? 0.5 : (value - low) / (high - low)) * (RANGE - 8);
}
