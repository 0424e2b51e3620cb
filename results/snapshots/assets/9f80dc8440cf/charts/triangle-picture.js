// A triangle between three metrics: the points of a grid, the regions in which one model wins, and how they are drawn.
import { colourKey, fitted, label, path, STRONG, svg, widthOf } from "./svg.js";
import { runsOf } from "./winner-map.js";

/** @import { MetricData, Point } from "../../types" */
/** @import { Region } from "./winner-map.js" */
/**
 * A point of the grid: its distances from the three sides, in steps; or shares of three, which make 1.
 * @typedef {[number, number, number]} Triple
 */
const LARGEST_SIDE = 460;
const EDGE = { side: 12, top: 28, bottom: 40 };
// A region of a smaller share of the triangle has no name in it.
const SMALL = 0.03;
const LINE = 20;
// How far from the triangle a pointer may be, in pixels.
const NEAR = 8;
// Rows that are hatched, at most.
const HATCHED = 40;
/** @type {Triple[]} */
const CORNERS = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** A triangle as large as fits: from shares of three to places and back. */
export class TriangleShape {
  /** @param {number} width */
  constructor(width) {
    this.width = Math.min(width, LARGEST_SIDE + 2 * EDGE.side);
    this.side = this.width - 2 * EDGE.side;
    this.rise = (this.side * Math.sqrt(3)) / 2;
    this.height = EDGE.top + this.rise + EDGE.bottom;
  }

  /** The place of shares (a, b, c): a at the top, b at the left, c at the right. @param {Triple} shares @returns {Point} */
  spot([a, , c]) {
    return [EDGE.side + this.side * (c + a / 2), EDGE.top + this.rise * (1 - a)];
  }

  /** The shares at a place, kept within the triangle. @param {number} x @param {number} y */
  placeAt(x, y) {
    const a = 1 - (y - EDGE.top) / this.rise;
    const c = (x - EDGE.side) / this.side - a / 2;
    return withinTriangle([a, 1 - a - c, c]);
  }

  /** Whether a height is that of the triangle. @param {number} y */
  has(y) {
    return y >= EDGE.top - NEAR && y <= EDGE.top + this.rise + NEAR;
  }
}

/** The points (i, j, k), i + j + k = steps, in Python's order: rows by i from 0, in each j from 0. */
export class Grid {
  /** @param {number} steps */
  constructor(steps) {
    const upTo = (/** @type {number} */ last) => Array.from({ length: last + 1 }, (_, at) => at);
    this.steps = steps;
    /** @type {Triple[]} */
    this.nodes = upTo(steps).flatMap((i) => upTo(steps - i).map((j) => triple(i, j, steps - i - j)));
  }

  /** The position of the point nearest to shares. @param {number[]} shares */
  nearest([a, b]) {
    const i = Math.round(a * this.steps);
    const j = Math.min(this.steps - i, Math.round(b * this.steps));
    return i * (this.steps + 1) - (i * (i - 1)) / 2 + j;
  }

  /** A point as shares. @param {Triple} node */
  placeOf([i, j, k]) {
    return triple(i / this.steps, j / this.steps, k / this.steps);
  }

  /** The shares in the middle of some points. @param {Triple[]} nodes */
  middle(nodes) {
    const mean = (/** @type {number} */ at) =>
      nodes.reduce((sum, node) => sum + node[at], 0) / nodes.length / this.steps;
    return triple(mean(0), mean(1), mean(2));
  }

  /** The part of the triangle that points stand for: points on its rim have less area around them. @param {Triple[]} nodes */
  ground(nodes) {
    const parts = nodes.map((node) => [6, 3, 1][node.filter((part) => part === 0).length]);
    return parts.reduce((sum, part) => sum + part, 0) / (3 * this.steps * this.steps);
  }
}

/** From a point to the corners of its ground, in thirds of a step. @type {Triple[]} */
const SHIFTS = [
  [2, -1, -1],
  [-1, 2, -1],
  [-1, -1, 2],
  [-2, 1, 1],
  [1, -2, 1],
  [1, 1, -2],
];

