// What models answered on the examples of one dataset, from the files that the evaluator keeps.
import { number } from "../base/formats.js";
import { text as textOf } from "../base/texts.js";

/** @import { MetricData } from "../../types" */

/**
 * A piece of an answer in words: two numbers after one another are a quotation, a list is one in another case,
 * a text is the model's own.
 * @typedef {number | [start: number, end: number, lettering: string] | string} AnswerPiece
 */

/**
 * The predictions of one model; see `PredictionSet` in evaluator/records.
 * @typedef {object} PredictionsFile
 * @property {string} ids_sha256 which examples they are of
 * @property {string[]} [labels] what `predicted` points into
 * @property {number[]} [predicted] -1: no valid answer
 * @property {(AnswerPiece[] | null)[]} [answers] answers in words; null: no answer
 * @property {number} resolution how much a score of 1 is
 * @property {Record<string, number[]>} [scores] of each answer, by metric
 * @property {number} [trials] how many answers or values an example has
 * @property {Record<string, (number | null)[]>} [values] numbers in place of answers or beside them, by metric;
 * null: missing
 */

/** @typedef {Pick<MetricData, "name" | "label" | "unit" | "decimals">} ShownMetric */

/**
 * How numbers in place of answers are shown: by which metric examples are compared, and what its
 * value is where an example is right and where it is wrong; null where it is no matter of right and wrong.
 * @typedef {object} ShownValues
 * @property {ShownMetric} metric
 * @property {number | null} right
 * @property {number | null} wrong
 */

/**
 * The examples of one dataset; see `Examples` in evaluator/records. `gold` and `texts` are there only where they
 * may be published.
 * @typedef {object} ExamplesFile
 * @property {string[]} ids
 * @property {string[]} [labels] what `gold` points into
 * @property {Record<string, string>} [merge] an answer = the gold label that it counts as
 * @property {number[] | null} [gold]
 * @property {string[] | null} [texts] how they begin
 */

/** The per-example score that says whether an answer in words is right. */
const EXACT = "exact-match";
/** How many pieces of an answer are listed. */
const LISTED = 4;

/** The answers of one model, in the order of the examples. Throws an Error where they do not fit them. */
export class Answers {
  /**
   * @param {PredictionsFile} document
   * @param {ExamplesFile} examples
   * @param {string} [ids] the hash of the examples' ids
   * @param {ShownValues} [shown] of numbers in place of answers
   * @param {MetricData[]} [metrics] the board's
   */
  constructor(document, examples, ids, shown, metrics = []) {
    if (document.ids_sha256 !== ids) throw new Error("its predictions are of other examples");
    this.document = document;
    this.shown = shown;
    this.trials = document.trials ?? 1;
    this.isAnswered = Boolean(document.predicted ?? document.answers);
    /** For every answer whether it is right. */
    this.rights = this.isAnswered ? rightOf(document, examples) : rightValues(document, shown);
    /** For every example; null where that is not known, or some of its answers may be right and others wrong.
     * @type {boolean[] | null} */
    this.right = this.trials === 1 ? this.rights : null;
    const others = metrics.filter(({ name }) => document.values?.[name] && name !== shown?.metric.name);
    /** What is said of an example beside right and wrong. @type {ShownMetric[]} */
    this.metrics = shown && !this.right ? [shown.metric, ...others] : others;
  }

  /** The answer as people read it: a label, the places that a text quotes, or numbers; null where there is none.
   * @param {number} at */
  text(at) {
    const said = this.isAnswered ? this.said(at) : [];
    if (said.length === 1 && said[0] === null && !this.metrics.length) return null;
    const words = said.map((one) => one ?? textOf("examples.no-answer"));
    return [...words, ...this.metrics.map((metric) => this.amount(metric, at))].join(" · ");
  }

  /** What was answered; of several times each answer once, with how often, the most frequent first.
   * @param {number} at @returns {(string | null)[]} */
  said(at) {
    const { answers, labels = [], predicted = [] } = this.document;
    const each = this.own(at).map((row) => {
      if (!answers) return labels[predicted[row]] ?? null;
      const pieces = answers[row];
      return pieces === null ? null : placesIn(pieces);
    });
    if (this.trials === 1) return each;
    const counts = new Map();
    for (const one of each) counts.set(one, (counts.get(one) ?? 0) + 1);
    return [...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([one, count]) => `${count} × ${one ?? textOf("examples.no-answer")}`);
  }

  /** The rows of an example's answers. @param {number} at */
  own(at) {
    return Array.from({ length: this.trials }, (_, trial) => at * this.trials + trial);
  }

  /** One number with its unit, or that it is missing. @param {ShownMetric} metric @param {number} at */
  amount({ name, label, unit, decimals }, at) {
    const value = this.value(at, name);
    if (value === null) return textOf("examples.no-value", { metric: label });
    const amount = amountOf(value, { unit, decimals });
    return unit.toLowerCase() === label.toLowerCase() ? amount : `${label} ${amount}`;
  }

