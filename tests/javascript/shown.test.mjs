// Which models a view shows, and in which order.
import assert from "node:assert/strict";
import test from "node:test";
import { Shown, narrowed } from "../../site_src/assets/view/shown.js";
import { defaultView } from "../../site_src/assets/view/view.js";
import { boardData, certaintyOf, rankingOf } from "./boards.mjs";
import { fc } from "./properties.mjs";

const MODELS = [
  { id: "zurich", label: "Zürich 10", tags: ["transformer", "small"], parameters: 5e6, licence: "MIT" },
  { id: "svm-2", label: "SVM 2", tags: ["linear"], provenance: "reported" },
  { id: "bert", label: "BERT", tags: ["transformer"], parameters: 1.1e8, licence: "Apache-2.0", budget: 0 },
  { id: "svm-10", label: "SVM 10", parameters: 1e7, licence: "MIT", effort: "high", context: 8192 },
];
const data = boardData({ models: MODELS });
const ranking = rankingOf(
  data,
  [
    [90, 3],
    [80, NaN],
    [80, 1],
    [70, 2],
  ],
  [1, 2, 3, null],
);
const shown = new Shown(data.models, data.metrics, certaintyOf(ranking, [[1, 3], [2, 3], [1, 2], null]));

/** Ids in the order in which a view shows them, without those outside limits. */
function idsOf(fields) {
  const { pinned, rest, outside } = shown.arrange(ranking, { ...defaultView(data), ...fields });
  return [...pinned, ...rest].filter((index) => !outside.has(index)).map((index) => data.models[index].id);
}

const sorted = (column, direction) => idsOf({ sort: { column, direction } });
const filtered = (...filters) => idsOf({ filters: filters.map(([kind, value]) => ({ kind, value })) });

test("a search finds words in names, ids, tags and licences, without minding accents or capitals", () => {
  assert.deepEqual(idsOf({ search: "zurich" }), ["zurich"]);
  assert.deepEqual(idsOf({ search: "  SVM 1 " }), ["svm-10"]);
  assert.deepEqual(idsOf({ search: "mit" }), ["zurich", "svm-10"]);
  assert.deepEqual(idsOf({ search: "linear svm" }), ["svm-2"]);
  assert.deepEqual(idsOf({ search: "nobody" }), []);
});

test("filters of one kind widen, those of different kinds narrow", () => {
  assert.deepEqual(filtered(["tag", "transformer"]), ["zurich", "bert"]);
  assert.deepEqual(filtered(["tag", "transformer"], ["tag", "linear"]), ["zurich", "svm-2", "bert"]);
  assert.deepEqual(filtered(["tag", "transformer"], ["licence", "MIT"]), ["zurich"]);
  assert.deepEqual(filtered(["licence", ""]), ["svm-2"]);
  assert.deepEqual(filtered(["provenance", "reported"]), ["svm-2"]);
});

const [FIRST, SECOND] = data.metrics.map(({ name }) => name);
const limit = (metric, bound, value) => ({ metric, bound, value });

test("limits leave the models whose numbers are within them, the number itself included", () => {
  assert.deepEqual(idsOf({ limits: [limit(FIRST, "least", 80)] }), ["zurich", "svm-2", "bert"]);
  assert.deepEqual(idsOf({ limits: [limit(FIRST, "least", 80), limit(FIRST, "most", 80)] }), [
    "svm-2",
    "bert",
  ]);
});

test("a model outside limits keeps its place, and is not counted", () => {
  const view = { ...defaultView(data), limits: [limit(FIRST, "most", 80)] };
  const { rest, outside } = shown.arrange(ranking, view);
  assert.deepEqual([rest, [...outside]], [[0, 1, 2, 3], [0]]);
  assert.deepEqual([shown.count(ranking, view), shown.count(ranking, { ...view, search: "svm" })], [3, 2]);
});

test("filters leave models whatever limits are", () => {
  const filters = [{ kind: "licence", value: "MIT" }];
  assert.deepEqual(shown.filtered({ filters }), [0, 3]);
  assert.equal(shown.filtered({ filters: [] }), null);
});

test("a model without a number for what is limited is left out", () => {
  assert.deepEqual(idsOf({ limits: [limit(SECOND, "least", -1e9)] }), ["zurich", "bert", "svm-10"]);
});

test("what limits leave follows the numbers of a new ranking", () => {
  const limits = [limit(FIRST, "least", 80)];
  assert.deepEqual(shown.matches(ranking, { ...defaultView(data), limits }), [true, true, true, false]);
  const other = rankingOf(
    data,
    [
      [1, 1],
      [2, 1],
      [80, 1],
      [90, 1],
    ],
    [4, 3, 2, 1],
  );
  assert.deepEqual(shown.matches(other, { ...defaultView(data), limits }), [false, false, true, true]);
});

