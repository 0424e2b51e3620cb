// Numbers as people read them, in plain decimals at any size; the same as evaluator/rank/formats.py.
const MINUS = "\u2212";
export const MISSING = "\u2014";
const NARROW_SPACE = "\u202f";
const GROUPED = 10_000;
/** From here on `toFixed` writes an exponent, and every number is a whole one. */
const VAST = 1e21;

/**
 * A number with fixed decimals, halves rounded away from zero; a dash where it is missing. From 10,000 on a
 * narrow space parts the thousands.
 * @param {number | null} value
 */
export function number(value, decimals = 2) {
  if (value === null) return MISSING;
  const digits = fixed(value, decimals);
  const text = digits.replace("-", MINUS);
  return Math.abs(Number(digits)) >= GROUPED ? grouped(text) : text;
}

/** The plain digits of a number with fixed decimals, as other programs read them.
 * @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  if (Math.abs(value) < VAST) return value.toFixed(decimals);
  return `${BigInt(value)}${decimals ? `.${"0".repeat(decimals)}` : ""}`;
}

/** @param {string} text */
function grouped(text) {
  const [whole, ...fraction] = text.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE), ...fraction].join(".");
}

/** A number with its sign in front, plus included. @param {number} value */
export function signed(value, decimals = 2) {
  const text = number(value, decimals);
  return text.startsWith(MINUS) ? text : `+${text}`;
}

/** A share, from 0 to 1, in per cent. @param {number} share */
export function percent(share, decimals = 1) {
  return `${number(share * 100, decimals)} %`;
}

/** The ranks that a model may hold. @param {[number, number] | null | undefined} set undefined before it is found */
export function rankSetText(set) {
  if (set === undefined) return "…";
  if (set === null) return "unknown";
  return set[0] === set[1] ? String(set[0]) : `${set[0]}–${set[1]}`;
}

/** "1 sample", "2 samples". @param {number} count @param {string} thing @param {string} things */
export function counted(count, thing, things = `${thing}s`) {
  return `${number(count, 0)} ${count === 1 ? thing : things}`;
}

/** A name within a sentence, which keeps its own direction whichever way the name is written. @param {string} name */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

/** A weight, to six significant digits without needless zeros. @param {number} value */
export function weight(value) {
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(5).split("e");
  const digits = mantissa.replace(/\D/g, "").replace(/0+$/, "");
  return `${value < 0 ? "-" : ""}${withPoint(digits, Number(exponent) + 1)}`;
}

/** Digits with the decimal point after the first `place` of them. @param {string} digits @param {number} place */
function withPoint(digits, place) {
  if (place <= 0) return `0.${"0".repeat(-place)}${digits}`;
  if (digits.length <= place) return digits.padEnd(place, "0");
  return `${digits.slice(0, place)}.${digits.slice(place)}`;
}

/** A time of the results, such as 2026-11-21T15:20:00Z, for people. @param {string} time */
export function moment(time) {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

const MEGABYTE = 1_000_000;

/** Bytes as megabytes; the same as size_words in generator/pages/try_page.py. @param {number} size */
export function sizeWords(size) {
  return size >= MEGABYTE / 10 ? `${number(size / MEGABYTE, 1)} MB` : "under 0.1 MB";
}

/** @param {number} ms */
export function timeWords(ms) {
  return ms < 1 ? "under 1 ms" : `${number(ms, 0)} ms`;
}

/** The message of what was thrown. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** What a file can hold of a text: half of a pair of surrogates is no character. @param {string} text */
export function wellFormed(text) {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
