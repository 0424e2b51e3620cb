// Axes of charts: places in order, round numbers within the range, as the generator draws them.
import { Axis, freeSpots, widened } from "../../site_src/assets/charts/svg.js";
import { fc } from "./properties.mjs";
import assert from "node:assert/strict";
import test from "node:test";

const WIDTH = 640;
/** A number of six digits: what metrics have, from tiny shares to bytes. */
const decimal = fc
  .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: -14, max: 8 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`));
const value = fc.oneof(decimal, decimal.map(Math.abs), fc.integer({ min: 0, max: 100 }));
const values = fc.array(value, { minLength: 1, maxLength: 12 });

test("a larger value has a place further along, and all places are inside the ends", () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const axis = new Axis(numbers, 0, WIDTH);
      const places = [...numbers].sort((a, b) => a - b).map((number) => axis.at(number));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
      assert.ok(places.every((place) => place >= -1e-6 && place <= WIDTH + 1e-6));
    }),
  );
});

test("the value at a place is the one that has this place", () => {
  fc.assert(
    fc.property(values, fc.boolean(), (numbers, back) => {
      const axis = back ? new Axis(numbers, WIDTH, 0) : new Axis(numbers, 0, WIDTH);
      for (const number of numbers) {
        const error = Math.abs(axis.at(axis.value(axis.at(number))) - axis.at(number));
        assert.ok(error <= 1e-6, `${error} pixels from ${number}`);
      }
    }),
  );
});

test("a missing value has no place, and moves no other", () => {
  const axis = new Axis([NaN, 2, 4], 0, WIDTH, { margin: 0 });
  assert.ok(Number.isNaN(axis.at(NaN)));
  assert.deepEqual([axis.at(2), axis.at(4)], [0, WIDTH]);
});

test("marks are round numbers within the range, ascending and no more than there is room for", () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const axis = new Axis(numbers, 0, WIDTH, { gap: 80 });
      const ticks = axis.ticks().map((tick) => tick.value);
      assert.ok(ticks.length <= 2 * axis.most + 1);
      assert.deepEqual(
        ticks,
        [...new Set(ticks)].toSorted((a, b) => a - b),
      );
      for (const tick of ticks) {
        assert.ok(axis.at(tick) >= -1e-6 && axis.at(tick) <= WIDTH + 1e-6);
        if (axis.log) assert.match(tick.toExponential(9), /^[125]\.0+e/);
      }
    }),
  );
});

test("no two marks of an axis have the same text", () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const texts = new Axis(numbers, 0, WIDTH).ticks().map((tick) => tick.text);
      assert.equal(new Set(texts).size, texts.length, texts.join(" "));
    }),
  );
  const texts = new Axis([1e9, 2e9], 0, WIDTH).ticks().map((tick) => tick.text);
  assert.deepEqual(texts, ["1.0e9", "1.2e9", "1.4e9", "1.6e9", "1.8e9", "2.0e9"]);
});

test("marks of an even axis are 1, 2 or 5 times a power of ten apart", () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const axis = new Axis(numbers, 0, WIDTH);
      fc.pre(!axis.log);
      const ticks = axis.ticks().map((tick) => tick.value);
      for (const [at, tick] of ticks.slice(1).entries()) {
        const [head] = (tick - ticks[at]).toExponential(3).split("e");
        assert.ok(["1.000", "2.000", "5.000"].includes(head), `${tick - ticks[at]}`);
      }
    }),
  );
});

test("a range of more than a hundred times its least value goes by powers of ten", () => {
  assert.equal(new Axis([1, 101], 0, WIDTH).log, true);
  assert.equal(new Axis([1, 100], 0, WIDTH).log, false);
  assert.equal(new Axis([-1, 1000], 0, WIDTH).log, false);
  const { value: first } = new Axis([1, 1e6], 0, WIDTH, { margin: 0 }).ticks()[0];
  assert.equal(first, 1);
});

test("without values, and with one value alone, there is a range all the same", () => {
  assert.deepEqual(new Axis([], 0, WIDTH, { margin: 0 }).ends, [0, 1]);
  assert.deepEqual(new Axis([10], 0, WIDTH).ends, [9, 11]);
  assert.deepEqual(new Axis([0, 0], 0, WIDTH).ends, [-1, 1]);
});

// Names beside the marks of a chart.
const ROOM = [0, 0, 600, 400];
const place = fc.record({ x: fc.integer({ min: 0, max: 600 }), y: fc.integer({ min: 0, max: 400 }) });
const named = fc.record({ place, width: fc.integer({ min: 1, max: 150 }) });
const box = fc
  .tuple(place, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100 }))
  .map(([{ x, y }, width, height]) => [x, y, x + width, y + height]);

function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}

function spotsFor(names, taken, avoided = []) {
  return freeSpots(
    names.map((name) => name.place),
    names.map(({ width }) => width),
    taken,
    ROOM,
    avoided,
  );
}

test("names overlap neither one another, nor what is taken, nor the edges", () => {
  fc.assert(
    fc.property(fc.array(named, { maxLength: 20 }), fc.array(box, { maxLength: 5 }), (names, taken) => {
      const boxes = spotsFor(names, taken).flatMap((spot) => (spot ? [spot.box] : []));
      boxes.forEach((one, at) => {
        assert.ok([...boxes.slice(0, at), ...taken].every((other) => !overlap(one, other)));
        assert.ok(one[0] >= 0 && one[1] >= 0 && one[2] <= 600 && one[3] <= 400);
      });
    }),
  );
});

test("a name without a free place is left out, and a later one may still find one", () => {
  const crowded = { place: { x: 300, y: 200 }, width: 100 };
  const free = { place: { x: 100, y: 100 }, width: 40 };
  const [first, second] = spotsFor([crowded, free], [[150, 100, 450, 300]]);
  assert.equal(first, null);
  assert.notEqual(second, null);
});

test("a box to avoid is avoided while there is another place", () => {
  const name = { place: { x: 300, y: 200 }, width: 50 };
  const [usual] = spotsFor([name], []);
  const [other] = spotsFor([name], [], [usual.box]);
  assert.ok(!overlap(other.box, usual.box));
  const [helpless] = spotsFor([name], [], [[0, 0, 600, 400]]);
  assert.deepEqual(helpless, usual);
});

test("a long name is written whole where it hits nothing, and stays as it is where it would", () => {
  fc.assert(
    fc.property(fc.array(named, { maxLength: 20 }), fc.array(box, { maxLength: 5 }), (names, taken) => {
      const before = spotsFor(names, taken);
      const wholes = names.map(({ width }) => 2 * width);
      const after = widened(before, wholes, taken, ROOM);
      const boxes = after.flatMap((spot) => (spot ? [spot.box] : []));
      boxes.forEach((one, at) => {
        assert.ok([...boxes.slice(0, at), ...taken].every((other) => !overlap(one, other)));
        assert.ok(one[0] >= 0 && one[2] <= 600);
      });
      after.forEach((spot, at) => {
        if (spot) {
          assert.deepEqual([spot.x, spot.y, spot.anchor], [before[at].x, before[at].y, before[at].anchor]);
        }
      });
    }),
  );
  const [alone] = spotsFor([{ place: { x: 100, y: 100 }, width: 150 }], []);
  const [whole] = widened([alone], [200], [], ROOM);
  assert.equal(whole.box[2] - whole.box[0], 204);
  assert.deepEqual(widened([alone], [200], [[260, 90, 300, 110]], ROOM), [alone]);
});
