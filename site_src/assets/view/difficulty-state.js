// What the difficulty page ranks by, and how an address says it: #v1;m=wood;p=10;s=thresholds;t=0.2,0.6
//   m, p  the metric, and the per cent of a WOOD         k     the models
//   s, n  the kind of splits and how many                t     thresholds of one's own
//   c     the case, or "own"; r, e  its reward and penalty    f     what multiplies them
//   w     the scale of weights; g  weights of one's own   i, z, l  ties, zeros and the least value
//   o     the model that is pointed out
import { BadFragment, decode, encode, name, names, oneOf, shortened } from "./fragment.js";

export const LEAST_SPLITS = 2;
export const MOST_SPLITS = 7;
const LARGEST = 1000;
/** Decimals of a threshold: as fine as anybody can drag. */
const FINE = 1000;

const within = (least, most) => (value) => value >= least && value <= most;

/** One number, of which `fits` says whether it is one. */
function numeric(fits, what) {
  const read = (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isFinite(value) && fits(value)) return value;
    throw new BadFragment(`“${shortened(text)}” is not ${what}`);
  };
  return { write: String, read };
}

/** Numbers with commas between them; null where there are none. */
function numbers(fits, what) {
  const one = numeric(() => true, "a number");
  const read = (text) => {
    const found = text.split(",").map(one.read);
    if (fits(found)) return found;
    throw new BadFragment(`“${shortened(text)}” are not ${what}`);
  };
  return { write: (values) => (values ?? []).join(","), read };
}

/** Whether these can be thresholds: one to six ascending numbers from 0 to 1. */
export function areThresholds(values) {
  const inside = values.every((value, at) => within(0, 1)(value) && (at === 0 || value >= values[at - 1]));
  return inside && within(LEAST_SPLITS - 1, MOST_SPLITS - 1)(values.length);
}

const areWeights = (values) =>
  within(LEAST_SPLITS, MOST_SPLITS)(values.length) && values.every(within(0, LARGEST));

// The letter of each part, the field it says, and how. `case` is null where reward and penalty are one's own.
const PARTS = [
  ["m", "metric", name("metrics")],
  [
    "p",
    "percent",
    numeric((value) => Number.isInteger(value) && within(1, 100)(value), "a whole number from 1 to 100"),
  ],
  ["k", "models", names("models")],
  ["s", "kind", oneOf(["equal", "thresholds", "continuous"])],
  [
    "n",
    "splits",
    numeric(
      (value) => Number.isInteger(value) && within(LEAST_SPLITS, MOST_SPLITS)(value),
      "a number of splits from 2 to 7",
    ),
  ],
  ["t", "thresholds", numbers(areThresholds, "ascending thresholds from 0 to 1")],
  ["c", "case", { write: (value) => (value === null ? "own" : String(value)), read: readCase }],
  ["r", "reward", numeric(within(0, LARGEST), `a reward from 0 to ${LARGEST}`)],
  ["e", "penalty", numeric(within(-LARGEST, 0), `a penalty from -${LARGEST} to 0`)],
  ["f", "factor", oneOf(["one", "confidence", "difficulty"])],
  ["w", "scale", oneOf(["linear", "logarithmic", "square"])],
  ["g", "weights", numbers(areWeights, "two to seven weights from 0 to 1000")],
  ["i", "ties", oneOf(["mean", "stable"])],
  ["z", "zeros", oneOf(["drop", "clip"])],
  ["l", "clip", numeric((value) => value > 0 && value <= 1, "a number over 0 and at most 1")],
  ["o", "focus", name("models")],
];

function readCase(text) {
  if (text === "own") return null;
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new BadFragment(`“${shortened(text)}” is no case from 1 to 5, and not “own”`);
}

/** The terms of a view of this page (see `View`): what it shows from the start, and how an address says others. */
export function termsOf(data) {
  const known = {
    metrics: data.sources.map((source) => source.name),
    models: data.models.map((model) => model.id),
  };
  const defaults = {
    metric: known.metrics[0],
    percent: data.percent,
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
  const read = (fragment) => {
    const { view, unknown } = decode(fragment, defaults, known, PARTS);
    return { view: fitting(view, data), unknown };
  };
  return { defaults, encode: (view) => encode(view, defaults, PARTS), decode: read };
}

/** A view whose parts go together: what one of them rules out is back at its default. */
export function fitting(view, data) {
  const { percentages } = data.sources.find((source) => source.name === view.metric);
  const thresholds = view.kind === "thresholds" ? view.thresholds : null;
  const splits = thresholds ? thresholds.length + 1 : view.splits;
  const weights = view.weights?.length === splits && view.kind !== "continuous" ? view.weights : null;
  const percent = !percentages.length || percentages.includes(view.percent) ? view.percent : percentages[0];
  return { ...view, thresholds, splits, weights, percent };
}

/** The question that Python is asked; see `Question` in evaluator/difficulty.py. */
export function questionOf(view, models) {
  const { focus, ...question } = view;
  return { ...question, models };
}

/** Thresholds as an address can say them in few letters. */
export function rounded(thresholds) {
  return thresholds.map((value) => Math.round(value * FINE) / FINE);
}
