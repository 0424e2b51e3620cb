// What moving one weight does to the others of its group.
import { LARGEST } from "./fragment.js";

/** @import { Weights } from "../../types" */

/** The sum of the weights of these names, of all without names. @param {Weights} weights */
export function total(weights, names = Object.keys(weights)) {
  return names.reduce((sum, name) => sum + weights[name], 0);
}

/** The share of one weight in all that take part, from 0 to 1; 0 where nothing weighs, and for one that is `idle`.
 * @param {Weights} weights @param {string} name @param {string[]} [idle] */
export function share(weights, name, idle = []) {
  const all = total(weights, rest(weights, idle));
  return all > 0 && !idle.includes(name) ? weights[name] / all : 0;
}

/** What the locked weights leave for the others to share; no bound where nothing locked weighs.
 * @param {Weights} weights @param {string[]} locked */
export function room(weights, locked) {
  const held = total(weights, locked);
  return held > 0 ? plain(Math.max(0, total(weights) - held)) : Infinity;
}

/** Whether a weight can move: not while it is locked, nor as the only one that is not.
 * @param {Weights} weights @param {string} name @param {string[]} locked */
export function canMove(weights, name, locked) {
  if (locked.includes(name)) return false;
  return room(weights, locked) === Infinity || rest(weights, [...locked, name]).length > 0;
}

/**
 * The weights once `name` has moved to `value`, or as far as the locked ones let it. A locked weight
 * keeps its share of the total: the total stays, and the other unlocked weights make room, in
 * proportion to what they weighed in `before`, where the movement began.
 * @param {Weights} before @param {string} name @param {number} value @param {string[]} locked @returns {Weights}
 */
export function moved(before, name, value, locked) {
  if (!canMove(before, name, locked)) return before;
  const left = room(before, locked);
  if (left === Infinity) return { ...before, [name]: value };
  const others = rest(before, [...locked, name]);
  const taken = Math.min(value, left);
  const weights = { ...before, [name]: taken, ...spread(left - taken, others, before) };
  // The same shares with no weight over the largest that there may be.
  const largest = Math.max(...Object.values(weights));
  if (largest <= LARGEST) return weights;
  return Object.fromEntries(
    Object.entries(weights).map(([key, weight]) => [key, (weight / largest) * LARGEST]),
  );
}

/** The weights once the unlocked ones share evenly what the locked ones leave.
 * @param {Weights} weights @param {string[]} locked @returns {Weights} */
export function evened(weights, locked) {
  const left = room(weights, locked);
  const names = rest(weights, locked);
  const even = Object.fromEntries(names.map((name) => [name, 1]));
  return { ...weights, ...(left === Infinity ? even : spread(left, names, even)) };
}

/** The names of the other weights. @param {Weights} weights @param {string[]} names */
function rest(weights, names) {
  return Object.keys(weights).filter((name) => !names.includes(name));
}

/** An amount dealt out in proportion to `parts`, in even parts where those are zero.
 * @param {number} amount @param {string[]} names @param {Weights} parts @returns {Weights} */
function spread(amount, names, parts) {
  const all = total(parts, names);
  const part = (/** @type {string} */ name) => (all > 0 ? parts[name] / all : 1 / names.length);
  return Object.fromEntries(names.map((name) => [name, plain(amount * part(name))]));
}

/** To the digits that a number box shows: more would only make an address longer. @param {number} value */
function plain(value) {
  return Number(value.toPrecision(6));
}
