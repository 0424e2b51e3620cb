// The bar of a model's page: by how much each metric lifts its score above that of another model, or lowers it.
import { byId, findAll } from "../base/elements.js";
import { signed } from "../base/formats.js";
import { Bars, corners, emptyBar } from "./drawing.js";

/** Draw the differences that a table of the page has. @param {HTMLElement} place its `data-of` is the table's id */
export function drawScoreBar(place) {
  const cells = findAll(byId(place.dataset.of ?? ""), "[data-difference]", HTMLElement);
  const parts = cells.map(({ dataset }) => Number(dataset.difference));
  const one = {
    order: Uint32Array.of(0),
    ranked: 1,
    contributions: parts.map((part) => Float64Array.of(part)),
  };
  const { origin, segments } = new Bars(one, null).of(0);
  const bar = emptyBar(cells.map(({ dataset }) => Number(dataset.colour)));
  segments.forEach((segment, at) => bar.children[at].setAttribute("points", corners(segment)));
  for (const end of ["x1", "x2"]) bar.lastElementChild?.setAttribute(end, origin.toFixed(2));
  const words = cells.map(({ dataset }, at) => `${dataset.metric} ${signed(parts[at])}`);
  bar.setAttribute("aria-label", words.join(", "));
  place.prepend(bar);
}
