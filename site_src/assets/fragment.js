// The view in the address: #v1;m=perf:4,memory:1;d=sst:1
// Metrics or datasets that the address does not name keep their defaults.
const VERSION = "v1";
const PARTS = { m: "metrics", d: "datasets" };
export const LARGEST = 1000;

export class BadFragment extends Error {}

export function isWeight(value) {
  return Number.isFinite(value) && value >= 0 && value <= LARGEST;
}

/** The fragment, without "#", that says these weights; empty for the default ones. */
export function encode(weights, defaults) {
  const parts = [["m", weights.metrics]];
  if (!same(weights.datasets, defaults.datasets)) parts.push(["d", weights.datasets]);
  else if (same(weights.metrics, defaults.metrics)) return "";
  return [VERSION, ...parts.map(([key, named]) => `${key}=${list(named)}`)].join(";");
}

function same(left, right) {
  return Object.keys(right).every((name) => left[name] === right[name]);
}

function list(named) {
  return Object.entries(named).map(([name, weight]) => `${encodeURIComponent(name)}:${weight}`).join(",");
}

/**
 * The weights that a fragment says, with defaults where it is silent, and the names it uses that the
 * board does not have. Throws BadFragment with a message for people.
 */
export function decode(fragment, defaults) {
  const weights = { metrics: { ...defaults.metrics }, datasets: { ...defaults.datasets } };
  const unknown = [];
  const [version, ...parts] = fragment.split(";");
  if (version !== VERSION) throw new BadFragment(`it starts with “${shortened(version)}”, not ${VERSION}`);
  for (const part of parts) {
    const [key, items] = split(part, "=");
    if (!Object.hasOwn(PARTS, key)) throw new BadFragment(`“${shortened(part)}” is neither m= nor d=`);
    for (const item of items.split(",")) read(item, weights[PARTS[key]], unknown);
  }
  return { weights, unknown };
}

function read(item, named, unknown) {
  const [encoded, text] = split(item, ":");
  const weight = Number(text);
  if (text.trim() === "" || !isWeight(weight)) {
    throw new BadFragment(`“${shortened(item)}” does not say a weight from 0 to ${LARGEST}`);
  }
  const name = decoded(encoded);
  if (Object.hasOwn(named, name)) named[name] = weight;
  else unknown.push(shortened(name));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadFragment(`“${shortened(text)}” is not a name`);
  }
}

function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function shortened(text) {
  return text.length > 40 ? text.slice(0, 39) + "…" : text;
}
