// Numbers as people read them; the same as generator/formats.py.
const MINUS = "\u2212";
export const MISSING = "\u2014";

export function number(value, decimals = 2) {
  return value === null ? MISSING : value.toFixed(decimals).replace("-", MINUS);
}

export function signed(value, decimals = 2) {
  const text = number(value, decimals);
  return text.startsWith(MINUS) ? text : "+" + text;
}

/** About three significant digits, for rates whose size nobody knows beforehand. */
export function significant(value) {
  if (value === null) return MISSING;
  if (value === 0) return "0";
  const steps = [[100, 1], [0.1, 3], [0.01, 4]];
  const step = steps.find(([bound]) => Math.abs(value) >= bound);
  return number(value, step ? step[1] : 5);
}

export function percent(share, decimals = 1) {
  return number(share * 100, decimals) + " %";
}

/** A name within a sentence: whatever direction it runs in, the sentence keeps its own. */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

export function weight(value) {
  return String(Number(value.toPrecision(6)));
}
