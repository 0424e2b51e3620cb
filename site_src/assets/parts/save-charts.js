// The charts of a board, to save: each picture says of which board, when, at which weights and where it is from.
import { byId, find, findAll, findOptional } from "../base/elements.js";
import { moment } from "../base/formats.js";
import { saveLine } from "../charts/save-line.js";
import { MARK, legendOf } from "../charts/standalone.js";
import { addressOf, fileName, shownView, termsOf } from "./export-table.js";

/** @import { BoardHost, Part } from "../../types" */

/** @implements {Part} */
export class SaveCharts {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    for (const panel of findAll(byId("tradeoffs"), ".chart", HTMLElement)) {
      const title = byId(panel.getAttribute("aria-labelledby") ?? "").textContent.trim();
      panel.append(
        saveLine(panel, title, () => weighed(page, panel, title, addressOf(page, shownView(page)))),
      );
    }
    const rounds = findOptional(document, ".rounds", HTMLElement);
    if (rounds) rounds.append(saveLine(rounds, "Round by round", () => this.roundsOf(rounds)));
  }

  /** Nothing to do: a picture is made at the moment it is saved. */
  show() {}

  /** The rounds of a task, which no weight changes. @param {HTMLElement} section */
  roundsOf(section) {
    const finding = find(section, ".finding", HTMLElement).textContent;
    const foot = ["No weight changes this chart", addressOf(this.page, this.page.view.defaults)];
    return {
      name: `${fileName(this.page.data, {})}rounds`,
      words: { title: "Round by round", lines: [origin(this.page), finding], legend: [], marks: [], foot },
    };
  }
}

/**
 * A chart that follows the weights of a page.
 * @param {Pick<BoardHost, "data" | "view" | "ranked">} page @param {HTMLElement} panel @param {string} title
 * @param {string} address of the board in this view
 */
export function weighed(page, panel, title, address) {
  const view = shownView(page);
  const terms = termsOf(page.data, view).filter(
    ([name]) => name !== "Weights of datasets" || several(page.data),
  );
  const wins = findOptional(panel, ".wins", HTMLElement);
  return {
    name: `${fileName(page.data, view.metrics)}_${slug(title)}`,
    words: {
      title,
      lines: [origin(page), find(panel, ".finding", HTMLElement).textContent],
      ...(wins ? winners(panel, wins) : { legend: [], marks: [] }),
      foot: [terms.map(([name, text]) => `${name}: ${text}`).join(". "), address],
    },
  };
}

/** Board and time. @param {Pick<BoardHost, "data">} page */
function origin({ data: { title, updated } }) {
  return `${title} · results of ${updated ? moment(updated) : "no time yet"}`;
}

/** The colours of the winners, and the knob that shows the visitor's weights. @param {HTMLElement} panel
 * @param {HTMLElement} wins */
function winners(panel, wins) {
  const knob = findOptional(panel, ".knob", HTMLElement);
  const chart = findOptional(panel, "svg[role=img]", SVGSVGElement);
  if (!knob || !chart) return { legend: legendOf(wins), marks: [] };
  const zoom = chart.getBoundingClientRect().width / chart.viewBox.baseVal.width;
  const place = { x: parseFloat(knob.style.left) / zoom, y: parseFloat(knob.style.top) / zoom };
  const key = { colour: MARK, hatched: false, text: "these weights" };
  return { legend: [...legendOf(wins), key], marks: [place] };
}

/** @param {BoardHost["data"]} data */
function several({ datasets }) {
  return Object.keys(datasets).length > 1;
}

/** A title as a part of a file's name. @param {string} title */
function slug(title) {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
