// Menus that drop down: native ones, which Escape and a press elsewhere close again.

/** Make a `details` element behave as a menu; `onOpen` is called when it opens. */
export function prepareDrop(menu, onOpen = () => {}) {
  const summary = menu.querySelector("summary");
  menu.addEventListener("toggle", () => menu.open && onOpen());
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    summary.focus();
  });
  addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
}
