// A ranking that Python writes as bytes is read back by the page, number by number.
import assert from "node:assert/strict";
import test from "node:test";
import { compared, Ranking } from "../../site_src/assets/scorer/ranking.js";
import { fc } from "./properties.mjs";
import { python } from "./python.mjs";

// The answers to several questions on boards that stay open, as a page's worker gives them, and Python's own rows.
const ANSWERS = `
import base64, json, sys
from dataclasses import fields
from evaluator.rank.dynascore import Question, open_board

def numbers(column):
    return [None if value != value else value for value in column]

def answers(board, questions):
    known = 0
    for question in questions:
        data = board.answer(json.dumps(question), known)
        columns = board.columns(Question(**question))
        known = columns.scale.number
        yield {
            "bytes": base64.b64encode(data).decode(), "order": list(columns.order), "ranks": numbers(columns.ranks),
            "scores": numbers(columns.scores), "z_scores": columns.z_scores and numbers(columns.z_scores),
            "values": [numbers(column) for column in columns.scale.values.values()],
            "contributions": {name: numbers(column) for name, column in columns.contributions.items()},
            "rates": {name: rate.to_dict() for name, rate in columns.scale.rates.items()},
            "notes": [*columns.notices, *columns.notes], "by": columns.by,
        }

json.dump([
    list(answers(open_board(json.dumps(case["board"])), case["questions"])) for case in json.load(sys.stdin)
], sys.stdout)
`;

const METRICS = ["perf", "memory", "spee\u0301d"];
const cell = fc.oneof(
  { weight: 9, arbitrary: fc.double({ noNaN: true, min: 0.1, max: 100 }) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const weight = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10 }));
const weights = (names) =>
  fc
    .tuple(...names.map(() => weight))
    .map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])));

const MODELS = ["model 0", "model 1", "model 2", "model 3"];
const DATASETS = ["d0", "d1"];
const TERMS = { base: "perf", epsilon: 1e-4, epsilon_kind: "relative" };

const cells = fc.tuple(...MODELS.map(() => cell));
const columns = fc.record({ [METRICS[0]]: cells, [METRICS[1]]: cells, [METRICS[2]]: cells });
const board = fc.record({
  models: fc.integer({ min: 1, max: MODELS.length }),
  values: fc.record({ d0: columns, d1: columns }),
  missing: fc.constantFrom("unranked", "worst"),
});
const question = fc.record({
  metrics: weights(METRICS),
  datasets: weights(DATASETS),
  base: fc.constantFrom(...METRICS),
  epsilon: fc.constantFrom(1e-4, 0.5),
  epsilon_kind: fc.constantFrom("relative", "absolute"),
  by: fc.constantFrom("dynascore", "mean", "z_score"),
});
/** Questions one after the other; only metric weights move between some, and their values and rates repeat. */
const questions = fc
  .tuple(question, weights(METRICS), question)
  .map(([one, metrics, other]) => [one, { ...one, metrics }, other, { ...other, metrics }, other]);

/** A board as Python reads it, with the first few of the models. */
function boardOf({ models, values, missing }) {
  const cut = (named) =>
    Object.fromEntries(Object.entries(named).map(([name, column]) => [name, column.slice(0, models)]));
  return {
    ...TERMS,
    missing,
    models: MODELS.slice(0, models),
    metrics: METRICS.map((name, at) => ({ name, direction: at === 1 ? -1 : 1, offset: at === 1 ? null : 0 })),
    datasets: DATASETS,
    values: { d0: cut(values.d0), d1: cut(values.d1) },
  };
}

const listed = (numbers) => Array.from(numbers, (value) => (Number.isNaN(value) ? null : value));

function bufferOf(text) {
  const bytes = Buffer.from(text, "base64");
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

function assertSame(ranking, answer) {
  assert.deepEqual([...ranking.order], answer.order);
  assert.deepEqual(listed(ranking.ranks), answer.ranks);
  assert.deepEqual(listed(ranking.scores), answer.scores);
  assert.deepEqual(ranking.zScores && listed(ranking.zScores), answer.z_scores);
  assert.equal(ranking.by, answer.by);
  assert.deepEqual(ranking.values.map(listed), answer.values);
  assert.deepEqual([ranking.rates, ranking.notes], [answer.rates, answer.notes]);
  assert.equal(ranking.size, answer.order.length);
  assert.equal(ranking.ranked, answer.ranks.filter((rank) => rank !== null).length);
  METRICS.forEach((name, at) => {
    const without = answer.ranks.map((rank) => (rank === null ? null : 0));
    assert.deepEqual(listed(ranking.contributions[at]), answer.contributions[name] ?? without);
  });
}

test("every number of an answer arrives, whether or not it repeats values and rates", () => {
  const cases = fc.sample(fc.record({ board: board.map(boardOf), questions }), 150);
  let repeated = 0;
  python(ANSWERS, cases).forEach((answers) => {
    let last = null;
    for (const answer of answers) {
      const ranking = Ranking.fromAnswer(bufferOf(answer.bytes), last);
      assertSame(ranking, answer);
      repeated += Number(ranking.values === last?.values);
      last = ranking;
    }
  });
  assert.ok(repeated > 10);
});

test("an answer that leaves out what no answer before it had is an error", () => {
  const [drawn] = fc.sample(board.map(boardOf), 1);
  const [[, second]] = python(ANSWERS, [
    { board: drawn, questions: [{ by: "dynascore" }, { by: "z_score" }] },
  ]);
  assert.throws(() => Ranking.fromAnswer(bufferOf(second.bytes)), /follows none/);
});

test("what says nothing of a model is compared with nobody's, and all other columns are the same", () => {
  const values = [Float64Array.of(1, 2, 3), Float64Array.of(4, NaN, 100)];
  const found = compared({ values }, [{ name: "perf" }, { name: "fairness", one_answer: [2] }]);
  assert.equal(found[0], values[0]);
  assert.deepEqual([...found[1]], [4, NaN, NaN]);
  assert.equal(values[1][2], 100);
});
