// On a page that a board's links lead to: the view that it was opened in goes on with its own links, from the start.
import { find } from "../base/elements.js";
import { carryOn, together } from "../view/links.js";

const fragment = location.hash.slice(1);
// Any other fragment is a place on the page.
if (fragment.startsWith("v1;")) {
  carryOn(find(document, ".crumbs a", HTMLAnchorElement).href, (own) => together(fragment, own));
}
