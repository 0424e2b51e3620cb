// How models do from split to split, in words and numbers.
import { number } from "../base/formats.js";
import { splitEnds } from "./splits.js";

/** @import { Answer, AnswerRow, ChartTable } from "../../types" */

const DECIMALS = 1;

/** Says how the scores of models change from the first split to the last. */
export class SplitWords {
  /**
   * `rows` are those of the answer that have splits, `means` the mean score in each split, NaN without any.
   * @param {Answer} answer @param {AnswerRow[]} rows @param {number[]} means
   * @param {(row: AnswerRow) => string} nameOf
   */
  constructor(answer, rows, means, nameOf) {
    this.answer = answer;
    this.rows = rows;
    this.means = means;
    this.nameOf = nameOf;
  }

  finding() {
    const [from, to] = [this.means[0], this.means[this.means.length - 1]];
    if (this.means.length < 2 || Number.isNaN(from) || Number.isNaN(to)) {
      return "The score of every model in every split.";
    }
    const [easy, hard] = splitEnds(this.answer);
    const verb = to < from ? "falls" : "rises";
    const who =
      this.rows.length > 1 ? "the mean score of the models" : `the score of ${this.nameOf(this.rows[0])}`;
    const all = `From the ${easy} to the ${hard} split ${who} ${verb} from ${number(from, DECIMALS)} to ${number(to, DECIMALS)} %.`;
    return [all, this.furthest(to < from ? 1 : -1, verb), this.overtaking()].filter(Boolean).join(" ");
  }

  /**
   * Whose score changes most and least from the first to the last split.
   * @param {1 | -1} sign @param {string} verb
   */
  furthest(sign, verb) {
    const ways = this.rows
      .map((row) => ({ row, way: sign * (firstScore(row) - lastScore(row)) }))
      .filter(({ way }) => !Number.isNaN(way))
      .sort((one, other) => other.way - one.way);
    if (ways.length < 2) return "";
    const [most, least] = [ways[0], ways[ways.length - 1]].map(({ row }) => this.change(row));
    return `It ${verb} most for ${most}, least for ${least}.`;
  }

  /** @param {AnswerRow} row */
  change(row) {
    return `${this.nameOf(row)} (${number(firstScore(row), DECIMALS)} to ${number(lastScore(row), DECIMALS)})`;
  }

  /** The model whose place among the others changes most between the first and the last split. */
  overtaking() {
    const [easy, hard] = splitEnds(this.answer);
    const moves = this.rows.map((row) => ({
      row,
      from: this.place(row, firstScore),
      to: this.place(row, lastScore),
    }));
    const far = (/** @type {{ from: number, to: number }} */ move) => Math.abs(move.from - move.to);
    const most = moves.reduce((best, move) => (far(move) > far(best) ? move : best));
    if (far(most) < 2) return "";
    return `${this.nameOf(most.row)} is number ${most.from} in the ${easy} split and number ${most.to} in the ${hard}.`;
  }

  /** @param {AnswerRow} row @param {(row: AnswerRow) => number} score */
  place(row, score) {
    return 1 + this.rows.filter((other) => score(other) > score(row)).length;
  }

  /**
   * `ranges`: what each split holds is written under its axis.
   * @param {{ ranges: boolean, gaps: boolean }} picture
   */
  remarks({ ranges, gaps }) {
    return [
      `Each axis is one split, the ${splitEnds(this.answer)[0]} at the left; scores count that split alone, so weights do not move them.`,
      this.answer.splits ? "" : "Every model has splits of its own.",
      ranges ? "Under an axis: the difficulties B that it holds." : "",
      gaps ? "Where a split is empty the line has a gap." : "",
    ];
  }

  /** @param {(row: AnswerRow) => string} labelOf @returns {ChartTable} */
  table(labelOf) {
    const heads = this.means.map((_, split) => `Split ${split + 1}`);
    const rows = this.rows.map((row) => [
      labelOf(row),
      ...row.splits.map(({ score }) => number(score, DECIMALS)),
    ]);
    return { heads: ["Model", ...heads], rows };
  }
}

/** A model's score in the first split; NaN where that is empty. @param {AnswerRow} row */
function firstScore({ splits }) {
  return splits[0]?.score ?? NaN;
}

/** A model's score in the last split; NaN where that is empty. @param {AnswerRow} row */
export function lastScore({ splits }) {
  return splits.at(-1)?.score ?? NaN;
}
