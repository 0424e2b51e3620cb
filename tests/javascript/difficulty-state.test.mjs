// Views of a difficulty page, and how an address writes them.
import assert from "node:assert/strict";
import test from "node:test";
import {
  FACTORS,
  KINDS,
  LEAST_SPLITS,
  MOST_SPLITS,
  SCALES,
  TIES,
  ZEROS,
  areThresholds,
  byHand,
  fitting,
  hasCase,
  rounded,
  termsOf,
  withCase,
} from "../../site_src/assets/view/difficulty-state.js";
import { BadFragment } from "../../site_src/assets/view/fragment.js";
import { fc, hostileNames } from "./properties.mjs";
import "./texts.mjs";

const record = (fields) => fc.record(fields, { noNullPrototype: true });
const maybe = (arbitrary) => fc.option(arbitrary, { nil: null });
const between = (min, max) => fc.double({ noNaN: true, min, max }).map((value) => value + 0);
const percentages = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 3 });
const thresholds = fc
  .array(between(0, 1), { minLength: 1, maxLength: MOST_SPLITS - 1 })
  .map((values) => values.toSorted((a, b) => a - b));
const weights = fc.array(between(0, 1000), { minLength: LEAST_SPLITS, maxLength: MOST_SPLITS });

/** A page with models and difficulty sources of any names. */
const pages = fc
  .tuple(hostileNames(1, 4), hostileNames(1, 3), fc.infiniteStream(percentages))
  .map(([models, sources, shares]) => ({
    models: models.map((id) => ({ id, label: id, file: "" })),
    sources: sources.map((name) => ({ name, percentages: shares.next().value })),
    chosen: models.slice(0, 2),
    percent: 10,
  }));

/** Any view of a page, whether its parts go together or not. */
const viewOf = ({ models, sources }) =>
  record({
    metric: fc.constantFrom(...sources.map(({ name }) => name)),
    percent: fc.integer({ min: 1, max: 100 }),
    percents: maybe(fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 })),
    models: fc.shuffledSubarray(models.map(({ id }) => id)),
    kind: fc.constantFrom(...KINDS),
    splits: fc.integer({ min: LEAST_SPLITS, max: MOST_SPLITS }),
    thresholds: maybe(thresholds),
    case: maybe(fc.integer({ min: 1, max: 9 })),
    reward: between(0, 1000),
    penalty: between(-1000, 0),
    scale: fc.constantFrom(...SCALES),
    weights: maybe(weights),
    ties: fc.constantFrom(...TIES),
    zeros: fc.constantFrom(...ZEROS),
    clip: fc.double({ noNaN: true, min: 1e-9, max: 1 }),
    factor: fc.constantFrom(...FACTORS),
    focus: maybe(fc.constantFrom(...models.map(({ id }) => id))),
  });
const pagesWithViews = pages.chain((page) => fc.tuple(fc.constant(page), viewOf(page)));

test("an address holds every view whose parts go together, and gives it back", () => {
  fc.assert(
    fc.property(pagesWithViews, ([page, view]) => {
      const { encode, decode } = termsOf(page);
      const fits = fitting(view, page);
      assert.deepEqual(decode(encode(fits)), { view: fits, unknown: [] });
    }),
  );
});

test("a fitting view is valid, and fitting it again changes nothing", () => {
  fc.assert(
    fc.property(pagesWithViews, ([page, view]) => {
      const fits = fitting(view, page);
      const { percentages: shares } = page.sources.find(({ name }) => name === fits.metric);
      assert.ok(!shares.length || shares.includes(fits.percent));
      assert.ok(fits.splits >= LEAST_SPLITS && fits.splits <= MOST_SPLITS);
      if (fits.thresholds) {
        assert.equal(fits.kind, "thresholds");
        assert.ok(areThresholds(fits.thresholds));
        assert.equal(fits.splits, fits.thresholds.length + 1);
      }
      if (fits.weights) {
        assert.notEqual(fits.kind, "continuous");
        assert.equal(fits.weights.length, fits.splits);
      }
      assert.deepEqual(fitting(fits, page), fits);
    }),
  );
});