  /** The mean of the trials of an example that have a value; null where none has.
   * @param {number} at @param {string} [name] of the metric; left out: what examples are compared by */
  value(at, name = this.shown?.metric.name ?? "") {
    const column = this.document.values?.[name];
    const { rights } = this;
    const given = this.isAnswered && name === this.shown?.metric.name && rights;
    const own = given
      ? this.own(at).map((row) => (rights[row] ? 100 : 0))
      : this.own(at).map((row) => column?.[row] ?? null);
    const there = own.filter((value) => value !== null);
    return there.length ? there.reduce((sum, value) => sum + value, 0) / there.length : null;
  }

  /** The overlap of an answer in words with the right one, in [0, 1]; null where it is not known.
   * @param {number} at */
  overlap(at) {
    const { scores, resolution } = this.document;
    const each = this.own(at).map((row) => (scores?.f1?.[row] ?? 0) / resolution);
    return scores?.f1 ? each.reduce((sum, value) => sum + value, 0) / this.trials : null;
  }

  /** The same for two models exactly when their answers are the same. @param {number} at */
  key(at) {
    const { answers } = this.document;
    if (this.shown) return String(this.value(at));
    return answers ? JSON.stringify(this.own(at).map((row) => answers[row])) : JSON.stringify(this.said(at));
  }
}

/** A value of one example with its unit; whole ones without decimals.
 * @param {number} value @param {Pick<MetricData, "unit" | "decimals">} metric */
export function amountOf(value, { unit, decimals }) {
  return `${number(value, Number.isInteger(value) ? 0 : decimals)}${unit && ` ${unit}`}`;
}

/** @param {PredictionsFile} document @param {ExamplesFile} examples */
function rightOf(document, examples) {
  return document.answers ? rightTexts(document) : rightLabels(document, examples);
}

/** Known only where every example is just right or wrong. @param {PredictionsFile} document @param {ShownValues} [shown] */
function rightValues({ trials = 1, values = {} }, shown) {
  const own = shown ? values[shown.metric.name] : undefined;
  if (!own || !shown || shown.right === null || trials > 1) return null;
  const decided = own.every((value) => value === shown.right || (value !== null && value === shown.wrong));
  return decided ? own.map((value) => value === shown.right) : null;
}

/** @param {PredictionsFile} document @param {ExamplesFile} examples */
function rightLabels({ labels: own = [], predicted = [] }, { labels = [], gold, merge = {} }) {
  if (!gold) return null;
  const meanings = own.map((label) => labels.indexOf(Object.hasOwn(merge, label) ? merge[label] : label));
  const trials = predicted.length / gold.length;
  return predicted.map((answer, row) => meanings[answer] === gold[Math.floor(row / trials)]);
}

/** @param {PredictionsFile} document */
function rightTexts({ scores, resolution }) {
  return scores?.[EXACT]?.map((share) => share === resolution) ?? null;
}

/** @param {AnswerPiece[]} pieces */
function placesIn(pieces) {
  const places = quotations(pieces);
  if (!places.length) return textOf("examples.empty");
  const own = textOf("examples.own");
  if (places.every((place) => place === own)) return own;
  const shown =
    places.length > LISTED
      ? [...places.slice(0, LISTED - 1), textOf("examples.pieces", { count: places.length - LISTED + 1 })]
      : places;
  return textOf("examples.characters", { places: shown.join(", ") });
}

/** @param {AnswerPiece[]} pieces */
function quotations(pieces) {
  const places = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (typeof piece === "number") {
      at += 1;
      places.push(`${piece}–${pieces[at]}`);
    } else places.push(typeof piece === "string" ? textOf("examples.own") : `${piece[0]}–${piece[1]}`);
  }
  return places;
}

/**
 * Which models are right on each example, as a word of ones and zeros in the models' order; null where that is
 * not known of all.
 * @param {Answers[]} answers
 */
export function patternsOf(answers) {
  const columns = answers.map(({ right }) => right).filter((right) => right !== null);
  if (!columns.length || columns.length < answers.length) return null;
  return columns[0].map((_, at) => columns.map((right) => (right[at] ? "1" : "0")).join(""));
}

/** How often each word occurs; words that do not occur are there with 0 where two models are compared.
 * @param {string[]} patterns @param {number} models */
export function patternCounts(patterns, models) {
  const words = Array.from({ length: 2 ** models }, (_, n) =>
    (2 ** models - 1 - n).toString(2).padStart(models, "0"),
  );
  const counts = new Map(words.map((word) => [word, 0]));
  for (const pattern of patterns) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  return [...counts].filter(([, count]) => models === 2 || count > 0);
}

/** On how many examples two models answer the same.
 * @param {Answers} left @param {Answers} right @param {number} examples how many there are */
export function agreeing(left, right, examples) {
  let count = 0;
  for (let at = 0; at < examples; at += 1) if (left.key(at) === right.key(at)) count += 1;
  return count;
}