test("sizes are bands, and a model that states none is in no band", () => {
  assert.deepEqual(filtered(["size", "10m"]), ["zurich"]);
  assert.deepEqual(filtered(["size", "100m"]), ["svm-10"]);
  assert.deepEqual(filtered(["size", ""]), ["svm-2"]);
});

test("models are found by how they think: effort, thinking budget and context", () => {
  assert.deepEqual(filtered(["effort", "high"]), ["svm-10"]);
  assert.deepEqual(filtered(["context", "8192"], ["budget", ""]), ["svm-10"]);
  assert.deepEqual(filtered(["budget", "0"]), ["bert"]);
  assert.deepEqual(idsOf({ search: "high" }), ["svm-10"]);
});

test("pinned models come first, in the order in which they were pinned, whatever is searched for", () => {
  assert.deepEqual(idsOf({ pinned: ["svm-10", "bert"], search: "zurich" }), ["svm-10", "bert", "zurich"]);
  assert.equal(shown.count(ranking, { ...defaultView(data), pinned: ["svm-10"], search: "zurich" }), 2);
});

test("models are sorted by any column, those without a value last either way", () => {
  assert.deepEqual(sorted(".rank", "up"), ["zurich", "svm-2", "bert", "svm-10"]);
  assert.deepEqual(sorted(".rank", "down"), ["bert", "svm-2", "zurich", "svm-10"]);
  assert.deepEqual(sorted("memory", "up"), ["bert", "svm-10", "zurich", "svm-2"]);
  assert.deepEqual(sorted("memory", "down"), ["zurich", "svm-10", "bert", "svm-2"]);
  assert.deepEqual(sorted(".score", "down"), ["zurich", "svm-2", "bert", "svm-10"]);
  assert.deepEqual(sorted(".z", "up"), ["bert", "svm-2", "zurich", "svm-10"]);
});

test("models are sorted by the best and by the worst rank that they may hold, the unknown last", () => {
  assert.deepEqual(sorted(".best", "up"), ["zurich", "bert", "svm-2", "svm-10"]);
  assert.deepEqual(sorted(".worst", "up"), ["bert", "zurich", "svm-2", "svm-10"]);
  assert.deepEqual(sorted(".worst", "down"), ["zurich", "svm-2", "bert", "svm-10"]);
});

test("names are sorted as people count", () => {
  assert.deepEqual(sorted(".model", "up"), ["bert", "svm-2", "svm-10", "zurich"]);
});

test("sorting is stable: ties stay in the order of the ranks", () => {
  assert.deepEqual(sorted("perf", "down"), ["zurich", "svm-2", "bert", "svm-10"]);
  const level = fc.array(fc.constantFrom(1, 2, NaN), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(level, fc.constantFrom("up", "down"), (values, direction) => {
      const board = boardData({ models: values.map((_, at) => ({ id: `m${at}` })) });
      const own = rankingOf(
        board,
        values.map((value) => [value, 0]),
      );
      const view = { ...defaultView(board), sort: { column: "perf", direction } };
      const { rest } = new Shown(board.models, board.metrics, certaintyOf(own)).arrange(own, view);
      const key = (index) =>
        Number.isNaN(values[index]) ? Infinity : values[index] * (direction === "up" ? 1 : -1);
      const expected = values
        .map((_, at) => at)
        .sort((a, b) => (key(a) === key(b) ? a - b : key(a) - key(b)));
      assert.deepEqual(rest, expected);
    }),
  );
});

test("every model is shown once or not at all", () => {
  const fields = fc.record({
    search: fc.oneof(fc.constantFrom("", "svm", "e", "mit 10"), fc.string({ unit: "binary" })),
    pinned: fc.uniqueArray(fc.constantFrom(...MODELS.map(({ id }) => id))),
    filters: fc.array(
      fc.record({
        kind: fc.constantFrom("tag", "licence", "size", "provenance"),
        value: fc.constantFrom("", "MIT", "linear", "10m", "reported"),
      }),
    ),
    limits: fc.array(
      fc.record({
        metric: fc.constantFrom(...data.metrics.map(({ name }) => name)),
        bound: fc.constantFrom("least", "most"),
        value: fc.integer({ min: 0, max: 100 }),
      }),
    ),
  });
  fc.assert(
    fc.property(fields, (given) => {
      const ids = idsOf(given);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(shown.count(ranking, { ...defaultView(data), ...given }), ids.length);
      if (!narrowed(given)) assert.equal(ids.length, MODELS.length);
    }),
  );
});
