// One piece of work at a time, and what is requested meanwhile is done once, even after errors; and the worker's answers.
import assert from "node:assert/strict";
import test from "node:test";
import { Engine, Queue } from "../../site_src/assets/scorer/engine.js";

/** Errors that a page reports; here they are kept. */
const reported = [];
globalThis.reportError = (error) => reported.push(error);

test("what is asked for while work lasts is done once more, however often it was asked for", async () => {
  let done = 0;
  const queue = new Queue(async () => {
    done += 1;
    if (done === 1) for (let at = 0; at < 5; at++) queue.ask();
  });
  await queue.ask();
  assert.equal(done, 2);
});

test("no two pieces of work overlap", async () => {
  let running = 0;
  const queue = new Queue(async () => {
    running += 1;
    assert.equal(running, 1);
    await Promise.resolve();
    running -= 1;
  });
  await Promise.all([queue.ask(), queue.ask(), queue.ask()]);
  await queue.ask();
});

test("work that throws is reported, and does not stop what follows", async () => {
  const done = [];
  const queue = new Queue(async () => {
    done.push("work");
    if (done.length === 1) {
      queue.ask();
      throw new Error("the first fails");
    }
  });
  await queue.ask();
  assert.deepEqual(done, ["work", "work"]);
  await queue.ask();
  assert.equal(done.length, 3);
  assert.deepEqual(
    reported.map(({ message }) => message),
    ["the first fails"],
  );
});

test("bytes that still come of a piece of work that has failed stop no other", async () => {
  const posted = [];
  const worker = {
    postMessage: (/** @type {{ id: number }} */ message) => posted.push(message),
    failed: new Promise(() => {}),
  };
  globalThis.earlyScorer = /** @type {any} */ (worker);
  const engine = new Engine(/** @type {any} */ ({}));
  const starting = engine.start();
  engine.take({ id: posted[0].id, result: undefined });
  await starting;
  const failing = engine.ask("put", /** @type {any} */ ({}));
  const other = engine.ask("put", /** @type {any} */ ({}));
  engine.take({ id: posted[1].id, error: "answers 404" });
  engine.take({ id: posted[1].id, loaded: 12 });
  engine.take({ id: posted[2].id, result: undefined });
  await assert.rejects(failing, { message: "answers 404" });
  assert.equal(await other, undefined);
});
