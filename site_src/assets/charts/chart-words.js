// Words and numbers that charts share.
import { isolated, number } from "../base/formats.js";

/** @import { MetricData } from "../../types" */

// Longer names are cut within a sentence.
const LONGEST = 80;

/** A name within a sentence, where a very long one would hide the rest. @param {string} name */
export function nameInSentence(name) {
  return isolated(name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
}

/** Names in a sentence: "a, b and c". @param {string[]} names */
export function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
}

/**
 * A number of a metric as the table shows it; a dash where it is missing (NaN).
 * @param {number} value @param {number} decimals
 */
export function numberOrDash(value, decimals) {
  return number(Number.isNaN(value) ? null : value, decimals);
}

/** A metric and a number of it, as a line of a card. @param {MetricData} metric @param {number} value */
export function metricLine({ label, unit, decimals }, value) {
  return `${label} ${numberOrDash(value, decimals)}${unit && !Number.isNaN(value) ? ` ${unit}` : ""}`;
}

/** A rank as a line of a card. @param {number | null} rank */
export function rankLine(rank) {
  return rank === null ? "not ranked" : `rank ${rank}`;
}
