// The ranks that a model may hold: in numbers, and as a whisker on an axis of all ranks.
import { RANGE, position } from "../charts/drawing.js";
import { drawn, element, find, write } from "../base/elements.js";

/** What shows them, with an axis that has no marks yet. */
export function emptyWhisker() {
  const place = element("span", { class: "ranks-held" });
  const frame = { class: "whisker", viewBox: `0 0 ${RANGE} 8`, "aria-hidden": "true" };
  const marks = [drawn("path"), drawn("polyline", { class: "dot" })];
  place.append(drawn("svg", frame, ...marks), element("span", { class: "held" }));
  return place;
}

/** Where a rank set and the rank are on an axis of so many ranked models.
 * @param {[number, number]} found @param {number} rank @param {number} ranked */
export function endsOf(found, rank, ranked) {
  const axis = /** @type {[number, number]} */ ([1, ranked]);
  return [...found, rank].map((place) => position(place, axis).toFixed(2));
}

/**
 * @param {HTMLElement} place as `emptyWhisker` makes it, or the page came with it
 * @param {string} words @param {string[]} ends as `endsOf` gives them; none where the set is unknown
 */
export function showWhisker(place, words, [low, high, at]) {
  place.classList.toggle("unknown", !low);
  if (!place.querySelector("path")) place.replaceChildren(...emptyWhisker().childNodes);
  write(find(place, ".held", HTMLElement), words);
  find(place, "path", SVGElement).setAttribute("d", low ? `M${low} 4H${high}` : "");
  find(place, ".dot", SVGElement).setAttribute("points", low ? `${at},4 ${at},4` : "");
}