/** Draws the regions of a grid in a shape. `names` are the models', `toneOf` gives a region's class. */
export class TrianglePicture {
  /** @param {TriangleShape} shape @param {Grid} grid @param {string[]} names @param {(model: number) => string} toneOf */
  constructor(shape, grid, names, toneOf) {
    this.shape = shape;
    this.grid = grid;
    this.names = names;
    this.toneOf = toneOf;
  }

  get outline() {
    return `${path(CORNERS.map((corner) => this.shape.spot(corner)))}Z`;
  }

  /** A score is linear in the weights, so a region is convex: the hull of the ground of its points is its shape, except for
   * half a step of the grid. @param {Region<Triple>} region */
  region({ model, nodes }) {
    const corners = nodes.flatMap(([i, j, k]) =>
      SHIFTS.map(([di, dj, dk]) => withinTriangle(this.grid.placeOf([i + di / 3, j + dj / 3, k + dk / 3]))),
    );
    const points = hull(corners.map((corner) => this.shape.spot(corner)));
    const title = svg("title", {}, this.names[model]);
    return svg("path", { class: `region ${this.toneOf(model)}`, d: `${path(points)}Z` }, title);
  }

  /** Lines through neighbouring points, in some of the rows. @param {Triple[]} nodes */
  hatching(nodes) {
    const { steps } = this.grid;
    const half = this.shape.side / steps / 2;
    const rows = nodes.filter(([i]) => i % Math.ceil(steps / HATCHED) === 0);
    return runsOf(rows, 0, 1)
      .map(([i, first, last]) => {
        const [[right, y], [left]] = [first, last].map((j) =>
          this.shape.spot(this.grid.placeOf([i, j, steps - i - j])),
        );
        // A point on the rim stands for no ground outside.
        const from = i + last < steps ? left - half : left;
        const to = first ? right + half : right;
        return `M${from.toFixed(1)} ${y.toFixed(1)}H${to.toFixed(1)}`;
      })
      .join("");
  }

  /** A region's name within it, where it has the room. @param {Region<Triple>} region */
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
  axes([top, left, right]) {
    const { width, rise } = this.shape;
    const bottom = EDGE.top + rise + 24;
    const half = width / 2 - 16;
    /** @param {MetricData} metric @param {number} share how much of its width is left of x */
    const named = (
      metric,
      share,
      /** @type {number} */ x,
      /** @type {number} */ y,
      /** @type {number} */ room,
    ) => {
      const own = widthOf(fitted(metric.label, room - 16, STRONG), STRONG) + 16;
      const start = x - share * own;
      return [
        colourKey(metric.colour, start, y - 10),
        label(metric.label, { class: "axis-title", x: start + 16, y }, room - 16, STRONG),
      ];
    };
    return [
      ...named(top, 0.5, width / 2, 14, width - 24),
      ...named(left, 0, 0, bottom, half),
      ...named(right, 1, width, bottom, half),
    ];
  }
}

/** @param {number} a @param {number} b @param {number} c @returns {Triple} */
function triple(a, b, c) {
  return [a, b, c];
}

/** The nearest shares that are at least 0 and make 1, near enough. @param {Triple} shares */
export function withinTriangle(shares) {
  const [a, b, c] = shares.map((share) => Math.max(0, share));
  const total = a + b + c;
  return triple(a / total, b / total, c / total);
}

/** The convex hull of points (Andrew's monotone chain). @param {Point[]} points */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...halfHull(sorted), ...halfHull(sorted.reverse())];
}

/** @param {Point[]} points */
function halfHull(points) {
  /** @type {Point[]} */
  const chain = [];
  for (const [x, y] of points) {
    while (chain.length > 1) {
      const [[ax, ay], [bx, by]] = chain.slice(-2);
      if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
      chain.pop();
    }
    chain.push([x, y]);
  }
  chain.pop();
  return chain;
}
