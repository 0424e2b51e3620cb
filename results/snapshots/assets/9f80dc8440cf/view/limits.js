// Hard limits on metrics: which models keep them. They change nobody's score.

/** @import { Bound, LimitTerm, RankQuestion } from "../../types" */

/** The ends of a range; null where it has none. @typedef {[least: number | null, most: number | null]} Ends */

/** The limits once one of them is another number, or none.
 * @param {LimitTerm[]} limits @param {string} metric @param {Bound} bound @param {number | null} value */
export function limited(limits, metric, bound, value) {
  const at = limits.findIndex((limit) => limit.metric === metric && limit.bound === bound);
  const made = value === null ? [] : [{ metric, bound, value }];
  return at < 0 ? [...limits, ...made] : [...limits.slice(0, at), ...made, ...limits.slice(at + 1)];
}

/** The range that limits leave of a metric. @param {LimitTerm[]} limits @param {string} name @returns {Ends} */
export function rangeOf(limits, name) {
  const end = (/** @type {Bound} */ bound) =>
    limits.find((limit) => limit.metric === name && limit.bound === bound)?.value ?? null;
  return [end("least"), end("most")];
}

/** The ranges by metric, as Python takes them. @param {LimitTerm[]} limits @returns {NonNullable<RankQuestion["limits"]>} */
export function rangesOf(limits) {
  return Object.fromEntries(limits.map(({ metric }) => [metric, rangeOf(limits, metric)]));
}

/** Whether a value is within a range; a missing one (NaN) is not. @param {number} value @param {Ends} range */
export function isWithin(value, [least, most]) {
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}

/**
 * Whether each model keeps all limits; one without a number for a limited metric does not. `values` are those of all models
 * by metric, in the order of `names`, NaN where one is missing.
 * @param {LimitTerm[]} limits @param {string[]} names @param {Float64Array[]} values @returns {(model: number) => boolean}
 */
export function keeps(limits, names, values) {
  const tests = limits.map(({ metric, bound, value }) => {
    const column = values[names.indexOf(metric)];
    return (/** @type {number} */ model) =>
      bound === "least" ? column[model] >= value : column[model] <= value;
  });
  return (model) => tests.every((test) => test(model));
}
