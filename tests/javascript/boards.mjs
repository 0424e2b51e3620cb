// Boards, rankings and views that tests of the site's scripts are made with.
import { Certainty } from "../../site_src/assets/scorer/certainty.js";
import { Ranking } from "../../site_src/assets/scorer/ranking.js";
import {
  FILTERS,
  CHARTS,
  LARGEST,
  MOST_PRICE,
  OWN_COLUMNS,
  RANKED_BY,
} from "../../site_src/assets/view/fragment.js";
import { tradeOf } from "../../site_src/assets/view/trades.js";
import { fc, hostileNames } from "./properties.mjs";

/** The data that a page is built with, for models with only the facts that a test needs. */
export function boardData({ metrics = ["perf", "memory"], datasets = ["a"], models = [], ...rest }) {
  return {
    id: "board",
    title: "Board",
    base: metrics[0],
    epsilon: 1e-4,
    epsilon_kind: "relative",
    rate: "mean",
    metrics: metrics.map((name, at) => ({
      name,
      label: name,
      unit: at ? "GB" : "F1",
      decimals: 2,
      colour: at + 1,
      amounts: "points",
      one: "1 point",
      cost: at > 0,
    })),
    datasets: Object.fromEntries(datasets.map((name) => [name, name])),
    models: models.map((model) => ({ label: model.id, provenance: "measured", ...model })),
    weights: {
      metrics: Object.fromEntries(metrics.map((name, at) => [name, at ? 1 : 4])),
      datasets: Object.fromEntries(datasets.map((name) => [name, 1])),
    },
    presets: [],
    updated: "2026-11-21T15:20:00Z",
    axes: metrics.slice(0, 2),
    corners: metrics.slice(0, 3),
    whole: metrics.length,
    front: [],
    ...rest,
  };
}

/** A ranking in which each model has the values of its row; the first row leads, and null is no rank. */
export function rankingOf(data, rows, ranks = rows.map((_, at) => at + 1)) {
  const columns = data.metrics.map((_, at) => rows.map((row) => row[at]));
  return Ranking.fromPage({
    order: rows.map((_, at) => at),
    ranks,
    scores: ranks.map((rank) => rank && 10 - rank),
    z_scores: ranks.map((rank) => rank && -rank),
    contributions: columns,
    values: columns,
    rates: Object.fromEntries(
      data.metrics.map(({ name }) => [
        name,
        { rate: 1, pairs: 1, skipped: 0, largest_share: 1, largest_pair: null, note: null },
      ]),
    ),
    notes: [],
  });
}

/** How sure a ranking is whose sets the page came with; `asks` may change what the page says. */
export function certaintyOf(ranking, sets = [], { scorer = null, file = null, ...asks } = {}) {
  const island = { sets, given: {}, gap: null, words: "as the page says", file };
  const page = {
    ready: () => true,
    ranking: () => ranking,
    question: () => ({}),
    seen: () => ranking.order,
    changed() {},
  };
  return new Certainty(scorer, island, { ...page, ...asks });
}

/** Records as the scripts make them, with Object's prototype. */
const record = (fields) => fc.record(fields, { noNullPrototype: true });

const weight = fc.oneof(
  fc.constantFrom(0, 1, 5e-7, LARGEST),
  fc.integer({ min: 0, max: LARGEST }),
  fc.double({ noNaN: true, min: 0, max: LARGEST }).map((value) => value + 0),
);

/** Weights of these names, in their order. */
export const weightsOf = (names) =>
  fc
    .tuple(...names.map(() => weight))
    .map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])));

const some = (names) =>
  fc.subarray(names).chain((chosen) => fc.shuffledSubarray(chosen, { minLength: chosen.length }));
const pick = (names) => fc.constantFrom(...names);

/** Limits of any size, no two for the same bound of a metric; -0 is 0 in an address. */
const limitsOf = (metrics) =>
  fc.uniqueArray(
    record({
      metric: pick(metrics),
      bound: pick(["least", "most"]),
      value: fc.double({ noNaN: true, min: -1e120, max: 1e120 }).map((value) => value + 0),
    }),
    { maxLength: 4, selector: ({ metric, bound }) => `${bound} ${metric}` },
  );

/** Trade-offs of some metrics. */
const tradesOf = (metrics) =>
  fc
    .tuple(
      some(metrics),
      fc.infiniteStream(fc.tuple(fc.double({ noNaN: true, min: 1e-9, max: 1e15 }), fc.boolean())),
    )
    .map(([names, amounts]) =>
      Object.fromEntries(names.map((name) => [name, tradeOf(...amounts.next().value)])),
    );

/** The prices of a board on which these models can be priced again. */
export const pricesOfDay = (models) => ({
  day: Object.fromEntries(models.map((model) => [model, [0.3, 0.2, 0.7]])),
});

/** Prices of some models, one of them at least other than the day's. */
const pricesOf = (models) =>
  fc
    .tuple(
      some(models),
      fc.infiniteStream(fc.tuple(price, price, price).filter((prices) => prices.some((one) => one !== null))),
    )
    .map(([names, prices]) => Object.fromEntries(names.map((name) => [name, prices.next().value])));
const price = fc.option(fc.double({ noNaN: true, min: 0, max: MOST_PRICE }).map((value) => value + 0));

/** Any view of a board with these names, whose models can be priced again. */
export const viewOf = ({ metrics, datasets, models }) =>
  record({
    metrics: weightsOf(metrics),
    datasets: weightsOf(datasets),
    base: pick(metrics),
    threshold: record({ kind: pick(["relative", "absolute"]), epsilon: weight }),
    rate: pick(["mean", "ratio"]),
    by: pick(RANKED_BY),
    trades: tradesOf(metrics),
    prices: pricesOf(models),
    lockedMetrics: some(metrics),
    lockedDatasets: some(datasets),
    why: fc.oneof(fc.constant(""), pick(models)),
    bars: fc.oneof(
      record({ kind: pick(["median", "leader", "whole"]) }),
      record({ kind: fc.constant("model"), model: pick(models) }),
    ),
    sort: record({ column: pick([...OWN_COLUMNS, ...metrics]), direction: pick(["up", "down"]) }),
    hidden: some(metrics),
    pinned: some(models),
    search: fc.string({ unit: "binary" }),
    filters: fc.array(record({ kind: pick(FILTERS), value: fc.string({ unit: "binary" }) }), {
      maxLength: 4,
    }),
    limits: limitsOf(metrics),
    among: pick(["all", "left"]),
    chosen: some(models),
    chart: pick(CHARTS),
    axes: some(metrics),
    corners: some(metrics),
  });

/** The names of a board, of any characters. */
export const boardNames = record({
  metrics: hostileNames(),
  datasets: hostileNames(),
  models: hostileNames(),
});
