// A map over two trade-offs: how much of one metric one unit of the base metric is worth goes across, how much of another
// goes up, both by powers of ten. Places are those of sliders, from -REACH to REACH.
import { weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { REACH, atPosition, offered, partsOf, positionOf, textOf } from "../view/trades.js";
import { question } from "../view/view.js";
import { colourKey, label, STRONG, svg, widthOf } from "./svg.js";
import { runsOf, unsureOf } from "./winner-map.js";

/** @import { BoardHost, MetricData, Point, RankQuestion } from "../../types" */
/** @import { Scorer } from "../scorer/scorer.js" */
/** @import { Region } from "./winner-map.js" */
/** A cell of the map: its column from the left and its row from below. @typedef {[number, number]} Cell */
/** @typedef {Pick<BoardHost, "data" | "view" | "offers">} TradesPage */

const LARGEST_SIDE = 420;
const EDGE = { right: 24, top: 30, bottom: 56 };
/** Between the marks of an axis and the square, and between two of them. */
const GAP = 8;
/** Places with a mark on an axis. */
const MARKS = [-REACH, -REACH / 2, 0, REACH / 2, REACH];
/** Cells along a side: fewer on a board that takes Python longer. */
const CELLS = { fine: 81, coarse: 41, many: 40, few: 21 };
/** About a tenth more or less. @type {Record<string, [number, number]>} */
const KEY_STEPS = { ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, 2], ArrowDown: [0, -2] };
/** A region whose broadest row is narrower, in pixels, or that has fewer rows, has no name in it. */
const NARROW = 56;
const LOW = 3;

/** @param {number} value */
function within(value) {
  return Math.max(-REACH, Math.min(REACH, value));
}

/** A square as large as fits: from places to pixels and back. */
export class SquareShape {
  /** @param {number} width @param {number} marks the width of the broadest mark of the axis that goes up */
  constructor(width, marks) {
    this.left = marks + GAP;
    this.width = Math.min(width, LARGEST_SIDE + this.left + EDGE.right);
    this.side = this.width - this.left - EDGE.right;
    this.height = EDGE.top + this.side + EDGE.bottom;
  }

  /** @param {number[]} place @returns {Point} */
  spot([across, up]) {
    const part = (/** @type {number} */ value) => ((value + REACH) / (2 * REACH)) * this.side;
    return [this.left + part(across), EDGE.top + this.side - part(up)];
  }

  /** The place at a pixel, kept within the square. @param {number} x @param {number} y @returns {Point} */
  placeAt(x, y) {
    const place = (/** @type {number} */ pixels) => within((pixels / this.side) * 2 * REACH - REACH);
    return [place(x - this.left), place(EDGE.top + this.side - y)];
  }

  /** @param {number} y */
  has(y) {
    return y >= EDGE.top - EDGE.right && y <= EDGE.top + this.side + EDGE.right;
  }
}

/** Cells around places that are evenly apart, in Python's order: by column, in each from below. */
export class SquareGrid {
  /** @param {number} size how many cells a side has */
  constructor(size) {
    const all = Array.from({ length: size }, (_, at) => at);
    this.size = size;
    /** Half the distance of two cells, as places. */
    this.half = REACH / (size - 1);
    /** The places along a side. */
    this.places = all.map((at) => (at / (size - 1)) * 2 * REACH - REACH);
    /** @type {Cell[]} */
    this.nodes = all.flatMap((column) => all.map((row) => /** @type {Cell} */ ([column, row])));
  }

  /** The position of the cell nearest to a place. @param {number[]} place */
  nearest([across, up]) {
    const at = (/** @type {number} */ value) =>
      Math.round(((within(value) + REACH) / (2 * REACH)) * (this.size - 1));
    return at(across) * this.size + at(up);
  }

  /** @param {number[]} cell */
  placeOf([column, row]) {
    return [this.places[column], this.places[row]];
  }

  /** The place in the middle of some cells. @param {number[][]} nodes */
  middle(nodes) {
    const mean = (/** @type {0 | 1} */ at) =>
      nodes.reduce((sum, node) => sum + this.places[node[at]], 0) / nodes.length;
    return [mean(0), mean(1)];
  }

  /** The part of the map that cells are. @param {number[][]} nodes */
  ground(nodes) {
    return nodes.length / this.nodes.length;
  }
}

/** Runs of neighbouring cells: [row, first column, last column]. @param {number[][]} nodes */
function rowsOf(nodes) {
  return runsOf(nodes, 1, 0);
}