test("any fragment is read, or refused in words", () => {
  const page = fc.sample(pages, 1)[0];
  const { decode } = termsOf(page);
  const key = fc.constantFrom(..."mpksntcrefwgizlo");
  const item = fc.tuple(key, fc.string()).map(([letter, text]) => `${letter}=${text}`);
  fc.assert(
    fc.property(fc.array(item, { maxLength: 3 }), (items) => {
      try {
        const { view } = decode(["v1", ...items].join(";"));
        assert.deepEqual(fitting(view, page), view);
      } catch (error) {
        assert.ok(error instanceof BadFragment, error.stack);
        assert.notEqual(error.message, "");
      }
    }),
  );
});

test("fragments that make no sense are refused", () => {
  const { decode } = termsOf(fc.sample(pages, 1)[0]);
  const bad = [
    "t=0.5,0.2",
    "t=0,0,0,0,0,0,0",
    "t=2",
    "g=1",
    "c=10",
    "n=8",
    "n=2.5",
    "p=0",
    "r=-1",
    "e=1",
    "l=0",
  ];
  for (const item of bad) assert.throws(() => decode(`v1;${item}`), BadFragment, item);
});

test("a model that the page does not have is named, and none is highlighted", () => {
  const { decode } = termsOf({
    models: [],
    sources: [{ name: "wood", percentages: [] }],
    chosen: [],
    percent: 1,
  });
  const { view, unknown } = decode("v1;o=nobody");
  assert.deepEqual([view.focus, unknown], [null, ["nobody"]]);
});

test("rounded thresholds stay thresholds", () => {
  fc.assert(fc.property(thresholds, (values) => areThresholds(rounded(values))));
  assert.deepEqual(rounded([0.12345, 1]), [0.123, 1]);
});

const two = {
  models: [],
  sources: [
    { name: "wood", percentages: [1, 10] },
    { name: "wmprob", percentages: [] },
  ],
  chosen: [],
  percent: 10,
};

test("a case by its number says what it says of splits and factor, and is the metric's own", () => {
  const { defaults } = termsOf(two);
  const asked = (fields) => {
    const { case: number, kind, factor } = fitting({ ...defaults, ...fields }, two);
    return [number, kind, factor];
  };
  assert.deepEqual(asked({ case: 6 }), [6, "continuous", "one"]);
  assert.deepEqual(asked({ case: 6, metric: "wmprob" }), [7, "continuous", "one"]);
  assert.deepEqual(asked({ case: 9 }), [8, "equal", "inverse"]);
  assert.deepEqual(asked({ case: 8, metric: "wmprob", kind: "thresholds" }), [9, "thresholds", "difficulty"]);
  assert.deepEqual(asked({ metric: "wmprob", factor: "inverse" }), [1, "equal", "difficulty"]);
  assert.deepEqual(
    [1, 6, 7, 8, 9].map((number) => hasCase(number, "wmprob")),
    [true, false, true, false, true],
  );
});

test("a case gives way to what is chosen by hand against it, and takes with it what it said", () => {
  const { defaults } = termsOf(two);
  const view = (fields) => fitting({ ...defaults, ...fields }, two);
  assert.deepEqual(byHand(view({ case: 6 }), { kind: "thresholds" }), {
    case: 1,
    factor: "one",
    kind: "thresholds",
  });
  assert.deepEqual(byHand(view({ case: 8 }), { kind: "thresholds" }), { kind: "thresholds" });
  assert.deepEqual(byHand(view({ case: 8 }), { factor: "one" }), { case: 1, factor: "one" });
  assert.deepEqual(byHand(view({ case: 2 }), { factor: "inverse" }), { factor: "inverse" });
  assert.deepEqual(withCase(view({ case: 8 }), 2), { case: 2, factor: "one" });
  assert.deepEqual(withCase(view({ case: 6 }), 8), { case: 8, factor: "one", kind: "equal" });
});

test("the mean of percentages keeps those that are stored", () => {
  const { defaults } = termsOf(two);
  assert.deepEqual(fitting({ ...defaults, percents: [1, 7] }, two).percents, [1]);
  assert.equal(fitting({ ...defaults, percents: [7] }, two).percents, null);
  assert.equal(fitting({ ...defaults, metric: "wmprob", percents: [1] }, two).percents, null);
});
