// Marks of a board's table: bars and dots.
import assert from "node:assert/strict";
import test from "node:test";
import { Bars, extremes, median, position, share, WIDTH } from "../../site_src/assets/charts/drawing.js";
import { Ranking } from "../../site_src/assets/scorer/ranking.js";
import { fc } from "./properties.mjs";

const part = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -1e6, max: 1e6 }).map((number) => number / 1e4),
  fc.double({ noNaN: true, min: 1e-6, max: 100 }),
);
/** Contributions of models, the first of which are ranked: the others have no rank. */
const boards = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 12 }))
  .chain(([metrics, models]) =>
    fc.record({
      parts: fc.array(fc.array(part, { minLength: metrics, maxLength: metrics }), {
        minLength: models,
        maxLength: models,
      }),
      ranked: fc.integer({ min: 0, max: models }),
    }),
  );

function rankingOf({ parts, ranked }) {
  const ranks = parts.map((_, at) => (at < ranked ? at + 1 : null));
  return Ranking.fromPage({
    order: parts.map((_, at) => at),
    ranks,
    scores: ranks,
    z_scores: ranks,
    contributions: parts[0].map((_, metric) => parts.map((row, at) => (at < ranked ? row[metric] : null))),
    values: [],
    rates: {},
    notes: [],
  });
}

test("the median model is the better of two in the middle", () => {
  const parts = [[4], [3], [2], [1], [0]];
  assert.deepEqual(
    [0, 1, 2, 4, 5].map((ranked) => median(rankingOf({ parts, ranked }))),
    [-1, 0, 0, 1, 2],
  );
});

test("bars of whole contributions all fit into the width, from one axis", () => {
  fc.assert(
    fc.property(boards, (board) => {
      const bars = new Bars(rankingOf(board), null);
      for (let model = 0; model < board.ranked; model += 1) {
        const { origin, segments, cut } = bars.of(model);
        assert.equal(origin, bars.of(0).origin);
        assert.ok(cut.every((length) => length === 0));
        for (const { difference, width } of segments) {
          near(width, Math.abs(difference) * bars.unit);
        }
      }
    }),
  );
});

function near(found, expected) {
  assert.ok(Math.abs(found - expected) <= 1e-9 * WIDTH, `${found} is not ${expected}`);
}

test("equal differences are equally long in every row, and a side without room says how long it is", () => {
  fc.assert(
    fc.property(boards, (board) => {
      const ranking = rankingOf(board);
      if (!ranking.ranked) return;
      const bars = new Bars(ranking, median(ranking));
      for (let model = 0; model < board.ranked; model += 1) {
        const { segments, cut } = bars.of(model);
        [-1, 1].forEach((sign, end) => {
          const side = segments.filter(({ difference }) => difference * sign > 0);
          const length = side.reduce((sum, { difference }) => sum + difference, 0);
          const width = side.reduce((sum, segment) => sum + segment.width, 0);
          near(width, cut[end] ? WIDTH / 2 : Math.abs(length) * bars.unit);
          if (cut[end]) near(cut[end], length);
        });
      }
    }),
  );
});

test("a dot is between the ends of its range, in the middle of an empty one", () => {
  const range = extremes([3, NaN, 1, 5]);
  assert.deepEqual(range, [1, 5]);
  assert.equal(extremes([NaN]), null);
  assert.deepEqual(
    [1, 3, 5].map((value) => [position(value, range), share(value, range)]),
    [
      [4, 0],
      [32, 0.5],
      [60, 1],
    ],
  );
  assert.equal(share(7, [7, 7]), 0.5);
});
