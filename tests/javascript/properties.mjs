// fast-check with the same cases every time, and what several tests draw with it.
import { packaged } from "./packages.mjs";

export const { default: fc } = await packaged("fast-check");

fc.configureGlobal({ seed: 20_261_122, numRuns: 500 });

/** What somebody may have put into a name to break a file, a formula, an address or a line. */
const HOSTILE = [
  ..."\"'`,;:=+-@#%&|<>/\\{}[]()$^~_*!? \t\r\n\0\u007f\u00ad\u200b\u202e\u2066\u2028\ufeff\uffff\uff1d👩\u200d💻",
  '=HYPERLINK("https://example.org")',
  "+1",
  "-2+3",
  "@SUM(A1)",
  "\\input{/etc/passwd}",
  "<script>alert(1)</script>",
  "%0a",
  "%E0%A4%A",
  "__proto__",
  "constructor",
  "v1;m=a:1",
];

/** A name of any characters. */
export const hostileName = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "binary", minLength: 1 }),
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join("") || "x"),
);

/** Different names, at least `minLength` of them. */
export const hostileNames = (minLength = 1, maxLength = 5) =>
  fc.uniqueArray(hostileName, { minLength, maxLength });
