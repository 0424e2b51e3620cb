// A visitor's view: what changes it, how it is undone, and how it follows the address.
import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { boardOf, together } from "../../site_src/assets/view/links.js";
import {
  View,
  boardTerms,
  defaultView,
  question,
  ranksAlike,
  spelledOut,
  withOwn,
} from "../../site_src/assets/view/view.js";
import { boardData, pricesOfDay, viewOf } from "./boards.mjs";
import { fc } from "./properties.mjs";
import { textsDocument } from "./texts.mjs";

const NAMES = { metrics: ["perf", "memory"], datasets: ["a", "b"], models: ["bert", "svm"] };
const data = boardData({
  ...NAMES,
  models: NAMES.models.map((id) => ({ id })),
  prices: pricesOfDay(NAMES.models),
});
const ADDRESS = { pathname: "/board/", search: "" };

/** As much of a browser as a view needs: an address, its history, and places on the page. */
class Browser {
  constructor(hash) {
    this.entries = [hash];
    this.at = 0;
    this.ids = ["main"];
    globalThis.location = { ...ADDRESS, hash };
    globalThis.history = { pushState: (_state, _title, address) => this.push(address) };
    globalThis.document = { ...textsDocument, getElementById: (id) => this.ids.includes(id) || null };
    globalThis.addEventListener = (name, listener) => name === "popstate" && (this.listener = listener);
  }

  push(address) {
    const hash = address.startsWith("#") ? address : "";
    this.entries = [...this.entries.slice(0, this.at + 1), hash];
    this.at += 1;
    location.hash = hash;
  }

  go(steps) {
    this.at += steps;
    location.hash = this.entries[this.at];
    this.listener();
  }
}

let browser;
let view;
let changes;
let messages;

function open(hash = "", more = {}) {
  browser = new Browser(hash);
  changes = [];
  messages = [];
  view = new View(boardTerms(data), {
    onChange: (_now, changed) => changes.push(changed),
    onMessage: (text) => messages.push(text),
    ...more,
  });
  view.start();
}

beforeEach(() => open());

test("a view starts as its address has it", () => {
  open("#v1;b=memory");
  assert.equal(view.now.base, "memory");
  assert.deepEqual(changes, [["base"]]);
  assert.equal(view.canUndo, false);
});

test("a change is no step before it has settled, and one step however many there were", () => {
  view.change({ search: "b" });
  view.change({ search: "be" });
  assert.equal(view.canUndo, false);
  view.settle();
  view.settle();
  assert.deepEqual([location.hash, browser.entries], ["#v1;q=be", ["", "#v1;q=be"]]);
  view.undo();
  assert.deepEqual([view.now.search, location.hash, view.canUndo, view.canRedo], ["", "", false, true]);
  view.redo();
  assert.deepEqual([view.now.search, view.canRedo], ["be", false]);
});

test("listeners hear of the fields that differ, and of nothing else", () => {
  view.set({ base: "memory", by: "dynascore", metrics: { perf: 4, memory: 1 } });
  assert.deepEqual(changes.slice(1), [["base"], []]);
});

test("a new step takes the place of those that were undone", () => {
  view.set({ base: "memory" });
  view.undo();
  view.set({ by: "z_score" });
  assert.equal(view.canRedo, false);
  assert.deepEqual(view.steps, ["", "v1;y=z_score"]);
});

test("back and forward walk along the known steps, as undo and redo do", () => {
  view.set({ base: "memory" });
  view.set({ by: "z_score" });
  browser.go(-1);
  assert.deepEqual([view.now.by, view.step, view.canRedo], ["dynascore", 1, true]);
  browser.go(-1);
  assert.deepEqual([view.now.base, view.canUndo], ["perf", false]);
  browser.go(2);
  assert.deepEqual([view.now.by, view.canRedo], ["z_score", false]);
});

test("an edited address is a new step", () => {
  view.set({ base: "memory" });
  location.hash = "#v1;q=x";
  browser.listener();
  assert.deepEqual([view.now.base, view.now.search, view.step], ["perf", "x", 2]);
  view.undo();
  assert.equal(view.now.base, "memory");
});

test("a link that cannot be read is explained and shows the default; the next one clears the message", () => {
  open("#v1;b=memory;zz=1");
  assert.equal(view.now, view.defaults);
  assert.match(messages.at(-1), /cannot be read: “zz=1” is no part of a view\. This is the default view/);
  location.hash = "#v1;b=memory";
  browser.listener();
  assert.deepEqual([view.now.base, messages.at(-1)], ["memory", ""]);
});

