// The fixed texts of a page, which its island `texts` has from generator/texts.py.
import { island } from "./elements.js";
import { number } from "./formats.js";

/** @type {Record<string, string> | null} */
let known = null;

/** A text with values in their places; a `count` also chooses between the forms for one and for more.
 * @param {string} name @param {Record<string, string | number>} [values] */
export function text(name, values = {}) {
  known ??= /** @type {Record<string, string>} */ (island("texts"));
  const found = known[name];
  if (found === undefined) throw new Error(`this page has no text ${name}`);
  const [one, more = one] = found.split("|");
  return (values.count === 1 ? one : more).replace(/\{(\w+)\}/g, (_, key) => {
    const value = values[key];
    return typeof value === "number" ? number(value, 0) : value;
  });
}
