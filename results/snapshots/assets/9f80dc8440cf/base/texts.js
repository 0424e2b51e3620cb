// The fixed texts of a page, which its islands of the class `text-island` have from generator/texts.py.
import { number } from "./formats.js";

/** @type {Record<string, string>} */
let known = {};

/** A text with values in their places; a `count` also chooses between the forms for one and for more.
 * @param {string} name @param {Record<string, string | number>} [values] */
export function text(name, values = {}) {
  const [one, more = one] = found(name).split("|");
  return (values.count === 1 ? one : more).replace(/\{(\w+)\}/g, (_, key) => {
    const value = values[key];
    return typeof value === "number" ? number(value, 0) : value;
  });
}

/** A text with elements in the places of values. @param {string} name @param {Record<string, HTMLElement>} places */
export function textAround(name, places) {
  const pieces = found(name).split(/\{(\w+)\}/);
  return pieces.map((piece, at) => (at % 2 ? places[piece] : piece));
}

/** @param {string} name */
function found(name) {
  // A part of the page that came later has brought its own.
  if (!Object.hasOwn(known, name)) known = allTexts();
  if (!Object.hasOwn(known, name)) throw new Error(`this page has no text ${name}`);
  return known[name];
}

/** @returns {Record<string, string>} */
function allTexts() {
  const islands = [...document.querySelectorAll("script.text-island")];
  return Object.assign({}, ...islands.map(({ textContent }) => JSON.parse(textContent ?? "{}")));
}
