// On a page of a board that shows no ranks: a view that it was opened in goes on with its links.
import { find } from "../base/elements.js";

/** @param {string} fragment */
async function passOn(fragment) {
  const { carryOn } = await import("../view/links.js");
  carryOn(find(document, ".crumbs a", HTMLAnchorElement).href, (own) => own || fragment);
}

// Any other fragment is a place on the page.
if (location.hash.startsWith("#v1;")) passOn(location.hash.slice(1));
