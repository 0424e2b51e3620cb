// Where a table goes on beyond the edge of its frame, a shadow on that edge says so; where it does not, it is known to fit.
import { findAll } from "../base/elements.js";

const SIZES = new ResizeObserver((entries) => {
  for (const { target } of entries) mark(/** @type {HTMLElement} */ (target.closest(".table-frame")));
});

/** @param {HTMLElement} frame */
function mark(frame) {
  const rest = frame.scrollWidth - frame.clientWidth - frame.scrollLeft;
  frame.classList.toggle("fits", frame.scrollWidth <= frame.clientWidth);
  frame.classList.toggle("more-before", frame.scrollLeft > 1);
  frame.classList.toggle("more-after", rest > 1);
  frame.style.setProperty("--from-start", `${frame.scrollLeft}px`);
  frame.style.setProperty("--from-top", `${frame.scrollTop}px`);
}

/** @param {HTMLElement} frame */
function watch(frame) {
  frame.addEventListener("scroll", () => mark(frame), { passive: true });
  SIZES.observe(frame);
  for (const content of frame.children) SIZES.observe(content);
}

for (const frame of findAll(document, ".table-frame", HTMLElement)) watch(frame);
