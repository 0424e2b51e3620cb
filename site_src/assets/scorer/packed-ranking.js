// The default ranking of a board of many models, whose page leaves out what follows from the board's cells. Order,
// ranks, scores and exchange rates are Python's; here its values and contributions are put together from them again.

/** @import { BoardData, PackedRankingData, RankingData, Weights } from "../../types" */

/** A metric as Python has it: its good is `offset` and `direction` times the value; without an offset that is the
 * largest value. @typedef {{ name: string, direction: 1 | -1, offset: number | null }} RankedMetric */
/** What is used of the cells. @typedef {object} Cells
 * @property {RankedMetric[]} metrics
 * @property {Record<string, Record<string, (number | null)[]>>} values
 */

/**
 * @param {PackedRankingData} packed
 * @param {Cells} cells
 * @param {Pick<BoardData, "metrics" | "weights">} board
 * @returns {RankingData}
 */
export function unpacked({ order, ranks, scores, filled, rates, notes }, cells, { metrics, weights }) {
  const values = means(
    cells,
    metrics.map(({ name }) => name),
    weights.datasets,
  );
  const shares = sharesOf(weights.metrics);
  const placed = { ranks: byModel(order, ranks), scores: byModel(order, scores) };
  const contributions = metrics.map(({ name }, at) => {
    const known = { share: shares[name], rate: rates[name]?.rate ?? null };
    const parts = partsOf(values[at], metricOf(cells, name), known, placed.ranks);
    for (const [model, own] of Object.entries(filled)) parts[Number(model)] = own[at];
    return parts;
  });
  return { order, ...placed, z_scores: null, contributions, values, rates, notes };
}

/**
 * Every model's mean of each metric over the datasets with weight; null where it lacks a number.
 * @param {Pick<Cells, "values">} cells
 * @param {string[]} names of the metrics
 * @param {Weights} weights of the datasets
 */
export function means({ values }, names, weights) {
  const shares = Object.entries(sharesOf(weights)).filter(([, share]) => share > 0);
  return names.map((name) => {
    const columns = shares.map(([dataset, share]) => ({ share, numbers: values[dataset][name] }));
    // Of no dataset with weight nobody has a mean.
    if (!columns.length) return Object.values(values)[0][name].map(() => null);
    return columns[0].numbers.map((_, model) => mean(columns, model));
  });
}

/**
 * @param {{ share: number, numbers: (number | null)[] }[]} columns
 * @param {number} model
 */
function mean(columns, model) {
  const terms = [];
  for (const { share, numbers } of columns) {
    const number = numbers[model];
    if (number === null) return null;
    terms.push(share * number);
  }
  return sum(terms);
}

/**
 * What a metric adds to the scores: nothing without weight or rate, null for a model without a rank.
 * @param {(number | null)[]} values
 * @param {RankedMetric} metric
 * @param {{ share: number, rate: number | null }} known
 * @param {(number | null)[]} ranks
 */
function partsOf(values, { direction, offset }, { share, rate }, ranks) {
  const from =
    offset ?? values.reduce((/** @type {number} */ most, value) => Math.max(most, value ?? most), -Infinity);
  return values.map((value, model) => {
    if (ranks[model] === null) return null;
    return share && rate && value !== null ? share * ((from + direction * value) / rate) : 0;
  });
}

/** Weights as shares of their sum. @param {Weights} weights @returns {Weights} */
function sharesOf(weights) {
  const largest = Math.max(...Object.values(weights));
  const scaled = Object.entries(weights).map(
    ([name, weight]) => /** @type {const} */ ([name, weight / largest]),
  );
  const total = sum(scaled.map(([, part]) => part));
  return Object.fromEntries(scaled.map(([name, part]) => [name, total ? part / total : 0]));
}

/** A sum whose rounding errors are added too, so that it has the bits of Python's. @param {number[]} terms */
function sum(terms) {
  let total = 0;
  let lost = 0;
  for (const term of terms) {
    const next = total + term;
    lost += Math.abs(total) >= Math.abs(term) ? total - next + term : term - next + total;
    total = next;
  }
  return total + lost;
}

/** @param {Cells} cells @param {string} name */
function metricOf({ metrics }, name) {
  const found = metrics.find((metric) => metric.name === name);
  if (!found) throw new Error(`the board's cells have no metric ${name}`);
  return found;
}

/** What is in the order of the ranking, in the order of the board's models.
 * @param {number[]} order @param {(number | null)[]} column */
function byModel(order, column) {
  const placed = [...column];
  order.forEach((model, place) => (placed[model] = column[place]));
  return placed;
}