test("what boards are searched for stays in the address beside the view, and is no part of it", () => {
  open("#q=bert&v1;b=memory", { shared: true });
  assert.equal(view.now.base, "memory");
  view.set({ by: "z_score" });
  assert.equal(location.hash, "#q=bert&v1;b=memory;y=z_score");
  view.set({ by: "dynascore", base: "perf" });
  assert.equal(location.hash, "#q=bert");
  open("#v1;b=memory", { shared: true });
  view.set({ base: "perf" });
  assert.deepEqual([location.hash, view.now.search], ["", ""]);
});

test("a page with a view of its own knows that of the board that it was opened from", () => {
  assert.equal(boardOf("board=v1;m=perf:1,memory:4&v1;s=continuous"), "v1;m=perf:1,memory:4");
  assert.equal(boardOf("v1;s=continuous"), "");
});

test("a price that changes nothing is no part of a view", () => {
  open("#v1;v=bert:0.3//,svm:0.3//0.8");
  assert.deepEqual([view.now.prices, messages], [{ svm: [0.3, null, 0.8] }, [""]]);
  const unpriced = boardData({ ...NAMES, models: [{ id: "bert" }], prices: { day: { bert: null } } });
  const { view: read, ignored } = boardTerms(unpriced).decode("v1;v=bert:1//");
  assert.deepEqual(read.prices, {});
  assert.match(ignored, /bert.* needs sent and written/);
});

test("a link with a part of a view of its own keeps it at the present view", () => {
  view.set({ base: "memory", chosen: ["svm"] });
  assert.equal(withOwn(view, "v1;k=bert,svm"), "v1;b=memory;k=bert,svm");
  assert.equal(withOwn(view, ""), "v1;b=memory;k=svm");
});

test("the address of a page goes on with a link that says a part of it itself", () => {
  assert.equal(together("v1;m=perf:1;k=svm", "v1;k=bert,svm"), "v1;m=perf:1;k=bert,svm");
  assert.equal(together("v1;m=perf:1", ""), "v1;m=perf:1");
});

test("a snapshot says in full to its live board what it is ranked by", () => {
  view.set({ pinned: ["svm"] });
  assert.equal(spelledOut(view), "v1;p=svm");
  view.set({ base: "memory" });
  assert.equal(
    spelledOut(view),
    "v1;m=perf:4,memory:1;d=a:1,b:1;b=memory;e=relative:0.0001;g=mean;y=dynascore;p=svm",
  );
});

test("a place on the page is no view", () => {
  view.set({ base: "memory" });
  location.hash = "#main";
  browser.listener();
  assert.equal(view.now.base, "memory");
});

test("after any changes undo leads back step by step and redo forward again", () => {
  const action = fc.oneof(
    viewOf(NAMES).map((fields) => () => view.set(fields)),
    fc.constant(() => view.undo()),
    fc.constant(() => view.redo()),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
      open();
      for (const act of actions) act();
      const { fragment } = view;
      assert.equal(location.hash, fragment && `#${fragment}`);
      const done = view.step;
      while (view.canUndo) view.undo();
      assert.deepEqual(view.now, view.defaults);
      for (let step = 0; step < done; step += 1) view.redo();
      assert.equal(view.fragment, fragment);
    }),
    { numRuns: 200 },
  );
});

test("the map of winners is open first where all ranked models have a number of three metrics", () => {
  const chart = (whole) => defaultView(boardData({ metrics: ["perf", "memory", "speed"], whole })).chart;
  assert.deepEqual([3, 2].map(chart), ["triangle", "scatter"]);
});

const MODELS = NAMES.models.map((id) => ({ id }));
const asked = (view) => JSON.stringify([question(view, MODELS), view.prices]);

test("views that rank alike ask the scorer the same, and among all models only these do", () => {
  const pair = fc.tuple(viewOf(NAMES), viewOf(NAMES), fc.boolean());
  fc.assert(
    fc.property(pair, ([left, other, alike]) => {
      const { metrics, datasets, base, threshold, rate, by, trades, prices, among, limits, filters } = left;
      const terms = {
        prices,
        metrics,
        datasets,
        base,
        threshold,
        rate,
        by,
        among,
        ...(by === "trades" && { trades }),
      };
      const right = alike ? { ...other, ...terms, ...(among === "left" ? { limits, filters } : {}) } : other;
      if (alike) assert.ok(ranksAlike(left, right));
      if (ranksAlike(left, right)) assert.equal(asked(left), asked(right));
      else if (among === "all") assert.notEqual(asked(left), asked(right));
    }),
  );
});
