// Where the samples of models go: a strip for each model, marks stacked along the difficulty, those that it gets right
// upwards from a line, those that it gets wrong downwards. Where many want one place, marks move a little to its sides.
import { shade, SHADES } from "./difficulty-figure.js";
import { svg } from "./svg.js";

/** @import { Difficulties, Point, Points } from "../../types" */
/**
 * A dot or a cross, `at` its place among all marks: `side` is 0 above the line and 1 below it, `home` the column that its
 * first sample belongs to, `turn` how many marks want that column before it.
 * @typedef {{ at: number, side: number, home: number, turn: number, samples: number[], column: number, row: number,
 *   d: string }} SwarmMark
 */
/** One model's samples, `top` pixels from the top of the picture. @typedef {{ model: string, swarm: Swarm, top: number }} Strip */

// A mark that stands for fewer samples than others is smaller, but never smaller than this share of them.
const SMALLEST = 0.6;
// Samples share a mark, where marks stand for several, over this many columns.
const TOGETHER = 2;
// A mark moves at most this far, in pixels; one column aside costs as much as one row up.
const ASIDE = 24;
// How many rows and columns from the pointer marks are looked for.
const AROUND = neighbours(3);

/** The difficulties of all samples along `width` pixels, the split of least weight at the left. */
export class Course {
  /** `domain` is the lowest and the highest of the values; `flipped` puts the highest at the left.
   * @param {Difficulties} values @param {[number, number]} domain @param {boolean} flipped @param {number} width */
  constructor(values, domain, flipped, width) {
    this.domain = domain;
    this.flipped = flipped;
    this.width = width;
    /** NaN for a sample without difficulty. */
    this.values = Float64Array.from(values, (value) => value ?? NaN);
    const sign = flipped ? -1 : 1;
    /** The samples that have a difficulty, from the left to the right. */
    this.order = [...this.values.keys()]
      .filter((sample) => !Number.isNaN(this.values[sample]))
      .sort((a, b) => sign * (this.values[a] - this.values[b]) || a - b);
  }

  /** The place of a value. @param {number} value */
  at(value) {
    const [low, high] = this.domain;
    const share = (value - low) / (high - low);
    return this.width * (this.flipped ? 1 - share : share);
  }

  /** The value at a place; the other way round. @param {number} x */
  value(x) {
    const [low, high] = this.domain;
    const share = Math.min(1, Math.max(0, x / this.width));
    return low + (this.flipped ? 1 - share : share) * (high - low);
  }

  /** The split of a value between ascending thresholds: one at a threshold belongs above it.
   * @param {number} value @param {number[]} thresholds */
  split(value, thresholds) {
    return thresholds.filter((threshold) => (this.flipped ? threshold > value : threshold <= value)).length;
  }

  /** Places of ascending thresholds, from the left to the right. @param {number[]} thresholds */
  places(thresholds) {
    const places = thresholds.map((threshold) => Math.min(this.width, Math.max(0, this.at(threshold))));
    return this.flipped ? places.reverse() : places;
  }
}

/** The marks of one model: `size` pixels wide, each for `each` samples of one side and nearly one difficulty. */
export class Swarm {
  /** `answers` has a letter a sample, "1" for a right answer.
   * @param {Course} course @param {string} answers @param {number} size @param {number} each */
  constructor(course, answers, size, each) {
    this.course = course;
    this.size = size;
    this.each = each;
    this.columns = Math.max(1, Math.floor(course.width / size));
    this.heights = [0, 1].map(() => new Array(this.columns).fill(0));
    /** @type {SwarmMark[]} */
    this.marks = [];
    /** The mark of each sample that has a difficulty. @type {SwarmMark[]} */
    this.markOf = [];
    /** How many samples are right, and wrong. */
    this.counts = [0, 0];
    /** Marks by their cells. @type {Map<string, SwarmMark>} */
    this.cells = new Map();
    this.gather(answers);
    this.placeMarks();
    this.rows = this.heights.map((heights) => Math.max(...heights));
    /** Whether any mark is beside its own place. */
    this.aside = this.marks.some(({ home, column }) => home !== column);
    /** The height of the line in the strip. */
    this.base = 0;
    /** A path for each shade and side. @type {SVGPathElement[]} */
    this.paths = [];
  }

  /** Put the samples into marks, in the order of their difficulty. @param {string} answers */
  gather(answers) {
    /** The last mark of each side. @type {(SwarmMark | undefined)[]} */
    const last = [];
    const crowds = [0, 1].map(() => new Array(this.columns).fill(0));
    for (const sample of this.course.order) {
      const side = answers[sample] === "1" ? 0 : 1;
      const column = Math.floor(this.course.at(this.course.values[sample]) / this.size);
      const home = Math.min(this.columns - 1, Math.max(0, column));
      let mark = last[side];
      if (!mark || mark.samples.length >= this.each || home - mark.home > TOGETHER) {
        const turn = crowds[side][home]++;
        mark = { at: this.marks.length, side, home, turn, samples: [], column: home, row: 0, d: "" };
        this.marks.push(mark);
        last[side] = mark;
      }
      this.counts[side] += 1;
      mark.samples.push(sample);
      this.markOf[sample] = mark;
    }
  }

