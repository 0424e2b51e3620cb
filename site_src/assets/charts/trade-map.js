// A map over two trade-offs: how much of one metric one unit of the base metric is worth goes across, how much of another
// goes up, both by powers of ten. Places are those of sliders, from -REACH to REACH.
import { REACH } from "../view/trades.js";
import { colourKey, label, STRONG, svg, widthOf } from "./svg.js";
import { NOBODY } from "./triangle-picture.js";

/** @import { MetricData, Point } from "../../types" */
/** A cell of the map: its column from the left and its row from below. @typedef {[number, number]} Cell */
/** @typedef {{ model: number, nodes: Cell[], share: number }} SquareRegion */

const LARGEST_SIDE = 420;
const EDGE = { right: 24, top: 30, bottom: 56 };
/** Between the marks of an axis and the square, and between two of them. */
const GAP = 8;
/** Places with a mark on an axis. */
export const MARKS = [-REACH, -REACH / 2, 0, REACH / 2, REACH];
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

  /** Regions, largest first. `winners` are models in the order of the cells. @param {Int32Array} winners */
  regions(winners) {
    /** @type {Map<number, Cell[]>} */
    const nodes = new Map();
    winners.forEach((model, at) => {
      const won = nodes.get(model);
      if (won) won.push(this.nodes[at]);
      else nodes.set(model, [this.nodes[at]]);
    });
    const regions = [...nodes].map(([model, won]) => ({ model, nodes: won, share: this.ground(won) }));
    return regions.sort((one, other) => other.share - one.share || one.model - other.model);
  }

  /** The part of the map that cells are. @param {number[][]} nodes */
  ground(nodes) {
    return nodes.length / this.nodes.length;
  }
}

/** Half the distance of two cells, as places. @param {SquareGrid} grid */
function halfOf({ size }) {
  return REACH / (size - 1);
}

/** Runs of neighbouring cells of one row: [row, first column, last column]. @param {number[][]} nodes */
export function runsOf(nodes) {
  const sorted = [...nodes].sort(([a, y], [b, z]) => y - z || a - b);
  /** @type {[row: number, first: number, last: number][]} */
  const found = [];
  for (const [column, row] of sorted) {
    const last = found.at(-1);
    if (last?.[0] === row && last[2] + 1 === column) last[2] = column;
    else found.push([row, column, column]);
  }
  return found;
}

/** Draws the regions of a grid in a shape. `names` are the models', `toneOf` gives a region's class, `axisOf` what an axis
 * says: its name, and each of its marks. */
export class SquarePicture {
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
    /** Half the distance of two cells, as places. */
    this.half = halfOf(grid);
  }

  /** @param {SquareRegion[]} regions @param {number[][]} unsure @param {MetricData[]} metrics across and up */
  layers(regions, unsure, metrics) {
    const won = regions.filter(({ model }) => model !== NOBODY);
    const outline = this.box(-REACH, REACH, -REACH, REACH);
    return [
      svg("path", { class: "nobody", d: outline }),
      ...won.map((region) => this.region(region)),
      ...(unsure.length ? [svg("path", { class: "unsure", d: this.hatching(unsure) })] : []),
      svg("path", { class: "outline", d: outline }),
      ...won.flatMap((region) => this.regionName(region)),
      ...this.axes(metrics),
    ];
  }

  /** @param {number} left @param {number} right @param {number} low @param {number} high */
  box(left, right, low, high) {
    const [x, bottom] = this.shape.spot([within(left), within(low)]);
    const [end, y] = this.shape.spot([within(right), within(high)]);
    return `M${x.toFixed(1)} ${y.toFixed(1)}H${end.toFixed(1)}V${bottom.toFixed(1)}H${x.toFixed(1)}Z`;
  }

  /** @param {SquareRegion} region */
  region({ model, nodes }) {
    const { places } = this.grid;
    const boxes = runsOf(nodes).map(([row, first, last]) => {
      const [left, right] = [places[first] - this.half, places[last] + this.half];
      return this.box(left, right, places[row] - this.half, places[row] + this.half);
    });
    const title = svg("title", {}, this.names[model]);
    return svg("path", { class: `region cells ${this.toneOf(model)}`, d: boxes.join("") }, title);
  }

  /** @param {number[][]} nodes */
  hatching(nodes) {
    const { places } = this.hatched;
    const half = halfOf(this.hatched);
    return runsOf(nodes)
      .map(([row, first, last]) => {
        const [left, y] = this.shape.spot([within(places[first] - half), places[row]]);
        const [right] = this.shape.spot([within(places[last] + half), 0]);
        return `M${left.toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}`;
      })
      .join("");
  }

  /** A region's name in the middle of its broad rows, where it has the room. @param {SquareRegion} region */
  regionName({ model, nodes }) {
    const runs = runsOf(nodes);
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
