// What the difficulty page ranks by, and how an address writes it: #v1;m=wood;p=10;s=thresholds;t=0.2,0.6
//   m, p  the metric, and the per cent of a WOOD         k     the models
//   q     per cents of a WOOD whose mean counts
//   s, n  the kind of splits and how many                t     thresholds of one's own
//   c     the case, or "own"; r, e  its reward and penalty    f     what multiplies them
//   w     the scale of weights; g  weights of one's own   i, z, l  ties, zeros and the least value
//   o     the highlighted model
import { bad, decode, encode, name, names, oneOf } from "./fragment.js";

/** @import { DifficultyData, DifficultyTerms, DifficultyView } from "../../types" */
/** @import { Codec, FragmentPart } from "./fragment.js" */
/** @import { ViewTerms } from "./view.js" */

export const LEAST_SPLITS = 2;
export const MOST_SPLITS = 7;
const LARGEST = 1000;
/** Decimals of a threshold: as fine as anybody can drag. */
const FINE = 1000;

/** @type {DifficultyTerms["kind"][]} */
export const KINDS = ["equal", "thresholds", "continuous"];
/** @type {DifficultyTerms["factor"][]} */
export const FACTORS = ["one", "confidence", "difficulty", "inverse"];
/** @type {DifficultyTerms["scale"][]} */
export const SCALES = ["linear", "logarithmic", "square"];
/** @type {DifficultyTerms["ties"][]} */
export const TIES = ["mean", "stable"];
/** @type {DifficultyTerms["zeros"][]} */
export const ZEROS = ["drop", "clip"];

/** The metric by the models' own confidence. */
const CONFIDENCE = "wmprob";
/** What the later cases of the paper say besides reward and penalty, as in evaluator/rank/difficulty_order.py.
 * @type {Record<number, Partial<DifficultyTerms>>} */
const FIXED = {
  6: { kind: "continuous", factor: "one" },
  7: { kind: "continuous", factor: "one" },
  8: { factor: "inverse" },
  9: { factor: "difficulty" },
};

/** A test whether numbers are within limits. @param {number} least @param {number} most */
function within(least, most) {
  return (/** @type {number} */ value) => value >= least && value <= most;
}

/** One number. @param {(value: number) => boolean} fits @param {string} problem the name of what is said of another one
 * @returns {Codec<number>} */
function numeric(fits, problem) {
  return {
    write: String,
    read: (text) => {
      const value = Number(text);
      if (text.trim() !== "" && Number.isFinite(value) && fits(value)) return value;
      throw bad(text, problem, { largest: LARGEST });
    },
  };
}

/** Numbers with commas between them; null where there are none.
 * @param {(values: number[]) => boolean} fit @param {string} problem the name of what is said of others
 * @returns {Codec<number[] | null>} */
function numbers(fit, problem) {
  const one = numeric(() => true, "link.number");
  return {
    write: (values) => (values ?? []).join(","),
    read: (text) => {
      const values = text.split(",").map((item) => one.read(item, 0, {}, []));
      if (fit(values)) return values;
      throw bad(text, problem, { largest: LARGEST });
    },
  };
}

/** Whether these can be thresholds: one to six ascending numbers from 0 to 1. @param {number[]} values */
export function areThresholds(values) {
  const inside = values.every((value, at) => within(0, 1)(value) && (at === 0 || value >= values[at - 1]));
  return inside && within(LEAST_SPLITS - 1, MOST_SPLITS - 1)(values.length);
}

/** Whether these can be weights of splits. @param {number[]} values */
function areWeights(values) {
  return within(LEAST_SPLITS, MOST_SPLITS)(values.length) && values.every(within(0, LARGEST));
}

const model = name("models");
/** A model, or null. @type {Codec<string | null>} */
const optionalModel = {
  write: (value) => (value === null ? "" : model.write(value)),
  read: (text, before, known, unknown) => model.read(text, before ?? "", known, unknown) || null,
};

/** A case by its number; null where reward and penalty are one's own. @type {Codec<number | null>} */
const numberedCase = {
  write: (value) => (value === null ? "own" : String(value)),
  read: (text) => {
    if (text === "own") return null;
    if (/^[1-9]$/.test(text)) return Number(text);
    throw bad(text, "link.case");
  },
};

const isPercent = (/** @type {number} */ value) => value > 0 && value <= 100;
const isCount = (/** @type {number} */ value) =>
  Number.isInteger(value) && within(LEAST_SPLITS, MOST_SPLITS)(value);

