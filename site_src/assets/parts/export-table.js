// What a board's page shows, as a table to export: these rows, this order, these columns.
import { fixed, weight } from "../base/formats.js";
import { metricNamed } from "../base/models.js";
import { BOARD_PARTS, encode } from "../view/fragment.js";
import { limitWords } from "../view/limits.js";
import { rankedBy } from "../view/view.js";
import { WARNING } from "./exports.js";

/** @import { BoardData, BoardHost, BoardView, MetricData, Weights } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { ExportRow, ExportTable, ExportTerm } from "./exports.js" */

/** A column with the values of all models; `name` is a metric's, null for a score.
 * @typedef {{ name: string | null, label: string, unit: string, decimals: number, cost: boolean,
 *   values: Float64Array }} ValueColumn */

/** What is needed of a page. @typedef {Pick<BoardHost, "data" | "ranking" | "ranked" | "certainty" | "shown" | "view">} ExportHost */

/** Characters of a file's name without its ending. */
const LONGEST_NAME = 120;

/**
 * The view as the page shows it: what it is ranked by is what the ranking on the page was made with.
 * @param {Pick<BoardHost, "view" | "ranked">} page
 * @returns {BoardView}
 */
export function shownView({ view, ranked }) {
  const made = rankedBy(ranked).map((field) => [field, ranked[field]]);
  return { ...view.now, ...Object.fromEntries(made) };
}

/**
 * The address of a view of a board.
 * @param {Pick<BoardHost, "view">} page
 * @param {BoardView} view
 */
export function addressOf(page, view) {
  const fragment = encode(view, page.view.defaults, BOARD_PARTS);
  return location.href.split("#")[0] + (fragment ? `#${fragment}` : "");
}

/**
 * Board, time and weights, so that a file's name describes what it holds.
 * @param {BoardData} data
 * @param {Weights} metrics
 */
export function fileName({ id, updated }, metrics) {
  const weights = Object.entries(metrics).map(([name, value]) => `${name}${weight(value)}`);
  const time = (updated ?? "").replace(/[^0-9TZ]/g, "");
  return `${id}_${time}_${weights.join("-")}`.slice(0, LONGEST_NAME);
}

/**
 * What is shown.
 * @param {ExportHost} page
 * @param {string} address of the view
 * @returns {ExportTable}
 */
export function exportTable(page, address) {
  const { data, ranking, certainty } = page;
  const view = shownView(page);
  const { pinned, rest } = page.shown.arrange(ranking, view);
  const models = [...pinned, ...rest];
  const columns = columnsOf(data, ranking, view);
  return {
    title: data.title,
    updated: data.updated ?? "no results yet",
    address,
    terms: [...termsOf(data, view), ["How sure ranks are", certainty.words || "unknown"]],
    columns,
    rows: models.map((model) => rowOf(page, model, columns)),
    record: recordOf(page, view, { address, columns, models }),
  };
}

/**
 * @param {BoardData} data
 * @param {Ranking} ranking
 * @param {BoardView} view
 * @returns {ValueColumn[]}
 */
function columnsOf(data, ranking, view) {
  const { unit } = metricNamed(data.metrics, view.base);
  const score = { name: null, label: "Dynascore", unit, decimals: 2, cost: false, values: ranking.scores };
  const z = { ...score, label: "Mean z-score", unit: "", values: ranking.main };
  const metrics = data.metrics.map((metric, at) => ({ ...metric, values: ranking.values[at] }));
  const shown = metrics.filter(({ name }) => !view.hidden.includes(name));
  return [...(ranking.by === "z_score" ? [z] : []), score, ...shown];
}

/**
 * @param {ExportHost} page
 * @param {number} model
 * @param {ValueColumn[]} columns
 * @returns {ExportRow}
 */
function rowOf({ data, ranking, certainty }, model, columns) {
  const { id, label } = data.models[model];
  const numbers = columns.map(({ values, decimals }) =>
    Number.isNaN(values[model]) ? null : fixed(values[model], decimals),
  );
  return { rank: ranking.rankOf(model), set: certainty.setOf(model) ?? null, id, label, numbers };
}

