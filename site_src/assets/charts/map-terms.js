// What a map of winners is of: how three metrics share their weight or, by trade-offs, how much of two metrics one unit
// of the base metric is worth. Both have the same methods.
import { percent, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { LARGEST } from "../view/fragment.js";
import { REACH, atPosition, offered, partsOf, positionOf, textOf } from "../view/trades.js";
import { question } from "../view/view.js";
import { widthOf } from "./svg.js";
import { MARKS, SquareGrid, SquarePicture, SquareShape } from "./trade-map.js";
import { Grid, TrianglePicture, TriangleShape, withinTriangle } from "./triangle-picture.js";

/** @import { BoardHost, MetricData, RankQuestion } from "../../types" */
/** @import { Scorer } from "../scorer/scorer.js" */
/** @import { Triple } from "./triangle-picture.js" */

/** @typedef {Pick<BoardHost, "data" | "view" | "offers">} MapPage */

/** Points of the triangle along a side, less one, and cells along one of the square: fewer on a board that takes Python
 * longer. */
const STEPS = { fine: 80, coarse: 40, many: 150 };
const CELLS = { fine: 81, coarse: 41, many: 40, few: 21 };
/** The arrow keys move this share. */
const KEY = 0.025;
/** Left and right trade the lower corners, up and down go to the top one and away from it.
 * @type {Record<string, Triple>} */
const TRIANGLE_STEPS = {
  ArrowLeft: [0, KEY, -KEY],
  ArrowRight: [0, -KEY, KEY],
  ArrowUp: [KEY, -KEY / 2, -KEY / 2],
  ArrowDown: [-KEY, KEY / 2, KEY / 2],
};
/** About a tenth more or less. @type {Record<string, [number, number]>} */
const SQUARE_STEPS = { ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, 2], ArrowDown: [0, -2] };
/** A knob that is dragged over the triangle goes by hundredths. */
const FINE = 100;

/** @typedef {{ nodes: any[], share: number }} Unsure */

/** @param {Grid | SquareGrid} grid @param {number[] | null} sure @returns {Unsure | null} */
function unsureOf(grid, sure) {
  /** @type {any[]} */
  const all = grid.nodes;
  const nodes = all.filter((_, at) => sure && !sure[at]);
  return sure && { nodes, share: grid.ground(nodes) };
}

/** A map of how three metrics share their weight: places are their shares, those of the top, the left, the right. */
export class WeightTerms {
  /** @param {MapPage} page */
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
   * meanwhile. @param {Scorer} scorer @returns {Promise<Unsure | null>} */
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
    const step = TRIANGLE_STEPS[key];
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

/** A map over what one unit of the base metric is worth of two other metrics: places are those of their sliders. */
export class TradeTerms {
  /** @param {MapPage} page */
  constructor(page) {
    this.page = page;
    this.view = page.view;
    this.grid = new SquareGrid(page.data.models.length > CELLS.many ? CELLS.coarse : CELLS.fine);
    /** Where the leader is certain takes Python much longer than who leads. */
    this.few = new SquareGrid(CELLS.few);
  }

  /** @param {string} name */
  say(name) {
    return text(`map-of-trades.${name}`);
  }

  /** Two metrics beside the base metric, across and up: those of the view, filled up with the board's. */
  get names() {
    const { now, defaults } = this.view;
    const all = this.page.data.metrics.map(({ name }) => name);
    const names = new Set([...now.corners, ...defaults.corners, ...all]);
    names.delete(now.base);
    return [...names].slice(0, 2);
  }

  /** @param {string} name */
  takes(name) {
    return name !== this.view.now.base;
  }

  /** Where the trade-offs are; a metric that does not count is where it counts least. @returns {number[]} */
  get place() {
    const { trades } = this.view.now;
    const at = (/** @type {string} */ name) =>
      name in trades ? positionOf(trades[name], this.page.offers[name]) : REACH;
    return this.names.map(at);
  }

  get middle() {
    return [0, 0];
  }

  /** The question of the newest view without the two trade-offs. @returns {RankQuestion} */
  get question() {
    const { now } = this.view;
    const others = Object.entries(now.trades).filter(([name]) => !this.names.includes(name));
    return question({ ...now, trades: Object.fromEntries(others) }, this.page.data.models);
  }

  /** @returns {unknown[]} */
  get key() {
    const { metrics: _, ...terms } = this.question;
    return [this.names, terms, this.names.map((name) => this.at(name, 0))];
  }

  /** The trade-off of a metric at a place of its axis, in the kind of unit that it has now. @param {string} name
   * @param {number} place */
  at(name, place) {
    const offer = this.page.offers[name];
    const { percent } = partsOf(this.view.now.trades[name] ?? offered(offer));
    return atPosition(place, percent, offer);
  }

  /** @param {Scorer} scorer */
  winners(scorer) {
    return scorer.winnersByTrades(this.question, this.names, this.amounts(this.grid));
  }

  /** @param {Scorer} scorer */
  async unsure(scorer) {
    const sure = await scorer.certainByTrades(this.question, this.names, this.amounts(this.few));
    return unsureOf(this.few, sure);
  }

  /** The trade-offs along both sides of a grid. @param {SquareGrid} grid */
  amounts({ places }) {
    return this.names.map((name) => places.map((place) => this.at(name, place)));
  }

  /** @param {number} width */
  shape(width) {
    const [, up] = this.names.map((name) => this.page.data.metrics.find((metric) => metric.name === name));
    return new SquareShape(width, up ? Math.max(...this.axis(up).marks.map((mark) => widthOf(mark))) : 0);
  }

  /** What an axis says: the unit is in its name, but for per cent. @param {MetricData} metric */
  axis({ name, label, amounts }) {
    const trades = MARKS.map((place) => partsOf(this.at(name, place)));
    const marks = trades.map(({ amount, percent }) => `${weight(amount)}${percent ? " %" : ""}`);
    const unit = trades[0].percent || !amounts ? "" : `, ${amounts}`;
    return { name: `${label}${unit}`, marks };
  }

  /** @param {SquareShape} shape @param {string[]} names @param {(model: number) => string} toneOf */
  picture(shape, names, toneOf) {
    return new SquarePicture(shape, [this.grid, this.few], names, toneOf, (metric) => this.axis(metric));
  }

  /** Make these the trade-offs, in the order of the metrics. @param {number[]} place */
  take(place) {
    const { trades } = this.view.now;
    const moved = new Map(this.names.map((name, at) => [name, this.at(name, place[at])]));
    const found = this.page.data.metrics.flatMap(({ name }) => {
      const trade = moved.get(name) ?? trades[name];
      return trade === undefined ? [] : [/** @type {const} */ ([name, trade])];
    });
    this.view.change({ trades: Object.fromEntries(found) });
  }

  /** @param {number[]} place @param {string} key */
  step([across, up], key) {
    const step = SQUARE_STEPS[key];
    return step ? [across + step[0], up + step[1]].map((at) => Math.max(-REACH, Math.min(REACH, at))) : null;
  }

  /** @param {number[]} place */
  rounded(place) {
    return place.map(Math.round);
  }

  /** @param {number[]} place */
  height([, up]) {
    return (up + REACH) / (2 * REACH);
  }

  /** @param {MetricData} metric @param {number} at @param {number[]} place */
  amount(metric, at, place) {
    return textOf(this.at(metric.name, Math.round(place[at])), metric);
  }
}
