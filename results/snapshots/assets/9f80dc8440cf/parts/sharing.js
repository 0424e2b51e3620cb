// The view that is shown, its address, and the clipboard: what a verdict, a citation and an export have in common.
import { byId } from "../base/elements.js";
import { text } from "../base/texts.js";
import { BOARD_PARTS, encode } from "../view/fragment.js";
import { rankedBy } from "../view/view.js";

/** @import { BoardView, RankedHost } from "../../types" */

/** The view as the page shows it: what it is ranked by is what the ranking on the page was made with.
 * @param {Pick<RankedHost, "view" | "ranked">} page @returns {BoardView} */
export function shownView({ view, ranked }) {
  const made = rankedBy(ranked).map((field) => [field, ranked[field]]);
  return { ...view.now, ...Object.fromEntries(made) };
}

/** The address of a view of a board. @param {Pick<RankedHost, "view">} page @param {BoardView} view */
export function addressOf(page, view, from = toldAddress()) {
  const fragment = encode(view, page.view.defaults, BOARD_PARTS);
  return from + (fragment ? `#${fragment}` : "");
}

/** The address of this page. */
export function ownAddress() {
  return location.href.split("#")[0];
}

/** Where this page is, for what leaves it: of a file only its name, as its folders are nobody else's business. */
function toldAddress() {
  if (location.protocol !== "file:") return ownAddress();
  return decodeURIComponent(ownAddress().split("/").at(-1) ?? "");
}

let quiet = 0;

/** Copy a text of a board's page; where the clipboard is refused, show it, selected.
 * @param {string} content @param {string} name what it is */
export async function copyText(content, name) {
  const byHand = byId("by-hand");
  try {
    await navigator.clipboard.writeText(content);
    byHand.hidden = true;
    report(text("export.copied", { name }));
  } catch {
    byId("export-menu", HTMLDetailsElement).open = false;
    byHand.hidden = false;
    const place = byId("by-hand-text", HTMLTextAreaElement);
    place.value = content;
    place.focus();
    place.select();
  }
}

/** Show for a moment what has been done. @param {string} words */
function report(words) {
  const status = byId("export-status");
  status.textContent = words;
  status.classList.toggle("shown", words !== "");
  clearTimeout(quiet);
  if (words) quiet = setTimeout(() => report(""), 3000);
}
