// Axes: from the values of a metric to places, with round numbers marked.
import { number } from "../base/formats.js";
import { extremes } from "./drawing.js";

/** @import { Tick } from "../../types" */

// A range that spans more than this is drawn in powers of ten.
const WIDE = 100;
// Room left at both ends, as a share of the range, so that no mark touches the frame.
const MARGIN = 0.04;

export class Axis {
  /**
   * `values` (NaN where missing) are laid out from pixel `start` to pixel `end`; marks are at least
   * `gap` pixels apart. `log` says whether places go by powers of ten.
   * @param {Iterable<number>} values @param {number} start @param {number} end
   * @param {{ gap?: number, margin?: number }} [options]
   */
  constructor(values, start, end, { gap = 80, margin = MARGIN } = {}) {
    const [low, high] = extremes(values) ?? [0, 1];
    this.log = low > 0 && high / low > WIDE;
    this.scale = this.log ? Math.log10 : (/** @type {number} */ value) => value;
    this.ends = widened(this.scale(low), this.scale(high), margin);
    this.start = start;
    this.end = end;
    this.most = Math.max(2, Math.floor(Math.abs(end - start) / gap));
  }

  /** The place of a value; NaN where it is missing. @param {number} value */
  at(value) {
    const [low, high] = this.ends;
    return this.start + ((this.scale(value) - low) / (high - low)) * (this.end - this.start);
  }

  /** The value at a place. @param {number} place */
  value(place) {
    const [low, high] = this.ends;
    const scaled = low + ((place - this.start) / (this.end - this.start)) * (high - low);
    return this.log ? 10 ** scaled : scaled;
  }

  /** Round numbers within the range, ascending. @returns {Tick[]} */
  ticks() {
    return this.log ? this.powers() : this.steps();
  }

  steps() {
    const [low, high] = this.ends;
    const step = roundStep((high - low) / this.most);
    const first = Math.ceil(low / step);
    const count = Math.min(Math.floor(high / step) - first, 2 * this.most);
    const values = Array.from({ length: Math.max(0, count + 1) }, (_, at) => (first + at) * step);
    return values.map((value) => ({ value, text: tickText(value, step) }));
  }

  powers() {
    const [low, high] = this.ends;
    const every = Math.max(1, Math.ceil((high - low) / this.most));
    const heads = high - low < this.most / 3 ? [1, 2, 5] : [1];
    const powers = Array.from({ length: Math.ceil(high - low) + 2 }, (_, at) => Math.floor(low) + at);
    return powers
      .filter((power) => power % every === 0)
      .flatMap((power) => heads.map((head) => head * 10 ** power))
      .filter((value) => Math.log10(value) >= low && Math.log10(value) <= high)
      .map((value) => ({ value, text: tickText(value, value) }));
  }
}

/** @param {number} low @param {number} high @param {number} margin @returns {[number, number]} */
function widened(low, high, margin) {
  if (high > low) return [low - (high - low) * margin, high + (high - low) * margin];
  const half = Math.abs(low) * 0.1 || 1;
  return [low - half, high + half];
}

/** The first of 1, 2, 5, 10 times a power of ten that is no less. @param {number} rough */
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 5, 10].map((head) => head * power);
  return steps.find((step) => step >= rough * (1 - 1e-9)) ?? 10 * power;
}

/** The power of ten of a positive number's first digit. @param {number} size */
function magnitude(size) {
  return Math.floor(Math.log10(size) + 1e-9);
}

/** A mark as it is written among marks that are `step` apart. @param {number} value @param {number} step */
function tickText(value, step) {
  const decimals = Math.max(0, -magnitude(step));
  const size = Math.abs(value);
  if (size < 1e9 && decimals <= 6) return number(value, decimals);
  if (size < step / 2) return "0";
  const digits = Math.max(0, magnitude(size) - magnitude(step));
  return value.toExponential(digits).replace("e+", "e");
}
