// Broken addresses for the readers of fragments: a view, or a BadFragment with a message, and nothing else.
//
//     node tests/adversary/fragments.mjs SEED START CASES     what went wrong, as JSON
import { termsOf } from "../../site_src/assets/view/difficulty-state.js";
import { BadFragment } from "../../site_src/assets/view/fragment.js";
import { boardTerms } from "../../site_src/assets/view/view.js";
import { boardData } from "../javascript/boards.mjs";
import "../javascript/texts.mjs";

const [seed, start, cases] = process.argv.slice(2).map(Number);
/** No address takes longer to read, in milliseconds. */
const LONGEST = 2000;

const board = boardTerms(
  boardData({
    metrics: ["perf", "memory", "speed"],
    datasets: ["a", "b"],
    models: [{ id: "bert" }, { id: "svm" }],
  }),
);
const difficulty = termsOf({
  models: ["bert", "svm"].map((id) => ({ id, label: id, file: "" })),
  sources: [{ name: "wsbias", percentages: [5, 10] }],
  chosen: ["bert"],
  percent: 10,
});
const READERS = [
  ["board", board],
  ["difficulty", difficulty],
];
const VALID = [
  "v1;m=perf:4,memory:0.25,speed:1000;d=a:1,b:0;b=memory;e=absolute:0.5;y=z_score;r=model:svm;s=perf:down",
  "v1;h=memory;p=svm;q=small%20bert%3B;f=provenance:measured,licence:;k=svm,bert;o=slope;x=memory,perf;w=svm",
  "v1;t=memory,perf,speed;l=perf;n=b;r=whole",
  "",
];
const TOKENS = [
  ..."v1;=:,%#&?+ \0\n\t\"'<>\\/.-0",
  ...[
    "%E0",
    "%E0%A4%A",
    "%00",
    "%ED%A0%80",
    "\ud800",
    "\udfff",
    "\u202e",
    "\ufeff",
    "٣",
    "NaN",
    "Infinity",
    "1e999",
  ],
  ...[
    "-1",
    "0x10",
    "1_0",
    "__proto__",
    "constructor",
    "toString",
    "v2",
    "v1;v1",
    "m=",
    "zz=1",
    "perf:",
    "<script>",
  ],
  ...["9".repeat(400), ";m=perf:1".repeat(300), "%".repeat(2000), "x".repeat(20_000)],
];

/** Numbers from a seed: the same everywhere (xorshift, 32 bits). */
function generator(from) {
  let state = Math.imul(from, 0x9e3779b1) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function broken(draw) {
  let text = VALID[draw(VALID.length)];
  for (let left = 1 + draw(4); left > 0; left -= 1) {
    const at = draw(text.length + 1);
    const token = TOKENS[draw(TOKENS.length)];
    const code = String.fromCharCode(draw(0x10000));
    const parts = text.split(";");
    text = [
      () => text.slice(0, at) + token + text.slice(at),
      () => text.slice(0, at) + code + text.slice(at + 1),
      () => text.slice(0, at),
      () => text.slice(0, at) + text.slice(at + 1 + draw(10)),
      () => [...parts, parts[draw(parts.length)]].join(";"),
      () => parts.map((part) => (draw(3) ? part : part.replace(/=.*/s, `=${token}`))).join(";"),
    ][draw(6)]();
  }
  return text;
}

function problem(terms, fragment) {
  const began = performance.now();
  try {
    const { view } = terms.decode(fragment);
    for (const name of Object.keys(terms.defaults)) {
      if (!Object.hasOwn(view, name)) return `the view lacks ${name}`;
    }
    terms.decode(terms.encode(view));
  } catch (error) {
    if (!(error instanceof BadFragment)) return String(error);
    if (!error.message) return "a BadFragment that says nothing";
  }
  return performance.now() - began > LONGEST ? "took too long" : null;
}

const failures = [];
for (let number = start; number < start + cases; number += 1) {
  const draw = generator(seed * 1_000_003 + number + 1);
  const [reader, terms] = READERS[number % READERS.length];
  const wrong = problem(terms, broken(draw));
  if (wrong) failures.push({ seed, case: number, reader: `fragment ${reader}`, problem: wrong });
}
process.stdout.write(JSON.stringify({ counts: { fragments: cases }, failures }));
