// Marks of a board's table: bars and dots where the generator draws them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import {
  Bars,
  WIDTH,
  corners,
  cutMarks,
  extremes,
  median,
  place,
  position,
} from "../../site_src/assets/charts/drawing.js";
import { Ranking } from "../../site_src/assets/scorer/ranking.js";
import { fc } from "./properties.mjs";
import { python } from "./python.mjs";

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

const PROGRAM = `
import json, sys
from site_src.generator.views import drawing

def drawn(case):
    names = [str(at) for at in range(len(case["parts"][0]))]
    models = [
        {
            "model": str(at),
            "rank": at + 1 if at < case["ranked"] else None,
            "contributions": dict(zip(names, row)) if at < case["ranked"] else {},
        }
        for at, row in enumerate(case["parts"])
    ]
    bars = drawing.bars(models, names)
    middle = drawing.reference(models)
    return {
        "middle": None if middle is None else int(middle["model"]),
        "bars": [
            [bar.cut, bar.marks, [[segment.x, segment.width, segment.points] for segment in bar.segments]]
            for bar in bars.values()
        ],
    }

json.dump([drawn(case) for case in json.load(sys.stdin)], sys.stdout)
`;

test("differences from the median model are drawn as the generator draws them, to the last bit", () => {
  const cases = fc.sample(boards, 400);
  const answers = python(PROGRAM, cases);
  cases.forEach((board, at) => {
    const { middle, bars } = answers[at];
    const ranking = rankingOf(board);
    assert.equal(median(ranking), middle ?? -1);
    if (middle === null) return;
    const drawn = new Bars(ranking, middle);
    bars.slice(0, board.ranked).forEach(([cut, marks, segments], model) => {
      const bar = drawn.of(model);
      assert.deepEqual(bar.cut, cut);
      assert.deepEqual(cutMarks(bar.cut), marks);
      assert.deepEqual(
        bar.segments.map((segment) => [segment.x, segment.width, corners(segment)]),
        segments,
      );
    });
  });
});

test("bars of whole contributions all fit into the width, from one axis", () => {
  fc.assert(
    fc.property(boards, (board) => {
      const bars = new Bars(rankingOf(board), null);
      for (let model = 0; model < board.ranked; model += 1) {
        const { origin, segments, cut } = bars.of(model);
        assert.equal(origin, bars.of(0).origin);
        assert.ok(cut.every((length) => length === 0));
        for (const { difference, width } of segments) near(width, Math.abs(difference) * bars.unit);
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

const DOTS = `
import json, sys
from site_src.generator.views import drawing

def dots(values):
    models = [{"values": {"m": value}} for value in values]
    range_ = drawing.extremes(models, "m")
    if range_ is None:
        return None
    places = [
        None if value is None else [drawing.position(value, *range_), drawing.place(value, *range_)]
        for value in values
    ]
    return [list(range_), places]

json.dump([dots(values) for values in json.load(sys.stdin)], sys.stdout)
`;

test("dots of values are where the generator puts them", () => {
  const value = fc.option(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { nil: null });
  const cases = fc.sample(fc.array(value, { maxLength: 8 }), 500);
  const answers = python(DOTS, cases);
  cases.forEach((values, at) => {
    const range = extremes(values.map((number) => number ?? NaN));
    const dots =
      range &&
      values.map((number) => (number === null ? null : [position(number, range), place(number, range)]));
    assert.deepEqual(range && plain([range, dots]), plain(answers[at]));
  });
});

test("the style sheet knows every place of a dot", () => {
  const sheet = readFileSync(new URL("../../site_src/assets/parts/table.css", import.meta.url), "utf8");
  const known = [...sheet.matchAll(/\.at(\d+) \{ --at: (\d+); \}/g)].map(([, name, at]) => [name, at]);
  const places = Array.from({ length: place(1, [0, 1]) + 1 }, (_, at) => [String(at), String(at)]);
  assert.deepEqual(known, places);
});

/** JSON knows one zero. */
function plain(document) {
  return JSON.parse(JSON.stringify(document));
}
