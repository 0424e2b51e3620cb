// The menu of boards opens without script; with it, Escape and a click elsewhere close it again.
const menu = document.getElementById("boards-menu");

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open || !menu.contains(document.activeElement)) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

addEventListener("pointerdown", (event) => {
  if (!menu.contains(event.target)) menu.open = false;
});

menu.addEventListener("focusout", (event) => {
  if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
});
