// What is pressed decides what is done. Between a press and its release the page moves nothing by itself:
// a ranking that arrives then would move a row away from under the pointer, and the click with it.

/** What acts when the pointer is released on it. Sliders and handles that are dragged are not among these. */
const ACTS = "a, button, summary, label, input[type=checkbox], input[type=radio], input[type=file], tr";
/** A finger's click may come this many milliseconds after the finger is lifted, or never. */
const TAP = 400;

/** Ends the press, if there is one. */
let release = () => {};
/** @type {Promise<void>} */
let over = Promise.resolve();

/** Resolves at once, or when what is pressed now has been released and has acted. */
export function released() {
  return over;
}

/** @param {PointerEvent} event */
function press({ target, button, isPrimary }) {
  if (!isPrimary || button !== 0 || !(target instanceof Element) || !target.closest(ACTS)) return;
  release();
  over = new Promise((resolve) => {
    release = resolve;
  });
}

/** A mouse's click is part of its release; the click of a finger or a pen comes by itself.
 * @param {PointerEvent} event */
function lift({ pointerType }) {
  setTimeout(release, pointerType === "mouse" ? 0 : TAP);
}

/** Notices presses from now on; once a page. */
export function watchPresses() {
  addEventListener("pointerdown", press, true);
  addEventListener("pointerup", lift, true);
  // Listeners of the click come first.
  addEventListener("click", () => setTimeout(release, 0), true);
  // A press may end unseen: outside the window, or taken over by scrolling or a menu.
  for (const name of ["pointercancel", "contextmenu"]) addEventListener(name, () => release(), true);
  addEventListener("blur", () => release());
  addEventListener(
    "pointermove",
    ({ pointerType, buttons }) => {
      if (pointerType === "mouse" && !buttons) release();
    },
    true,
  );
}
