// Links from a board to its other pages lead to them at the weights shown: the view goes along in the address.

/** What may open a link, or copy its address. */
const BEFORE = ["pointerdown", "focusin", "keydown", "contextmenu"];
/** Pages that show ranks at other weights than the default ones. */
const PAGES =
  "a[href]:is([href*='models/'], [href*='datasets/'], [href*='compare/']):not([href*='#'], [href*=':'])";

/** Let links carry the present fragment. @param {() => string} fragment @param {HTMLElement} [within] */
export function carryAlong(fragment, within = document.documentElement) {
  for (const type of BEFORE) {
    within.addEventListener(type, ({ target }) => carry(target, fragment), { capture: true });
  }
}

/** @param {EventTarget | null} target @param {() => string} fragment */
function carry(target, fragment) {
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || !(link.matches(PAGES) || link.dataset.carried)) return;
  link.dataset.carried = "yes";
  link.hash = fragment();
}
