// What every page does: its theme button (system, light, dark), the menu of boards, what a phone folds, shadows where a
// table goes on beyond the edge of its frame, and texts to copy that name this site by its full address, which was not
// known when it was built.
import { prepareDrop, remember } from "./controls.js";
import { byId, closest, findAll } from "./elements.js";

const THEMES = ["system", "light", "dark"];
const root = document.documentElement;

/** @param {HTMLElement} button */
function prepareTheme(button) {
  const show = (/** @type {string} */ theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    byId("theme-name").textContent = theme;
  };
  show(root.dataset.theme ?? "system");
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
    show(next);
    remember("theme", next === "system" ? null : next);
  });
}

const SIZES = new ResizeObserver((entries) => {
  for (const { target } of entries) markEdges(/** @type {HTMLElement} */ (target.closest(".table-frame")));
});

/** @param {HTMLElement} frame */
function markEdges(frame) {
  const rest = frame.scrollWidth - frame.clientWidth - frame.scrollLeft;
  frame.classList.toggle("fits", frame.scrollWidth <= frame.clientWidth);
  frame.classList.toggle("more-before", frame.scrollLeft > 1);
  frame.classList.toggle("more-after", rest > 1);
  frame.style.setProperty("--from-start", `${frame.scrollLeft}px`);
  frame.style.setProperty("--from-top", `${frame.scrollTop}px`);
}

const theme = document.getElementById("theme-toggle");
if (theme) prepareTheme(theme);
// The menu opens without script; with it, it closes as other menus do.
const menu = document.getElementById("boards-menu");
if (menu instanceof HTMLDetailsElement) prepareDrop(menu);
// Styles fold what such a button stands for. Some of them come after this script.
document.addEventListener("click", (event) => {
  const button = closest(event, ".unfold", HTMLButtonElement);
  button?.setAttribute("aria-expanded", String(button.ariaExpanded !== "true"));
});
for (const frame of findAll(document, ".table-frame", HTMLElement)) {
  frame.addEventListener("scroll", () => markEdges(frame), { passive: true });
  SIZES.observe(frame);
  for (const content of frame.children) SIZES.observe(content);
}
for (const text of findAll(document, "textarea[data-root]", HTMLTextAreaElement)) {
  const { root = "", unknown = "" } = text.dataset;
  text.value = text.value.replaceAll(unknown, new URL(root, location.href).href);
}
