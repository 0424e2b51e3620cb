// Numbers as people read them; the same as generator/views/formats.py.
const MINUS = "\u2212";
export const MISSING = "\u2014";
const NARROW_SPACE = "\u202f";
const GROUPED = 10_000;

export function number(value, decimals = 2) {
  if (value === null) return MISSING;
  const text = value.toFixed(decimals).replace("-", MINUS);
  return Math.abs(Number(value.toFixed(decimals))) >= GROUPED ? grouped(text) : text;
}

function grouped(text) {
  const [whole, ...fraction] = text.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE), ...fraction].join(".");
}

export function signed(value, decimals = 2) {
  const text = number(value, decimals);
  return text.startsWith(MINUS) ? text : `+${text}`;
}

/** About three significant digits, for rates whose size nobody knows beforehand. */
export function significant(value) {
  if (value === null) return MISSING;
  if (value === 0) return "0";
  const steps = [
    [100, 1],
    [0.1, 3],
    [0.01, 4],
  ];
  const step = steps.find(([bound]) => Math.abs(value) >= bound);
  return number(value, step ? step[1] : 5);
}

export function percent(share, decimals = 1) {
  return `${number(share * 100, decimals)} %`;
}

/** "1 sample", "2 samples". @param {number} count @param {string} thing */
export function counted(count, thing) {
  return `${number(count, 0)} ${thing}${count === 1 ? "" : "s"}`;
}

/** A name within a sentence: whatever direction it runs in, the sentence keeps its own. */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

export function weight(value) {
  return String(Number(value.toPrecision(6)));
}
