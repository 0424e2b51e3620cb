// What the map of winners in a triangle is of: how three metrics share their weight. TradeTerms has the same methods.
import { percent } from "../base/formats.js";
import { text } from "../base/texts.js";
import { LARGEST } from "../view/fragment.js";
import { question } from "../view/view.js";
import { Grid, TrianglePicture, TriangleShape, withinTriangle } from "./triangle-picture.js";
import { unsureOf } from "./winner-map.js";

/** @import { BoardHost, MetricData, RankQuestion } from "../../types" */
/** @import { Scorer } from "../scorer/scorer.js" */
/** @import { Triple } from "./triangle-picture.js" */

/** Points of the triangle along a side, less one: fewer on a board that takes Python longer. */
const STEPS = { fine: 80, coarse: 40, many: 150 };
/** The arrow keys move this share. */
const KEY = 0.025;
/** Left and right trade the lower corners, up and down go to the top one and away from it.
 * @type {Record<string, Triple>} */
const KEY_STEPS = {
  ArrowLeft: [0, KEY, -KEY],
  ArrowRight: [0, -KEY, KEY],
  ArrowUp: [KEY, -KEY / 2, -KEY / 2],
  ArrowDown: [-KEY, KEY / 2, KEY / 2],
};
/** A knob that is dragged over the triangle goes by hundredths. */
const FINE = 100;

/** A map of how three metrics share their weight: places are their shares, those of the top, the left, the right. */
export class WeightTerms {
  /** @param {Pick<BoardHost, "data" | "view">} page */
  constructor({ data, view }) {
    this.data = data;
    this.view = view;
    this.grid = new Grid(data.models.length > STEPS.many ? STEPS.coarse : STEPS.fine);
  }

  /** A fixed text about it. @param {string} name */
  say(name) {
    return text(`triangle.${name}`);
  }

  /** Names of the three metrics: those of the view, filled up with the board's own. */
  get names() {
    const names = [...this.view.now.corners, ...this.view.defaults.corners];
    return [...new Set(names)].slice(0, 3);
  }

  /** Whether the map can be of a metric. @param {string} name */
  takes(name) {
    return name in this.view.now.metrics;
  }

  /** What the three weigh now. */
  get weights() {
    return this.names.map((name) => this.view.now.metrics[name]);
  }

  /** Shares of the three among themselves; null while none of them weighs anything. @returns {Triple | null} */
  get place() {
    const [a, b, c] = this.weights;
    const total = a + b + c;
    return total ? [a / total, b / total, c / total] : null;
  }

  /** Where the knob is while the three weigh nothing. @returns {Triple} */
  get middle() {
    return [1 / 3, 1 / 3, 1 / 3];
  }

  /** The question of the newest view, which the ranking may not answer yet. @returns {RankQuestion} */
  get question() {
    return question(this.view.now, this.data.models);
  }

  /** What the map depends on: everything but how the three share their weight. @returns {unknown[]} */
  get key() {
    const { metrics, ...terms } = this.question;
    const others = Object.entries(metrics).filter(([name]) => !this.names.includes(name));
    return [this.names, others, sum(this.weights).toPrecision(4), terms];
  }

  /** @param {Scorer} scorer */
  winners(scorer) {
    return scorer.triangle(this.question, this.names, this.grid.steps);
  }

  /** The points where the leader is not certain, and the part of the map that they are; null where a ranking was asked for
   * meanwhile. @param {Scorer} scorer */
  async unsure(scorer) {
    return unsureOf(this.grid, await scorer.certain(this.question, this.names, this.grid.steps));
  }

  /** @param {number} width */
  shape(width) {
    return new TriangleShape(width);
  }

  /** @param {TriangleShape} shape @param {string[]} names @param {(model: number) => string} toneOf */
  picture(shape, names, toneOf) {
    return new TrianglePicture(shape, this.grid, names, toneOf);
  }

  /** Give the three these shares of what they weigh together; a locked one keeps its own. @param {Triple} shares */
  take(shares) {
    const { view } = this;
    const total = sum(this.weights) || 1;
    const locks = this.names.map((name) => view.now.lockedMetrics.includes(name));
    const kept = this.place ? withLocked(shares, this.place, locks) : shares;
    const weights = kept.map((share) => Math.min(LARGEST, Number((share * total).toPrecision(6))));
    const changed = Object.fromEntries(this.names.map((name, at) => [name, weights[at]]));
    view.change({ metrics: { ...view.now.metrics, ...changed } });
  }

  /** The shares that are one press of a key further; null for another key. @param {Triple} shares @param {string} key */
  step([a, b, c], key) {
    const step = KEY_STEPS[key];
    return step ? withinTriangle([a + step[0], b + step[1], c + step[2]]) : null;
  }

  /** @param {Triple} shares @returns {Triple} */
  rounded(shares) {
    const [a, b] = shares.map((share) => Math.round(share * FINE) / FINE);
    return [a, b, Math.max(0, 1 - a - b)];
  }

  /** How far a place is up, from 0 to 1. @param {Triple} shares */
  height([top]) {
    return top;
  }

  /** What a metric has at a place. @param {MetricData} _metric @param {number} at its corner @param {Triple} shares */
  amount(_metric, at, shares) {
    return percent(shares[at], 0);
  }
}

/** Shares of three where the locked ones stay as they are `now`; the others keep their proportions in the rest.
 * @param {Triple} shares @param {Triple} now @param {boolean[]} locks @returns {Triple} */
export function withLocked(shares, now, locks) {
  const held = sum(now.filter((_, at) => locks[at]));
  const free = sum(shares.filter((_, at) => !locks[at]));
  if (!held) return shares;
  if (!free) return now;
  const [a, b, c] = shares.map((share, at) => (locks[at] ? now[at] : (share / free) * (1 - held)));
  return [a, b, c];
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
