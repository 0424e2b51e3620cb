// A plot of two metrics against each other: where everything goes, its axes, and the front as a staircase.
import { Axis } from "./axes.js";
import { STRONG, colourKey, label, path, strokes, svg, widthOf } from "./svg.js";

/** @import { Box, MetricData, Point } from "../../types" */
/**
 * Models at one and the same place; `matches` where search and filters match one of them.
 * @typedef {{ x: number, y: number, models: number[], front: boolean, matches: boolean }} Mark
 */

const HEIGHT = { share: 0.52, least: 300, most: 460 };
const EDGE = { top: 32, right: 16, bottom: 48 };

export class Plot {
  /**
   * `across` and `up` have a value a model, NaN where it is missing; `metrics` are theirs.
   * @param {number} width @param {[MetricData, MetricData]} metrics @param {Float64Array} across
   * @param {Float64Array} up
   */
  constructor(width, metrics, across, up) {
    this.width = width;
    this.height = Math.min(HEIGHT.most, Math.max(HEIGHT.least, width * HEIGHT.share));
    this.metrics = metrics;
    this.across = across;
    this.up = up;
    /** The models that have both numbers. */
    this.known = [...across.keys()].filter((at) => !Number.isNaN(across[at]) && !Number.isNaN(up[at]));
    const bottom = this.height - EDGE.bottom;
    const numbers = (/** @type {Float64Array} */ values) => this.known.map((at) => values[at]);
    this.y = new Axis(numbers(up), bottom, EDGE.top, { gap: 48 });
    const left = 12 + Math.max(0, ...this.y.ticks().map(({ text }) => widthOf(text)));
    this.x = new Axis(numbers(across), left, width - EDGE.right);
    /** @type {Box} */
    this.box = [left, EDGE.top, width - EDGE.right, bottom];
  }

  /** The place of a model. @param {number} model @returns {Point} */
  place(model) {
    return [this.x.at(this.across[model]), this.y.at(this.up[model])];
  }

  /**
   * Marks at their places; models at one and the same place share a mark.
   * @param {Set<number>} front @param {boolean[]} matches
   */
  marks(front, matches) {
    /** @type {Map<string, Mark>} */
    const marks = new Map();
    for (const model of this.known) {
      const [x, y] = this.place(model);
      const key = `${Math.round(x)} ${Math.round(y)}`;
      const mark = marks.get(key) ?? { x, y, models: [], front: false, matches: false };
      mark.models.push(model);
      mark.front ||= front.has(model);
      mark.matches ||= matches[model];
      marks.set(key, mark);
    }
    return [...marks.values()];
  }

  grid() {
    const [left, top, right, bottom] = this.box;
    const across = this.x.ticks().map(({ value, text }) => ({ at: this.x.at(value), text }));
    const up = this.y.ticks().map(({ value, text }) => ({ at: this.y.at(value), text }));
    return [
      svg("path", { class: "grid", d: strokes(up.map(({ at }) => line([left, at], [right, at]))) }),
      svg("path", { class: "grid", d: strokes(across.map(({ at }) => line([at, top], [at, bottom]))) }),
      ...up.map(({ at, text }) => tick(text, left - 8, at + 4, "end")),
      ...across.map(({ at, text }) =>
        tick(text, Math.min(at, this.width - widthOf(text) / 2), bottom + 16, "middle"),
      ),
      ...this.titles(),
    ];
  }

  titles() {
    const [across, up] = this.metrics;
    const [left, , right, bottom] = this.box;
    const better = [across.cost ? "← better" : "better →", up.cost ? "better ↓" : "better ↑"];
    const room = right - left - widthOf(better[0]) - 24;
    const end = {
      y: bottom + 40,
      x: across.cost ? left : right,
      "text-anchor": across.cost ? "start" : "end",
    };
    return [
      ...title(across, this.x.log, left, bottom + 40, room),
      svg("text", { class: "better", ...end }, better[0]),
      ...title(up, this.y.log, 0, 16, this.width - widthOf(better[1]) - 24),
      svg("text", { class: "better", x: right, y: 16, "text-anchor": "end" }, better[1]),
    ];
  }

  /** The corner of the plot that is worst by both metrics. @returns {Point} */
  get worst() {
    const [left, top, right, bottom] = this.box;
    const [across, up] = this.metrics;
    return [across.cost ? right : left, up.cost ? top : bottom];
  }

  /** The front as a staircase from one end of the plot to the other. @param {number[]} front */
  stairs(front) {
    const [worstX, worstY] = this.worst;
    const points = front.map((model) => this.place(model));
    points.sort(
      (a, b) =>
        Math.abs(a[0] - worstX) - Math.abs(b[0] - worstX) ||
        Math.abs(b[1] - worstY) - Math.abs(a[1] - worstY),
    );
    /** @type {Point[]} */
    const stairs = points.flatMap((point, at) => (at ? [[points[at - 1][0], point[1]], point] : [point]));
    /** @type {Point} */
    const from = [worstX, points[0][1]];
    /** @type {Point} */
    const to = [points[points.length - 1][0], worstY];
    return [from, ...stairs, to];
  }

  /** A staircase, and the ground that the front beats. @param {Point[]} stairs */
  staircase(stairs) {
    return [
      svg("path", { class: "beaten", d: `${path([...stairs, this.worst])}Z` }),
      svg("path", { class: "staircase", d: path(stairs) }),
    ];
  }
}

/** The boxes around the pieces of a line. @param {Point[]} points */
export function boxesAround(points) {
  return points.slice(1).map((point, at) => boxAround(points[at], point));
}

/** @param {Point} from @param {Point} to @returns {Box} */
function boxAround([x, y], [toX, toY]) {
  return [Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY)];
}

/** @param {Point} from @param {Point} to @returns {[Point, Point]} */
function line(from, to) {
  return [from, to];
}

/** @param {string} text @param {number} x @param {number} y @param {"middle" | "end"} anchor */
function tick(text, x, y, anchor) {
  return svg("text", { class: "tick", x, y, "text-anchor": anchor }, text);
}

/**
 * The name of an axis, with the colour of its metric.
 * @param {MetricData} metric @param {boolean} log @param {number} x @param {number} y @param {number} room
 */
function title(metric, log, x, y, room) {
  const unit = metric.unit ? `, ${metric.unit}` : "";
  const text = `${metric.label}${unit}${log ? " (log)" : ""}`;
  return [
    colourKey(metric.colour, x, y - 10),
    label(text, { class: "axis-title", x: x + 18, y }, room - 18, STRONG),
  ];
}
