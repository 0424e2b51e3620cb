// Texts to copy that name this site by its full address, which whoever built it did not know.
for (const text of document.querySelectorAll("textarea[data-root]")) {
  const { root, unknown } = text.dataset;
  text.value = text.value.replaceAll(unknown, new URL(root, location.href).href);
}
