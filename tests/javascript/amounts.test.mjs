// Amounts are read as people type them, in the unit of a metric.
import assert from "node:assert/strict";
import test from "node:test";
import { kindOf, readAmount } from "../../site_src/assets/view/amounts.js";
import { fc } from "./properties.mjs";

const READ = [
  ["0.2", "GB", 0.2],
  ["0,2", "GB", 0.2],
  [" ,5 ", "GB", 0.5],
  ["200 MB", "GB", 0.2],
  ["213mb", "GB", 0.213],
  ["200 000 kB", "GB", 0.2],
  ["1 GiB", "MB", 1073.741824],
  ["1,5 GB", "MB", 1500],
  ["1,000", "MB", 1000],
  ["0,213", "GB", 0.213],
  ["1.000", "GB", 1],
  ["1,234.5", "", 1234.5],
  ["1.234,5", "", 1234.5],
  ["1.234.567", "", 1234567],
  ["12\u202f000 examples/s", "examples/s", 12000],
  ["1'000 /s", "examples/s", 1000],
  ["20 ex/s", "examples/s", 20],
  ["5 ms", "examples/s", 200],
  ["1,5 s", "ms", 1500],
  ["20 \u00b5s", "ms", 0.02],
  ["80 %", "%", 80],
  ["80,5 points", "%", 80.5],
  ["80 per cent", "", 0.8],
  ["0.05 USD", "USD", 0.05],
  ["1e3", "characters", 1000],
  ["\u22120.5", "", -0.5],
  ["-0", "", 0],
  ["5.", "GB", 5],
  ["\uff12\uff10\uff10 MB", "GB", 0.2],
];

const REFUSED = [
  ["", "GB"],
  ["MB", "GB"],
  ["much", "GB"],
  ["5 s", "GB"],
  ["10 %", "GB"],
  ["200 MX", "GB"],
  ["1 2", "GB"],
  ["1.2.3", "GB"],
  ["1,23,456.7", "GB"],
  ["1.2,3.4", "GB"],
  ["0 ms", "examples/s"],
  ["1e999", "GB"],
  ["1 EUR", "USD"],
  ["5 toString", "GB"],
];

for (const [typed, unit, value] of READ) {
  test(`"${typed}" is ${value} ${unit}`, () => assert.equal(readAmount(typed, unit), value));
}

for (const [typed, unit] of REFUSED) {
  test(`"${typed}" is no number of ${unit}`, () => assert.equal(readAmount(typed, unit), null));
}

test("a number is read as it is written, with a point or a comma, in any unit", () => {
  const some = fc.double({ noNaN: true, min: -1e20, max: 1e20 });
  fc.assert(
    fc.property(some, fc.constantFrom("GB", "%", "ms", "examples/s", ""), (value, unit) => {
      assert.equal(readAmount(`${value}${unit}`, unit), value + 0);
      assert.equal(readAmount(String(value).replace(/\.(?!\d{3}(e|$))/, ","), unit), value + 0);
    }),
  );
});

test("what is typed is a number or null, whatever it is", () => {
  const typed = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom(..."0123456789.,' eE+-%", "MB", "ms", "/s"), { maxLength: 12 })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(typed, fc.constantFrom("GB", "%", "s", "ex/s", ""), (text, unit) => {
      const value = readAmount(text, unit);
      assert.ok(value === null || Number.isFinite(value));
    }),
  );
});

test("a unit says what may be typed", () => {
  const units = ["GB", "ms", "examples/s", "%", "", "USD"];
  assert.deepEqual(units.map(kindOf), ["size", "time", "speed", "share", "none", "other"]);
});
