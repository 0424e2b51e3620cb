// Lines of models across axes: places kept apart, and how far a line is from a pointer.
import assert from "node:assert/strict";
import test from "node:test";
import { distance } from "../../site_src/assets/charts/svg.js";
import { keptApart } from "../../site_src/assets/charts/split-lines.js";
import { ascending } from "../../site_src/assets/parts/number-list.js";
import { fc } from "./properties.mjs";

test("names are moved apart, in the order of their lines, and stay in the picture where they fit", () => {
  const places = fc.array(fc.double({ noNaN: true, min: 0, max: 400 }), { maxLength: 25 });
  fc.assert(
    fc.property(places, (given) => {
      const moved = keptApart(given, 16, 0, 400);
      const order = given.map((_, at) => at).sort((a, b) => given[a] - given[b]);
      const sorted = order.map((at) => moved[at]);
      sorted.slice(1).forEach((place, at) => assert.ok(place - sorted[at] >= 16 - 1e-9));
      assert.ok(sorted.every((place) => place >= -1e-9 && place <= 400 + 1e-9));
    }),
  );
});

test("a line is as far from a point as it is above or below it", () => {
  const line = [[0, 0], [10, 20], null, [20, 0], [30, 0]];
  assert.equal(distance(line, [5, 4]), 6);
  assert.equal(distance(line, [25, -3]), 3);
  assert.equal(distance(line, [15, 0]), Infinity);
  assert.equal(distance(line, [31, 0]), Infinity);
});

test("a line that runs down is measured sideways", () => {
  const line = [
    [0, 0],
    [20, 10],
  ];
  assert.equal(distance(line, [4, 5], 1), 6);
});

test("a number that moves takes its neighbours along, and the order stays", () => {
  const numbers = fc.array(fc.double({ noNaN: true, min: 0, max: 1 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(numbers, fc.nat(5), fc.double({ noNaN: true, min: 0, max: 1 }), (given, index, value) => {
      const at = index % given.length;
      const values = given.toSorted((a, b) => a - b).with(at, value);
      const moved = ascending(values, at);
      assert.equal(moved[at], value);
      assert.deepEqual(
        moved,
        moved.toSorted((a, b) => a - b),
      );
    }),
  );
});
