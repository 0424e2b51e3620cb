// How controls of all pages behave: menus that drop down, groups that are one stop of the Tab key, and what this browser
// remembers for a visitor, which early.js brings back before the first paint.
import { find } from "./elements.js";

/** @param {"theme" | "rows"} what @param {string | null} choice null for the usual one */
export function remember(what, choice) {
  try {
    if (choice === null) localStorage.removeItem(`steelyard-${what}`);
    else localStorage.setItem(`steelyard-${what}`, choice);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** Make a `details` element behave as a menu: Escape and a press elsewhere close it. @param {HTMLDetailsElement} menu */
export function prepareDrop(menu) {
  const summary = find(menu, "summary", HTMLElement);
  const close = () => {
    menu.open = false;
  };
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    close();
    summary.focus();
  });
  addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) close();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) close();
  });
}

/** Arrow keys go from one control of a group to the next. @type {Record<string, (at: number, count: number) => number>} */
const STEPS = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Make controls one stop of the Tab key, at first the first of them. @param {HTMLElement[]} controls */
export function makeOneStop(controls) {
  const stopAt = (/** @type {number} */ stop) =>
    controls.forEach((control, at) => (control.tabIndex = at === stop ? 0 : -1));
  stopAt(0);
  controls.forEach((control, at) => {
    control.addEventListener("focus", () => stopAt(at));
    control.addEventListener("keydown", (event) => {
      const step = plainKey(event) && STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      controls[step(at, controls.length)].focus();
    });
  });
}

/** Whether a key is pressed by itself. @param {KeyboardEvent} event */
export function plainKey({ altKey, ctrlKey, metaKey, shiftKey }) {
  return !(altKey || ctrlKey || metaKey || shiftKey);
}
