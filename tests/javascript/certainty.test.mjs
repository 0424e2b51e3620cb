// How sure the ranks of a page are: the newest ranking's sets only, and of a large board those that are seen.
import assert from "node:assert/strict";
import test from "node:test";
import { boardData, certaintyOf, rankingOf } from "./boards.mjs";
import "./texts.mjs";

// A frame is painted at once here, and errors that a page reports are kept.
globalThis.requestAnimationFrame = (work) => setTimeout(work);
const reported = [];
globalThis.reportError = (error) => reported.push(error.message);

/** A ranking of so many models. */
function ranked(size) {
  const models = Array.from({ length: size }, (_, at) => ({ id: `m${at}` }));
  return rankingOf(
    boardData({ models }),
    models.map((_, at) => [at, at]),
  );
}

/** What Python would say: every model asked for may hold all ranks, unless `sets` says otherwise. */
function answered(size, rows, sets = []) {
  const known = Array.from({ length: size }, (_, at) => sets[at] ?? [1, size]);
  return {
    sets: known.map((set, at) => (!rows || rows.includes(at) ? set : null)),
    given: {},
    gap: null,
    words: "found",
  };
}

test("sets of an older ranking are out of date until those of the newest are found", async () => {
  let now = ranked(3);
  const asked = [];
  const sets = async (_, rows) => asked.push(now) && answered(3, rows);
  const certainty = certaintyOf(now, [[1, 1], null, [3, 3]], {
    scorer: { sets },
    file: "f",
    ranking: () => now,
  });
  assert.deepEqual([certainty.current, certainty.setOf(0), certainty.setOf(1)], [true, [1, 1], null]);
  assert.deepEqual(certainty.setsOfAll, [[1, 1], null, [3, 3]]);
  now = ranked(3);
  certainty.follow(false);
  assert.equal(certainty.setsOfAll, null, "nothing is said of a ranking by the sets of another");
  const done = certainty.ask();
  now = ranked(3);
  certainty.follow(false);
  certainty.ask();
  assert.equal(certainty.current, false);
  await done;
  assert.equal(certainty.current, true);
  assert.deepEqual(certainty.setOf(1), [1, 3]);
  assert.deepEqual(asked, [now], "the ranking in between was never asked about");
});

test("an answer that comes after a newer ranking is dropped", async () => {
  let now = ranked(2);
  const first = now;
  const sets = async () => {
    const mine = now;
    if (mine !== second) return answered(2, null, [[2, 2]]);
    now = ranked(2);
    certainty.ask();
    return answered(2, null, [[9, 9]]);
  };
  const certainty = certaintyOf(first, [], { scorer: { sets }, file: "f", ranking: () => now });
  const second = (now = ranked(2));
  await certainty.ask();
  assert.deepEqual(certainty.setOf(0), [2, 2]);
});

test("at the default weights the page's own sets are back, and nobody is asked", async () => {
  let now = ranked(2);
  const certainty = certaintyOf(
    now,
    [
      [1, 2],
      [1, 2],
    ],
    { file: "f", ranking: () => now },
  );
  now = ranked(2);
  certainty.follow(true);
  await certainty.ask();
  assert.deepEqual([certainty.current, certainty.setOf(1)], [true, [1, 2]]);
});

test("of a large board only rows that are seen are asked for, each once, and all when all are wanted", async () => {
  let now = ranked(200);
  let seen = [4, 5];
  const asked = [];
  const sets = async (_, rows) => asked.push(rows) && answered(200, rows);
  const asks = { scorer: { sets }, file: "f", ranking: () => now, seen: () => seen };
  const certainty = certaintyOf(now, Array(200).fill([1, 1]), asks);
  now = ranked(200);
  certainty.follow(false);
  await certainty.ask();
  assert.deepEqual(certainty.setOf(5), [1, 200]);
  assert.equal(certainty.setOf(6), undefined);
  seen = [5, 6];
  await certainty.ask();
  await certainty.ask();
  assert.deepEqual(asked, [[4, 5], [6]]);
  await certainty.complete();
  assert.equal(asked[2].length, 197);
});

test("a set that rates widen is known beside the set, and none where they do not", async () => {
  let now = ranked(3);
  const sets = async () => ({ ...answered(3, null, [[1, 2], [1, 2], null]), within: [[1, 3], [1, 2], null] });
  const certainty = certaintyOf(now, [[1, 1]], { scorer: { sets }, file: "f", ranking: () => now });
  assert.equal(certainty.thin, false, "the page came with none");
  now = ranked(3);
  certainty.follow(false);
  await certainty.ask();
  assert.deepEqual(
    [0, 1, 2].map((model) => certainty.withinOf(model)),
    [[1, 3], undefined, undefined],
  );
  assert.equal(certainty.thin, true);
});

test("of a large board wider sets are found row by row, too", async () => {
  let now = ranked(200);
  let seen = [4];
  const within = (rows) =>
    now.order && Array.from({ length: 200 }, (_, at) => (rows.includes(at) ? [1, 200] : null));
  const sets = async (_, rows) => ({ ...answered(200, rows, Array(200).fill([2, 3])), within: within(rows) });
  const certainty = certaintyOf(now, [], {
    scorer: { sets },
    file: "f",
    ranking: () => now,
    seen: () => seen,
  });
  now = ranked(200);
  certainty.follow(false);
  await certainty.ask();
  seen = [5];
  await certainty.ask();
  assert.deepEqual(
    [4, 5, 6].map((model) => certainty.withinOf(model)),
    [[1, 200], [1, 200], undefined],
  );
});

test("without a file, and after an error, other weights have no sets", async () => {
  let now = ranked(2);
  const alone = certaintyOf(
    now,
    [
      [1, 1],
      [2, 2],
    ],
    { ranking: () => now },
  );
  const sets = () => Promise.reject(new Error("no file"));
  const failing = certaintyOf(
    now,
    [
      [1, 1],
      [2, 2],
    ],
    { scorer: { sets }, file: "f", ranking: () => now },
  );
  now = ranked(2);
  for (const certainty of [alone, failing]) {
    certainty.follow(false);
    await certainty.ask();
    assert.deepEqual([certainty.current, certainty.setOf(0)], [true, null]);
  }
  assert.deepEqual(reported, ["no file"]);
});

test("a dead heat needs two: a leader alone is in none", () => {
  const now = ranked(3);
  const heat = (...sets) => [...certaintyOf(now, sets).heat];
  assert.deepEqual(heat([1, 1], [2, 3], [2, 3]), []);
  assert.deepEqual(heat([1, 2], [1, 2], [3, 3]), [0, 1]);
  assert.deepEqual(heat(undefined, [1, 2], undefined), [1], "the leader is known to be there");
});

test("which numbers a set takes as exact is known with the set", async () => {
  let now = ranked(2);
  const given = { 1: "given the published Cost" };
  const scorer = { sets: async () => ({ ...answered(2, null), given }) };
  const certainty = certaintyOf(now, [[1, 2], null], { scorer, file: "f", ranking: () => now });
  assert.equal(certainty.givenOf(1), "");
  now = ranked(2);
  await certainty.ask();
  assert.deepEqual([certainty.givenOf(0), certainty.givenOf(1)], ["", "given the published Cost"]);
});
