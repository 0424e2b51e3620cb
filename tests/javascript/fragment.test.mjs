// Every view of a board is in its address, and only what is wrong with an address is said.
import assert from "node:assert/strict";
import test from "node:test";
import { BOARD_PARTS, BadFragment, decode, encode } from "../../site_src/assets/view/fragment.js";
import { boardTerms, defaultView } from "../../site_src/assets/view/view.js";
import { boardData, boardNames, pricesOfDay, viewOf } from "./boards.mjs";
import { fc } from "./properties.mjs";
import "./texts.mjs";

const dataOf = ({ models, ...names }) =>
  boardData({ ...names, models: models.map((id) => ({ id })), prices: pricesOfDay(models) });
const boardAndView = boardNames.chain((names) => fc.tuple(fc.constant(names), viewOf(names)));

const SMALL = boardData({
  metrics: ["perf", "memory", "speed"],
  datasets: ["a", "b"],
  models: [{ id: "bert" }, { id: "svm" }],
  prices: pricesOfDay(["bert"]),
});
const terms = boardTerms(SMALL);

test("any view of a board with any names survives its address", () => {
  fc.assert(
    fc.property(boardAndView, ([names, view]) => {
      const { encode: write, decode: read } = boardTerms(dataOf(names));
      const fragment = write(view);
      assert.match(fragment, /^(v1(;[a-z]=[^;\s#]*)+)?$/);
      if (fragment) assert.deepEqual(read(fragment), { view, unknown: [] });
    }),
  );
});

test("a default view is an empty address", () => {
  fc.assert(
    fc.property(boardNames, (names) => {
      const data = dataOf(names);
      assert.equal(boardTerms(data).encode(defaultView(data)), "");
    }),
  );
});

test("a fragment that no board wrote is a BadFragment or a view, never another error", () => {
  const item = fc.tuple(
    fc.constantFrom(...BOARD_PARTS.map(([key]) => key), "", "zz", "__proto__"),
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(
          fc.constantFrom(
            "perf",
            "bert",
            ":",
            ",",
            "1",
            "%",
            "%E0",
            "-1",
            "1e9",
            "NaN",
            "tag",
            "up",
            "model",
            "__proto__",
          ),
        )
        .map((words) => words.join("")),
    ),
  );
  const garbage = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(item).map((items) => ["v1", ...items.map(([key, text]) => `${key}=${text}`)].join(";")),
  );
  fc.assert(
    fc.property(garbage, (fragment) => {
      try {
        const { view, unknown } = terms.decode(fragment);
        assert.deepEqual(Object.keys(view), Object.keys(terms.defaults));
        assert.ok(unknown.every((name) => name.length <= 40));
      } catch (error) {
        if (!(error instanceof BadFragment)) throw error;
      }
    }),
    { numRuns: 3000 },
  );
});

test("half a character in a search, as a keyboard may send one, does not break the address", () => {
  const fragment = terms.encode({ ...terms.defaults, search: "a\ud83d" });
  assert.equal(terms.decode(fragment).view.search, "a\ufffd");
});

test("every part of an address is read and written in the same words", () => {
  const parts = [
    "m=perf:4,memory:0.25,speed:1000",
    "d=a:1,b:0",
    "b=memory",
    "e=absolute:0.5",
    "y=z_score",
    "u=memory:0.1,speed:10%25",
    "v=bert:0.1//2e-7",
    "r=whole",
    "r=model:svm",
    "s=perf:down",
    "h=memory",
    "p=svm",
    "q=small%20bert%3B",
    "f=provenance:measured,licence:",
    "c=memory:most:0.2,perf:least:-1e+21",
    "a=left",
    "k=svm,bert",
    "o=slope",
    "x=memory,perf",
    "t=memory,perf,speed",
    "w=svm",
    "l=perf",
    "n=b",
  ];
  for (const part of parts) {
    const { view, unknown } = terms.decode(`v1;${part}`);
    assert.deepEqual([terms.encode(view), unknown], [`v1;${part}`, []]);
  }
  const several = parts.filter((part) => part !== "r=whole");
  assert.equal(terms.encode(terms.decode(`v1;${several.join(";")}`).view), `v1;${several.join(";")}`);
});

test("what an address leaves out, or names wrongly, keeps its default", () => {
  const { view, unknown } = terms.decode("v1;m=perf:2,carbon:3;k=gpt-0,bert;w=nobody;b=energy;l=carbon");
  assert.deepEqual(view.metrics, { perf: 2, memory: 1, speed: 1 });
  assert.deepEqual([view.chosen, view.why, view.base, view.lockedMetrics], [["bert"], "", "perf", []]);
  assert.deepEqual(unknown, ["carbon", "gpt-0", "nobody", "energy", "carbon"]);
});

test("prices of a model of which no tokens are known are named and left out", () => {
  const { view, unknown } = terms.decode("v1;v=bert:/0.5/,svm:1/1/1");
  assert.deepEqual([view.prices, unknown], [{ bert: [null, 0.5, null] }, ["svm"]]);
});

test("of two limits for one bound the last holds, and limits on metrics that are not there are named", () => {
  const { view, unknown } = terms.decode("v1;c=memory:most:1,energy:least:2,memory:most:3,memory:least:0");
  assert.deepEqual(view.limits, [
    { metric: "memory", bound: "most", value: 3 },
    { metric: "memory", bound: "least", value: 0 },
  ]);
  assert.deepEqual(unknown, ["energy"]);
});

const BAD = [
  ["v2;m=perf:1", "not v1"],
  ["v1;m=perf:1001", "weight from 0 to 1000"],
  ["v1;m=perf", "weight from 0 to 1000"],
  ["v1;e=sometimes:1", "threshold"],
  ["v1;y=luck", "none of dynascore, mean, z_score"],
  ["v1;r=stripes", "what the bars show"],
  ["v1;s=perf:sideways", "up or down"],
  ["v1;f=mood:good", "no filter"],
  ["v1;c=memory:0.2", "no limit such as memory:most:0.2"],
  ["v1;c=memory:most:", "no limit"],
  ["v1;c=memory:most:1e121", "no limit"],
  ["v1;a=some", "none of all, left"],
  ["v1;v=bert:1/2", "does not say prices"],
  ["v1;v=bert:-1//", "does not say prices"],
  ["v1;v=bert://", "does not say prices"],
  ["v1;zz=1", "no part of a view"],
  ["v1;w=%E0%A4%A", "not a name"],
  [`v1;${"x".repeat(500)}`, `${"x".repeat(39)}…`],
];

for (const [fragment, reason] of BAD) {
  test(`${fragment.slice(0, 30)} cannot be read, and the message says why`, () => {
    assert.throws(
      () => terms.decode(fragment),
      (error) => error instanceof BadFragment && error.message.includes(reason),
    );
  });
}

test("the parts that other pages have are read in the same way", () => {
  const one = { write: String, read: (text) => Number(text) };
  assert.equal(encode({ n: 2 }, { n: 1 }, [["n", "n", one]]), "v1;n=2");
  assert.deepEqual(decode("v1;n=2", { n: 1 }, {}, [["n", "n", one]]), { view: { n: 2 }, unknown: [] });
});
