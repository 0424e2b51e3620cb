// The list of the page's keys: a dialog, opened by its button or by "?".
import { byId, closest } from "../base/elements.js";

/** Where a question mark is typed. */
const TYPING = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/** Make the dialog's button and key work. */
export function prepareKeysHelp() {
  const dialog = byId("keys", HTMLDialogElement);
  byId("keys-open").addEventListener("click", () => dialog.showModal());
  byId("keys-close").addEventListener("click", () => dialog.close());
  document.addEventListener("keydown", (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (key !== "?" || altKey || ctrlKey || metaKey || closest(event, TYPING, HTMLElement)) return;
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
  });
}
