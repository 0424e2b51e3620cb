// A view in the address: #v1;m=perf:4,memory:1;d=sst:1;b=perf;s=memory:up. Only what differs from the
// board's defaults is said, so what an address does not say keeps its default.
//   m, d  weights of metrics and of datasets      b  base metric        e  threshold (relative:0.0001)
//   y     ranked by (z_score)                     r  what bars show (leader, whole, model:bert)
//   s     sorted by (memory:up)                   h  hidden columns     p  pinned models
//   q     searched for                            f  filters (tag:lexicon)
//   k     models chosen to be compared            o  open chart         x  its two metrics
//   t     the three metrics of the triangle     w  the model whose score is explained
//   l, n  metrics and datasets whose share of the weight is locked
const VERSION = "v1";
export const LARGEST = 1000;
/** Columns that are no metrics; no metric's name can begin with a full stop. */
export const OWN_COLUMNS = [".rank", ".model", ".score", ".z"];
export const FILTERS = ["tag", "licence", "provenance", "size"];
export const CHARTS = ["scatter", "parallel", "triangle", "slope"];
/** At most so many models are compared side by side. */
export const COMPARED = 4;

export class BadFragment extends Error {}

export function isWeight(value) {
  return Number.isFinite(value) && value >= 0 && value <= LARGEST;
}

// How each part of an address is written and read: key, field of the view, codec.
const PARTS = [
  ["m", "metrics", weights("metrics")],
  ["d", "datasets", weights("datasets")],
  ["b", "base", name("metrics")],
  ["e", "threshold", { write: writeThreshold, read: readThreshold }],
  ["y", "by", oneOf(["dynascore", "z_score"])],
  ["r", "bars", { write: writeBars, read: readBars }],
  ["s", "sort", { write: writeSort, read: readSort }],
  ["h", "hidden", names("metrics")],
  ["p", "pinned", names("models")],
  ["q", "search", { write: encodeURIComponent, read: decoded }],
  ["f", "filters", { write: writeFilters, read: readFilters }],
  ["k", "chosen", names("models")],
  ["o", "chart", oneOf(CHARTS)],
  ["x", "axes", names("metrics")],
  ["t", "corners", names("metrics")],
  ["w", "why", name("models")],
  ["l", "lockedMetrics", names("metrics")],
  ["n", "lockedDatasets", names("datasets")],
];

/** The fragment, without "#", that says this view; empty for the default one. Other pages have other parts. */
export function encode(view, defaults, known = PARTS) {
  const parts = known.filter(([, field]) => !same(view[field], defaults[field]));
  if (!parts.length) return "";
  return [VERSION, ...parts.map(([key, field, codec]) => `${key}=${codec.write(view[field])}`)].join(";");
}

/**
 * The view that a fragment says, with defaults where it is silent, and the names it uses that the
 * board does not have. `known` has the board's names: {metrics, datasets, models}. Throws BadFragment
 * with a message for people.
 */
export function decode(fragment, defaults, known, parts = PARTS) {
  const view = structuredClone(defaults);
  const unknown = [];
  const [version, ...said] = fragment.split(";");
  if (version !== VERSION) throw new BadFragment(`it starts with “${shortened(version)}”, not ${VERSION}`);
  for (const part of said) {
    const [key, text] = split(part, "=");
    const found = parts.find(([candidate]) => candidate === key);
    if (!found) throw new BadFragment(`“${shortened(part)}” is no part of a view`);
    const [, field, codec] = found;
    view[field] = codec.read(text, view[field], known, unknown);
  }
  return { view, unknown: unknown.map(shortened) };
}

export function same(left, right) {
  return JSON.stringify(left) === JSON.stringify(right);
}

// Weights: name:weight,name:weight

function weights(kind) {
  const write = (named) =>
    Object.entries(named)
      .map(([key, weight]) => `${encodeURIComponent(key)}:${weight}`)
      .join(",");
  const read = (text, named, known, unknown) => {
    const values = { ...named };
    for (const item of text.split(",")) readWeight(item, values, known[kind], unknown);
    return values;
  };
  return { write, read };
}

function readWeight(item, values, known, unknown) {
  const [encoded, text] = split(item, ":");
  const weight = Number(text);
  if (text.trim() === "" || !isWeight(weight)) {
    throw new BadFragment(`“${shortened(item)}” does not say a weight from 0 to ${LARGEST}`);
  }
  const found = decoded(encoded);
  if (known.includes(found)) values[found] = weight;
  else unknown.push(found);
}

// Names

export function name(kind) {
  const read = (text, before, known, unknown) => {
    const found = decoded(text);
    if (known[kind].includes(found)) return found;
    unknown.push(found);
    return before;
  };
  return { write: encodeURIComponent, read };
}

export function names(kind) {
  const write = (values) => values.map(encodeURIComponent).join(",");
  const read = (text, before, known, unknown) => {
    const found = [...new Set(text.split(",").filter(Boolean).map(decoded))];
    unknown.push(...found.filter((value) => !known[kind].includes(value)));
    return found.filter((value) => known[kind].includes(value));
  };
  return { write, read };
}

export function oneOf(values) {
  const read = (text) => {
    if (values.includes(text)) return text;
    throw new BadFragment(`“${shortened(text)}” is none of ${values.join(", ")}`);
  };
  return { write: (value) => value, read };
}

// Threshold: relative:0.0001 or absolute:0.011

function writeThreshold({ kind, epsilon }) {
  return `${kind}:${epsilon}`;
}

function readThreshold(text) {
  const [kind, number] = split(text, ":");
  const epsilon = Number(number);
  if (!["relative", "absolute"].includes(kind) || number.trim() === "" || !isWeight(epsilon)) {
    throw new BadFragment(`“${shortened(text)}” does not say a threshold such as relative:0.0001`);
  }
  return { kind, epsilon };
}

// Bars: median, leader, whole, or against one model

function writeBars({ kind, model }) {
  return kind === "model" ? `model:${encodeURIComponent(model)}` : kind;
}

function readBars(text, before, known, unknown) {
  const [kind, encoded] = split(text, ":");
  if (["median", "leader", "whole"].includes(kind)) return { kind };
  if (kind !== "model") throw new BadFragment(`“${shortened(text)}” does not say what the bars show`);
  const model = decoded(encoded);
  if (known.models.includes(model)) return { kind, model };
  unknown.push(model);
  return before;
}

// Sort: a column and up (smallest first) or down

function writeSort({ column, direction }) {
  return `${encodeURIComponent(column)}:${direction}`;
}

function readSort(text, before, known, unknown) {
  const [encoded, direction] = split(text, ":");
  if (direction !== "up" && direction !== "down") {
    throw new BadFragment(`“${shortened(text)}” does not say up or down`);
  }
  const column = decoded(encoded);
  if (OWN_COLUMNS.includes(column) || known.metrics.includes(column)) return { column, direction };
  unknown.push(column);
  return before;
}

// Filters: kind:value,kind:value

function writeFilters(filters) {
  return filters.map(({ kind, value }) => `${kind}:${encodeURIComponent(value)}`).join(",");
}

function readFilters(text) {
  return text
    .split(",")
    .filter(Boolean)
    .map((item) => {
      const [kind, value] = split(item, ":");
      if (!FILTERS.includes(kind)) throw new BadFragment(`“${shortened(item)}” is no filter`);
      return { kind, value: decoded(value) };
    });
}

export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadFragment(`“${shortened(text)}” is not a name`);
  }
}

export function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

export function shortened(text) {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
