// Runs before the first paint, so that neither the theme nor the controls appear late.
document.documentElement.classList.add("js");
try {
  const theme = localStorage.getItem("steelyard-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off; then the system's theme it is.
}
