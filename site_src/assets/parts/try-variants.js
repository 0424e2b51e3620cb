// The variants of a text, a row each, and what every model answers to them.
import { byId, element, screenReaderText } from "../base/elements.js";
import { text } from "../base/texts.js";
import { changedWords } from "../base/changed-words.js";
import { answerElement, isOther } from "./try-answers.js";

/** @import { TextPiece, TriedAnswer, TriedExample, TriedModel, TriedVariants } from "../../types" */

/** What a model answered to the text, and to each variant. @typedef {{ model: TriedModel, last: TriedAnswer | null, answers: TriedAnswer[] }} VariantColumn */

/**
 * Show the variants with their answers.
 * @param {TriedExample} example
 * @param {TriedVariants} found
 * @param {VariantColumn[]} columns
 */
export function showVariants(example, { variants, others }, columns) {
  const heads = [
    text("try.suite"),
    text("try.variant"),
    text("try.text"),
    ...columns.map(({ model }) => model.label),
  ];
  const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col", dir: "auto" }, name)));
  const rows = variants.map(({ suite, name, example: variant }, place) =>
    element(
      "tr",
      {},
      element("td", { class: "muted" }, suite),
      element("th", { scope: "row" }, name),
      element("td", { class: "try-text" }, ...fieldTexts(example, variant)),
      ...columns.map(({ last, answers }) =>
        element("td", {}, answerElement(answers[place], isOther(last, answers[place]))),
      ),
    ),
  );
  byId("variants-table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  const reasons = [...new Set(others.map(({ why }) => why))];
  byId("variants-left").replaceChildren(
    ...reasons.map((why) => element("li", {}, text("try.no-variant", { why, names: namesOf(others, why) }))),
  );
  byId("variants").hidden = false;
}

/** Transformations without a variant for the same reason. @param {TriedVariants["others"]} others @param {string} reason */
function namesOf(others, reason) {
  const same = others.filter(({ why }) => why === reason);
  return same.map(({ suite, name }) => `${name} (${suite})`).join(", ");
}

/** The fields that a variant changes. @param {TriedExample} example @param {TriedExample} variant */
function fieldTexts(example, variant) {
  return Object.keys(variant)
    .filter((field) => variant[field] !== example[field])
    .map((field) => element("div", { dir: "auto" }, ...marked(changedWords(example[field], variant[field]))));
}

/** A text with what is gone and what came marked. @param {TextPiece[]} pieces */
export function marked(pieces) {
  return pieces.map(({ text: words, kind }) => {
    if (kind === "same") return words;
    return kind === "gone"
      ? element("del", {}, screenReaderText(text("try.removed")), words)
      : element("ins", {}, screenReaderText(text("try.added")), words);
  });
}
