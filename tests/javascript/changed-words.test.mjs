// Which words of a text are others than before.
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
    .filter((piece) => piece.changed)
    .map((piece) => piece.text);

test("the word that was put in another's place is marked, and nothing else", () => {
  assert.deepEqual(changed("not exactly a triumph , but", "not exactly a disaster , but"), ["disaster"]);
  assert.deepEqual(changed("a good film", "a very good film"), ["very "]);
  assert.deepEqual(changed("a good film", "a film"), []);
});

test("the pieces are the text, whatever it was before", () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), fc.oneof(text, fc.string()), (before, after) => {
      const pieces = changedWords(before, after);
      assert.equal(pieces.map((piece) => piece.text).join(""), after);
      assert.ok(pieces.every((piece, at) => at === 0 || piece.changed !== pieces[at - 1].changed));
    }),
  );
});

test("what is not marked was there before, in the same order", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      let rest = before;
      for (const { text: kept, changed: isNew } of changedWords(before, after)) {
        if (isNew) continue;
        for (const letter of kept) {
          assert.ok(rest.includes(letter));
          rest = rest.slice(rest.indexOf(letter) + letter.length);
        }
      }
    }),
  );
});

test("a text that stays has no mark, and one of many other words is marked without comparing them all", () => {
  fc.assert(fc.property(text, (same) => assert.deepEqual(changed(same, same), [])));
  const [old, now] = ["old ".repeat(2000), "new ".repeat(2000)];
  assert.deepEqual(changed(old, now), [now.trimEnd()]);
});
