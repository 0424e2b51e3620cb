// The table of models to try: which are asked, what they answer, who changes the answer, and who survives variants.
import { byId, clamped, element, find, screenReaderText } from "../base/elements.js";
import { MISSING, number, timeWords } from "../base/formats.js";
import { text } from "../base/texts.js";

/** @import { TriedAnswer, TriedModel, VariantAnswer } from "../../types" */

/** One model's row. */
export class TryRow {
  /** @param {TriedModel} model */
  constructor(model) {
    this.model = model;
    const row = byId(`model-${model.id}`, HTMLTableRowElement);
    this.box = find(row, "input", HTMLInputElement);
    const [, , answer, sure, time, before] = row.cells;
    this.cells = { answer, sure, time, before, survived: row.cells[row.cells.length - 1] };
    /** What the model answered last. @type {TriedAnswer | null} */
    this.last = null;
  }

  get isChosen() {
    return this.box.checked;
  }

  /** Show an answer beside the one before it, and whether it is another one.
   * @param {TriedAnswer} answer @returns {boolean} */
  take(answer) {
    const before = this.last;
    this.last = answer;
    const flipped = isOther(before, answer);
    this.cells.answer.replaceChildren(answerElement(answer, flipped));
    const sure = answer.error === undefined ? answer.confidence : null;
    this.cells.sure.textContent = number(sure);
    this.cells.time.textContent = answer.error === undefined ? timeWords(answer.ms) : MISSING;
    this.cells.before.replaceChildren(before ? answerElement(before, false) : MISSING);
    this.cells.survived.textContent = "";
    return flipped;
  }

  /** Say, suite by suite, how many of its answers to variants are the one to the text.
   * @param {VariantAnswer[]} answers */
  survive(answers) {
    const suites = [...new Set(answers.map(({ suite }) => suite))];
    const lines = suites.map((suite) =>
      this.survived(
        suite,
        answers.filter((one) => one.suite === suite),
      ),
    );
    this.cells.survived.replaceChildren(...lines);
  }

  /** @param {string} suite @param {VariantAnswer[]} answers */
  survived(suite, answers) {
    const flips = answers.filter(({ answer }) => isOther(this.last, answer)).map(({ name }) => name);
    const counts = text("try.survived", { part: answers.length - flips.length, all: answers.length, suite });
    const note = flips.length ? text("try.flips", { names: flips.join(", ") }) : "";
    return element("div", {}, counts, element("span", { class: "muted small try-note" }, note));
  }
}

/**
 * Whether a model has changed its answer; one that gives none changes nothing.
 * @param {TriedAnswer | null} before
 * @param {TriedAnswer} after
 */
export function isOther(before, after) {
  if (before === null || before.error !== undefined || after.error !== undefined) return false;
  return before.answer !== after.answer;
}

/**
 * An answer, or why there is none.
 * @param {TriedAnswer} answer
 * @param {boolean} flipped
 */
export function answerElement(answer, flipped) {
  if (answer.error !== undefined) {
    return element("span", { class: "reason" }, text("try.no-answer"), clamped(answer.error));
  }
  const given = clamped(answer.answer === "" ? text("try.empty") : answer.answer);
  if (!flipped) return given;
  return element("span", { class: "try-flip" }, given, screenReaderText(text("try.flipped")));
}
