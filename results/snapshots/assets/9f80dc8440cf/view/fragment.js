// A view in the address: #v1;m=perf:4,memory:1;d=sst:1;b=perf;s=memory:up. Only what differs from the
// board's defaults is written, so what an address leaves out keeps its default.
//   m, d  weights of metrics and of datasets      b  base metric        e  threshold (relative:0.0001)
//   g     how exchange rates are estimated (ratio)
//   y     ranked by (mean)                        r  what bars show (leader, whole, model:bert)
//   u     trade-offs, what one unit of the base metric is worth (throughput:10%25,memory:0.1)
//   s     sorted by (memory:up)                   h  hidden columns     p  pinned models
//   q     searched for                            f  filters (tag:lexicon)
//   c     limits (memory:most:0.2)                a  ranked among (left)
//   k     models chosen to be compared            o  open chart         x  its two metrics
//   t     the three metrics of the triangle     w  the model whose score is explained
//   v     prices of a model's tokens: sent, kept from before, written (qwen:0.1/0.02/0.4,bert://1)
//   l, n  metrics and datasets whose share of the weight is locked

import { text as textOf } from "../base/texts.js";

import { isAmount, partsOf, tradeOf } from "./trades.js";

/** @import { BarsTerm, BoardView, FilterTerm, LimitTerm, Prices, SortTerm, Threshold, Trades, Weights } from "../../types" */
/** @import { Among, Bound, ChartName, Estimator, FilterKind, RankedBy, ThresholdKind } from "../../types" */

/**
 * The names that a page knows, by what they name: "metrics", "models" and, on a board, "datasets".
 * @typedef {Record<string, string[]>} KnownNames
 */

/**
 * How a field of a view is written to an address and read back. `read` gets the field as it is without the
 * address, adds names that the page does not know to `unknown`, and throws BadFragment.
 * @template Value
 * @typedef {{ write(value: Value): string,
 *   read(text: string, before: Value, known: KnownNames, unknown: string[]): Value }} Codec
 */

/**
 * A field of a view in an address: its key there, its name in the view, its codec.
 * @template View
 * @typedef {{ [Field in keyof View]: [key: string, field: Field, codec: Codec<View[Field]>] }[keyof View]} FragmentPart
 */

const VERSION = "v1";
export const LARGEST = 1000;
/** Columns that are no metrics; no metric's name can begin with a full stop. */
export const OWN_COLUMNS = [".rank", ".best", ".worst", ".model", ".score", ".z"];
/** @type {FilterKind[]} */
export const FILTERS = ["tag", "licence", "provenance", "size", "effort", "budget", "context"];
/** @type {Bound[]} */
export const BOUNDS = ["least", "most"];
/** No number of a board is larger; see LARGEST of evaluator/rank/dynascore.py. */
const LARGEST_VALUE = 1e120;
/** @type {Among[]} */
const AMONG = ["all", "left"];
/** @type {ChartName[]} */
export const CHARTS = ["triangle", "scatter", "parallel", "slope"];
/** @type {RankedBy[]} */
export const RANKED_BY = ["dynascore", "mean", "z_score", "trades"];
/** @type {Estimator[]} */
export const ESTIMATORS = ["mean", "ratio"];
/** @type {ThresholdKind[]} */
export const THRESHOLDS = ["relative", "absolute"];
/** What bars can show without a model to compare with. @type {("median" | "leader" | "whole")[]} */
export const BARS = ["median", "leader", "whole"];
/** How many models can be compared side by side. */
export const COMPARED = 4;

/** An address that cannot be read; the message explains to visitors what is wrong with it. */
export class BadFragment extends Error {}

/** What is wrong with a part of an address.
 * @param {string} part @param {string} name of the text that says so @param {Record<string, string | number>} [values] */
export function bad(part, name, values = {}) {
  return new BadFragment(textOf(name, { part: excerpt(part), ...values }));
}

