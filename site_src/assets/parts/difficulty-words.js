// What the table of splits says in words; the same as generator/views/difficulty_words.py.

/** @import { Answer, AnswerRow, DifficultyTerms } from "../../types" */

const SPLITS = "From the easiest examples to the hardest; the last split weighs most.";
const OWN_SPLITS = "Every model has an order of examples and splits of its own; the drawings show them.";
const NO_SPLITS = "There are no splits: every example has its own weight.";

/** A split's number; the first and the last say what they are. @param {number} at @param {number} splits */
export function splitName(at, splits) {
  if (at === 0) return "1, easiest";
  return at === splits - 1 ? `${at + 1}, hardest` : String(at + 1);
}

/**
 * The mean share of right answers of the models in one split, in per cent; null where nobody has any.
 * @param {Pick<AnswerRow, "splits">[]} models @param {number} at
 */
export function meanRight(models, at) {
  const known = models.map(({ splits }) => splits[at].accuracy).filter((value) => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

/**
 * The text above the table of splits, or in its place.
 * @param {Pick<Answer, "splits">} answer @param {Pick<DifficultyTerms, "kind">} terms
 */
export function splitsNote(answer, { kind }) {
  if (kind === "continuous") return NO_SPLITS;
  return answer.splits ? SPLITS : OWN_SPLITS;
}
