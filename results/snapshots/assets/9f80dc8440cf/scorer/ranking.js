// A ranking as the scorer gives it. Models and metrics go by their position in the board's data.

/** @import { Idle, MetricData, RankedBy, RankingData, RateData } from "../../types" */

/**
 * The numbers of a ranking.
 * @typedef {object} Columns
 * @property {number | null} scale the number of the scale that values and rates belong to; null on arrival
 * @property {RankedBy} by what the models are ranked by
 * @property {Uint32Array} order models by rank; ties, and those without a rank, by name
 * @property {Float64Array} ranks for each model; NaN without a rank
 * @property {Float64Array} scores for each model; NaN without a rank
 * @property {Float64Array | null} zScores mean z-scores; null where nobody asked for them, as they take a while
 * @property {Float64Array[]} contributions of each metric; 0 where it has no weight, NaN without a rank
 * @property {Float64Array[]} values of each metric, in its own unit; NaN where one is missing
 * @property {Record<string, RateData>} rates by metric
 * @property {string[]} notes
 * @property {Idle} [idle]
 */

/**
 * What follows the numbers of an answer; `rates` are null where values and rates are left out.
 * @typedef {object} Rest
 * @property {number} models how many
 * @property {number} metrics how many
 * @property {boolean} z_scores
 * @property {RankedBy} [by]
 * @property {number} scale
 * @property {Record<string, RateData> | null} rates
 * @property {string[]} notes
 * @property {Idle} idle
 */

export class Ranking {
  /** @param {Columns} columns */
  constructor({ scale, by, order, ranks, scores, zScores, contributions, values, rates, notes, idle }) {
    this.scale = scale;
    this.by = by;
    this.order = order;
    this.ranks = ranks;
    this.scores = scores;
    this.zScores = zScores;
    this.contributions = contributions;
    this.values = values;
    this.rates = rates;
    this.notes = notes;
    /** What takes no part, since no model has a number for it. */
    this.idle = idle ?? { metrics: [], datasets: [] };
    /** How many models there are. */
    this.size = order.length;
    /** How many of them have a rank: they are the first ones of `order`. */
    this.ranked = order.filter((model) => !Number.isNaN(ranks[model])).length;
  }

  /**
   * What `Board.answer` of evaluator/rank/dynascore.py wrote. Values and rates that the answer leaves out are
   * those of `last`, the ranking before it.
   * @param {ArrayBuffer} answer
   * @param {Ranking | null} last
   */
  static fromAnswer(answer, last = null) {
    const doubles = new Float64Array(answer, 0, new Float64Array(answer, 0, 1)[0]);
    /** @type {Rest} */
    const rest = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, doubles.byteLength)));
    const count = 3 + Number(rest.z_scores) + rest.metrics * (rest.rates ? 2 : 1);
    const columns = split(doubles.subarray(1), rest.models, count);
    const [order, ranks, scores] = columns;
    const others = columns.slice(rest.z_scores ? 4 : 3);
    return new Ranking({
      scale: rest.scale,
      // The scorers of older snapshots do not say it.
      by: rest.by ?? (rest.z_scores ? "z_score" : "dynascore"),
      order: Uint32Array.from(order),
      ranks,
      scores,
      zScores: rest.z_scores ? columns[3] : null,
      contributions: others.slice(0, rest.metrics),
      ...scaleOf(rest, others.slice(rest.metrics), last),
      notes: rest.notes,
      idle: rest.idle,
    });
  }

  /** The ranking that the page came with, written by `generator/pages/board.py`. @param {RankingData} page */
  static fromPage(page) {
    return new Ranking({
      scale: null,
      by: page.by ?? "dynascore",
      order: Uint32Array.from(page.order),
      ranks: column(page.ranks),
      scores: column(page.scores),
      zScores: page.z_scores && column(page.z_scores),
      contributions: page.contributions.map(column),
      values: page.values.map(column),
      rates: page.rates,
      notes: page.notes,
      idle: page.idle,
    });
  }

  /** The numbers that models are ranked by, one for each. */
  get main() {
    return (this.by === "z_score" && this.zScores) || this.scores;
  }

  /** Whether both rank the same models: else places of the two say nothing of who moved. @param {Ranking} other */
  ranksModelsOf(other) {
    return this.ranks.every((rank, model) => Number.isNaN(rank) === Number.isNaN(other.ranks[model]));
  }

  /** The rank of a model, null without one. @param {number} model */
  rankOf(model) {
    const rank = this.ranks[model];
    return Number.isNaN(rank) ? null : rank;
  }
}

/** The values of each metric by which models are compared: NaN also where a number says nothing of its model, as that
 * answers the same to everything. @param {Pick<Ranking, "values">} ranking @param {MetricData[]} metrics */
export function compared({ values }, metrics) {
  return values.map((column, at) => {
    const { one_answer: silent } = metrics[at];
    return silent ? column.map((value, model) => (silent.includes(model) ? NaN : value)) : column;
  });
}

/** @param {Rest} rest @param {Float64Array[]} values @param {Ranking | null} last */
function scaleOf({ rates }, values, last) {
  if (rates) return { rates, values };
  if (!last) throw new Error("an answer without exchange rates follows none that has them");
  return { rates: last.rates, values: last.values };
}

/** @param {(number | null)[]} numbers */
function column(numbers) {
  return Float64Array.from(numbers, (number) => number ?? NaN);
}

/** @param {Float64Array} doubles @param {number} size of a column @param {number} count of columns */
function split(doubles, size, count) {
  return Array.from({ length: count }, (_, index) => doubles.subarray(index * size, (index + 1) * size));
}
