// Models and metrics by name.

/** @import { MetricData } from "../../types" */

const byName = new Intl.Collator(undefined, { numeric: true });

/** Add an option for every model, after those that the page came with.
 * @param {HTMLSelectElement} select @param {{ id: string, label: string }[]} models */
export function fillWithModels(select, models) {
  const sorted = [...models].sort((left, right) => byName.compare(left.label, right.label));
  select.append(...sorted.map(({ id, label }) => new Option(shortened(label), id)));
}

/** A name cut to whole words where it is too long for its place; the same as evaluator/rank/formats.py.
 * @param {string} label */
export function shortened(label, limit = 60) {
  const letters = [...label];
  if (letters.length <= limit) return label;
  const start = letters.slice(0, limit - 1);
  const space = start.lastIndexOf(" ");
  const whole = space >= Math.floor(limit / 2) ? start.slice(0, space) : start;
  return `${whole.join("").replace(/ +$/, "")}…`;
}

/** A text as searches compare it: small letters without accents, so that "Zurich" finds "Zürich".
 * @param {string} text */
export function searchable(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** The metric of a board that has this name. @param {MetricData[]} metrics @param {string} name */
export function metricNamed(metrics, name) {
  const metric = metrics.find((candidate) => candidate.name === name);
  if (!metric) throw new Error(`this board has no metric ${name}`);
  return metric;
}
