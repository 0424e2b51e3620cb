// Charts that follow no weights of a board, to save.
import { find, findAll } from "../base/elements.js";
import { saveLine } from "../charts/save-line.js";

/** What the picture of a chart says, and what lies under what is drawn in the page.
 * @typedef {{ title: string, lines: string[], foot: string[], under?: Element[] }} FigureWords */

/** Characters of a file's name without its ending. */
const LONGEST_NAME = 120;

/**
 * Give every chart of a page, each in a `figure`, a line that saves it. `describe` says of one what its picture says.
 * @param {string} figures selects them
 * @param {(figure: HTMLElement) => FigureWords} describe
 */
export function saveFigures(figures, describe) {
  for (const figure of findAll(document, figures, HTMLElement)) {
    figure.append(saveLine(figure, describe(figure).title, () => saved(describe(figure))));
  }
}

/** @param {FigureWords} words */
function saved({ under = [], ...words }) {
  const page = find(document, "h1", HTMLElement).textContent;
  const name = `${page} ${words.title}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  return { name: name.slice(0, LONGEST_NAME), words: { ...words, legend: [], marks: [] }, under };
}

// Those that a page came with: what their pictures say is written beside each of them.
saveFigures("figure[data-title]", ({ dataset }) => ({
  title: dataset.title ?? "",
  lines: [dataset.about ?? ""],
  foot: [location.href.split("#")[0] + (dataset.place ? `#${dataset.place}` : "")],
}));
