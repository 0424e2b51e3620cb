// Where a swarm of samples goes: a strip for each model, all of one height, with marks as large as fits.
import { number } from "../base/formats.js";
import { shade } from "./difficulty-figure.js";
import { label, path, strokes, STRONG, svg, widthOf } from "./svg.js";
import { Course, Swarm } from "./swarm.js";

/** @import { Difficulties, Point, Points } from "../../types" */
/** @import { Area } from "./bounds.js" */
/**
 * One model's samples, `top` pixels from the top of the picture.
 * @typedef {{ model: string, swarm: Swarm, top: number }} Strip
 */

// Marks are as large as the room of a strip allows; the smallest still shows whether it is a dot or a cross.
const SIZES = [8, 6, 5];
const ROOM = { wide: 104, narrow: 64 };
const MANY = { models: 12, room: 56 };
// Names and counts are at the left of a strip, on a narrow screen above it.
const NARROW = 640;
const NAME_LINE = 24;
const GUTTER = 176;
export const SIDE = 8;
// Above the strips: the ruler of the splits, where all models share it.
const HEAD = { ruler: 44, bare: 12 };
const KNOBS = 22;
const LEAST = { up: 36, down: 20 };
const GAP = 16;
const FOOT = 44;
// How far one step goes towards the number of samples per mark that seems to be needed.
const HASTE = 0.7;
// With this many times too many marks, the sizes in between are not tried.
const HOPELESS = 3;

export class SwarmLayout {
  /**
   * `stretched`: the picture holds all difficulties from 0 to 1, even where those of the samples span less.
   * `ruled`: a ruler above the strips is true of all.
   * @param {Points} points @param {string[]} models @param {number} width
   * @param {{ flipped: boolean, stretched: boolean, ruled: boolean }} options
   */
  constructor(points, models, width, { flipped, stretched, ruled }) {
    this.width = width;
    this.narrow = width < NARROW;
    this.left = this.narrow ? SIDE : GUTTER;
    this.ruled = ruled;
    const known = models.filter((model) => points.right[model]);
    const domain = stretched ? WHOLE : difficultyRange(points.difficulty);
    const across = width - this.left - SIDE;
    const make = (/** @type {Difficulties} */ values) => new Course(values, domain, flipped, across);
    const courses = coursesOf(points.difficulty, known, make);
    this.course = courses[0] ?? make([]);
    this.size = SIZES[0];
    this.each = 1;
    const answers = known.map((model) => points.right[model]);
    const swarms = this.fit(courses, answers);
    const [base, tallness] = this.heights(swarms);
    this.base = base;
    this.tallness = tallness;
    this.strips = known.map((model, at) => ({ model, swarm: swarms[at], top: this.top(at) }));
    this.height = this.top(known.length) - (this.narrow ? NAME_LINE : 0) + FOOT;
    /** How many models get each sample right. */
    this.agreed = agreement(this.course.values.length, answers);
    /** @type {Area} */
    this.area = { left: this.left, right: width, top: KNOBS, bottom: this.height - FOOT };
  }

  /**
   * The largest marks with which every sample has its own, else the smallest, each for several samples.
   * @param {Course[]} courses @param {string[]} answers
   */
  fit(courses, answers) {
    const room = answers.length > MANY.models ? MANY.room : this.narrow ? ROOM.narrow : ROOM.wide;
    const smallest = SIZES.length - 1;
    for (let at = 0; ;) {
      this.size = SIZES[at];
      const swarms = courses.map((course, model) => new Swarm(course, answers[model], this.size, this.each));
      const over = (sum(rowsOf(swarms)) * this.size) / room;
      if (over <= 1) return swarms;
      if (at < smallest) at = over > HOPELESS ? smallest : at + 1;
      else this.each = Math.max(this.each + 1, Math.floor(this.each * over * HASTE));
    }
  }

