// Where the samples of models go on the difficulty page.
import assert from "node:assert/strict";
import test from "node:test";
import { Course, difficultyRange, Swarm, SwarmLayout } from "../../site_src/assets/charts/swarm.js";
import { fc } from "./properties.mjs";

const difficulty = fc.option(
  fc.oneof(
    fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
    fc.double({ noNaN: true, min: 0, max: 1 }),
  ),
  { nil: null },
);
const samples = fc
  .integer({ min: 0, max: 300 })
  .chain((count) =>
    fc.record({
      values: fc.array(difficulty, { minLength: count, maxLength: count }),
      answers: fc.array(fc.constantFrom("0", "1"), { minLength: count, maxLength: count }),
      flipped: fc.boolean(),
      width: fc.integer({ min: 40, max: 800 }),
      size: fc.constantFrom(8, 6, 5),
      each: fc.integer({ min: 1, max: 5 }),
    }),
  )
  .map((given) => ({ ...given, answers: given.answers.join("") }));

function swarmOf({ values, answers, flipped, width, size, each }) {
  return new Swarm(new Course(values, [0, 1], flipped, width), answers, size, each);
}

test("every sample with a difficulty is in one mark, on the side of its answer", () => {
  fc.assert(
    fc.property(samples, (given) => {
      const { marks, markOf, counts } = swarmOf(given);
      const known = given.values.flatMap((value, sample) => (value === null ? [] : [sample]));
      assert.deepEqual(
        marks.flatMap((mark) => mark.samples).sort((a, b) => a - b),
        known,
      );
      for (const sample of known) {
        const mark = markOf[sample];
        assert.ok(mark.samples.includes(sample));
        assert.equal(mark.side, given.answers[sample] === "1" ? 0 : 1);
      }
      assert.equal(counts[0] + counts[1], known.length);
    }),
  );
});

test("no two marks share a place, and heaps have no holes", () => {
  fc.assert(
    fc.property(samples, (given) => {
      const { marks, heights, columns } = swarmOf(given);
      const cells = marks.map(({ side, column, row }) => `${side} ${column} ${row}`);
      assert.equal(new Set(cells).size, cells.length);
      for (const { side, column, row } of marks) {
        assert.ok(column >= 0 && column < columns && row < heights[side][column]);
      }
      const heaped = heights.reduce((sum, side) => sum + side.reduce((all, height) => all + height, 0), 0);
      assert.equal(heaped, marks.length);
    }),
  );
});

test("a mark stays near the column of its samples, and has no more of them than it may", () => {
  fc.assert(
    fc.property(samples, (given) => {
      for (const { home, column, samples: inside } of swarmOf(given).marks) {
        assert.ok(Math.abs(column - home) * given.size <= 24);
        assert.ok(inside.length >= 1 && inside.length <= given.each);
      }
    }),
  );
});

test("places and difficulties are each other's inverse, whichever end is at the left", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: 0, max: 1 }), fc.boolean(), (value, flipped) => {
      const course = new Course([], [0, 1], flipped, 500);
      assert.ok(Math.abs(course.value(course.at(value)) - value) < 1e-9);
    }),
  );
  assert.deepEqual(
    [new Course([], [0, 1], true, 500).at(1), new Course([], [0, 1], false, 500).at(1)],
    [0, 500],
  );
});

test("samples go from the left to the right, those without a difficulty nowhere", () => {
  const values = [0.5, null, 0.1, 0.9, 0.5];
  assert.deepEqual([...new Course(values, [0, 1], false, 100).order], [2, 0, 4, 3]);
  assert.deepEqual([...new Course(values, [0, 1], true, 100).order], [3, 0, 4, 2]);
});

test("a difficulty at a threshold belongs above it", () => {
  const thresholds = [0.2, 0.6];
  const splits = (flipped) =>
    [0.1, 0.2, 0.5, 0.6, 1].map((value) => new Course([], [0, 1], flipped, 100).split(value, thresholds));
  assert.deepEqual(splits(false), [0, 1, 1, 2, 2]);
  assert.deepEqual(splits(true), [2, 1, 1, 0, 0]);
});

const page = fc.integer({ min: 1, max: 2000 }).chain((count) =>
  fc.record({
    difficulty: fc.array(difficulty, { minLength: count, maxLength: count }),
    answers: fc.array(
      fc.array(fc.constantFrom("0", "1"), { minLength: count, maxLength: count }).map((row) => row.join("")),
      { minLength: 1, maxLength: 3 },
    ),
    width: fc.integer({ min: 320, max: 1200 }),
  }),
);

test("strips have room for all of their marks, and lie one under another", () => {
  fc.assert(
    fc.property(page, ({ difficulty: values, answers, width }) => {
      const models = answers.map((_, at) => `m${at}`);
      const points = {
        difficulty: values,
        split: [],
        right: Object.fromEntries(answers.map((row, at) => [`m${at}`, row])),
      };
      const options = { flipped: true, stretched: false, ruled: true };
      const layout = new SwarmLayout(points, models, width, options);
      layout.strips.forEach(({ swarm, top }, at) => {
        assert.ok(swarm.rows[0] * layout.size <= layout.base);
        assert.ok(swarm.rows[1] * layout.size <= layout.tallness - layout.base);
        assert.ok(top + layout.tallness <= (layout.strips[at + 1]?.top ?? layout.height));
      });
      assert.deepEqual(
        layout.agreed,
        values.map((_, sample) => answers.filter((row) => row[sample] === "1").length),
      );
    }),
  );
});

test("the range is the tenths that hold all difficulties", () => {
  assert.deepEqual(difficultyRange([0.31, null, 0.58]), [0.3, 0.6]);
  assert.deepEqual(difficultyRange({ a: [0.3], b: [0.6] }), [0.3, 0.6]);
  assert.deepEqual(difficultyRange([]), [0, 1]);
  assert.deepEqual(difficultyRange([null]), [0, 1]);
});
