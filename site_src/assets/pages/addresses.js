// Texts to copy that name this site by its full address, which was not known when it was built.
import { findAll } from "../base/elements.js";

for (const text of findAll(document, "textarea[data-root]", HTMLTextAreaElement)) {
  const { root = "", unknown = "" } = text.dataset;
  text.value = text.value.replaceAll(unknown, new URL(root, location.href).href);
}
