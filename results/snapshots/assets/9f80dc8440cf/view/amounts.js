// Amounts as people type them, "200 MB", "0,2" or "80 %", in the unit of a metric. Files have the same units, see
// evaluator/records/amounts.py, and no commas.

/** Units of one kind, each as a number of the smallest, in small letters. @type {Record<string, number>} */
const SIZES = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};
/** The letter is the Greek one, as which normalised texts have the sign. @type {Record<string, number>} */
const TIMES = { ns: 1, us: 1e3, "\u03bcs": 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 };
const PER_CENT = ["%", "percent", "per cent", "point", "points"];
const PER_SECOND = "/s";

/** What kind of unit a metric is in, which decides what people may type. @param {string} unit
 * @returns {"size" | "time" | "speed" | "share" | "none" | "other"} */
export function kindOf(unit) {
  const name = plain(unit);
  if (Object.hasOwn(SIZES, name)) return "size";
  if (Object.hasOwn(TIMES, name)) return "time";
  if (name.endsWith(PER_SECOND)) return "speed";
  if (name === "") return "none";
  return name === "%" ? "share" : "other";
}

/** A typed amount as a number of a metric's unit; null where it is none. @param {string} typed @param {string} unit */
export function readAmount(typed, unit) {
  const [, sign, digits, rest] =
    /^([+-]?)([\d.,' ]*\d[.,]?(?:e[+-]?\d{1,3})?)(.*)$/.exec(plain(typed).replace("\u2212", "-")) ?? [];
  const size = digits === undefined ? null : numberOf(digits);
  if (size === null) return null;
  const value = inUnit(size, rest.trim(), plain(unit));
  return value !== null && Number.isFinite(value) ? (sign === "-" ? -value : value) + 0 : null;
}

/** @param {string} text */
function plain(text) {
  return text.normalize("NFKC").toLowerCase().trim();
}

/**
 * A number with a decimal point or a decimal comma, and with or without marks between its thousands. A single comma before
 * three digits is such a mark, "1,000", unless nothing but 0 is before it, "0,213".
 * @param {string} text
 */
function numberOf(text) {
  const [written, power = "0"] = text.split("e");
  const digits = written.replace(/[' ](?=\d{3}(?!\d))/g, "").replace(/[.,]$/, "");
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1) ?? ".";
  const grouping = new Set(marks).size === 1 && (marks.length > 1 || /^[1-9]\d{0,2},\d{3}$/.test(digits));
  const [whole, fraction = ""] = grouping ? [digits] : splitAt(digits, digits.lastIndexOf(last));
  if (!/^(\d*|\d{1,3}([.,]\d{3})+)$/.test(whole) || !/^\d*$/.test(fraction)) return null;
  return Number(`${whole.replace(/[.,]/g, "") || "0"}.${fraction || "0"}e${power}`);
}

/** @param {string} text @param {number} at the place of a mark, below 0 where there is none */
function splitAt(text, at) {
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {number} size @param {string} said the unit that was typed @param {string} unit */
function inUnit(size, said, unit) {
  if (said === "" || said === unit) return size;
  if (PER_CENT.includes(said)) return unit === "%" ? size : unit === "" ? size / 100 : null;
  const units = [SIZES, TIMES].find((kind) => Object.hasOwn(kind, unit));
  if (units && Object.hasOwn(units, said)) return (size * units[said]) / units[unit];
  if (!unit.endsWith(PER_SECOND)) return null;
  // Of a speed, what one example takes, or per second of whatever people call an example.
  if (Object.hasOwn(TIMES, said)) return TIMES.s / (size * TIMES[said]);
  return /^[a-z]*\/s$/.test(said) ? size : null;
}