  /** How far the line of a strip is from its top, and how high a strip is. @param {Swarm[]} swarms */
  heights(swarms) {
    const [up, down] = rowsOf(swarms).map((count) => count * this.size + 2);
    const base = this.narrow ? up : Math.max(LEAST.up, up);
    return [base, base + (this.narrow ? down : Math.max(LEAST.down, down))];
  }

  /** Where a strip begins. @param {number} at */
  top(at) {
    const ruler = this.ruled ? HEAD.ruler : HEAD.bare;
    const name = this.narrow ? NAME_LINE : 0;
    return ruler + name + at * (this.tallness + GAP + name);
  }

  /**
   * Where a strip's canvas is in the picture, in shares of it: on paper all shrinks alike.
   * @param {Strip} strip
   */
  corner({ top }) {
    const share = (/** @type {number} */ length, /** @type {number} */ whole) => `${(100 * length) / whole}%`;
    return {
      left: share(this.left, this.width),
      top: share(top, this.height),
      width: share(this.course.width, this.width),
      height: share(this.tallness, this.height),
    };
  }

  /**
   * Places of ascending thresholds within the strips, from the left to the right.
   * @param {number[]} thresholds
   */
  places(thresholds) {
    const { course } = this;
    const places = thresholds.map((threshold) => Math.min(course.width, Math.max(0, course.at(threshold))));
    return course.flipped ? places.reverse() : places;
  }
}

/** @type {[number, number]} */
const WHOLE = [0, 1];

/**
 * The course of each model's samples; one for all where they share their difficulties.
 * @param {Points["difficulty"]} difficulty @param {string[]} models
 * @param {(values: Difficulties) => Course} make
 */
function coursesOf(difficulty, models, make) {
  if (!Array.isArray(difficulty)) return models.map((model) => make(difficulty[model]));
  const course = make(difficulty);
  return models.map(() => course);
}

/** The most rows of marks above the line, and below it; one at least. @param {Swarm[]} swarms */
function rowsOf(swarms) {
  return [0, 1].map((side) => Math.max(1, ...swarms.map(({ rows }) => rows[side])));
}

