// Which models a view shows, and in which order. Ranks and rates are what the ranking says.
import { searchable } from "../base/models.js";
import { compared } from "../scorer/ranking.js";
import { keeps } from "./limits.js";

/** @import { BoardView, FilterKind, FilterTerm, MetricData, ModelData, SortTerm } from "../../types" */
/** @import { Certainty } from "../scorer/certainty.js" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** Bands of a model's number of parameters. @type {[value: string, from: number, below: number][]} */
export const SIZES = [
  ["10m", 0, 1e7],
  ["100m", 1e7, 1e8],
  ["1b", 1e8, 1e9],
  ["more", 1e9, Infinity],
];

/** Efforts in the order in which a model thinks more. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The values that filters of a kind can have of a model; "" where nobody has stated any.
 * @param {FilterKind} kind @param {ModelData} model @returns {string[]} */
export function facts(kind, model) {
  const { tags = [], licence = "", provenance, parameters = NaN, effort = "" } = model;
  const size = SIZES.find(([, from, below]) => parameters >= from && parameters < below)?.[0] ?? "";
  const [budget, context] = [model.budget, model.context].map((tokens) => String(tokens ?? ""));
  return {
    ...{ tag: tags, licence: [licence], provenance: [provenance], size: [size] },
    ...{ effort: [effort], budget: [budget], context: [context] },
  }[kind];
}

/** Filters of one kind widen, those of different kinds narrow. @param {ModelData} model @param {FilterTerm[]} filters */
export function passes(model, filters) {
  const kinds = new Set(filters.map((filter) => filter.kind));
  return [...kinds].every((kind) => {
    const stated = facts(kind, model);
    return filters.some((filter) => filter.kind === kind && stated.includes(filter.value));
  });
}

/** Whether a view narrows the models down. @param {Pick<BoardView, "search" | "filters" | "limits">} view */
export function narrowed({ search, filters, limits }) {
  return searchable(search) !== "" || filters.length > 0 || limits.length > 0;
}

/** Finds and sorts the models of a board. */
export class Shown {
  /** @param {ModelData[]} models @param {MetricData[]} metrics @param {Pick<Certainty, "setOf">} certainty */
  constructor(models, metrics, certainty) {
    this.models = models;
    this.certainty = certainty;
    this.metrics = metrics;
    this.columns = metrics.map((metric) => metric.name);
    this.texts = models.map(({ label, id, tags = [], licence = "", effort = "" }) =>
      searchable([label, id, ...tags, licence, effort].join(" ")),
    );
    const { compare } = new Intl.Collator("en", { numeric: true });
    const order = [...models.keys()].sort((left, right) => compare(models[left].label, models[right].label));
    /** Each model's place by name. */
    this.places = new Float64Array(order.length);
    order.forEach((index, place) => (this.places[index] = place));
  }

  /** Indices of the models to show: pinned ones in the order in which they were pinned, and the rest, among them those
   * `outside` limits, which stay in their places. @param {Ranking} ranking @param {BoardView} view */
  arrange(ranking, view) {
    const pinned = view.pinned.map((id) => this.models.findIndex((model) => model.id === id));
    const matches = this.matches(ranking, { ...view, limits: [] });
    const rest = [...ranking.order].filter((index) => matches[index] && !pinned.includes(index));
    return { pinned, rest: this.sorted(rest, ranking, view.sort), outside: this.outside(ranking, view) };
  }

  /** The models that do not keep all limits. @param {Pick<Ranking, "values">} ranking @param {Pick<BoardView, "limits">} view */
  outside({ values }, { limits }) {
    const within = keeps(limits, this.columns, values);
    return new Set(limits.length ? [...this.models.keys()].filter((index) => !within(index)) : []);
  }

  /** The models that filters leave; null where there are none. @param {Pick<BoardView, "filters">} view */
  filtered({ filters }) {
    if (!filters.length) return null;
    return [...this.models.keys()].filter((index) => passes(this.models[index], filters));
  }

  /** How many of the models that a view shows are within limits. @param {Ranking} ranking @param {BoardView} view */
  count(ranking, view) {
    const matches = this.matches(ranking, { ...view, limits: [] });
    const outside = this.outside(ranking, view);
    const counted = this.models.filter(
      ({ id }, index) => (matches[index] || view.pinned.includes(id)) && !outside.has(index),
    );
    return counted.length;
  }

  /** Whether search, filters and limits leave each model.
   * @param {Pick<Ranking, "values">} ranking @param {Pick<BoardView, "search" | "filters" | "limits">} view */
  matches({ values }, { search, filters, limits }) {
    const words = searchable(search).split(/\s+/);
    const within = keeps(limits, this.columns, values);
    return this.models.map(
      (model, index) =>
        words.every((word) => this.texts[index].includes(word)) && passes(model, filters) && within(index),
    );
  }

  /** Stable, so that ties stay in rank order; what has no value comes last either way.
   * @param {number[]} indices @param {Ranking} ranking @param {SortTerm} sort */
  sorted(indices, ranking, { column, direction }) {
    const keys = this.keys(ranking, column);
    const sign = direction === "up" ? 1 : -1;
    return indices.sort((a, b) => {
      const [left, right] = [keys[a], keys[b]];
      if (Number.isNaN(left) || Number.isNaN(right)) {
        return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
      }
      return sign * (left - right);
    });
  }

  /** A number for each model to sort by; NaN where it has none. @param {Ranking} ranking @param {string} column */
  keys(ranking, column) {
    const sets = (/** @type {0 | 1} */ end) =>
      this.models.map((_, index) => this.certainty.setOf(index)?.[end] ?? NaN);
    if (column === ".model") return this.places;
    if (column === ".rank") return ranking.ranks;
    if (column === ".best") return sets(0);
    if (column === ".worst") return sets(1);
    if (column === ".z") return ranking.zScores ?? ranking.scores;
    if (column === ".score") return ranking.main;
    return compared(ranking, this.metrics)[this.columns.indexOf(column)];
  }
}
