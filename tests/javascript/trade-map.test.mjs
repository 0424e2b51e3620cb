// The map over two trade-offs: its cells, its places, and what a move of the knob makes of a view.
import assert from "node:assert/strict";
import test from "node:test";
import { WeightTerms } from "../../site_src/assets/charts/map-terms.js";
import { SquareGrid, SquareShape, TradeTerms } from "../../site_src/assets/charts/trade-map.js";
import { regionsOf, runsOf } from "../../site_src/assets/charts/winner-map.js";
import { REACH } from "../../site_src/assets/view/trades.js";
import { defaultView } from "../../site_src/assets/view/view.js";
import { boardData } from "./boards.mjs";
import { fc } from "./properties.mjs";
import "./texts.mjs";

const grids = fc.integer({ min: 2, max: 30 }).map((size) => new SquareGrid(size));
const place = fc.tuple(...[0, 1].map(() => fc.double({ noNaN: true, min: -REACH, max: REACH })));

test("a cell is the nearest one to its own place, in Python's order", () => {
  fc.assert(
    fc.property(grids, (grid) => {
      grid.nodes.forEach((node, at) => assert.equal(grid.nearest(grid.placeOf(node)), at));
    }),
    { numRuns: 30 },
  );
});

test("regions part the whole map among the winners, the largest first", () => {
  const won = grids.chain((grid) => {
    const { length } = grid.nodes;
    const winners = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: length, maxLength: length });
    return fc.tuple(fc.constant(grid), winners);
  });
  fc.assert(
    fc.property(won, ([grid, winners]) => {
      const regions = regionsOf(grid, Int32Array.from(winners));
      const shares = regions.map(({ share }) => share);
      assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
      assert.deepEqual(
        shares,
        shares.toSorted((a, b) => b - a),
      );
      for (const { model, nodes } of regions) {
        assert.equal(nodes.length, winners.filter((winner) => winner === model).length);
        const cells = runsOf(nodes, 1, 0).map(([, first, last]) => last - first + 1);
        assert.equal(
          cells.reduce((sum, count) => sum + count, 0),
          nodes.length,
        );
      }
    }),
    { numRuns: 40 },
  );
});

test("runs are neighbouring cells of one row", () => {
  const cells = [
    [0, 1],
    [2, 0],
    [1, 0],
    [4, 0],
  ];
  assert.deepEqual(runsOf(cells, 1, 0), [
    [0, 1, 2],
    [0, 4, 4],
    [1, 0, 0],
  ]);
});

test("places and pixels are each other's inverse, and a pixel outside is kept within", () => {
  const shape = new SquareShape(400, 60);
  fc.assert(
    fc.property(place, (given) => {
      const back = shape.placeAt(...shape.spot(given));
      given.forEach((value, at) => assert.ok(Math.abs(value - back[at]) < 1e-6));
    }),
  );
  assert.deepEqual(shape.placeAt(-1000, -1000), [-REACH, REACH]);
});

const data = boardData({ metrics: ["perf", "memory", "speed", "size"], models: [{ id: "bert" }] });
const OFFERS = {
  memory: { units: 0.2, percent: 10, percent_first: false },
  speed: { units: 30, percent: 12, percent_first: true },
};

/** The terms of a page whose view `change` changes. */
function termsFor(Kind, fields) {
  const defaults = defaultView(data);
  const view = {
    defaults,
    now: { ...defaults, ...fields },
    change: (changed) => (view.now = { ...view.now, ...changed }),
  };
  return { view, terms: new Kind({ data, view, offers: OFFERS }) };
}

test("the map is of two metrics beside the base metric", () => {
  const { view, terms } = termsFor(TradeTerms, { by: "trades", corners: ["speed", "perf"] });
  assert.deepEqual(terms.names, ["speed", "memory"]);
  assert.deepEqual([terms.takes("perf"), terms.takes("size")], [false, true]);
  view.change({ base: "speed" });
  assert.deepEqual(terms.names, ["perf", "memory"]);
});

test("the knob stands where the trade-offs are, and at the end where a metric does not count", () => {
  const trades = { memory: 2, size: 7 };
  const { view, terms } = termsFor(TradeTerms, { by: "trades", trades, corners: ["memory", "speed"] });
  assert.deepEqual(terms.place, [REACH / 2, REACH]);
  terms.take([0, 0]);
  assert.deepEqual(view.now.trades, { memory: 0.2, speed: "12 %", size: 7 });
  assert.deepEqual(Object.keys(view.now.trades), ["memory", "speed", "size"]);
  assert.deepEqual(terms.place, [0, 0]);
  assert.deepEqual(terms.question.trades, { size: 7 });
});

test("a map stays while its knob moves, and is another one where other trade-offs are", () => {
  const { view, terms } = termsFor(TradeTerms, {
    by: "trades",
    trades: { memory: 1, speed: "5 %", size: 7 },
  });
  const key = JSON.stringify(terms.key);
  terms.take([10, -20]);
  assert.equal(JSON.stringify(terms.key), key);
  view.change({ trades: { ...view.now.trades, size: 8 } });
  assert.notEqual(JSON.stringify(terms.key), key);
});

test("arrow keys move the knob within the map, and others do nothing", () => {
  const { terms } = termsFor(TradeTerms, { by: "trades" });
  assert.deepEqual(terms.step([REACH, 0], "ArrowRight"), [REACH, 0]);
  assert.deepEqual(terms.step([0, 0], "ArrowDown"), [0, -2]);
  assert.equal(terms.step([0, 0], "Enter"), null);
  const { terms: weighed } = termsFor(WeightTerms, {});
  assert.equal(weighed.step([1, 0, 0], "Enter"), null);
  assert.deepEqual(
    weighed.step([0.5, 0.25, 0.25], "ArrowLeft").map((share) => share.toFixed(3)),
    ["0.500", "0.275", "0.225"],
  );
});

test("Python is asked for the same amounts as the axes say", async () => {
  const asked = [];
  const { terms } = termsFor(TradeTerms, { by: "trades", corners: ["memory", "speed"] });
  const scorer = {
    winnersByTrades: async (...given) => asked.push(given) && new Int32Array(),
    certainByTrades: async (...given) => {
      asked.push(given);
      return new Array(terms.few.nodes.length).fill(1).fill(0, 0, 21);
    },
  };
  await terms.winners(scorer);
  const unsure = await terms.unsure(scorer);
  assert.deepEqual([unsure.nodes.length, unsure.share], [21, 1 / 21]);
  const [[, metrics, [memory, speed]], [, , few]] = asked;
  assert.deepEqual(metrics, ["memory", "speed"]);
  assert.deepEqual([memory[0], memory[40], memory[80]], [0.002, 0.2, 20]);
  assert.deepEqual([speed[0], speed[40], speed[80]], ["0.12 %", "12 %", "1200 %"]);
  assert.deepEqual(few[0][10], 0.2);
  assert.equal(terms.amount(data.metrics[1], 0, [0, 0]), "0.2 points");
  const [, inUnits, inPercent] = data.metrics.map((metric) => terms.axis(metric));
  assert.deepEqual(inUnits, { name: "memory, points", marks: ["0.002", "0.02", "0.2", "2", "20"] });
  assert.deepEqual(inPercent, { name: "speed", marks: ["0.12 %", "1.2 %", "12 %", "120 %", "1200 %"] });
});
