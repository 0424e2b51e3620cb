// Menus that drop down: native ones, which Escape and a press elsewhere close again.
import { find } from "../base/elements.js";

/**
 * Make a `details` element behave as a menu.
 * @param {HTMLDetailsElement} menu
 */
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
