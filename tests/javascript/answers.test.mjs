// What models answered on single examples, from the files that the evaluator keeps.
import assert from "node:assert/strict";
import test from "node:test";
import { Answers, agreeing, patternCounts, patternsOf } from "../../site_src/assets/parts/answers.js";
import { fc } from "./properties.mjs";
import "./texts.mjs";

const EXAMPLES = { ids: ["1", "2", "3"], labels: ["bad", "good"], merge: { worst: "bad" }, gold: [0, 1, 1] };
const labelled = (predicted, labels = ["good", "worst", "bad"]) =>
  new Answers({ ids_sha256: "x", resolution: 1000, labels, predicted }, EXAMPLES, "x");
const worded = (answers, scores) =>
  new Answers({ ids_sha256: "x", resolution: 1000, answers, scores }, { ids: ["1"] }, "x");

test("labels are right where they count as the gold label; no valid answer is wrong", () => {
  const answers = labelled([1, 0, -1]);
  assert.deepEqual(answers.right, [true, true, false]);
  assert.deepEqual(
    [0, 1, 2].map((at) => answers.text(at)),
    ["worst", "good", null],
  );
  assert.equal(answers.overlap(0), null);
});

test("predictions of other examples are refused", () => {
  assert.throws(() => new Answers({ ids_sha256: "y", resolution: 1 }, EXAMPLES, "x"), /of other examples/);
});

test("without gold labels nobody is known to be right", () => {
  const answers = new Answers(
    { ids_sha256: "x", resolution: 1, labels: ["a"], predicted: [0] },
    { ids: ["1"] },
    "x",
  );
  assert.equal(answers.right, null);
  assert.equal(patternsOf([answers]), null);
});

test("of several answers an example is right as often as they are, and each is said once", () => {
  const answers = new Answers(
    {
      ids_sha256: "x",
      resolution: 1,
      trials: 2,
      labels: ["good", "bad"],
      predicted: [1, 0, 0, -1, 0, 0],
      values: { cost: [1, 3, 2, null, null, null] },
    },
    EXAMPLES,
    "x",
    { metric: { name: "right", label: "Right answers", unit: "%", decimals: 0 }, right: null, wrong: null },
    [{ name: "cost", label: "Cost", unit: "USD", decimals: 2 }],
  );
  assert.equal(answers.right, null);
  assert.deepEqual(
    [0, 1, 2].map((at) => answers.value(at)),
    [50, 50, 100],
  );
  assert.deepEqual(
    [0, 1, 2].map((at) => answers.text(at)),
    [
      "1 × bad · 1 × good · Right answers 50 % · Cost 2 USD",
      "1 × good · 1 × no valid answer · Right answers 50 % · Cost 2 USD",
      "2 × good · Right answers 100 % · no Cost",
    ],
  );
});

test("an answer stands with the numbers beside it", () => {
  const answers = new Answers(
    {
      ids_sha256: "x",
      resolution: 1,
      labels: ["good"],
      predicted: [-1, 0, 0],
      values: { cost: [1, 2, null] },
    },
    EXAMPLES,
    "x",
    undefined,
    [{ name: "cost", label: "Cost", unit: "USD", decimals: 2 }],
  );
  assert.deepEqual(answers.right, [false, true, true]);
  assert.equal(answers.text(0), "no valid answer · Cost 1 USD");
  assert.equal(answers.text(2), "good · no Cost");
});

const ANSWERS = [
  [[3, 9], "characters 3–9"],
  [[3, 9, "and", 12, 15], "characters 3–9, own words, 12–15"],
  [[[3, 9, "lower"]], "characters 3–9"],
  [["yes"], "own words"],
  [[], "an empty text"],
  [null, null],
  [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "characters 0–1, 2–3, 4–5, 2 more pieces"],
];
for (const [pieces, text] of ANSWERS) {
  test(`an answer in words is shown as ${text}`, () => assert.equal(worded([pieces]).text(0), text));
}

test("answers in words are right when they are exactly so, and overlap as far as F1 says", () => {
  const answers = worded([["a"], ["b"]], { "exact-match": [1000, 0], f1: [1000, 250] });
  assert.deepEqual([answers.right, answers.overlap(1)], [[true, false], 0.25]);
  assert.equal(worded([["a"]], { f1: [500] }).right, null);
});

const COST = { name: "cost", label: "Cost", unit: "USD", decimals: 2 };
const SOLVED = { name: "solved", label: "Solved", unit: "%", decimals: 0 };
const valued = (values, more = {}, shown = { metric: SOLVED, right: 100, wrong: 0 }) =>
  new Answers({ ids_sha256: "x", resolution: 1, values, ...more }, { ids: ["1", "2"] }, "x", shown, [
    SOLVED,
    COST,
  ]);

test("values in place of answers are right at the upper end, with the other numbers beside them", () => {
  const answers = valued({ solved: [100, 0], cost: [1.5, null] });
  assert.deepEqual(answers.right, [true, false]);
  assert.deepEqual(
    [0, 1].map((at) => answers.text(at)),
    ["Cost 1.50 USD", "no Cost"],
  );
});

test("a unit that says what the number is stands for the metric's name", () => {
  const calls = { name: "calls", label: "Calls", unit: "calls", decimals: 1 };
  const shown = { metric: calls, right: null, wrong: null };
  const document = { ids_sha256: "x", resolution: 1, trials: 2, values: { calls: [3, 3, 2, 5] } };
  const answers = new Answers(document, { ids: ["1", "2"] }, "x", shown, [calls]);
  assert.deepEqual([answers.text(0), answers.text(1)], ["3 calls", "3.5 calls"]);
});

test("values that are neither end, missing or of several trials are no matter of right and wrong", () => {
  const graded = valued({ solved: [100, 40] });
  assert.deepEqual([graded.right, graded.text(1)], [null, "Solved 40 %"]);
  assert.equal(valued({ solved: [100, null] }).right, null);
  const tried = valued({ solved: [100, 0, null, 100] }, { trials: 2 });
  assert.deepEqual([tried.right, tried.value(0), tried.value(1)], [null, 50, 100]);
  const cost = valued({ solved: [100, 0] }, {}, { metric: SOLVED, right: null, wrong: null });
  assert.equal(cost.right, null);
});

test("every example has one pattern, and counts of patterns add up", () => {
  const models = fc.array(fc.array(fc.integer({ min: -1, max: 2 }), { minLength: 3, maxLength: 3 }), {
    minLength: 2,
    maxLength: 4,
  });
  fc.assert(
    fc.property(models, (predicted) => {
      const answers = predicted.map((one) => labelled(one));
      const patterns = patternsOf(answers);
      assert.equal(patterns.length, 3);
      const counts = patternCounts(patterns, answers.length);
      assert.equal(
        counts.reduce((sum, [, count]) => sum + count, 0),
        3,
      );
      assert.ok(patterns.every((pattern) => counts.some(([word]) => word === pattern)));
      assert.equal(agreeing(answers[0], answers[0], 3), 3);
      assert.equal(agreeing(answers[0], answers[1], 3), agreeing(answers[1], answers[0], 3));
    }),
  );
});
