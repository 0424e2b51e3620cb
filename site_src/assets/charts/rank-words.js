// What moves between the ranking by accuracy and that by a metric, in words and numbers.
import { MISSING, number } from "../base/formats.js";
import { orderedBy } from "./splits.js";

/** @import { AnswerRow, ChartTable, Interval, Noise } from "../../types" */
/**
 * A row that has a value, and so both ranks.
 * @typedef {AnswerRow & { value: number, rank: number, accuracy_rank: number }} RankedRow
 */

const DECIMALS = 1;

/** @param {AnswerRow} row @returns {row is RankedRow} */
export function isRanked(row) {
  return row.value !== null && row.rank !== null && row.accuracy_rank !== null;
}

/**
 * How many places a model climbs from accuracy to the metric; negative where it falls.
 * @param {RankedRow} row
 */
export function moveOf({ rank, accuracy_rank: before }) {
  return before - rank;
}

/**
 * Whether a model's move is within noise; null while that is being computed.
 * @param {RankedRow} row @param {Noise | null} noise
 */
export function withinNoise({ model }, noise) {
  const moved = noise?.models[model]?.moved;
  return moved ? moved[0] <= 0 && moved[1] >= 0 : null;
}

/** A move in words. @param {RankedRow} row @param {Noise | null} noise */
export function moveInWords(row, noise) {
  const move = moveOf(row);
  if (!move) return "same";
  const text = move > 0 ? `up ${move}` : `down ${-move}`;
  return withinNoise(row, noise) ? `${text}, within noise` : text;
}

/** @param {Interval | null | undefined} ends @param {number} decimals */
function rangeText(ends, decimals) {
  return ends ? `${number(ends[0], decimals)} to ${number(ends[1], decimals)}` : MISSING;
}

/** Says of the rows of an answer who moves between the two rankings, and whether that is more than noise. */
export class RankWords {
  /**
   * `metric` is what the metric is called.
   * @param {RankedRow[]} rows @param {Noise | null} noise @param {string} metric
   * @param {{ label: (row: RankedRow) => string, sentence: (row: RankedRow) => string }}
   *   names, alone and in a sentence
   */
  constructor(rows, noise, metric, names) {
    this.rows = rows;
    this.noise = noise;
    this.metric = metric;
    this.names = names;
  }

  finding() {
    const moved = this.rows.filter((row) => moveOf(row));
    if (!moved.length) return `Every model has the same rank by ${this.metric} as by accuracy.`;
    const start = `${moved.length} of ${this.rows.length} models ${moved.length === 1 ? "has" : "have"} another rank by ${this.metric} than by accuracy`;
    const parts = [this.furthest(moved, 1, "climbs"), this.furthest(moved, -1, "falls")].filter(Boolean);
    return `${start}: ${parts.join("; ")}. ${this.certainty(moved)}`.trim();
  }

  /**
   * Who climbs or falls furthest; empty where nobody does.
   * @param {RankedRow[]} moved @param {1 | -1} sign @param {string} verb
   */
  furthest(moved, sign, verb) {
    const best = moved.reduce((most, row) => (sign * (moveOf(row) - moveOf(most)) > 0 ? row : most));
    if (sign * moveOf(best) <= 0) return "";
    return `${this.names.sentence(best)} ${verb} furthest, from ${best.accuracy_rank} to ${best.rank}`;
  }

  /** How many of the moves are within noise. @param {RankedRow[]} moved */
  certainty(moved) {
    if (!this.noise) return "";
    const within = moved.filter((row) => withinNoise(row, this.noise)).length;
    if (within === moved.length) {
      return moved.length === 1 ? "That move is within noise." : "All of these moves are within noise.";
    }
    return within
      ? `${within} of these moves ${within === 1 ? "is" : "are"} within noise.`
      : "No such move is within noise.";
  }

  remarks() {
    return [
      "Lines lead from the rank by accuracy to the rank by the metric; those that cross have changed places.",
      this.noise
        ? "Dashed: other examples of the same kind could well undo the move; solid: hardly."
        : "Intervals are being computed.",
    ];
  }

  /** @returns {ChartTable} */
  table() {
    const byAccuracy = ["Model", "Accuracy", "Rank by accuracy"];
    const byMetric = [this.metric, "95 % interval", "Rank", "95 % of ranks", "Change"];
    const rows = orderedBy(this.rows, "rank");
    return { heads: [...byAccuracy, ...byMetric], rows: rows.map((row) => this.cells(row)) };
  }

  /** @param {RankedRow} row */
  cells(row) {
    const noise = this.noise?.models[row.model];
    return [
      this.names.label(row),
      number(row.accuracy, DECIMALS),
      String(row.accuracy_rank),
      number(row.value, DECIMALS),
      rangeText(noise?.value, DECIMALS),
      String(row.rank),
      rangeText(noise?.rank, 0),
      moveInWords(row, this.noise),
    ];
  }

  /** What the card of a model says. @param {RankedRow} row */
  lines(row) {
    const noise = this.noise?.models[row.model];
    const interval = noise?.value ? ` (${rangeText(noise.value, DECIMALS)})` : "";
    return [
      `accuracy ${number(row.accuracy, DECIMALS)} %, rank ${row.accuracy_rank}`,
      `${this.metric} ${number(row.value, DECIMALS)} %${interval}`,
      `rank ${row.rank}${noise?.rank ? ` (${rangeText(noise.rank, 0)})` : ""}`,
      moveInWords(row, this.noise),
    ];
  }
}
