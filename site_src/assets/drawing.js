// Where the marks of a board's charts go; the same as generator/drawing.py. No score is computed here.
export const WIDTH = 240;
const HALF = WIDTH / 2;
const ROOM = 2;
export const RANGE = 64;

/** The median model: the middle one of those ranked, the better of two. */
export function reference(models) {
  const ranked = models.filter((model) => model.rank !== null);
  return ranked.length ? ranked[Math.floor((ranked.length - 1) / 2)] : null;
}

/** A bar for every ranked model: {ratio, segments: [{difference, x, width}]}, by model. */
export function bars(models, metrics) {
  const middle = reference(models);
  if (middle === null) return new Map();
  const ranked = models.filter((model) => model.rank !== null);
  const part = (model, name) => model.contributions[name] ?? 0;
  const rows = ranked.map((model) => metrics.map((name) => part(model, name) - part(middle, name)));
  const full = fullScale(rows.map(extent));
  return new Map(ranked.map((model, index) => [model.model, bar(rows[index], full)]));
}

function extent(row) {
  let lifted = 0;
  let lowered = 0;
  for (const difference of row) {
    if (difference > 0) lifted += difference;
    else lowered -= difference;
  }
  return Math.max(lifted, lowered);
}

function fullScale(extents) {
  const lengths = extents.filter((length) => length > 0).sort((a, b) => a - b);
  if (!lengths.length) return 0;
  return Math.min(lengths.at(-1), ROOM * lengths[Math.floor((lengths.length - 1) / 2)]);
}

function bar(row, full) {
  let ratio = 1;
  while (full > 0 && extent(row) > full * ratio * (1 + 1e-9)) ratio *= 2;
  const unit = full > 0 ? HALF / (full * ratio) : 0;
  let left = HALF;
  let right = HALF;
  const segments = row.map((difference) => {
    const width = Math.abs(difference) * unit;
    if (difference < 0) left -= width;
    const x = difference < 0 ? left : right;
    if (difference > 0) right += width;
    return { difference, x, width };
  });
  return { ratio, segments };
}

/** Smallest and largest value of a metric on the board, null without any. */
export function extremes(models, metric) {
  const known = models.map((model) => model.values[metric]).filter((value) => value !== null);
  if (!known.length) return null;
  return known.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** Where a value's dot goes on its metric's range. */
export function position(value, [low, high]) {
  return 4 + (high === low ? 0.5 : (value - low) / (high - low)) * (RANGE - 8);
}
