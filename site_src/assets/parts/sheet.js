// On small screens the weights are in a sheet at the bottom, one tap away.
import { byId, find } from "../base/elements.js";

/** Make the sheet's buttons work. */
export function prepareSheet() {
  const opener = byId("sheet-open");
  const closer = byId("sheet-close");
  const close = () => {
    show(opener, false);
    opener.focus({ preventScroll: true });
  };
  opener.addEventListener("click", () => {
    show(opener, true);
    find(document, ".table-frame", HTMLElement).scrollIntoView({ block: "start" });
    closer.focus({ preventScroll: true });
  });
  closer.addEventListener("click", close);
  // The difficulty page has no weights of metrics.
  document.getElementById("skip-to-weights")?.addEventListener("click", (event) => {
    event.preventDefault();
    if (opener.checkVisibility()) show(opener, true);
    find(byId("metric-weights"), ".number", HTMLInputElement).focus();
  });
  byId("sheet").addEventListener("keydown", (event) => event.key === "Escape" && close());
}

/**
 * @param {HTMLElement} opener
 * @param {boolean} open
 */
function show(opener, open) {
  document.documentElement.classList.toggle("sheet-is-open", open);
  opener.setAttribute("aria-expanded", String(open));
}