/** @type {FragmentPart<DifficultyView>[]} */
const PARTS = [
  ["m", "metric", name("metrics")],
  ["p", "percent", numeric(isPercent, "link.percent")],
  [
    "q",
    "percents",
    numbers((values) => values.every(isPercent) && new Set(values).size === values.length, "link.percents"),
  ],
  ["k", "models", names("models")],
  ["s", "kind", oneOf(KINDS)],
  ["n", "splits", numeric(isCount, "link.splits")],
  ["t", "thresholds", numbers(areThresholds, "link.thresholds")],
  ["c", "case", numberedCase],
  ["r", "reward", numeric(within(0, LARGEST), "link.reward")],
  ["e", "penalty", numeric(within(-LARGEST, 0), "link.penalty")],
  ["f", "factor", oneOf(FACTORS)],
  ["w", "scale", oneOf(SCALES)],
  ["g", "weights", numbers(areWeights, "link.weights")],
  ["i", "ties", oneOf(TIES)],
  ["z", "zeros", oneOf(ZEROS)],
  ["l", "clip", numeric((value) => value > 0 && value <= 1, "link.clip")],
  ["o", "focus", optionalModel],
];

/** What a view of this page is made of. @param {DifficultyData} data @returns {ViewTerms<DifficultyView>} */
export function termsOf(data) {
  const known = {
    metrics: data.sources.map((source) => source.name),
    models: data.models.map(({ id }) => id),
  };
  /** What the page shows from the start. @type {DifficultyView} */
  const defaults = {
    metric: data.sources[0].name,
    percent: data.percent,
    percents: null,
    models: data.chosen,
    kind: "equal",
    splits: MOST_SPLITS,
    thresholds: null,
    case: 1,
    reward: 1,
    penalty: -1,
    scale: "linear",
    weights: null,
    ties: "mean",
    zeros: "drop",
    clip: 0.01,
    factor: "one",
    focus: null,
  };
  return {
    defaults,
    encode: (view) => encode(view, defaults, PARTS),
    decode: (fragment) => {
      const { view, unknown } = decode(fragment, defaults, known, PARTS);
      return { view: fitting(view, data), unknown };
    },
  };
}

/** A view whose parts go together: what one of them rules out is back at its default.
 * @param {DifficultyView} view @param {Pick<DifficultyData, "sources">} data @returns {DifficultyView} */
export function fitting(view, data) {
  const terms = { ...view, ...fittingCase(view) };
  const percentages = data.sources.find(({ name: metric }) => metric === view.metric)?.percentages ?? [];
  const thresholds = terms.kind === "thresholds" ? view.thresholds : null;
  const splits = thresholds ? thresholds.length + 1 : view.splits;
  const weights = view.weights?.length === splits && terms.kind !== "continuous" ? view.weights : null;
  const percent = !percentages.length || percentages.includes(view.percent) ? view.percent : percentages[0];
  const known = view.percents?.filter((value) => percentages.includes(value)) ?? [];
  return { ...terms, thresholds, splits, weights, percent, percents: known.length ? known : null };
}

/** The case of a view that goes with its metric, and what that case says of splits and factor.
 * @param {DifficultyView} view @returns {Partial<DifficultyView>} */
function fittingCase({ metric, case: number, kind, factor }) {
  if (number === null || !(number in FIXED)) {
    return factor === "inverse" && metric === CONFIDENCE ? { factor: "difficulty" } : {};
  }
  const fitted = number - (number % 2) + (metric === CONFIDENCE ? 1 : 0);
  return { case: fitted, kind: kind === "continuous" ? "equal" : kind, ...FIXED[fitted] };
}

/** Whether a case is one that a metric has. @param {number} number @param {string} metric */
export function hasCase(number, metric) {
  return !(number in FIXED) || (number % 2 === 1) === (metric === CONFIDENCE);
}

/** What changes with the case: what the one before fixed of splits and factor is back at its default.
 * @param {DifficultyView} view @param {number | null} number @returns {Partial<DifficultyView>} */
export function withCase(view, number) {
  const { kind } = FIXED[view.case ?? 0] ?? {};
  /** @type {Partial<DifficultyView>} */
  const undone = (view.case ?? 0) in FIXED ? { factor: "one", ...(kind && { kind: "equal" }) } : {};
  return { ...undone, case: number };
}

/** A view in which splits or factor are chosen by hand: a case that says otherwise gives way to case 1.
 * @param {DifficultyView} view @param {Partial<DifficultyView>} chosen @returns {Partial<DifficultyView>} */
export function byHand(view, chosen) {
  const fixed = FIXED[view.case ?? 0];
  if (!fixed) return chosen;
  const fits = Object.entries(chosen).every(([name, value]) => {
    if (name === "kind" && !fixed.kind) return value !== "continuous";
    return !(name in fixed) || fixed[/** @type {"kind" | "factor"} */ (name)] === value;
  });
  return fits ? chosen : { ...withCase(view, 1), ...chosen };
}

/** The question that Python is asked; see `Question` in evaluator/rank/difficulty.py.
 * @param {DifficultyView} view @param {string[]} models @returns {DifficultyTerms} */
export function questionOf({ focus: _, ...question }, models) {
  return { ...question, models };
}

/** Thresholds as an address can write them in few letters. @param {number[]} thresholds */
export function rounded(thresholds) {
  return thresholds.map((value) => Math.round(value * FINE) / FINE);
}
