// Which words of a text are gone and which came, compared with the text before.
import assert from "node:assert/strict";
import test from "node:test";
import { changedWords } from "../../site_src/assets/base/changed-words.js";
import { fc } from "./properties.mjs";

const words = fc.array(fc.constantFrom("a", "bad", "film", ",", " ", "  ", "not", "naïve", "<b>", "!"), {
  maxLength: 30,
});
const text = words.map((parts) => parts.join(""));
const changed = (before, after) =>
  changedWords(before, after)
    .filter((piece) => piece.kind !== "same")
    .map((piece) => [piece.kind, piece.text]);
const without = (kind, pieces) =>
  pieces
    .filter((piece) => piece.kind !== kind)
    .map((piece) => piece.text)
    .join("");

test("the word that was put in another's place is marked, one that is gone too, and nothing else", () => {
  assert.deepEqual(changed("not exactly a triumph , but", "not exactly a disaster , but"), [
    ["gone", "triumph"],
    ["come", "disaster"],
  ]);
  assert.deepEqual(changed("a good film", "a very good film"), [["come", "very "]]);
  assert.deepEqual(changed("is not half bad", "is half bad"), [["gone", "not "]]);
});

test("the pieces that are not gone are the text, and those that did not come are the one before", () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), fc.oneof(text, fc.string()), (before, after) => {
      const pieces = changedWords(before, after);
      assert.equal(without("gone", pieces), after);
      assert.equal(without("come", pieces), before);
      assert.ok(pieces.every((piece, at) => at === 0 || piece.kind !== pieces[at - 1].kind));
    }),
  );
});

test("a text that stays has no mark, and one of many other words is marked without comparing them all", () => {
  fc.assert(fc.property(text, (same) => assert.deepEqual(changed(same, same), [])));
  const [old, now] = ["old ".repeat(2000), "new ".repeat(2000)];
  assert.deepEqual(changed(old, now), [
    ["gone", old.trimEnd()],
    ["come", now.trimEnd()],
  ]);
});
