// How high the rows of a table are: compact, a line for the name and one under it, or roomy, all of it.
import { element } from "../base/elements.js";
import { remember } from "../base/remember.js";

const CHOICES = { compact: "Compact", roomy: "Roomy, with all remarks" };
const root = document.documentElement;

/** Two choices, of which the present one is marked. */
export function densityChoices() {
  const now = root.dataset.rows ?? "compact";
  const choices = Object.entries(CHOICES).map(([name, words]) => {
    const box = element("input", { type: "radio", name: "rows" });
    box.checked = name === now;
    box.addEventListener("change", () => choose(name));
    return element("label", { class: "choice" }, box, element("span", { class: "choice-text" }, words));
  });
  return element("fieldset", {}, element("legend", {}, "Rows"), ...choices);
}

/** @param {string} name */
function choose(name) {
  if (name === "roomy") root.dataset.rows = name;
  else delete root.dataset.rows;
  remember("rows", name === "roomy" ? name : null);
}
