// What a swarm of samples says in words and numbers.
import { counted, number, percent } from "../base/formats.js";
import { splitEnds } from "./splits.js";

/** @import { Answer, ChartTable, Points } from "../../types" */
/** @import { Course } from "./swarm.js" */
/** @import { Strip, SwarmLayout } from "./swarm-layout.js" */

const BINS = 10;

/**
 * How many samples are right for all models, and for none.
 * @param {SwarmLayout} layout @param {Answer} answer @param {(strip: Strip) => string} nameOf
 */
export function swarmFinding({ strips, course, agreed }, answer, nameOf) {
  if (!strips.length) return "No examples to draw yet.";
  const samples = number(course.order.length, 0);
  const [all, none] = [strips.length, 0].map(
    (models) => course.order.filter((sample) => agreed[sample] === models).length,
  );
  const errors = errorsByEnd(answer);
  if (strips.length === 1) {
    return `${nameOf(strips[0])} gets ${number(all, 0)} of ${samples} examples right. ${errors}`.trim();
  }
  const others = none ? `${number(none, 0)} for none` : "every other for some";
  return `${number(all, 0)} of ${samples} examples are right for all ${strips.length} models, ${others}. ${errors}`.trim();
}

/** How the errors of all models spread over the first and the last split. @param {Answer} answer */
function errorsByEnd(answer) {
  const [first, last] = [0, -1].map((at) =>
    total(answer.models.map(({ splits }) => splits.at(at)?.wrong ?? 0)),
  );
  const all = total(answer.models.flatMap(({ splits }) => splits.map(({ wrong }) => wrong)));
  if (!all) return "";
  const [least, most] = splitEnds(answer);
  const splits = counted(answer.models[0].splits.length, "split");
  return `Of all errors ${percent(last / all, 0)} are in the ${most} of ${splits}, ${percent(first / all, 0)} in the ${least}.`;
}

/**
 * How to read the swarm. `together`: all models have the same boundaries.
 * @param {SwarmLayout} layout @param {Answer} answer
 * @param {{ continuous: boolean, together: boolean }} splitting
 */
export function swarmRemarks({ each, strips, ruled }, answer, { continuous, together }) {
  return [
    `A dot above its line is an example that the model gets right, a cross below it one that it gets wrong; colours go by ${continuous ? "difficulty" : "split"}.`,
    each > 1
      ? `There are more examples than room: each mark stands for ${each} of nearly the same difficulty, a smaller one for fewer.`
      : "",
    strips.some(({ swarm }) => swarm.aside)
      ? "Where many have one difficulty, marks are a little beside it."
      : "",
    together ? "Drag a boundary, or move it by arrow keys, and every chart follows." : "",
    ruled ? "" : "Every model has boundaries of its own, since every model is sure of other examples.",
    missingRemark(answer.left_out?.no_difficulty ?? 0),
  ];
}

/** @param {number} missing */
function missingRemark(missing) {
  if (!missing) return "";
  return `${counted(missing, "example")} without a difficulty (B) ${missing === 1 ? "is" : "are"} not drawn.`;
}

/**
 * How many samples each model gets right in equal steps of the difficulty.
 * @param {SwarmLayout} layout @param {Points} points @param {(strip: Strip) => string} labelOf
 * @returns {ChartTable}
 */
export function swarmTable({ strips, course }, points, labelOf) {
  const [low, high] = course.domain;
  const edges = Array.from({ length: BINS + 1 }, (_, at) => low + ((high - low) * at) / BINS);
  const steps = edges.slice(1).map((to, at) => `${number(edges[at], 2)} to ${number(to, 2)}`);
  const sorted = (/** @type {string[]} */ cells) => (course.flipped ? cells.reverse() : cells);
  const rows = strips.map((strip) => {
    const bins = binned(strip.swarm.course, points.right[strip.model]);
    return [labelOf(strip), ...sorted(bins.map(([right, all]) => `${right} of ${all}`))];
  });
  return { heads: ["Right, by difficulty", ...sorted(steps)], rows };
}

/**
 * [right, all] samples in each of equal steps of the difficulty.
 * @param {Course} course @param {string} answers
 */
function binned(course, answers) {
  const [low, high] = course.domain;
  const bins = Array.from({ length: BINS }, () => [0, 0]);
  for (const sample of course.order) {
    const share = (course.values[sample] - low) / (high - low);
    const bin = bins[Math.min(BINS - 1, Math.max(0, Math.floor(share * BINS)))];
    bin[0] += answers[sample] === "1" ? 1 : 0;
    bin[1] += 1;
  }
  return bins;
}

/** @param {number[]} numbers */
function total(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}
