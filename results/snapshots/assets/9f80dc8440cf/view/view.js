// What a visitor looks at and by which weights: kept in the address, stepped through by undo and redo.
import { isolated } from "../base/formats.js";
import { text } from "../base/texts.js";
import { fragmentNow, joined, partsOf, putAddress } from "./address.js";
import { BadFragment, BOARD_PARTS, decode, encode, same } from "./fragment.js";
import { rangesOf } from "./limits.js";
import { effective } from "./prices.js";
import { passes } from "./shown.js";

/** @import { BoardData, BoardView, ModelData, RankQuestion } from "../../types" */

/**
 * What a view is made of: its fields with their defaults, and how an address writes them. `decode` also returns
 * the names that the page does not know, and what else it ignores and why; it throws BadFragment.
 * @template Fields
 * @typedef {object} ViewTerms
 * @property {Fields} defaults
 * @property {(view: Fields) => string} encode
 * @property {(fragment: string) => { view: Fields, unknown: string[], ignored?: string }} decode
 */

/**
 * What a view calls: on every change with the names of the changed fields, and with what is wrong with an
 * address, "" when nothing is.
 * @template Fields
 * @typedef {object} Listeners
 * @property {(view: Fields, changed: string[]) => void} onChange
 * @property {(text: string) => void} onMessage
 * @property {boolean} [shared] whether the page's address says something else too, which stays there
 */

/** Fields that the board of a snapshot may have other defaults of by now. @type {(keyof BoardView)[]} */
const CHANGING = ["metrics", "datasets", "base", "threshold", "rate", "by", "trades"];
/** Fields of a view that a ranking depends on; the others change only how it is shown. @type {(keyof BoardView)[]} */
const RANKS = ["metrics", "datasets", "base", "threshold", "rate", "by", "among", "prices"];
/** Fields that a ranking depends on only where it is by trade-offs. @type {(keyof BoardView)[]} */
const TRADES = ["trades"];
/** Fields that a ranking depends on only where it is among the models that they leave. @type {(keyof BoardView)[]} */
const LEAVES = ["limits", "filters"];

/** A board's own view: the one of an empty address. @param {BoardData} data @returns {BoardView} */
export function defaultView(data) {
  return {
    metrics: data.weights.metrics,
    datasets: data.weights.datasets,
    base: data.base,
    threshold: { kind: data.epsilon_kind, epsilon: data.epsilon },
    rate: data.rate,
    by: data.by ?? "dynascore",
    trades: data.trades ?? {},
    prices: {},
    lockedMetrics: [],
    lockedDatasets: [],
    why: "",
    bars: { kind: "median" },
    sort: { column: ".rank", direction: "up" },
    hidden: [],
    pinned: [],
    search: "",
    filters: [],
    limits: [],
    among: "all",
    chosen: [],
    // The map of winners has three corners, of metrics that no ranked model lacks.
    chart: data.whole < 3 ? "scatter" : "triangle",
    axes: data.axes,
    corners: data.corners,
  };
}

/** The fields that the ranking of a view depends on. @param {BoardView} view */
export function rankedBy({ by, among }) {
  return [...RANKS, ...(by === "trades" ? TRADES : []), ...(among === "left" ? LEAVES : [])];
}

/** Whether two views ask for the same ranking. @param {BoardView} left @param {BoardView} right */
export function ranksAlike(left, right) {
  return rankedBy(left).every((field) => same(left[field], right[field]));
}

/**
 * The question to the scorer for a view of a board with these models: where it is among those that are left, the models
 * that filters leave, null for all, and limits, which Python applies at the question's own weights of datasets.
 * @param {BoardView} view @param {ModelData[]} models @returns {RankQuestion}
 */
export function question(view, models) {
  const { metrics, datasets, base, threshold, rate, by, trades, among, filters, limits } = view;
  const { epsilon, kind: epsilon_kind } = threshold;
  const asked = {
    metrics,
    datasets,
    base,
    epsilon,
    epsilon_kind,
    rate,
    by,
    ...(by === "trades" && { trades }),
  };
  if (among !== "left") return asked;
  const passing = models.filter((model) => passes(model, filters)).map(({ id }) => id);
  return { ...asked, among: filters.length ? passing : null, limits: rangesOf(limits) };
}

/** What a view of a board is made of. @param {BoardData} data @returns {ViewTerms<BoardView>} */
export function boardTerms(data) {
  const known = {
    metrics: data.metrics.map((metric) => metric.name),
    datasets: Object.keys(data.weights.datasets),
    models: data.models.map((model) => model.id),
    priced: Object.keys(data.prices?.day ?? {}),
  };
  const defaults = defaultView(data);
  return {
    defaults,
    encode: (view) => encode(view, defaults, BOARD_PARTS),
    decode: (fragment) => {
      const { view, unknown } = decode(fragment, defaults, known, BOARD_PARTS);
      const { prices, inPart } = effective(view.prices, data.prices?.day ?? {});
      const lacking = data.models.find(({ id }) => inPart.includes(id));
      const ignored = lacking && { ignored: text("link.in-part", { model: isolated(lacking.label) }) };
      return { view: { ...view, prices }, unknown, ...ignored };
    },
  };
}