/** @param {number} value */
export function isWeight(value) {
  return Number.isFinite(value) && value >= 0 && value <= LARGEST;
}

/** Whether a number can be a limit. @param {number} value */
export function isLimit(value) {
  return Math.abs(value) <= LARGEST_VALUE;
}

/** The most that a million tokens cost, in any currency. */
export const MOST_PRICE = 1e9;

/** Whether a number can be a price. @param {number | null} value */
export function isPrice(value) {
  return value !== null && value >= 0 && value <= MOST_PRICE;
}

/** @type {FragmentPart<BoardView>[]} */
export const BOARD_PARTS = [
  ["m", "metrics", weights("metrics")],
  ["d", "datasets", weights("datasets")],
  ["b", "base", name("metrics")],
  ["e", "threshold", { write: writeThreshold, read: readThreshold }],
  ["g", "rate", oneOf(ESTIMATORS)],
  ["y", "by", oneOf(RANKED_BY)],
  ["u", "trades", { write: writeTrades, read: readTrades }],
  ["v", "prices", { write: writePrices, read: readPrices }],
  ["r", "bars", { write: writeBars, read: readBars }],
  ["s", "sort", { write: writeSort, read: readSort }],
  ["h", "hidden", names("metrics")],
  ["p", "pinned", names("models")],
  ["q", "search", { write: encoded, read: decoded }],
  ["f", "filters", list(({ kind, value }) => `${kind}:${encoded(value)}`, readFilter)],
  ["c", "limits", { write: writeLimits, read: readLimits }],
  ["a", "among", oneOf(AMONG)],
  ["k", "chosen", names("models")],
  ["o", "chart", oneOf(CHARTS)],
  ["x", "axes", names("metrics")],
  ["t", "corners", names("metrics")],
  ["w", "why", name("models")],
  ["l", "lockedMetrics", names("metrics")],
  ["n", "lockedDatasets", names("datasets")],
];

/**
 * The fragment, without "#", of this view; empty for the default one.
 * @template {object} View
 * @param {View} view @param {View} defaults @param {FragmentPart<View>[]} parts
 */
export function encode(view, defaults, parts) {
  const different = parts.filter(([, field]) => !same(view[field], defaults[field]));
  if (!different.length) return "";
  return [VERSION, ...different.map(([key, field, codec]) => `${key}=${codec.write(view[field])}`)].join(";");
}

/**
 * The view of a fragment, with defaults for what it leaves out, and the names it uses that the page does
 * not know. Throws BadFragment.
 * @template {object} View
 * @param {string} fragment @param {View} defaults @param {KnownNames} known @param {FragmentPart<View>[]} parts
 */
export function decode(fragment, defaults, known, parts) {
  const view = structuredClone(defaults);
  /** @type {string[]} */
  const unknown = [];
  const [version, ...items] = fragment.split(";");
  if (version !== VERSION) throw bad(version, "link.version", { version: VERSION });
  for (const item of items) {
    const [key, text] = split(item, "=");
    const part = parts.find(([candidate]) => candidate === key);
    if (!part) throw bad(item, "link.part");
    const [, field, codec] = part;
    view[field] = codec.read(text, view[field], known, unknown);
  }
  return { view, unknown: unknown.map(excerpt) };
}

