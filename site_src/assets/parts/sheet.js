// On small screens the weights lie in a sheet at the bottom, one tap away.
const sheet = document.getElementById("sheet");
const opener = document.getElementById("sheet-open");
const closer = document.getElementById("sheet-close");

function show(open) {
  document.documentElement.classList.toggle("sheet-is-open", open);
  opener.setAttribute("aria-expanded", String(open));
}

/** Make the sheet's buttons work. */
export function prepareSheet() {
  opener.addEventListener("click", () => {
    show(true);
    document.querySelector(".table-frame").scrollIntoView({ block: "start" });
    closer.focus({ preventScroll: true });
  });
  closer.addEventListener("click", close);
  sheet.addEventListener("keydown", (event) => event.key === "Escape" && close());
}

function close() {
  show(false);
  opener.focus({ preventScroll: true });
}
