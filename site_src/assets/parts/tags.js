// Scores of several models on parts of the datasets: the examples that carry a tag, by the tag's values.

/** @import { CompareDataset, MetricData, ModelDetails } from "../../types" */

/** Scores of one model by the values of a tag, each with its number of examples.
 * @typedef {Record<string, [examples: number, scores: Record<string, number | null>]>} Values */

/**
 * The examples of one dataset whose tag has one value. `numbers` are the models' scores by `metric`, `spread` how
 * far these lie apart.
 * @typedef {object} TagPart
 * @property {CompareDataset} dataset
 * @property {string} tag
 * @property {string} value
 * @property {Pick<MetricData, "name" | "label" | "decimals" | "cost">} metric
 * @property {(number | null)[]} numbers
 * @property {number} examples
 * @property {number} spread
 */

/**
 * All parts on which at least two models have a score, those that set the models apart most first.
 * @param {CompareDataset[]} datasets
 * @param {ModelDetails[]} details of each model
 * @param {MetricData[]} metrics
 * @param {string} base the metric that parts are scored by where they can be
 */
export function partsByTag(datasets, details, metrics, base) {
  const parts = datasets.flatMap((dataset) => {
    const tables = details.map(({ tags }) => tags[dataset.id] ?? {});
    const names = new Set(tables.flatMap((tags) => Object.keys(tags)));
    return [...names].flatMap((tag) => {
      const scored = tables.map((tags) => (Object.hasOwn(tags, tag) ? tags[tag] : {}));
      return partsOf(dataset, tag, scored, metricOf(scored, metrics, base));
    });
  });
  return parts.sort((left, right) => right.spread - left.spread);
}

/** The base metric where a tag is scored by it, else the first that it is scored by.
 * @param {Values[]} scored @param {MetricData[]} metrics @param {string} base @returns {TagPart["metric"]} */
function metricOf(scored, metrics, base) {
  const names = scored
    .flatMap((values) => Object.values(values))
    .flatMap(([, scores]) => Object.keys(scores));
  const name = names.includes(base) ? base : names[0];
  const metric = metrics.find((candidate) => candidate.name === name);
  return metric ?? { name, label: name, decimals: 3, cost: false };
}

/**
 * @param {CompareDataset} dataset
 * @param {string} tag
 * @param {Values[]} scored by each model
 * @param {TagPart["metric"]} metric
 * @returns {TagPart[]}
 */
function partsOf(dataset, tag, scored, metric) {
  const values = new Set(scored.flatMap((table) => Object.keys(table)));
  return [...values].flatMap((value) => {
    const entries = scored.map((table) => (Object.hasOwn(table, value) ? table[value] : null));
    const numbers = entries.map((entry) => entry?.[1][metric.name] ?? null);
    const given = numbers.filter((score) => score !== null);
    if (given.length < 2) return [];
    const spread = Math.max(...given) - Math.min(...given);
    const examples = entries.find((entry) => entry !== null)?.[0] ?? 0;
    return [{ dataset, tag, value, metric, numbers, examples, spread }];
  });
}
