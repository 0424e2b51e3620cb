// On a page of a model or a dataset: what shows its ranks at a re-weighted board's weights comes only where it was opened
// from such a board.
import { byId } from "../base/elements.js";
import "./passing.js";

/** @param {HTMLElement} place */
async function showThere(place) {
  const { start } = await import("./page-at-weights.js");
  await start(place);
}

// A place on the page, such as a heading, is no view.
if (location.hash.startsWith("#v1;")) showThere(byId("at-weights"));
