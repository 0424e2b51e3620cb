// What models answered on the examples of one dataset, from the files that the evaluator keeps.

/** The per-example score that says whether an answer in words is right. */
const EXACT = "exact-match";

/** The answers of one model, in the order of the examples. Throws an Error where they do not fit them. */
export class Answers {
  constructor(document, examples, ids) {
    if (document.ids_sha256 !== ids) throw new Error("its predictions are of other examples");
    this.document = document;
    this.examples = examples;
    this.inWords = document.answers !== undefined;
    this.right = this.inWords ? this.rightTexts() : this.rightLabels();
  }

  /** For every example whether the answer is right; null where that is not known. */
  rightLabels() {
    const { labels = [], gold, merge = {} } = this.examples;
    if (!gold) return null;
    const means = this.document.labels.map((label) =>
      labels.indexOf(Object.hasOwn(merge, label) ? merge[label] : label),
    );
    return this.document.predicted.map((said, at) => means[said] === gold[at]);
  }

  rightTexts() {
    const exact = this.document.scores?.[EXACT];
    return exact ? exact.map((share) => share === this.document.resolution) : null;
  }

  /** The answer as people read it: a label, or the places that a text quotes; null where there is none. */
  said(at) {
    if (!this.inWords) return this.document.labels[this.document.predicted[at]] ?? null;
    const answer = this.document.answers[at];
    return answer === null ? null : places(answer);
  }

  /** The overlap of an answer in words with the right one, in [0, 1]; null where it is not known. */
  overlap(at) {
    const scores = this.document.scores?.f1;
    return scores ? scores[at] / this.document.resolution : null;
  }

  /** The same for two models exactly when their answers are the same. */
  key(at) {
    return this.inWords ? JSON.stringify(this.document.answers[at]) : this.said(at);
  }
}

// Pieces of an answer: two numbers are a quotation, a list is one in another case, a text is the model's own.
function places(pieces) {
  const found = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (typeof piece === "number") {
      found.push(`${piece}–${pieces[at + 1]}`);
      at += 1;
    } else found.push(Array.isArray(piece) ? `${piece[0]}–${piece[1]}` : "own words");
  }
  const quoted = found.some((text) => text !== "own words");
  const all = found.length > 4 ? [...found.slice(0, 3), `${found.length - 3} more pieces`] : found;
  return quoted ? `characters ${all.join(", ")}` : found.length ? "own words" : "an empty text";
}

/** Which models are right on each example, as a word of ones and zeros in the models' order. */
export function patternsOf(answers) {
  return answers[0].right.map((_, at) => answers.map(({ right }) => (right[at] ? "1" : "0")).join(""));
}

/** How often each word occurs; words that do not occur are there with 0 where two models are compared. */
export function patternCounts(patterns, models) {
  const words = Array.from({ length: 2 ** models }, (_, n) =>
    (2 ** models - 1 - n).toString(2).padStart(models, "0"),
  );
  const counts = new Map(words.map((word) => [word, 0]));
  for (const pattern of patterns) counts.set(pattern, counts.get(pattern) + 1);
  return [...counts].filter(([, count]) => models === 2 || count > 0);
}

/** On how many examples two models answer the same. */
export function agreeing(left, right, examples) {
  let count = 0;
  for (let at = 0; at < examples; at += 1) if (left.key(at) === right.key(at)) count += 1;
  return count;
}
