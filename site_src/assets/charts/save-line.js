// The line at a chart that saves it, as SVG or as PNG.
import { element, findOptional, saveAs, screenReaderText } from "../base/elements.js";
import { painted, png } from "./canvas.js";
import { fileText, standalone } from "./standalone.js";

/** @import { PictureWords } from "../../types" */

/** Pixels of a PNG for one of the page. */
const SCALE = 2;

/**
 * What is saved of a chart: the name of the file without its ending, what the picture says, and what lies under what
 * is drawn in the page.
 * @typedef {{ name: string, words: PictureWords, under?: Element[] }} Saved
 */

/**
 * A line that saves the picture in `place`; `describe` is asked at that moment.
 * @param {HTMLElement} place
 * @param {string} title of the chart, for those who hear the line alone
 * @param {() => Saved | Promise<Saved>} describe
 */
export function saveLine(place, title, describe) {
  const chart = () => findOptional(place, "svg[role=img], svg[role=group]", SVGSVGElement);
  const problem = element("span", { role: "status" });
  /** @param {string} kind @param {(picture: SVGSVGElement) => Promise<Blob>} write */
  const button = (kind, write) => {
    const made = element("button", { type: "button", class: "link" }, kind, screenReaderText(` of ${title}`));
    made.addEventListener("click", async () => {
      const drawn = chart();
      problem.textContent = drawn ? "" : " There is no picture yet.";
      if (!drawn) return;
      const { name, words, under } = await describe();
      saveAs(`${name}.${kind.toLowerCase()}`, await write(standalone(drawn, words, under)));
    });
    return made;
  };
  const asSvg = async (/** @type {SVGSVGElement} */ picture) => {
    return new Blob([fileText(picture)], { type: "image/svg+xml" });
  };
  const asPng = (/** @type {SVGSVGElement} */ picture) => png(painted(picture, SCALE));
  return element(
    "p",
    { class: "save-chart small" },
    "Save this chart: ",
    button("SVG", asSvg),
    " ",
    button("PNG", asPng),
    problem,
  );
}
