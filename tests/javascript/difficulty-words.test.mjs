// The texts around the table of splits are the same whether Python or a script wrote them.
import assert from "node:assert/strict";
import test from "node:test";
import { meanRight, splitName, splitsNote } from "../../site_src/assets/parts/difficulty-words.js";
import { KINDS } from "../../site_src/assets/view/difficulty-state.js";
import { fc } from "./properties.mjs";
import { python } from "./python.mjs";

const PROGRAM = `
import json, sys
from site_src.generator.views import difficulty_words as words

def written(case):
    return {
        "name": words.split_name(case["at"], case["count"]),
        "right": words.mean_right(case["models"], case["at"]),
        "note": words.splits_note({"splits": case["splits"]}, case["kind"]),
    }

json.dump([written(case) for case in json.load(sys.stdin)], sys.stdout)
`;

const accuracy = fc.option(fc.double({ noNaN: true, min: 0, max: 100 }), { nil: null });
const cases = fc
  .integer({ min: 2, max: 7 })
  .chain((count) =>
    fc.record({
      count: fc.constant(count),
      at: fc.integer({ min: 0, max: count - 1 }),
      models: fc.array(
        fc.record({ splits: fc.array(fc.record({ accuracy }), { minLength: count, maxLength: count }) }),
        { maxLength: 6 },
      ),
      splits: fc.constantFrom(null, []),
      kind: fc.constantFrom(...KINDS),
    }),
  );

test("the names of splits, their mean accuracy and the note on them are Python's", () => {
  const samples = fc.sample(cases, 500);
  const answers = python(PROGRAM, samples);
  samples.forEach(({ count, at, models, splits, kind }, index) => {
    const { name, right, note } = answers[index];
    assert.equal(splitName(at, count), name);
    assert.equal(splitsNote({ splits }, { kind }), note);
    const mean = meanRight(models, at);
    // Python adds without losing a bit, which shows in the last place only.
    if (right === null) assert.equal(mean, null);
    else assert.ok(Math.abs(mean - right) < 1e-9);
  });
});
