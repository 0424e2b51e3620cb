// What is drawn over the canvases of a swarm: names, lines, the axis, and the ruler of the splits.
import { number } from "../base/formats.js";
import { shade } from "./splits.js";
import { STRONG, label, path, strokes, svg, widthOf } from "./svg.js";
import { FOOT, GUTTER, KNOBS, SIDE } from "./swarm-layout.js";

/** @import { Point } from "../../types" */
/** @import { Strip, SwarmLayout } from "./swarm-layout.js" */

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