/** The present view of a page; `start` takes it from the address. @template {object} Fields */
export class View {
  /** @param {ViewTerms<Fields>} terms @param {Listeners<Fields>} listeners */
  constructor(terms, { onChange, onMessage, shared = false }) {
    this.shared = shared;
    this.defaults = terms.defaults;
    this.terms = terms;
    this.onChange = onChange;
    this.onMessage = onMessage;
    this.now = this.defaults;
    this.steps = [""];
    this.step = 0;
  }

  start() {
    this.readAddress();
    this.steps = [this.fragment];
    this.step = 0;
    addEventListener("popstate", () => this.readAddress());
  }

  /** Change some fields, as while a slider is dragged; `settle` then makes it a step. @param {Partial<Fields>} fields */
  change(fields) {
    this.show({ ...this.now, ...fields });
  }

  /** A change has ended: it becomes a step that undo and the back button take back. */
  settle() {
    const { fragment } = this;
    if (fragment === this.steps[this.step]) return;
    this.addStep(fragment);
    this.writeAddress(fragment);
    this.onChange(this.now, []);
  }

  /** Change some fields and make it a step. @param {Partial<Fields>} fields */
  set(fields) {
    this.change(fields);
    this.settle();
  }

  /** The address of this view, without "#"; empty for the default. */
  get fragment() {
    return this.terms.encode(this.now);
  }

  get canUndo() {
    return this.step > 0;
  }

  get canRedo() {
    return this.step < this.steps.length - 1;
  }

  undo() {
    if (this.canUndo) this.goTo(this.step - 1);
  }

  redo() {
    if (this.canRedo) this.goTo(this.step + 1);
  }

  /** @param {number} step */
  goTo(step) {
    this.step = step;
    this.writeAddress(this.steps[step]);
    this.show(this.read(this.steps[step]));
  }

  /** Put a step after the present one, in the place of those that were there. @param {string} fragment */
  addStep(fragment) {
    this.steps = [...this.steps.slice(0, this.step + 1), fragment];
    this.step += 1;
  }

  /** @param {string} view */
  writeAddress(view) {
    const { rest } = partsOf(fragmentNow() ?? "");
    putAddress(this.shared ? joined({ rest, view }) : view);
  }

  /** Take the view from the address: on arrival, on back and forward, which walk along the known steps, and on an edited
   * address, which is a new one. */
  readAddress() {
    const fragment = fragmentNow();
    if (fragment === null) return;
    this.onMessage("");
    const view = this.read(this.shared ? partsOf(fragment).view : fragment);
    const written = this.terms.encode(view);
    const near = [this.step - 1, this.step + 1].find((step) => this.steps[step] === written);
    if (near !== undefined) this.step = near;
    else if (this.steps[this.step] !== written) this.addStep(written);
    this.show(view);
  }

  /** The view of a fragment; the default, and a message, where it cannot be read. @param {string} fragment */
  read(fragment) {
    if (!fragment) return this.defaults;
    try {
      const { view, unknown, ignored = "" } = this.terms.decode(fragment);
      const names = unknown.length ? text("link.unknown", { names: unknown.join(", ") }) : "";
      if (names || ignored) this.onMessage([names, ignored].filter(Boolean).join(" "));
      return view;
    } catch (error) {
      if (!(error instanceof BadFragment)) throw error;
      this.onMessage(text("link.unread", { reason: error.message }));
      return this.defaults;
    }
  }

  /** @param {Fields} view */
  show(view) {
    const before = new Map(Object.entries(this.now));
    const changed = Object.entries(view).filter(([field, value]) => !same(value, before.get(field)));
    this.now = view;
    this.onChange(
      view,
      changed.map(([field]) => field),
    );
  }
}

/** The present view of a board, for a link that says a part of a view itself: this part stays.
 * @param {View<BoardView>} view @param {string} own */
export function withOwn({ now, defaults, fragment, terms }, own) {
  if (!own) return fragment;
  const said = Object.entries(terms.decode(own).view);
  const kept = said.filter(
    ([field, value]) => !same(value, defaults[/** @type {keyof BoardView} */ (field)]),
  );
  return terms.encode({ ...now, ...Object.fromEntries(kept) });
}

/** The present view of a snapshot for its live board, which may have other defaults: what it is ranked by is said in full,
 * unless that is what the snapshot shows by itself. @param {View<BoardView>} view */
export function spelledOut({ now, defaults, fragment }) {
  const own = CHANGING.filter((field) => field !== "trades" || now.by === "trades");
  if (own.every((field) => same(now[field], defaults[field]))) return fragment;
  const unsaid = Object.fromEntries(own.map((field) => [field, undefined]));
  return encode(now, { ...defaults, ...unsaid }, BOARD_PARTS);
}
