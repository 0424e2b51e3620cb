// A triangle between three metrics as a picture: the regions of the winners, their names, and the corners'.
import { NOBODY, hull, withinTriangle } from "./triangle-grid.js";
import { STRONG, colourKey, fitted, label, path, svg, widthOf } from "./svg.js";

/** @import { MetricData, Point } from "../../types" */
/** @import { Grid, Region, Triple } from "./triangle-grid.js" */

const LARGEST_SIDE = 460;
const EDGE = { side: 12, top: 28, bottom: 40 };
// A region of a smaller share of the triangle has no name in it.
const SMALL = 0.03;
const LINE = 20;
// How far from the triangle a pointer may be, in pixels.
const NEAR = 8;
/** @type {Triple[]} */
const CORNERS = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

// Rows that are hatched, at most.
const HATCHED = 40;

/** A triangle as large as fits: from shares of three to places and back. */
export class TriangleShape {
  /** @param {number} width */
  constructor(width) {
    this.width = Math.min(width, LARGEST_SIDE + 2 * EDGE.side);
    this.side = this.width - 2 * EDGE.side;
    this.rise = (this.side * Math.sqrt(3)) / 2;
    this.height = EDGE.top + this.rise + EDGE.bottom;
  }

  /**
   * The place of shares (a, b, c): a at the top, b at the left, c at the right.
   * @param {Triple} shares @returns {Point}
   */
  spot([a, , c]) {
    return [EDGE.side + this.side * (c + a / 2), EDGE.top + this.rise * (1 - a)];
  }

  /** The shares at a place, kept within the triangle. @param {number} x @param {number} y */
  sharesAt(x, y) {
    const a = 1 - (y - EDGE.top) / this.rise;
    const c = (x - EDGE.side) / this.side - a / 2;
    return withinTriangle([a, 1 - a - c, c]);
  }

  /** Whether a height is that of the triangle. @param {number} y */
  has(y) {
    return y >= EDGE.top - NEAR && y <= EDGE.top + this.rise + NEAR;
  }

  get outline() {
    return `${path(CORNERS.map((corner) => this.spot(corner)))}Z`;
  }
}

/** Draws the regions of a grid in a shape. `names` are the models', `toneOf` gives a region's class. */
export class TrianglePicture {
  /**
   * @param {TriangleShape} shape @param {Grid} grid @param {string[]} names
   * @param {(model: number) => string} toneOf
   */
  constructor(shape, grid, names, toneOf) {
    this.shape = shape;
    this.grid = grid;
    this.names = names;
    this.toneOf = toneOf;
  }

  /**
   * Everything in the picture; smaller regions lie on top of larger ones. `unsure` are the points where the leader
   * is not certain.
   * @param {Region[]} regions @param {Triple[]} unsure @param {MetricData[]} corners
   */
  layers(regions, unsure, corners) {
    const won = regions.filter(({ model }) => model !== NOBODY);
    return [
      svg("path", { class: "nobody", d: this.shape.outline }),
      ...won.map((region) => this.region(region)),
      ...(unsure.length ? [this.hatching(unsure)] : []),
      svg("path", { class: "outline", d: this.shape.outline }),
      ...won.flatMap((region) => this.regionName(region)),
      ...this.cornerNames(corners),
    ];
  }

  // A score is linear in the weights, so a region is convex: its hull is its shape, except for half a step of
  // the grid.
  /** @param {Region} region */
  region({ model, nodes }) {
    const corners = nodes.flatMap((node) => this.grid.around(node));
    const points = hull(corners.map((corner) => this.shape.spot(corner)));
    const title = svg("title", {}, this.names[model]);
    return svg("path", { class: `region ${this.toneOf(model)}`, d: `${path(points)}Z` }, title);
  }

  /** Lines through neighbouring points, in some of the rows. @param {Triple[]} nodes */
  hatching(nodes) {
    const { steps } = this.grid;
    const half = this.shape.side / steps / 2;
    const lines = runs(nodes.filter(([i]) => i % Math.ceil(steps / HATCHED) === 0)).map((run) => {
      const ends = [run[0], run[run.length - 1]].map(([i, j, k]) => {
        return this.shape.spot([i / steps, j / steps, k / steps]);
      });
      const [[right, y], [left]] = ends;
      // A point on the rim stands for no ground outside.
      const from = run[run.length - 1][2] ? left - half : left;
      const to = run[0][1] ? right + half : right;
      return `M${from.toFixed(1)} ${y.toFixed(1)}H${to.toFixed(1)}`;
    });
    return svg("path", { class: "unsure", d: lines.join("") });
  }

  /** A region's name within it, where it has the room. @param {Region} region */
  regionName({ model, share, nodes }) {
    const { steps } = this.grid;
    const level = Math.round(this.grid.middle(nodes)[0] * steps);
    const row = nodes.filter((node) => node[0] === level);
    const [x, y] = this.shape.spot(this.grid.middle(row));
    const breadth = (row.length / steps) * this.shape.side - 12;
    const rows = new Set(nodes.map(([i]) => i)).size;
    const tall = (rows / steps) * this.shape.rise > LINE;
    const name = this.names[model];
    if (share < SMALL || !tall || breadth < Math.min(48, widthOf(name.slice(0, 50)))) return [];
    return [label(name, { class: "region-name", x, y: y + 4, "text-anchor": "middle" }, breadth)];
  }

  /** @param {MetricData[]} corners */
  cornerNames([top, left, right]) {
    const { width, rise } = this.shape;
    const half = width / 2 - 16;
    const bottom = EDGE.top + rise + 24;
    return [
      ...cornerName(top, width / 2, 14, "middle", width - 24),
      ...cornerName(left, 0, bottom, "start", half),
      ...cornerName(right, width, bottom, "end", half),
    ];
  }
}

/** Points of a grid in its order, cut where two are no neighbours in a row. @param {Triple[]} nodes */
function runs(nodes) {
  /** @type {Triple[][]} */
  const found = [];
  nodes.forEach((node, at) => {
    const before = nodes[at - 1];
    if (before && before[0] === node[0] && before[1] + 1 === node[1]) found[found.length - 1].push(node);
    else found.push([node]);
  });
  return found;
}

/**
 * @param {MetricData} metric @param {number} x @param {number} y @param {"start" | "middle" | "end"} anchor
 * @param {number} room
 */
function cornerName(metric, x, y, anchor, room) {
  const width = widthOf(fitted(metric.label, room - 16, STRONG), STRONG) + 16;
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return [
    colourKey(metric.colour, left, y - 10),
    label(metric.label, { class: "axis-title", x: left + 16, y }, room - 16, STRONG),
  ];
}
