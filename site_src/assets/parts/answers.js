// What models answered on the examples of one dataset, from the files that the evaluator keeps.
import { text as textOf } from "../base/texts.js";

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
   */
  constructor(document, examples, ids) {
    if (document.ids_sha256 !== ids) throw new Error("its predictions are of other examples");
    this.document = document;
    /** For every example whether the answer is right; null where that is not known. @type {boolean[] | null} */
    this.right = document.answers ? rightTexts(document) : rightLabels(document, examples);
  }

  /** The answer as people read it: a label, or the places that a text quotes; null where there is none.
   * @param {number} at */
  text(at) {
    const { answers, labels = [], predicted = [] } = this.document;
    if (!answers) return labels[predicted[at]] ?? null;
    const pieces = answers[at];
    return pieces === null ? null : placesIn(pieces);
  }

  /** The overlap of an answer in words with the right one, in [0, 1]; null where it is not known.
   * @param {number} at */
  overlap(at) {
    const { scores, resolution } = this.document;
    return scores?.f1 ? scores.f1[at] / resolution : null;
  }

  /** The same for two models exactly when their answers are the same. @param {number} at */
  key(at) {
    const { answers } = this.document;
    return answers ? JSON.stringify(answers[at]) : this.text(at);
  }
}

/** @param {PredictionsFile} document @param {ExamplesFile} examples */
function rightLabels({ labels: own = [], predicted = [] }, { labels = [], gold, merge = {} }) {
  if (!gold) return null;
  const meanings = own.map((label) => labels.indexOf(Object.hasOwn(merge, label) ? merge[label] : label));
  return predicted.map((answer, at) => meanings[answer] === gold[at]);
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
