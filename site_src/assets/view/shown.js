// Which models a view shows, and in which order. Ranks and rates stay those of the whole board.

/** Bands of a model's number of parameters: [value in a view, in words, from, to below]. */
export const SIZES = [
  ["10m", "under 10 M parameters", 0, 1e7],
  ["100m", "10 M to 100 M parameters", 1e7, 1e8],
  ["1b", "100 M to 1 B parameters", 1e8, 1e9],
  ["more", "1 B parameters or more", 1e9, Infinity],
];

/** What a filter of each kind says of a model; "" stands for what nobody has stated. */
const FACTS = {
  tag: (model) => model.tags ?? [],
  licence: (model) => [model.licence ?? ""],
  provenance: (model) => [model.provenance],
  size: (model) => [band(model.parameters)],
};

/** The values that filters of a kind can have of a model. */
export function facts(kind, model) {
  return FACTS[kind](model);
}

function band(parameters) {
  return SIZES.find(([, , from, below]) => parameters >= from && parameters < below)?.[0] ?? "";
}

/** Whether a view narrows the models down. */
export function narrowed({ search, filters }) {
  return folded(search) !== "" || filters.length > 0;
}

/** Small letters without accents, so that "Zurich" finds "Zürich". */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** Finds and sorts the models of a board. */
export class Shown {
  constructor(models, metrics) {
    this.models = models;
    this.columns = metrics.map((metric) => metric.name);
    this.texts = models.map(({ label, id, tags = [], licence = "" }) =>
      folded([label, id, ...tags, licence].join(" ")),
    );
  }

  /** Indices of the models to show, {pinned, rest}: pinned ones in the order in which they were pinned. */
  arrange(ranking, view) {
    const pinned = view.pinned.map((id) => this.models.findIndex((model) => model.id === id));
    const held = new Set(pinned);
    const found = this.found(view);
    const rest = [...ranking.order].filter((index) => found[index] && !held.has(index));
    return { pinned, rest: this.sorted(rest, ranking, view.sort) };
  }

  /** How many models a view shows. */
  count(view) {
    const found = this.found(view);
    const pinned = new Set(view.pinned);
    return this.models.filter(({ id }, index) => found[index] || pinned.has(id)).length;
  }

  /** Whether search and filters find each model. A pinned one is shown all the same. */
  found({ search, filters }) {
    const key = JSON.stringify([search, filters]);
    if (key !== this.key) {
      this.key = key;
      this.last = this.models.map(
        (model, index) => this.says(index, folded(search)) && passes(model, filters),
      );
    }
    return this.last;
  }

  says(index, search) {
    return search.split(/\s+/).every((word) => this.texts[index].includes(word));
  }

  /** Stable, so that ties stay in rank order; what has no value comes last either way. */
  sorted(indices, ranking, { column, direction }) {
    const keys = this.keys(ranking, column);
    const sign = direction === "up" ? 1 : -1;
    if (column === ".rank" && sign === 1) return indices;
    return indices.sort((a, b) => {
      const [left, right] = [keys[a], keys[b]];
      if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right);
      return sign * (left - right);
    });
  }

  keys(ranking, column) {
    if (column === ".model") return this.alphabet();
    if (column === ".rank") return this.models.map((_, index) => ranking.rankOf(index) ?? NaN);
    if (column === ".z") return ranking.zScores ?? ranking.scores;
    if (column === ".score") return ranking.by === "z_score" ? ranking.zScores : ranking.scores;
    return ranking.values[this.columns.indexOf(column)];
  }

  /** Each model's place by name. */
  alphabet() {
    if (!this.places) {
      const { compare } = new Intl.Collator("en", { numeric: true });
      const order = this.models
        .map((_, index) => index)
        .sort((a, b) => compare(this.models[a].label, this.models[b].label));
      this.places = new Float64Array(order.length);
      order.forEach((index, place) => (this.places[index] = place));
    }
    return this.places;
  }
}

/** Filters of one kind widen, those of different kinds narrow. */
function passes(model, filters) {
  const kinds = new Set(filters.map((filter) => filter.kind));
  return [...kinds].every((kind) => {
    const stated = facts(kind, model);
    return filters.some((filter) => filter.kind === kind && stated.includes(filter.value));
  });
}