/**
 * Under which terms the numbers hold.
 * @param {BoardData} data
 * @param {BoardView} view
 * @returns {ExportTerm[]}
 */
export function termsOf({ metrics, datasets }, { threshold, ...view }) {
  const labels = Object.fromEntries(metrics.map(({ name, label }) => [name, label]));
  return [
    ["Ranked by", view.by === "z_score" ? "mean z-score" : "Dynascore"],
    ["Weights of metrics", weighed(view.metrics, labels)],
    ["Weights of datasets", weighed(view.datasets, datasets)],
    ["Base metric", labels[view.base]],
    ["Threshold", `${weight(threshold.epsilon)}, ${threshold.kind}`],
    ["Exchange rates", view.rate === "ratio" ? "ratio of sums" : "mean of slopes"],
    ...narrowedBy(view, metrics),
  ];
}

/**
 * @param {Weights} weights
 * @param {Record<string, string>} labels
 */
function weighed(weights, labels) {
  return Object.entries(weights)
    .map(([name, value]) => `${labels[name]} ${weight(value)}`)
    .join(", ");
}

/**
 * @param {Pick<BoardView, "search" | "filters" | "limits" | "among">} view
 * @param {MetricData[]} metrics
 * @returns {ExportTerm[]}
 */
function narrowedBy({ search, filters, limits, among }, metrics) {
  /** @type {ExportTerm[]} */
  const terms = [];
  if (search.trim()) terms.push(["Searched for", search.trim()]);
  const kept = filters.map(({ kind, value }) => `${kind} ${value || "not stated"}`).join(", ");
  if (kept) terms.push(["Filtered by", kept]);
  if (limits.length) terms.push(["Limits", limits.map((limit) => limitWords(limit, metrics)).join(", ")]);
  if (among === "left") terms.push(["Ranked among", "only the models that filters and limits leave"]);
  return terms;
}

/**
 * Everything in full precision.
 * @param {ExportHost} page
 * @param {BoardView} view
 * @param {{ address: string, columns: ValueColumn[], models: number[] }} table
 */
function recordOf(page, view, { address, columns, models }) {
  const { data, certainty } = page;
  const {
    metrics,
    datasets,
    base,
    threshold,
    rate,
    by,
    sort,
    search,
    filters,
    limits,
    among,
    pinned,
    hidden,
  } = view;
  return {
    board: { id: data.id, title: data.title },
    results_of: data.updated,
    address,
    warning: WARNING,
    ranked_by: by,
    weights: { metrics, datasets },
    base,
    threshold,
    exchange_rates: rate,
    shown: { sort, search, filters, limits, ranked_among: among, pinned, hidden },
    rank_sets: { confidence: 0.95, about: certainty.words, smallest_gap: certainty.found.gap },
    columns: columns
      .filter(isMetric)
      .map(({ name, label, unit, cost }) => ({ name, label, unit, less_is_better: cost })),
    models: models.map((model) => modelRecord(page, model, columns.filter(isMetric))),
  };
}

/** @param {ValueColumn} column */
function isMetric({ name }) {
  return name !== null;
}

/**
 * @param {ExportHost} page
 * @param {number} model
 * @param {ValueColumn[]} columns of metrics
 */
function modelRecord({ data, ranking, certainty }, model, columns) {
  const { id, label, provenance } = data.models[model];
  const values = columns.map(({ name, values }) => [name, exact(values[model])]);
  const contributions = data.metrics.map(({ name }, at) => [name, exact(ranking.contributions[at][model])]);
  return {
    rank: ranking.rankOf(model),
    rank_set: certainty.setOf(model) ?? null,
    model: id,
    label,
    provenance,
    dynascore: exact(ranking.scores[model]),
    ...(ranking.by === "z_score" ? { mean_z_score: exact(ranking.main[model]) } : {}),
    values: Object.fromEntries(values),
    contributions: Object.fromEntries(contributions),
  };
}

/**
 * A number as JSON can hold it: null where it is missing.
 * @param {number} value
 */
function exact(value) {
  return Number.isNaN(value) ? null : value;
}
