// Trade-offs as people type them, as a slider has them and as an address writes them.
import assert from "node:assert/strict";
import test from "node:test";
import { decode, encode, BOARD_PARTS } from "../../site_src/assets/view/fragment.js";
import {
  REACH,
  atPosition,
  beginning,
  offered,
  partsOf,
  positionOf,
  textOf,
  tradeOf,
  typed,
} from "../../site_src/assets/view/trades.js";
import { boardTerms, question, ranksAlike } from "../../site_src/assets/view/view.js";
import { boardData } from "./boards.mjs";
import { fc } from "./properties.mjs";
import "./texts.mjs";

const MEMORY = { unit: "GB", amounts: "GB", one: "1 GB" };
const ROBUSTNESS = { unit: "%", amounts: "points", one: "1 point" };
const BARE = { unit: "", amounts: "", one: "1" };
const data = boardData({ metrics: ["perf", "memory", "speed"], models: [{ id: "bert" }] });
const terms = boardTerms(data);

test("a typed amount is read with its unit, with per cent, or as it was before", () => {
  for (const [text, metric, percent, trade] of [
    ["10 %", MEMORY, false, "10 %"],
    ["  12.5%", MEMORY, false, "12.5 %"],
    ["0.2", MEMORY, false, 0.2],
    ["0.2", MEMORY, true, "0.2 %"],
    [".5 gb", MEMORY, true, 0.5],
    ["100 MB", MEMORY, false, 0.1],
    ["512 MiB", MEMORY, false, 0.536871],
    ["1e-3 TB", MEMORY, false, 1],
    ["2 points", ROBUSTNESS, false, 2],
    ["1 point", ROBUSTNESS, true, 1],
    ["2 %", ROBUSTNESS, false, "2 %"],
    ["20 ms", { unit: "s", amounts: "s", one: "1 s" }, false, 0.02],
    ["3", BARE, false, 3],
  ]) {
    assert.deepEqual([text, typed(text, metric, percent)], [text, trade]);
  }
});

test("what is no amount of the metric is none", () => {
  for (const text of [
    "",
    "fast",
    "-1 GB",
    "0",
    "0 %",
    "10 USD",
    "5 ms",
    "1,5",
    "1 2",
    "NaN",
    "1e99",
    "%",
    "10 % %",
  ]) {
    assert.equal(typed(text, MEMORY, false), null, text);
  }
  assert.equal(typed("1 GB", BARE, false), null);
});

test("what a box shows is read as the same trade-off", () => {
  const amounts = fc.double({ min: 1e-9, max: 1e15, noNaN: true });
  fc.assert(
    fc.property(amounts, fc.boolean(), fc.constantFrom(MEMORY, ROBUSTNESS), (amount, percent, metric) => {
      const trade = tradeOf(amount, percent);
      assert.deepEqual(typed(textOf(trade, metric), metric, false), trade);
      assert.equal(partsOf(trade).percent, percent);
    }),
  );
});

test("an address has any trade-offs, and says which it cannot read", () => {
  const view = { ...terms.defaults, by: "trades", trades: { memory: 0.1, speed: "10 %" } };
  const fragment = terms.encode(view);
  assert.equal(fragment, "v1;y=trades;u=memory:0.1,speed:10%25");
  assert.deepEqual(terms.decode(fragment), { view, unknown: [] });
  assert.deepEqual(terms.decode("v1;u=cost:1,memory:2").unknown, ["cost"]);
  for (const bad of [
    "memory",
    "memory:",
    "memory:0",
    "memory:-1",
    "memory:10%25%25",
    "memory:%25",
    "memory:x",
  ]) {
    assert.throws(() => terms.decode(`v1;u=${bad}`), /is no trade-off such as memory:0\.1/, bad);
  }
  const own = { ...terms.defaults, trades: { memory: 2 } };
  assert.deepEqual(decode("v1;u=", own, { metrics: ["memory"] }, BOARD_PARTS).view.trades, {});
  assert.equal(encode({ ...own, trades: {} }, own, BOARD_PARTS), "v1;u=");
});

test("a ranking depends on trade-offs only where it is by them", () => {
  const [one, other] = [{ memory: 1 }, { memory: 2 }].map((trades) => ({ ...terms.defaults, trades }));
  assert.equal(ranksAlike(one, other), true);
  assert.equal("trades" in question(one, data.models), false);
  assert.equal(ranksAlike({ ...one, by: "trades" }, { ...other, by: "trades" }), false);
  assert.deepEqual(question({ ...one, by: "trades" }, data.models).trades, { memory: 1 });
});

const OFFER = { units: 0.16, percent: 12, percent_first: false };

test("a slider stands in its middle at what is offered, and goes by powers of ten", () => {
  assert.equal(positionOf(0.16, OFFER), 0);
  assert.equal(positionOf("12 %", OFFER), 0);
  assert.deepEqual([positionOf(1e9, OFFER), positionOf(1e-9, OFFER)], [REACH, -REACH]);
  assert.equal(atPosition(50, false, OFFER), 1.6);
  assert.equal(atPosition(-50, true, OFFER), "1.2 %");
  assert.equal(atPosition(0, false, undefined), 1);
});

test("each place of a slider is where it stands for what it says, to two digits", () => {
  fc.assert(
    fc.property(fc.integer({ min: -REACH, max: REACH }), fc.boolean(), (at, percent) => {
      const trade = atPosition(at, percent, OFFER);
      assert.ok(Math.abs(positionOf(trade, OFFER) - at) <= 2);
    }),
  );
});

test("to begin with, metrics with weight count for what the board's rates make of them", () => {
  const offers = {
    memory: OFFER,
    speed: { units: 30, percent: 10, percent_first: true },
    none: { units: null, percent: null, percent_first: false },
  };
  const metrics = { perf: 4, memory: 1, speed: 1, none: 1 };
  assert.deepEqual(beginning(offers, { metrics, base: "perf" }), { memory: 0.16, speed: "10 %" });
  const idle = { ...metrics, memory: 0 };
  assert.deepEqual(beginning(offers, { metrics: idle, base: "perf" }), { speed: "10 %" });
  const nothing = { perf: 1, memory: 0, speed: 0, none: 0 };
  assert.deepEqual(beginning(offers, { metrics: nothing, base: "perf" }), { memory: 0.16, speed: "10 %" });
  assert.deepEqual(beginning({}, { metrics, base: "perf" }), {});
  assert.equal(offered(undefined), 1);
});