  /** Give every mark the lowest place near its home: the first of all columns, then the second, so that none drifts. */
  placeMarks() {
    for (const mark of [...this.marks].sort((one, other) => one.turn - other.turn)) {
      const { side, home, turn } = mark;
      const heights = this.heights[side];
      const first = turn % 2 ? 1 : -1;
      let least = heights[home];
      for (let away = 1; away <= Math.floor(ASIDE / this.size) && away < least; away += 1) {
        for (const next of [home + first * away, home - first * away]) {
          if (heights[next] + away < least) [mark.column, least] = [next, heights[next] + away];
        }
      }
      mark.row = heights[mark.column]++;
      this.cells.set(`${side} ${mark.column} ${mark.row}`, mark);
    }
  }

  /** Have the line at `base`, and draw the marks around it. @param {number} base */
  settle(base) {
    this.base = base;
    for (const mark of this.marks) {
      // How large a mark is among the others: by area, for as many samples as it has.
      const scale = Math.max(SMALLEST, Math.sqrt(mark.samples.length / this.each));
      const reach = (this.size / 2 - (mark.side ? 0.75 : 0.5)) * scale;
      mark.d = (mark.side ? cross : dot)(this.spot(mark), reach);
    }
  }

  /** The layer of all marks, its corner at a place of the picture. @param {number} left @param {number} top */
  layer(left, top) {
    const width = this.size > 5 ? 1.5 : 1.25;
    this.paths = Array.from({ length: SHADES }, (_, at) => `s${at + 1}`).flatMap((shade) =>
      ["swarm-right", "swarm-wrong"].map((side) =>
        svg("path", { class: `${shade} ${side}`, "stroke-width": width }),
      ),
    );
    return svg("g", { transform: `translate(${left} ${top})` }, ...this.paths);
  }

  /** Give marks the shades of the splits between these thresholds. @param {number[]} thresholds */
  colour(thresholds) {
    /** @type {string[][]} */
    const parts = this.paths.map(() => []);
    for (const { side, samples, d } of this.marks) {
      const split = this.course.split(this.course.values[samples[0]], thresholds);
      parts[2 * (shade(split, thresholds.length + 1) - 1) + side].push(d);
    }
    this.paths.forEach((path, at) => path.setAttribute("d", parts[at].join("")));
  }

  /** The middle of a mark within the strip. @param {SwarmMark} mark @returns {Point} */
  spot({ side, column, row }) {
    const away = (row + 0.5) * this.size + 1;
    return [(column + 0.5) * this.size, side ? this.base + away : this.base - away];
  }

  /** The samples of the mark nearest to a place of the strip; empty where none is near. @param {number} x @param {number} y */
  near(x, y) {
    const side = y > this.base ? 1 : 0;
    const column = Math.floor(x / this.size);
    const row = Math.max(0, Math.floor((Math.abs(y - this.base) - 1) / this.size));
    for (const [over, up] of AROUND) {
      const mark = this.cells.get(`${side} ${column + over} ${row + up}`);
      if (mark) return mark.samples;
    }
    return [];
  }
}

/** The cells around one, the nearest first, itself among them. @param {number} reach @returns {Point[]} */
function neighbours(reach) {
  const steps = Array.from({ length: 2 * reach + 1 }, (_, at) => at - reach);
  /** @type {Point[]} */
  const cells = steps.flatMap((over) => steps.map((up) => /** @type {Point} */ ([over, up])));
  return cells.sort((one, other) => Math.hypot(...one) - Math.hypot(...other));
}

/** @param {Point} middle @param {number} radius */
function dot([x, y], radius) {
  const [r, wide] = [radius.toFixed(2), (2 * radius).toFixed(2)];
  return `M${(x - radius).toFixed(2)} ${y}a${r} ${r} 0 1 0 ${wide} 0a${r} ${r} 0 1 0 -${wide} 0Z`;
}

/** @param {Point} middle @param {number} half */
function cross([x, y], half) {
  const [left, right] = [(x - half).toFixed(2), (x + half).toFixed(2)];
  const [upper, lower] = [(y - half).toFixed(2), (y + half).toFixed(2)];
  return `M${left} ${upper}L${right} ${lower}M${right} ${upper}L${left} ${lower}`;
}

// The strips of all models, all of one height, with marks as large as fits.

