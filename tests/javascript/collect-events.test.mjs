// The lines that a page writes of a try are read by Python as they are meant, and an issue has as many as fit.
import assert from "node:assert/strict";
import test from "node:test";
import {
  askedLine,
  judgedLine,
  nameProblem,
  nextPrompt,
  triesOf,
} from "../../site_src/assets/collect/events.js";
import { wellFormed } from "../../site_src/assets/base/formats.js";
import { LONGEST, issueOf } from "../../site_src/assets/collect/hand-over.js";
import { fc, hostileName } from "./properties.mjs";
import { python } from "./python.mjs";
import "./texts.mjs";

const REVISION = `sha256:${"0".repeat(64)}`;
/** Reads every line strictly. */
const READ = `
import json, sys
from evaluator.rounds.events import WRITTEN
lines = [WRITTEN.validate_json(line.encode(), strict=True) for line in json.load(sys.stdin)]
json.dump([line.plain() for line in lines], sys.stdout)
`;
const NAMES = `
import json, re, sys
from evaluator.records.errors import name_problem
slug = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
json.dump([bool(slug.fullmatch(name)) and name_problem(name) is None for name in json.load(sys.stdin)], sys.stdout)
`;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const text = fc.oneof(hostileName, fc.string({ unit: "binary", maxLength: 60 }));
// A key of digits only would be put first by JavaScript.
const key = hostileName.filter((name) => !/^\d+$/.test(name) && name !== "__proto__").map(wellFormed);
const answer = fc.record({
  model: fc.constant("words"),
  revision: fc.constant(REVISION),
  answer: fc.option(text.map(wellFormed)),
  confidence: fc.option(share),
  probabilities: fc.option(fc.dictionary(key, share, { noNullPrototype: true })),
  ms: fc.double({ min: 0, max: 1e20, noNaN: true }),
  failure: fc.option(text.map(wellFormed)),
});
const id = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 32, maxLength: 32 });
const asked = fc.record({
  id,
  collection: fc.constant("notes"),
  writer: fc.constant("blue-fox"),
  prompt: fc.record({
    id: fc.constant("p1"),
    tags: fc.dictionary(key, text.map(wellFormed), { noNullPrototype: true }),
  }),
  named: fc.boolean(),
  inputs: fc.dictionary(key, text.map(wellFormed), { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
  answers: fc.array(answer, { minLength: 1, maxLength: 2 }),
  seconds: fc.double({ min: 0, max: 1e5, noNaN: true }),
  at: fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
});
const judged = fc.record({ writer: fc.constant("blue-fox"), id, answer: text, reason: text });

test("every line says to Python what it says here", () => {
  const lines = [
    ...fc.sample(asked, 200).map((given) => askedLine(given).line),
    ...fc.sample(judged, 100).map((given) => judgedLine(given, [], new Date()).line),
  ];
  assert.deepEqual(
    python(READ, lines),
    lines.map((line) => JSON.parse(line, givenOnly)),
  );
});

/** Without what is null, which Python leaves out. */
function givenOnly(_key, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
}

test("a name is refused where no file can have it, as Python refuses it", () => {
  const devices = [
    "con",
    "CON.txt",
    "com1",
    "com10",
    "lpt0.a",
    "nul.",
    "a.",
    "a..b",
    "-a",
    "..",
    "a/b",
    "x".repeat(101),
  ];
  const given = [
    ...devices,
    ...fc.sample(hostileName, 300),
    ...fc.sample(fc.stringMatching(/^[a-zA-Z0-9._-]{1,5}$/), 300),
  ];
  assert.deepEqual(
    given.map((name) => nameProblem(name) === ""),
    python(NAMES, given),
  );
});

test("a writer gets the prompt that was begun, then others in an order of their own, each as often as it may be", () => {
  const prompts = Array.from({ length: 7 }, (_, at) => ({ id: `p${at}` }));
  const firsts = new Set();
  for (let writer = 0; writer < 50; writer++) {
    /** @type {import("../../site_src/assets/collect/events.js").KeptLine[]} */
    const lines = [];
    const order = [];
    for (;;) {
      const tries = triesOf(lines);
      const prompt = nextPrompt(prompts, tries, 2, ["p3"], `w${writer}`);
      if (!prompt) break;
      order.push(prompt.id);
      lines.push({
        writer: `w${writer}`,
        id: String(lines.length),
        event: "asked",
        prompt: prompt.id,
        line: "",
      });
    }
    assert.equal(order.length, 12);
    assert.ok(order.every((one, at) => at % 2 === 0 || one === order[at - 1]));
    assert.equal(new Set(order).size, 6);
    firsts.add(order[0]);
  }
  assert.equal(firsts.size, 6);
});

test("an issue has whole tries, as many as fit in their order, and none that is too long", () => {
  const tryOf = (line) => ({ id: line.slice(0, 8), asked: { line }, judged: { line: "{}" } });
  const lines = fc.array(fc.string({ unit: "binary", minLength: 8, maxLength: 4000 }), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(lines, (given) => {
      const tries = given.map((line) => tryOf(wellFormed(line).replaceAll("\n", " ")));
      const found = issueOf("https://github.com/me/board", "notes", "blue-fox", tries);
      if (found === null) {
        return assert.ok(tries.every(({ asked: { line } }) => encodeURIComponent(line).length > 2000));
      }
      assert.ok(found.address.length <= LONGEST);
      const body = new URL(found.address).searchParams.get("body") ?? "";
      const inside = body.split("```jsonl\n")[1].split("\n```")[0].split("\n");
      assert.equal(inside.length, 2 * found.ids.length);
    }),
    { numRuns: 60 },
  );
});
