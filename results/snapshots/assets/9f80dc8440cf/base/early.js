// Runs before the first paint, so that neither the theme nor the controls appear late.
if (location.protocol === "file:" && document.currentScript?.hasAttribute("src")) {
  // No module of this site may load from a file, so the page stays as it is without script. One that holds this script
  // holds all the others too.
  addEventListener("DOMContentLoaded", () => document.getElementById("file-note")?.removeAttribute("hidden"));
} else {
  document.documentElement.classList.add("js");
  // A page of a model keeps room for what says at which weights it was opened; rows of a board are pale until a script has
  // read which view the link is of.
  if (location.hash.startsWith("#v1;")) document.documentElement.classList.add("at-view", "unread-view");
}
try {
  const theme = localStorage.getItem("steelyard-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (localStorage.getItem("steelyard-rows") === "roomy") document.documentElement.dataset.rows = "roomy";
} catch {
  // Storage may be switched off; then it is the system's theme, and compact rows.
}
