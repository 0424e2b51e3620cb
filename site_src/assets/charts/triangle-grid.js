// The points of a triangle between three metrics, and the regions in which one model wins.

/** @import { Point } from "../../types" */
/**
 * A point of the grid: its distances from the three sides, in steps; or shares of three, which make 1.
 * @typedef {[number, number, number]} Triple
 */
/**
 * Where one model wins: its points, and the part of the triangle that they stand for.
 * @typedef {{ model: number, nodes: Triple[], share: number }} Region
 */

/** Who wins where no model is ranked. */
export const NOBODY = -1;

/** The points (i, j, k), i + j + k = steps, in Python's order: rows by i from 0, in each j from 0. */
export class Grid {
  /** @param {number} steps */
  constructor(steps) {
    const upTo = (/** @type {number} */ last) => Array.from({ length: last + 1 }, (_, at) => at);
    this.steps = steps;
    /** @type {Triple[]} */
    this.nodes = upTo(steps).flatMap((i) => upTo(steps - i).map((j) => triple(i, j, steps - i - j)));
  }

  /**
   * The position of the point nearest to shares a and b of the first two corners.
   * @param {number} a @param {number} b
   */
  nearest(a, b) {
    const i = Math.round(a * this.steps);
    const j = Math.min(this.steps - i, Math.round(b * this.steps));
    return i * (this.steps + 1) - (i * (i - 1)) / 2 + j;
  }

  /** @param {number} position */
  sharesOf(position) {
    const [i, j, k] = this.nodes[position];
    return triple(i / this.steps, j / this.steps, k / this.steps);
  }

  /** The shares in the middle of some points. @param {Triple[]} nodes */
  middle(nodes) {
    const mean = (/** @type {number} */ at) =>
      nodes.reduce((sum, node) => sum + node[at], 0) / nodes.length / this.steps;
    return triple(mean(0), mean(1), mean(2));
  }

  /** Regions, largest first. `winners` are models in the order of the points. @param {Int32Array} winners */
  regions(winners) {
    /** @type {Map<number, Triple[]>} */
    const nodes = new Map();
    winners.forEach((model, at) => {
      const won = nodes.get(model);
      if (won) won.push(this.nodes[at]);
      else nodes.set(model, [this.nodes[at]]);
    });
    const regions = [...nodes].map(([model, won]) => ({ model, nodes: won, share: this.ground(won) }));
    return regions.sort((one, other) => other.share - one.share || one.model - other.model);
  }

  /**
   * The part of the triangle that points stand for: points on its rim have less area around them.
   * @param {Triple[]} nodes
   */
  ground(nodes) {
    const parts = nodes.map((node) => [6, 3, 1][node.filter((part) => part === 0).length]);
    return parts.reduce((sum, part) => sum + part, 0) / (3 * this.steps * this.steps);
  }

  /**
   * The corners of the ground that a point stands for, within the triangle, as shares.
   * @param {Triple} node
   */
  around([i, j, k]) {
    const third = 1 / 3;
    return SHIFTS.map(([di, dj, dk]) =>
      withinTriangle([
        (i + di * third) / this.steps,
        (j + dj * third) / this.steps,
        (k + dk * third) / this.steps,
      ]),
    );
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
  for (const point of points) {
    while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], point) <= 0) {
      chain.pop();
    }
    chain.push(point);
  }
  chain.pop();
  return chain;
}

/** @param {Point} a @param {Point} b @param {Point} c */
function turn([ax, ay], [bx, by], [cx, cy]) {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}
