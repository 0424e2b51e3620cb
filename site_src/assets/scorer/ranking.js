// A ranking as the scorer gives it. Models and metrics go by their position in the board's data.
export class Ranking {
  /**
   * What `Board.answer` of evaluator/dynascore.py wrote. Values and rates that the answer leaves out
   * are those of `last`, the ranking before it.
   *
   *   size           how many models there are
   *   ranked         how many of them have a rank: they are the first ones of `order`
   *   by             what they are ranked by: "dynascore" or "z_score"
   *   order          Uint32Array of models, by rank; ties, and those without a rank, by name
   *   ranks, scores  Float64Array, a number for each model; NaN without a rank
   *   zScores        the same for the mean z-score; null unless the ranking is by it, as it takes a while
   *   contributions  a Float64Array for each metric; 0 where it has no weight, NaN without a rank
   *   values         a Float64Array for each metric, in its own unit; NaN where one is missing
   *   rates          {metric: {rate, pairs, skipped, largest_share, largest_pair, note}}, by name
   *   notes          [text]
   */
  constructor(answer, last = null) {
    const doubles = new Float64Array(answer, 0, new Float64Array(answer, 0, 1)[0]);
    const rest = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, doubles.byteLength)));
    const columns = split(doubles.subarray(1), rest.models);
    this.scale = rest.scale;
    this.size = rest.models;
    this.by = rest.z_scores ? "z_score" : "dynascore";
    this.order = Uint32Array.from(columns.shift());
    this.ranks = columns.shift();
    this.scores = columns.shift();
    this.zScores = rest.z_scores ? columns.shift() : null;
    this.contributions = columns.splice(0, rest.metrics);
    this.values = rest.rates ? columns : last.values;
    this.rates = rest.rates ?? last.rates;
    this.notes = rest.notes;
    this.ranked = this.order.length;
    while (this.ranked && this.rankOf(this.order[this.ranked - 1]) === null) this.ranked -= 1;
  }

  /** The ranking that the page came with, written as JSON by ``generator/views/board.py``. */
  static fromPage(page) {
    const ranking = Object.create(Ranking.prototype);
    return Object.assign(ranking, {
      scale: null,
      size: page.order.length,
      ranked: page.ranks.filter((rank) => rank !== null).length,
      by: "dynascore",
      order: Uint32Array.from(page.order),
      ranks: column(page.ranks),
      scores: column(page.scores),
      zScores: column(page.z_scores),
      contributions: page.contributions.map(column),
      values: page.values.map(column),
      rates: page.rates,
      notes: page.notes,
    });
  }

  /** The rank of a model, null without one. */
  rankOf(model) {
    const rank = this.ranks[model];
    return Number.isNaN(rank) ? null : rank;
  }
}

function column(numbers) {
  return Float64Array.from(numbers, (number) => number ?? NaN);
}

function split(doubles, size) {
  const count = size ? doubles.length / size : 0;
  return Array.from({ length: count }, (_, index) => doubles.subarray(index * size, (index + 1) * size));
}
