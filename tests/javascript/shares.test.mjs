// Weights are moved one at a time; locks hold, and the sum stays where anything is locked.
import assert from "node:assert/strict";
import test from "node:test";
import { LARGEST } from "../../site_src/assets/view/fragment.js";
import { canMove, evened, moved, room, share, total } from "../../site_src/assets/view/shares.js";
import { weightsOf } from "./boards.mjs";
import { fc } from "./properties.mjs";

const NAMES = ["a", "b", "c", "d"];
/** As precise as the weights in an address. */
const CLOSE = 2e-5;
const value = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: LARGEST }),
  fc.double({ noNaN: true, min: 1e-3, max: LARGEST }),
);
const weights = fc
  .tuple(value, value, value, value)
  .map((values) => Object.fromEntries(NAMES.map((name, at) => [name, values[at]])));
const locked = fc.subarray(NAMES);
const move = fc.record({ weights, locked, name: fc.constantFrom(...NAMES), value });

function near(left, right, message) {
  assert.ok(
    Math.abs(left - right) <= CLOSE * Math.max(1, Math.abs(left)),
    `${message}: ${left} is not ${right}`,
  );
}

test("no movement changes a locked share, the number of weights, or makes one negative or too large", () => {
  fc.assert(
    fc.property(
      fc.record({
        weights,
        locked,
        moves: fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { minLength: 1, maxLength: 4 }),
      }),
      (given) => {
        let after = given.weights;
        for (const [name, to] of given.moves) after = moved(after, name, to, given.locked);
        for (const result of [after, evened(given.weights, given.locked)]) {
          assert.deepEqual(Object.keys(result), NAMES);
          assert.ok(Object.values(result).every((one) => one >= 0 && one <= LARGEST));
          if (total(given.weights) === 0) continue;
          for (const name of given.locked) near(share(result, name), share(given.weights, name), name);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test("the sum stays where something locked has weight", () => {
  fc.assert(
    fc.property(move, (given) => {
      fc.pre(total(given.weights, given.locked) > 0);
      const after = moved(given.weights, given.name, given.value, given.locked);
      const scale = Math.max(...Object.values(after)) === LARGEST ? total(given.weights) / total(after) : 1;
      near(total(after) * scale, total(given.weights), "sum");
    }),
  );
});

test("without locks a weight takes its value and the others stay", () => {
  fc.assert(
    fc.property(move, (given) => {
      const after = moved(given.weights, given.name, given.value, []);
      assert.deepEqual(after, { ...given.weights, [given.name]: given.value });
    }),
  );
});

test("a locked weight, or the only one that is not, does not move", () => {
  fc.assert(
    fc.property(move, (given) => {
      if (canMove(given.weights, given.name, given.locked)) return;
      assert.equal(moved(given.weights, given.name, given.value, given.locked), given.weights);
    }),
  );
  assert.equal(canMove({ a: 1, b: 1 }, "a", ["a"]), false);
  assert.equal(canMove({ a: 1, b: 1 }, "a", ["b"]), false);
  assert.equal(canMove({ a: 1, b: 0 }, "a", ["b"]), true);
});

test("unlocked weights get even parts of what the locked ones leave", () => {
  assert.deepEqual(evened({ a: 4, b: 3, c: 1, d: 0 }, ["a"]), { a: 4, b: 1.33333, c: 1.33333, d: 1.33333 });
  assert.deepEqual(evened({ a: 4, b: 3, c: 1, d: 0 }, []), { a: 1, b: 1, c: 1, d: 1 });
  assert.deepEqual(evened({ a: 0, b: 0, c: 0, d: 0 }, ["a"]), { a: 0, b: 1, c: 1, d: 1 });
});

test("a weight squeezed to nothing comes back in proportion to where the movement began", () => {
  const before = { a: 4, b: 3, c: 1, d: 2 };
  assert.deepEqual(moved(before, "b", 100, ["a"]), { a: 4, b: 6, c: 0, d: 0 });
  assert.deepEqual(moved(before, "b", 3, ["a"]), before);
});

test("shares of nothing are nothing, and what nothing locked weighs binds nobody", () => {
  fc.assert(
    fc.property(weightsOf(NAMES), (named) =>
      near(
        NAMES.reduce((sum, name) => sum + share(named, name), 0),
        total(named) ? 1 : 0,
        "shares",
      ),
    ),
  );
  assert.equal(room({ a: 0, b: 1 }, ["a"]), Infinity);
});

test("what takes no part has no share, and the others share the whole", () => {
  const all = { a: 1, b: 2, c: 1 };
  assert.deepEqual(
    Object.keys(all).map((name) => share(all, name, ["b"])),
    [0.5, 0, 0.5],
  );
  assert.equal(share({ a: 0, b: 2 }, "a", ["b"]), 0);
});
