// What the charts of a difficulty page say of splits, and in which shades they show them.

/** @import { Answer, AnswerRow } from "../../types" */

/** Shades that splits have, from easy to hard; fewer splits take them at even steps. */
export const SHADES = 7;

/**
 * Which of the shades split `at` of `count` has: 1 is the easiest, `SHADES` the hardest.
 * @param {number} at @param {number} count
 */
export function shade(at, count) {
  return count > 1 ? 1 + Math.round((at * (SHADES - 1)) / (count - 1)) : SHADES;
}

/**
 * What the first and the last split are, in words.
 * @param {Pick<Answer, "direction">} answer @returns {[string, string]}
 */
export function splitEnds({ direction }) {
  return direction === "easy-high" ? ["easiest", "hardest"] : ["least sure", "surest"];
}

/**
 * The rows of an answer by one of their ranks; those without it are last.
 * @template {AnswerRow} Row
 * @param {Row[]} rows @param {"rank" | "accuracy_rank"} rank
 */
export function orderedBy(rows, rank) {
  const place = (/** @type {Row} */ row) => row[rank] ?? Number.MAX_SAFE_INTEGER;
  return [...rows].sort((one, other) => place(one) - place(other));
}
