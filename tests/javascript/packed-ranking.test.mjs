// The default ranking of a board of many models is the same whether the page has all its numbers or only those that
// do not follow from the cells.
import assert from "node:assert/strict";
import test from "node:test";
import { unpacked } from "../../site_src/assets/scorer/packed-ranking.js";
import { Ranking } from "../../site_src/assets/scorer/ranking.js";
import { fc } from "./properties.mjs";
import { python } from "./python.mjs";

const METRICS = ["perf", "speed", "memory"];
const MODELS = ["a", "b", "c", "d", "e"];

// Both forms of the ranking of each board, as the generator writes them.
const ISLANDS = `
import json, sys
from types import SimpleNamespace
from evaluator.rank.dynascore import Board
from site_src.generator.views.islands import first_ranking, packed_ranking

def islands(case):
    ranking = Board.from_dict(case["cells"]).rank(case["metrics"], case["datasets"]).to_dict()
    assembled = SimpleNamespace(data=case["cells"])
    columns = [SimpleNamespace(name=metric["name"]) for metric in case["cells"]["metrics"]]
    return [form(assembled, columns, ranking) for form in (first_ranking, packed_ranking)]

json.dump([islands(case) for case in json.load(sys.stdin)], sys.stdout)
`;

const value = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 10_000 }).map((number) => number / 100) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const column = fc.tuple(...MODELS.map(() => value));
const dataset = fc.record(Object.fromEntries(METRICS.map((name) => [name, column])));
const weight = fc.integer({ min: 0, max: 5 });
const caseOf = fc
  .record({
    datasets: fc.array(fc.tuple(dataset, weight), { minLength: 1, maxLength: 4 }),
    weights: fc.tuple(...METRICS.map(() => weight)),
    missing: fc.constantFrom("unranked", "worst"),
    cap: fc.constantFrom(null, 100, 40),
  })
  .map(({ datasets, weights, missing, cap }) => ({
    metrics: Object.fromEntries(METRICS.map((name, at) => [name, weights[at]])),
    datasets: Object.fromEntries(datasets.map(([, own], at) => [`d${at}`, own])),
    cells: {
      models: MODELS,
      metrics: METRICS.map((name) => {
        const cost = name === "memory";
        return { name, direction: cost ? -1 : 1, offset: cost ? cap : 0 };
      }),
      datasets: datasets.map((_, at) => `d${at}`),
      values: Object.fromEntries(datasets.map(([values], at) => [`d${at}`, values])),
      base: "perf",
      epsilon: 1e-4,
      epsilon_kind: "relative",
      missing,
    },
  }));

test("what a packed ranking leaves out follows from the cells", () => {
  const cases = fc.sample(caseOf, 300);
  python(ISLANDS, cases).forEach(([whole, packed], at) => {
    const { cells, metrics, datasets } = cases[at];
    const board = { metrics: METRICS.map((name) => ({ name })), weights: { metrics, datasets } };
    const made = Ranking.fromPage(unpacked(packed, cells, board));
    assert.deepEqual(made, Ranking.fromPage({ ...whole, z_scores: null }));
  });
});
