// The theme button: system, light, dark, remembered for this site only.
import { byId } from "../base/elements.js";
import { remember } from "../base/remember.js";

const THEMES = ["system", "light", "dark"];
const root = document.documentElement;
const button = document.getElementById("theme-toggle");

/** @param {string} theme */
function show(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  byId("theme-name").textContent = theme;
}

if (button) {
  show(root.dataset.theme ?? "system");
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
    show(next);
    remember("theme", next === "system" ? null : next);
  });
}
