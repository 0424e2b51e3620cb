// Numbers and names read alike whether Python or a script wrote them.
import assert from "node:assert/strict";
import test from "node:test";
import * as formats from "../../site_src/assets/base/formats.js";
import { shortened } from "../../site_src/assets/base/models.js";
import { fc } from "./properties.mjs";
import { python } from "./python.mjs";

const CASES = 3000;
/** Where rounding, signs and exponents go wrong. */
const EDGES = [
  0, -0, 1e6, 999999.5, 5e-5, 1e-7, 0.5, 1.5, 2.5, -2.5, 0.125, 0.375, 1e21, 1e22, -1e21, 1e300,
].concat([
  5e-324,
  -5e-324,
  2.2250738585072014e-308,
  1.7976931348623157e308,
  2 ** 53,
  100000.5,
  9999.995,
  9999.994,
  99999.5,
]);

const anyNumber = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.double({ noNaN: true, min: -1e5, max: 1e5 }),
  fc.double({ noNaN: true, min: 0, max: 1e-3 }),
  // Halves of a last place, of which many are exact.
  fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 6 })).map(([n, p]) => n / 2 ** p),
);
const anyName = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("word", " ", "  ", "long-word-of-a-name", "é", "👩", "\u00a0"), { maxLength: 30 })
    .map((words) => words.join("")),
);

const PROGRAM = `
import json, struct, sys
from site_src.generator.pages.try_ import size_words
from site_src.generator import formats

def spoken(bits, decimals):
    value = struct.unpack("d", bytes.fromhex(bits))[0]
    return [
        formats.number(value, decimals), formats.signed(value, decimals),
        formats.percent(value, decimals), formats.weight(value), formats.counted(int(value), "thing"),
    ]

given = {"numbers": [], "names": [], "sizes": [], "moments": []} | json.load(sys.stdin)
json.dump({
    "numbers": [spoken(*case) for case in given["numbers"]],
    "sizes": list(map(size_words, given["sizes"])),
    "moments": list(map(formats.moment, given["moments"])),
    "names": [[formats.shortened(*case), formats.isolated(case[0])] for case in given["names"]],
}, sys.stdout)
`;

/** The bytes of a number: JSON has no negative zero. */
function bits(value) {
  return Buffer.from(Float64Array.of(value).buffer).toString("hex");
}

test("every number reads the same from Python and from a script", () => {
  const drawn = fc.sample(fc.tuple(anyNumber, fc.integer({ min: 0, max: 5 })), CASES);
  // A share of more than this has no per cent.
  const cases = [...EDGES.map((value) => [value, 2]), ...drawn].filter(([value]) => Math.abs(value) < 1e306);
  const { numbers } = python(PROGRAM, { numbers: cases.map(([v, d]) => [bits(v), d]) });
  cases.forEach(([value, decimals], at) => {
    const ours = [
      formats.number(value, decimals),
      formats.signed(value, decimals),
      formats.percent(value, decimals),
      formats.weight(value),
      formats.counted(Math.trunc(value), "thing"),
    ];
    assert.deepEqual(ours, numbers[at], `${value} to ${decimals} decimals`);
  });
});

test("every name is cut and isolated the same by Python and by a script", () => {
  const cases = fc.sample(fc.tuple(anyName, fc.integer({ min: 2, max: 40 })), CASES);
  const { names } = python(PROGRAM, { names: cases });
  cases.forEach(([name, limit], at) => {
    assert.deepEqual([shortened(name, limit), formats.isolated(name)], names[at]);
  });
});

test("sizes and times read the same from Python and from a script", () => {
  const sizes = [99_999, 100_000, 949_999, 950_000, 1_250_000, 9_999_950_000].concat(
    fc.sample(fc.integer({ min: 0, max: 1e12 }), CASES),
  );
  const moments = fc
    .sample(fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }), CASES)
    .map((date) => `${date.toISOString().slice(0, 19)}Z`);
  const theirs = python(PROGRAM, { sizes, moments });
  assert.deepEqual(sizes.map(formats.sizeWords), theirs.sizes);
  assert.deepEqual(moments.map(formats.moment), theirs.moments);
});
