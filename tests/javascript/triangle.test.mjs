// The triangle between three metrics: its grid, its regions, and the places of shares.
import assert from "node:assert/strict";
import test from "node:test";
import { Grid, hull, TriangleShape, withinTriangle } from "../../site_src/assets/charts/triangle-picture.js";
import { withLocked } from "../../site_src/assets/charts/map-terms.js";
import { regionsOf } from "../../site_src/assets/charts/winner-map.js";
import { fc } from "./properties.mjs";

const grids = fc.integer({ min: 1, max: 40 }).map((steps) => new Grid(steps));
const shares = fc
  .tuple(...[0, 1, 2].map(() => fc.double({ noNaN: true, min: 0, max: 1 })))
  .filter(([a, b, c]) => a + b + c > 1e-6)
  .map(withinTriangle);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

test("a point of the grid is the nearest one to its own shares", () => {
  fc.assert(
    fc.property(grids, (grid) => {
      grid.nodes.forEach((_, at) => {
        const [a, b, c] = grid.placeOf(grid.nodes[at]);
        assert.ok(Math.abs(a + b + c - 1) < 1e-9);
        assert.equal(grid.nearest([a, b]), at);
      });
    }),
    { numRuns: 40 },
  );
});

test("regions part the whole triangle among the winners, the largest first", () => {
  const won = grids.chain((grid) => {
    const winner = fc.integer({ min: -1, max: 3 });
    const { length } = grid.nodes;
    return fc.tuple(fc.constant(grid), fc.array(winner, { minLength: length, maxLength: length }));
  });
  fc.assert(
    fc.property(won, ([grid, winners]) => {
      const regions = regionsOf(grid, Int32Array.from(winners));
      const parts = regions.map(({ share }) => share);
      assert.ok(Math.abs(sum(parts) - 1) < 1e-9);
      assert.deepEqual(
        parts,
        parts.toSorted((a, b) => b - a),
      );
      for (const { model, nodes } of regions) {
        assert.equal(nodes.length, winners.filter((winner) => winner === model).length);
      }
    }),
    { numRuns: 60 },
  );
});

test("shares and places are each other's inverse", () => {
  const shape = new TriangleShape(400);
  fc.assert(
    fc.property(shares, (given) => {
      const back = shape.placeAt(...shape.spot(given));
      given.forEach((share, at) => assert.ok(Math.abs(share - back[at]) < 1e-9));
    }),
  );
});

test("a place outside the triangle is kept within it", () => {
  const shape = new TriangleShape(400);
  const place = fc.double({ noNaN: true, min: -1000, max: 1000 });
  fc.assert(
    fc.property(place, place, (x, y) => {
      const found = shape.placeAt(x, y);
      assert.ok(found.every((share) => share >= 0));
      assert.ok(Math.abs(sum(found) - 1) < 1e-9);
    }),
  );
});

test("locked shares stay, and the others divide what is left as they would", () => {
  const locks = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());
  fc.assert(
    fc.property(shares, shares, locks, (target, now, locked) => {
      const kept = withLocked(target, now, locked);
      assert.ok(Math.abs(sum(kept) - 1) < 1e-6);
      const held = sum(now.filter((_, at) => locked[at]));
      if (held) locked.forEach((lock, at) => lock && assert.equal(kept[at], now[at]));
      else assert.deepEqual(kept, target);
    }),
  );
});

test("a hull turns one way only, and has all points within it", () => {
  const point = fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 }));
  fc.assert(
    fc.property(fc.uniqueArray(point, { minLength: 3, maxLength: 30, selector: String }), (points) => {
      const corners = hull(points);
      corners.forEach((corner, at) => {
        const next = corners[(at + 1) % corners.length];
        for (const [x, y] of points) {
          const side = (next[0] - corner[0]) * (y - corner[1]) - (next[1] - corner[1]) * (x - corner[0]);
          assert.ok(side >= 0);
        }
      });
    }),
  );
});