/** Whether two fields of views have the same value. @param {unknown} left @param {unknown} right */
export function same(left, right) {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Weights, name:weight,name:weight. @param {string} kind of the names @returns {Codec<Weights>} */
function weights(kind) {
  return {
    write: (named) =>
      Object.entries(named)
        .map(([key, weight]) => `${encoded(key)}:${weight}`)
        .join(","),
    read: (text, named, known, unknown) => {
      const read = text.split(",").map((item) => {
        const [key, digits] = split(item, ":");
        const weight = Number(digits);
        if (digits.trim() === "" || !isWeight(weight)) throw bad(item, "link.weight", { largest: LARGEST });
        return /** @type {const} */ ([decoded(key), weight]);
      });
      unknown.push(...read.map(([key]) => key).filter((key) => !known[kind].includes(key)));
      return { ...named, ...Object.fromEntries(read.filter(([key]) => known[kind].includes(key))) };
    },
  };
}

/** One name of a kind. @param {string} kind @returns {Codec<string>} */
export function name(kind) {
  return {
    write: encoded,
    read: (text, before, known, unknown) => {
      const read = decoded(text);
      if (known[kind].includes(read)) return read;
      unknown.push(read);
      return before;
    },
  };
}

/** Any number of names of a kind, each once. @param {string} kind @returns {Codec<string[]>} */
export function names(kind) {
  return {
    write: (values) => values.map(encoded).join(","),
    read: (text, _before, known, unknown) => {
      const read = [...new Set(itemsOf(text).map(decoded))];
      unknown.push(...read.filter((value) => !known[kind].includes(value)));
      return read.filter((value) => known[kind].includes(value));
    },
  };
}

/** @template {string} Value @param {Value[]} values @returns {Codec<Value>} */
export function oneOf(values) {
  return {
    write: String,
    read: (text) => {
      const value = values.find((candidate) => candidate === text);
      if (value === undefined) throw bad(text, "link.choice", { choices: values.join(", ") });
      return value;
    },
  };
}

/** Items with commas between them. @template Item
 * @param {(item: Item) => string} write @param {(text: string) => Item} read @returns {Codec<Item[]>} */
function list(write, read) {
  return { write: (items) => items.map(write).join(","), read: (text) => itemsOf(text).map(read) };
}

/** relative:0.0001 or absolute:0.011. @param {Threshold} threshold */
function writeThreshold({ kind, epsilon }) {
  return `${kind}:${epsilon}`;
}

/** @param {string} text @returns {Threshold} */
function readThreshold(text) {
  const [before, after] = split(text, ":");
  const kind = THRESHOLDS.find((candidate) => candidate === before);
  const epsilon = Number(after);
  if (!kind || after.trim() === "" || !isWeight(epsilon)) throw bad(text, "link.threshold");
  return { kind, epsilon };
}

// Trade-offs: metric:number in the metric's unit, or metric:number%25, metric by metric; none where nothing else counts

/** @param {Trades} trades */
function writeTrades(trades) {
  return Object.entries(trades)
    .map(([metric, trade]) => {
      const { amount, percent } = partsOf(trade);
      return `${encoded(metric)}:${percent ? encoded(`${amount}%`) : amount}`;
    })
    .join(",");
}

/** @param {string} text @param {Trades} _before @param {KnownNames} known @param {string[]} unknown @returns {Trades} */
function readTrades(text, _before, known, unknown) {
  const read = itemsOf(text).map((item) => {
    const [metric, rest] = split(item, ":");
    const [, digits, sign] = /^([^%]+)(%?)$/.exec(decoded(rest)) ?? ["", "", ""];
    if (!isAmount(Number(digits))) throw bad(item, "link.trade");
    return /** @type {const} */ ([decoded(metric), tradeOf(Number(digits), sign === "%")]);
  });
  unknown.push(...read.map(([metric]) => metric).filter((metric) => !known.metrics.includes(metric)));
  return Object.fromEntries(read.filter(([metric]) => known.metrics.includes(metric)));
}

// Prices: model:sent/kept from before/written, one that is left out is that of the day

/** @param {Record<string, Prices>} prices */
function writePrices(prices) {
  return Object.entries(prices)
    .map(([model, given]) => `${encoded(model)}:${given.map((price) => price ?? "").join("/")}`)
    .join(",");
}

/** @param {string} text @param {Record<string, Prices>} _before @param {KnownNames} known @param {string[]} unknown
 * @returns {Record<string, Prices>} */
function readPrices(text, _before, known, unknown) {
  const read = itemsOf(text).map((item) => {
    const [model, rest] = split(item, ":");
    const given = rest.split("/").map((digits) => (digits.trim() === "" ? null : Number(digits)));
    const [sent, kept, written] = given;
    const fits = given.every((price) => price === null || isPrice(price));
    if (given.length !== 3 || !fits || given.every((price) => price === null)) throw bad(item, "link.price");
    return /** @type {const} */ ([decoded(model), /** @type {Prices} */ ([sent, kept, written])]);
  });
  unknown.push(...read.map(([model]) => model).filter((model) => !known.priced.includes(model)));
  return Object.fromEntries(read.filter(([model]) => known.priced.includes(model)));
}

/** median, leader, whole, or model:name. @param {BarsTerm} bars */
function writeBars(bars) {
  return bars.kind === "model" ? `model:${encoded(bars.model)}` : bars.kind;
}

/** @param {string} text @param {BarsTerm} before @param {KnownNames} known @param {string[]} unknown @returns {BarsTerm} */
function readBars(text, before, known, unknown) {
  const [start, rest] = split(text, ":");
  const kind = BARS.find((candidate) => candidate === start);
  if (kind) return { kind };
  if (start !== "model") throw bad(text, "link.bars");
  const model = decoded(rest);
  if (known.models.includes(model)) return { kind: "model", model };
  unknown.push(model);
  return before;
}

/** A column and up (smallest first) or down. @param {SortTerm} sort */
function writeSort({ column, direction }) {
  return `${encoded(column)}:${direction}`;
}

/** @param {string} text @param {SortTerm} before @param {KnownNames} known @param {string[]} unknown @returns {SortTerm} */
function readSort(text, before, known, unknown) {
  const [start, direction] = split(text, ":");
  if (direction !== "up" && direction !== "down") throw bad(text, "link.direction");
  const column = decoded(start);
  if (OWN_COLUMNS.includes(column) || known.metrics.includes(column)) return { column, direction };
  unknown.push(column);
  return before;
}

/** kind:value. @param {string} item @returns {FilterTerm} */
function readFilter(item) {
  const [start, value] = split(item, ":");
  const kind = FILTERS.find((candidate) => candidate === start);
  if (!kind) throw bad(item, "link.filter");
  return { kind, value: decoded(value) };
}

// Limits: metric:least:number,metric:most:number; of two for the same bound the last one holds

/** @param {LimitTerm[]} limits */
function writeLimits(limits) {
  return limits.map(({ metric, bound, value }) => `${encoded(metric)}:${bound}:${value}`).join(",");
}

/** @param {string} text @param {LimitTerm[]} _before @param {KnownNames} known @param {string[]} unknown */
function readLimits(text, _before, known, unknown) {
  /** @type {LimitTerm[]} */
  const read = itemsOf(text).map((item) => {
    const [metric, rest] = split(item, ":");
    const [word, digits] = split(rest, ":");
    const bound = BOUNDS.find((candidate) => candidate === word);
    const value = Number(digits);
    if (!bound || digits.trim() === "" || !isLimit(value)) throw bad(item, "link.limit");
    return { metric: decoded(metric), bound, value };
  });
  const metrics = read.map(({ metric }) => metric);
  unknown.push(...new Set(metrics.filter((metric) => !known.metrics.includes(metric))));
  const last = new Map(read.map((limit) => [`${limit.bound}:${limit.metric}`, limit]));
  return [...last.values()].filter(({ metric }) => known.metrics.includes(metric));
}

// Texts

/** @param {string} text */
function itemsOf(text) {
  return text.split(",").filter(Boolean);
}

/** A text in an address. Half a character, as a keyboard may send one, is not possible there. @param {string} text */
function encoded(text) {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad(text, "link.name");
  }
}

/** The texts before and after the first mark.
 * @param {string} text @param {string} mark @returns {[before: string, after: string]} */
function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function excerpt(text) {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
