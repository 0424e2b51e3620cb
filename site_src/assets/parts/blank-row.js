// A row of no model, as pages have one in a template, becomes that of a model. Numbers and bars are the table's to write.
import { element, find } from "../base/elements.js";
import { shortened } from "../base/models.js";

/** @import { ModelData } from "../../types" */

/** Longer names have their whole text as a title, too. */
const LONG = 20;

/**
 * A new row with a model's name on all that names it.
 * @param {HTMLTableRowElement} blank
 * @param {ModelData} model
 * @param {string | null} [page] the address of its page; null where it has none
 */
export function rowOf(blank, { id, label, provenance }, page = null) {
  const row = document.importNode(blank, true);
  const name = shortened(label);
  row.dataset.model = id;
  const names = {
    ".choose input": `Compare ${name}`,
    ".pin": `Pin ${name}`,
    ".opener": `${name} on each dataset`,
  };
  for (const [selector, text] of Object.entries(names)) {
    row.querySelector(selector)?.setAttribute("aria-label", text);
  }
  const link = find(row, ".model > :is(a, .name)", HTMLElement);
  link.textContent = label;
  if (page) link.setAttribute("href", page);
  if (page && [...label].length > LONG) link.title = label;
  find(row, ".mark", HTMLElement).className = `mark mark-${provenance}`;
  return row;
}

/**
 * A remark under a model's name.
 * @param {string} text
 * @param {string} [className]
 */
export function remark(text, className = "") {
  return element("span", { class: `reason ${className}`.trim(), dir: "auto" }, text);
}
