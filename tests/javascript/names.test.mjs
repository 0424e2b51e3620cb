// Names beside the marks of a chart.
import assert from "node:assert/strict";
import test from "node:test";
import { freeSpots, widened } from "../../site_src/assets/charts/svg.js";
import { fc } from "./properties.mjs";

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

test("a name is as wide as its text, and is near its mark", () => {
  fc.assert(
    fc.property(named, ({ place: mark, width }) => {
      const [spot] = spotsFor([{ place: mark, width }], []);
      if (!spot) return;
      const [left, top, right, bottom] = spot.box;
      assert.equal(right - left, width + 4);
      assert.ok(left <= mark.x + 9 && right >= mark.x - 9 && top <= mark.y + 16 && bottom >= mark.y - 16);
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