/** Draws the regions of a grid in a shape. `names` are the models', `toneOf` gives a region's class, `axisOf` what an axis
 * says: its name, and each of its marks. */
class SquarePicture {
  /**
   * @param {SquareShape} shape @param {[regions: SquareGrid, unsure: SquareGrid]} grids @param {string[]} names
   * @param {(model: number) => string} toneOf
   * @param {(metric: MetricData) => { name: string, marks: string[] }} axisOf
   */
  constructor(shape, [grid, unsure], names, toneOf, axisOf) {
    this.shape = shape;
    this.grid = grid;
    this.hatched = unsure;
    this.names = names;
    this.toneOf = toneOf;
    this.axisOf = axisOf;
  }

  get outline() {
    return this.box(-REACH, REACH, -REACH, REACH);
  }

  /** @param {number} left @param {number} right @param {number} low @param {number} high */
  box(left, right, low, high) {
    const [x, bottom] = this.shape.spot([within(left), within(low)]);
    const [end, y] = this.shape.spot([within(right), within(high)]);
    return `M${x.toFixed(1)} ${y.toFixed(1)}H${end.toFixed(1)}V${bottom.toFixed(1)}H${x.toFixed(1)}Z`;
  }

  /** @param {Region<Cell>} region */
  region({ model, nodes }) {
    const { places, half } = this.grid;
    const boxes = rowsOf(nodes).map(([row, first, last]) => {
      const [left, right] = [places[first] - half, places[last] + half];
      return this.box(left, right, places[row] - half, places[row] + half);
    });
    const title = svg("title", {}, this.names[model]);
    return svg("path", { class: `region cells ${this.toneOf(model)}`, d: boxes.join("") }, title);
  }

  /** @param {number[][]} nodes */
  hatching(nodes) {
    const { places, half } = this.hatched;
    return rowsOf(nodes)
      .map(([row, first, last]) => {
        const [left, y] = this.shape.spot([within(places[first] - half), places[row]]);
        const [right] = this.shape.spot([within(places[last] + half), 0]);
        return `M${left.toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}`;
      })
      .join("");
  }

  /** A region's name in the middle of its broad rows, where it has the room. @param {Region<Cell>} region */
  regionName({ model, nodes }) {
    const runs = rowsOf(nodes);
    const broadest = Math.max(...runs.map(([, first, last]) => last - first));
    const broad = runs.filter(([, first, last]) => last - first >= 0.8 * broadest);
    const [row, first, last] = broad[Math.floor(broad.length / 2)];
    const room = (broadest / (this.grid.size - 1)) * this.shape.side - 12;
    if (room < NARROW || broad.length < LOW) return [];
    const { places } = this.grid;
    const [x, y] = this.shape.spot([(places[first] + places[last]) / 2, places[row]]);
    return [label(this.names[model], { class: "region-name", x, y: y + 4, "text-anchor": "middle" }, room)];
  }

  /** @param {MetricData[]} metrics */
  axes([across, up]) {
    const { side, width } = this.shape;
    const [left, bottom] = this.shape.spot([-REACH, -REACH]);
    const [foot, high] = [this.axisOf(across), this.axisOf(up)];
    // The first and the last mark are within the square, beside half of their neighbours.
    const room = (side / (MARKS.length - 1) - GAP) / 1.5;
    const tight = foot.marks.some((mark) => widthOf(mark) > room);
    const marks = MARKS.flatMap((place, at) => {
      const [x, y] = this.shape.spot([place, place]);
      const anchor = at === 0 ? "start" : at === MARKS.length - 1 ? "end" : "middle";
      const under = { class: "tick", x, y: bottom + 19, "text-anchor": anchor };
      return [
        // Where two marks would touch, every other one is left out.
        ...(tight && at % 2 ? [] : [label(foot.marks[at], under)]),
        label(high.marks[at], { class: "tick", x: left - GAP, y: y + 4, "text-anchor": "end" }),
      ];
    });
    return [
      ...marks,
      colourKey(up.colour, 0, 4),
      label(high.name, { class: "axis-title", x: 16, y: 14 }, width - 16, STRONG),
      colourKey(across.colour, left, bottom + 32),
      label(foot.name, { class: "axis-title", x: left + 16, y: bottom + 42 }, side - 16, STRONG),
    ];
  }
}

/** A map over what one unit of the base metric is worth of two other metrics: places are those of their sliders. */
export class TradeTerms {
  /** @param {TradesPage} page */
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
    const step = KEY_STEPS[key];
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
