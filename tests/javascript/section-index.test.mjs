// The search of the documentation: which sections it finds, and what it shows of them.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import { SectionIndex, snippet } from "../../site_src/assets/parts/section-index.js";
import { fc } from "./properties.mjs";
import { python } from "./python.mjs";

const LUNR = `
import json, pathlib, mkdocs
path = pathlib.Path(mkdocs.__file__).parent / "contrib/search/templates/search/lunr.js"
print(json.dumps(str(path)))
`;
const lunr = createRequire(import.meta.url)(python(LUNR, null));

const DOCS = [
  { location: "weights/", title: "Weights", text: "all of it" },
  { location: "weights/#how", title: "How weights work", text: "Slide a weight and models are ranked anew." },
  { location: "reference/metrics/", title: "Metrics", text: "" },
  { location: "reference/metrics/#ranked", title: "Columns", text: "weight weight weight: a ranked column" },
  { location: "tags/#parts", title: "Parts of the data", text: "Naïve tags, state-of-the-art ones too." },
];
const index = new SectionIndex(lunr, DOCS);
const locations = (text) => index.find(text).map(({ location }) => location);

test("sections are found, never whole pages, what explains a word before the tables that hold it", () => {
  assert.deepEqual(locations("weight"), ["weights/#how", "reference/metrics/#ranked"]);
});

test("words are found whole, begun and with a letter wrong, whatever their case", () => {
  for (const text of ["Weights", "WEIGHT", "weig", "wieght"]) {
    assert.ok(locations(text).includes("weights/#how"), text);
  }
});

test("hyphens and spaces part words, and nothing is found for nothing", () => {
  assert.deepEqual(locations("state-of-the-art"), ["tags/#parts"]);
  assert.deepEqual(locations("state art"), ["tags/#parts"]);
  assert.deepEqual(locations(" - "), []);
  assert.deepEqual(locations("nothingofthis"), []);
});

test("a match knows the title of its page and where its text matches", () => {
  const [match] = index.find("slide");
  assert.equal(match.page, "Weights");
  assert.deepEqual(match.places, [[0, 5]]);
});

test("any text may be searched for", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => Array.isArray(index.find(text))));
});

/** A text of words, and places in it as matches have them. */
const matches = fc
  .array(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 80 })
  .map((words) => words.join(" "))
  .chain((text) =>
    fc.record({
      text: fc.constant(text),
      places: fc
        .array(fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: 12 })), { maxLength: 6 })
        .map((places) => places.toSorted((a, b) => a[0] - b[0])),
    }),
  );

test("a snippet is a piece of the text, with every marked piece one that matches", () => {
  fc.assert(
    fc.property(matches, ({ text, places }) => {
      const pieces = snippet({ text, places });
      const whole = pieces.map((piece) => piece.text).join("");
      assert.ok(text.includes(whole.replace(/^… /, "").replace(/ …$/, "")));
      const found = places.map(([start, length]) => text.slice(start, start + length));
      for (const piece of pieces) if (piece.marked) assert.ok(found.includes(piece.text));
    }),
  );
});

test("a short text is shown whole, a long one around its first match", () => {
  const text = `${"word ".repeat(40)}needle ${"word ".repeat(40)}`;
  const pieces = snippet({ text, places: [[200, 6]] });
  assert.deepEqual(
    pieces.filter(({ marked }) => marked).map((piece) => piece.text),
    ["needle"],
  );
  assert.equal(pieces[0].text, "… ");
  assert.equal(pieces.at(-1).text, " …");
  assert.deepEqual(snippet({ text: "a b", places: [] }), [{ text: "a b", marked: false }]);
});
