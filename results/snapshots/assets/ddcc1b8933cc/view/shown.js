// Which models a view shows, and in which order. Ranks and rates are what the ranking says.
import { searchable } from "../base/models.js";
import { keeps } from "./limits.js";

/** @import { BoardView, FilterKind, FilterTerm, LimitTerm, MetricData, ModelData, SortTerm } from "../../types" */
/** @import { Certainty } from "../scorer/certainty.js" */
/** @import { Ranking } from "../scorer/ranking.js" */

/**
 * Bands of a model's number of parameters.
 * @type {[value: string, label: string, from: number, below: number][]}
 */
export const SIZES = [
  ["10m", "under 10 M parameters", 0, 1e7],
  ["100m", "10 M to 100 M parameters", 1e7, 1e8],
  ["1b", "100 M to 1 B parameters", 1e8, 1e9],
  ["more", "1 B parameters or more", 1e9, Infinity],
];

/**
 * The values of a model by the kind of filter; "" where nobody has stated any.
 * @type {Record<FilterKind, (model: ModelData) => string[]>}
 */
const FACTS = {
  tag: (model) => model.tags ?? [],
  licence: (model) => [model.licence ?? ""],
  provenance: (model) => [model.provenance],
  size: (model) => [band(model.parameters)],
};

/**
 * The values that filters of a kind can have of a model.
 * @param {FilterKind} kind
 * @param {ModelData} model
 */
export function facts(kind, model) {
  return FACTS[kind](model);
}

/** @param {number} [parameters] */
function band(parameters = NaN) {
  return SIZES.find(([, , from, below]) => parameters >= from && parameters < below)?.[0] ?? "";
}

/**
 * Whether a view narrows the models down.
 * @param {Pick<BoardView, "search" | "filters" | "limits">} view
 */
export function narrowed({ search, filters, limits }) {
  return searchable(search) !== "" || filters.length > 0 || limits.length > 0;
}

/** Finds and sorts the models of a board. */
export class Shown {
  /**
   * @param {ModelData[]} models
   * @param {MetricData[]} metrics
   * @param {Pick<Certainty, "setOf">} certainty
   */
  constructor(models, metrics, certainty) {
    this.models = models;
    this.certainty = certainty;
    this.columns = metrics.map((metric) => metric.name);
    this.texts = models.map(({ label, id, tags = [], licence = "" }) =>
      searchable([label, id, ...tags, licence].join(" ")),
    );
    /** What was found last, and of which values if there are limits.
     * @type {{ key: string, values: Float64Array[] | null, matches: boolean[] }} */
    this.last = { key: "", values: null, matches: [] };
    /** @type {Float64Array | null} */
    this.places = null;
  }

  /**
   * Indices of the models to show: pinned ones in the order in which they were pinned, and the rest.
   * @param {Ranking} ranking
   * @param {BoardView} view
   */
  arrange(ranking, view) {
    const pinned = view.pinned.map((id) => this.models.findIndex((model) => model.id === id));
    const held = new Set(pinned);
    const matches = this.matches(ranking, view);
    const rest = [...ranking.order].filter((index) => matches[index] && !held.has(index));
    return { pinned, rest: this.sorted(rest, ranking, view.sort) };
  }

  /**
   * How many models a view shows.
   * @param {Ranking} ranking
   * @param {BoardView} view
   */
  count(ranking, view) {
    const matches = this.matches(ranking, view);
    const pinned = new Set(view.pinned);
    return this.models.filter(({ id }, index) => matches[index] || pinned.has(id)).length;
  }

  /**
   * Whether search, filters and limits leave each model. A pinned one is shown all the same.
   * @param {Pick<Ranking, "values">} ranking
   * @param {Pick<BoardView, "search" | "filters" | "limits">} view
   */
  matches({ values }, { search, filters, limits }) {
    const key = JSON.stringify([search, filters, limits]);
    if (key !== this.last.key || (limits.length && values !== this.last.values)) {
      const words = searchable(search);
      const within = this.within(values, limits);
      const matches = this.models.map(
        (model, index) => this.hasWords(index, words) && passes(model, filters) && within(index),
      );
      this.last = { key, values, matches };
    }
    return this.last.matches;
  }

  /**
   * A test of which models keep limits.
   * @param {Float64Array[]} values of all models by metric
   * @param {LimitTerm[]} limits
   */
  within(values, limits) {
    return keeps(limits, this.columns, values);
  }

  /**
   * @param {number} index
   * @param {string} search
   */
  hasWords(index, search) {
    return search.split(/\s+/).every((word) => this.texts[index].includes(word));
  }

  /**
   * Stable, so that ties stay in rank order; what has no value comes last either way.
   * @param {number[]} indices
   * @param {Ranking} ranking
   * @param {SortTerm} sort
   */
  sorted(indices, ranking, { column, direction }) {
    const keys = this.keys(ranking, column);
    const sign = direction === "up" ? 1 : -1;
    if (column === ".rank" && sign === 1) return indices;
    return indices.sort((a, b) => {
      const [left, right] = [keys[a], keys[b]];
      if (Number.isNaN(left) || Number.isNaN(right)) {
        return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
      }
      return sign * (left - right);
    });
  }

  /**
   * A number for each model to sort by; NaN where it has none.
   * @param {Ranking} ranking
   * @param {string} column
   */
  keys(ranking, column) {
    if (column === ".model") return this.alphabet();
    if (column === ".rank") return this.models.map((_, index) => ranking.rankOf(index) ?? NaN);
    if (column === ".best") return this.models.map((_, index) => this.certainty.setOf(index)?.[0] ?? NaN);
    if (column === ".worst") return this.models.map((_, index) => this.certainty.setOf(index)?.[1] ?? NaN);
    if (column === ".z") return ranking.zScores ?? ranking.scores;
    if (column === ".score") return ranking.main;
    return ranking.values[this.columns.indexOf(column)];
  }

  /** Each model's place by name. */
  alphabet() {
    this.places ??= placesByName(this.models);
    return this.places;
  }
}

/** @param {ModelData[]} models */
function placesByName(models) {
  const { compare } = new Intl.Collator("en", { numeric: true });
  const order = models.map((_, index) => index);
  order.sort((left, right) => compare(models[left].label, models[right].label));
  const places = new Float64Array(order.length);
  order.forEach((index, place) => (places[index] = place));
  return places;
}

/**
 * Filters of one kind widen, those of different kinds narrow.
 * @param {ModelData} model
 * @param {FilterTerm[]} filters
 */
export function passes(model, filters) {
  const kinds = new Set(filters.map((filter) => filter.kind));
  return [...kinds].every((kind) => {
    const stated = facts(kind, model);
    return filters.some((filter) => filter.kind === kind && stated.includes(filter.value));
  });
}