// Marks are as large as the room of a strip allows; the smallest still shows whether it is a dot or a cross.
const SIZES = [8, 6, 5];
const ROOM = { wide: 104, narrow: 64 };
const MANY = { models: 12, room: 56 };
// Names and counts are at the left of a strip, on a narrow screen above it.
const NARROW = 640;
const NAME_LINE = 24;
export const GUTTER = 176;
export const SIDE = 8;
// Above the strips: the ruler of the splits, where all models share it, with the knobs of the boundaries.
const HEAD = { ruler: 44, bare: 12 };
export const KNOBS = 22;
const LEAST = { up: 36, down: 20 };
const GAP = 16;
export const FOOT = 44;
/** @type {[number, number]} */
const WHOLE = [0, 1];

export class SwarmLayout {
  /**
   * `stretched`: the picture holds all difficulties from 0 to 1, even where those of the samples span less.
   * `ruled`: a ruler above the strips is true of all.
   * @param {Points} points @param {string[]} models @param {number} width
   * @param {{ flipped: boolean, stretched: boolean, ruled: boolean }} options
   */
  constructor({ difficulty, right }, models, width, { flipped, stretched, ruled }) {
    this.width = width;
    this.narrow = width < NARROW;
    this.left = this.narrow ? SIDE : GUTTER;
    this.ruled = ruled;
    const known = models.filter((model) => right[model]);
    const answers = known.map((model) => right[model]);
    const domain = stretched ? WHOLE : difficultyRange(difficulty);
    const make = (/** @type {Difficulties} */ values) =>
      new Course(values, domain, flipped, width - this.left - SIDE);
    const shared = Array.isArray(difficulty) ? make(difficulty) : null;
    const courses = known.map(
      (model) => shared ?? make(/** @type {Record<string, Difficulties>} */ (difficulty)[model]),
    );
    this.course = courses[0] ?? make([]);
    this.size = SIZES[0];
    this.each = 1;
    const swarms = this.fit(courses, answers);
    const [up, down] = rowsOf(swarms).map((count) => count * this.size + 2);
    /** How far the line of a strip is from its top, and how high a strip is. */
    this.base = this.narrow ? up : Math.max(LEAST.up, up);
    this.tallness = this.base + (this.narrow ? down : Math.max(LEAST.down, down));
    this.strips = known.map((model, at) => ({ model, swarm: swarms[at], top: this.top(at) }));
    for (const swarm of swarms) swarm.settle(this.base);
    this.height = this.top(known.length) - (this.narrow ? NAME_LINE : 0) + FOOT;
    /** How many models get each sample right. */
    this.agreed = Array.from(
      this.course.values,
      (_, sample) => answers.filter((one) => one[sample] === "1").length,
    );
    /** What the boundaries between splits cross. */
    this.area = { left: this.left, right: width, top: KNOBS, bottom: this.height - FOOT };
  }

  /** The largest marks with which every sample has its own, else the smallest, each for several samples.
   * @param {Course[]} courses @param {string[]} answers */
  fit(courses, answers) {
    const room = answers.length > MANY.models ? MANY.room : this.narrow ? ROOM.narrow : ROOM.wide;
    for (let at = 0; ;) {
      this.size = SIZES[at];
      const swarms = courses.map((course, model) => new Swarm(course, answers[model], this.size, this.each));
      const [up, down] = rowsOf(swarms);
      const over = ((up + down) * this.size) / room;
      if (over <= 1) return swarms;
      if (at < SIZES.length - 1) at += 1;
      // A part of the way to the number that seems to be needed, so that it is not passed.
      else this.each = Math.max(this.each + 1, Math.floor(this.each * over * 0.7));
    }
  }

  /** Where a strip begins. @param {number} at */
  top(at) {
    const name = this.narrow ? NAME_LINE : 0;
    return (this.ruled ? HEAD.ruler : HEAD.bare) + name + at * (this.tallness + GAP + name);
  }
}

/** The most rows of marks above the line, and below it; one at least. @param {Swarm[]} swarms */
function rowsOf(swarms) {
  return [0, 1].map((side) => Math.max(1, ...swarms.map(({ rows }) => rows[side])));
}

/** The tenths that hold all difficulties. @param {Points["difficulty"]} difficulty @returns {[number, number]} */
export function difficultyRange(difficulty) {
  const lists = Array.isArray(difficulty) ? [difficulty] : Object.values(difficulty);
  const values = lists.flat().filter((value) => value !== null);
  if (!values.length) return WHOLE;
  const [least, most] = values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [1, 0],
  );
  const [low, high] = [Math.floor(least * 10 + 1e-9) / 10, Math.ceil(most * 10 - 1e-9) / 10];
  return low < high ? [low, high] : WHOLE;
}