/** How many models get each of the samples right. @param {number} samples @param {string[]} answers */
function agreement(samples, answers) {
  return Array.from({ length: samples }, (_, sample) => answers.filter((one) => one[sample] === "1").length);
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Difficulties as lists: one for all models, or one a model. @param {Points["difficulty"]} difficulty */
function listsOf(difficulty) {
  return Array.isArray(difficulty) ? [difficulty] : Object.values(difficulty);
}

/**
 * The tenths that hold all difficulties.
 * @param {Points["difficulty"]} difficulty @returns {[number, number]}
 */
export function difficultyRange(difficulty) {
  let [least, most] = WHOLE.toReversed();
  for (const value of listsOf(difficulty).flat()) {
    if (value === null) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const [low, high] = [Math.floor(least * 10 + 1e-9) / 10, Math.ceil(most * 10 - 1e-9) / 10];
  return low < high ? [low, high] : WHOLE;
}

/**
 * Whether two sets of points are at the same places: other splits alone move none.
 * @param {Points} one @param {Points} other
 */
export function samePlaces(one, other) {
  if (one === other) return true;
  const [lists, others] = [listsOf(one.difficulty), listsOf(other.difficulty)];
  return (
    lists.length === others.length &&
    lists.every((list, at) => sameNumbers(list, others[at])) &&
    Object.entries(one.right).every(([model, answers]) => other.right[model] === answers)
  );
}

/** @param {Difficulties} one @param {Difficulties} other */
function sameNumbers(one, other) {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

// What is drawn over the canvases of a swarm: names, lines, the axis, and the ruler of the splits.

// Room of a number on the axis.
const TICK = 40;

/**
 * The line of a strip, its model's name and counts.
 * @param {SwarmLayout} layout @param {Strip} strip @param {string} name
 */
export function stripWriting(layout, { swarm, top }, name) {
  const [right, wrong] = swarm.counts.map((count) => number(count, 0));
  const line = top + layout.base;
  const ends = /** @type {Point[]} */ ([layout.left, layout.width - SIDE].map((x) => [x, line]));
  const rule = svg("path", { class: "rule", d: path(ends) });
  const writing = layout.narrow
    ? writingAbove(layout, name, `● ${right}  × ${wrong}`, top - 8)
    : writingBeside(name, [`● ${right} right`, `× ${wrong} wrong`], line);
  return [rule, ...writing];
}

/** @param {string} name @param {string[]} counts @param {number} line */
function writingBeside(name, [right, wrong], line) {
  return [
    label(name, { class: "strip-name", x: 0, y: line - 20 }, GUTTER - 16, STRONG),
    svg("text", { class: "tick", x: 0, y: line - 3 }, right),
    svg("text", { class: "tick", x: 0, y: line + 14 }, wrong),
  ];
}

/** @param {SwarmLayout} layout @param {string} name @param {string} counts @param {number} y */
function writingAbove({ width }, name, counts, y) {
  return [
    label(name, { class: "strip-name", x: SIDE, y }, width - widthOf(counts) - 32, STRONG),
    svg("text", { class: "tick", x: width - SIDE, y, "text-anchor": "end" }, counts),
  ];
}

/**
 * The axis under the strips; `ends` are what its ends are.
 * @param {SwarmLayout} layout @param {string} title @param {[string, string]} ends
 */
export function swarmAxis(layout, title, [first, last]) {
  const { left, course } = layout;
  const y = layout.height - FOOT + 38;
  const middle = { x: left + course.width / 2, y, "text-anchor": "middle" };
  const end = { x: layout.width - SIDE, y, "text-anchor": "end" };
  return [
    ...axisTicks(layout),
    svg("text", { class: "better", x: left, y }, `← ${first}`),
    svg("text", { class: "axis-title", ...middle }, title),
    svg("text", { class: "better", ...end }, `${last} →`),
  ];
}

/** A number at every tenth, or every other one. @param {SwarmLayout} layout */
function axisTicks(layout) {
  const { course } = layout;
  const [low, high] = course.domain;
  const steps = Math.round((high - low) * 10);
  const every = course.width / steps < TICK ? 2 : 1;
  const values = Array.from({ length: Math.floor(steps / every) + 1 }, (_, at) => low + (at * every) / 10);
  return values.map((value) => axisTick(layout, value));
}

/** @param {SwarmLayout} layout @param {number} value */
function axisTick({ width, height, left, course }, value) {
  const text = number(value, 1);
  const half = widthOf(text) / 2;
  const x = Math.min(width - half, Math.max(half, left + course.at(value)));
  return svg("text", { class: "tick", x, y: height - FOOT + 16, "text-anchor": "middle" }, text);
}

/**
 * The colours of the splits above the strips, `numbered` where there is room.
 * @param {SwarmLayout} layout @param {number[]} thresholds @param {boolean} numbered
 */
export function swarmRuler(layout, thresholds, numbered) {
  const edges = [0, ...layout.places(thresholds), layout.course.width];
  return edges.slice(1).flatMap((to, at) => {
    const [from, width] = [layout.left + edges[at], Math.max(0, to - edges[at])];
    const style = `s${shade(at, edges.length - 1)}`;
    const band = svg("rect", { class: style, x: from, y: KNOBS - 3, width, height: 6 });
    const middle = { x: from + width / 2, y: 12, "text-anchor": "middle" };
    return numbered && width > 14
      ? [band, svg("text", { class: "tick", ...middle }, String(at + 1))]
      : [band];
  });
}

/**
 * A strip's own boundaries, as ticks across its line.
 * @param {SwarmLayout} layout @param {Strip} strip @param {number[]} thresholds
 */
export function boundaryTicks(layout, { top }, thresholds) {
  const line = top + layout.base;
  /** @type {[Point, Point][]} */
  const ticks = layout.places(thresholds).map((place) => {
    const x = layout.left + place;
    return [
      [x, line - 7],
      [x, line + 7],
    ];
  });
  return svg("path", { class: "bound-tick", d: strokes(ticks) });
}
