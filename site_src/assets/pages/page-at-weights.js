// A page of a model or a dataset that was opened from a re-weighted board: its ranks are those at that board's weights.
// What it takes to rank is fetched from the board's own page, and only then.
import { byId, element, find, findAll, findOptional } from "../base/elements.js";
import { MISSING, isolated, number, reasonOf, signed } from "../base/formats.js";
import { text } from "../base/texts.js";
import { median } from "../charts/drawing.js";
import { showMessage } from "./page.js";
import { RankedPage } from "./ranked.js";

/** @import { BoardView, ScorerUrls } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

const ISLANDS = ["board-data", "board-cells", "board-ranking"];

class PageAtWeights extends RankedPage {
  constructor() {
    super();
    this.indices = new Map(this.data.models.map(({ id }, index) => [id, index]));
    this.carryView();
  }

  start() {
    this.view.start();
    return this.load();
  }

  /** @param {BoardView} view @param {Ranking} ranking */
  take(view, ranking) {
    super.take(view, ranking);
    this.write("rankOf", "[data-rank-of]", (model) => String(ranking.rankOf(model) ?? MISSING));
    this.write("scoreOf", "[data-score-of]", (model) => figure(ranking.scores[model], 2));
    for (const place of findAll(document, ".ranked-count", HTMLElement)) {
      place.textContent = String(ranking.ranked);
    }
    for (const place of findAll(document, ".default-weights", HTMLElement)) {
      place.textContent = text("at-weights.yours");
    }
    byId("at-words").textContent = text("at-weights.underlined");
    const parts = findOptional(document, "#why-table", HTMLTableElement);
    if (parts) this.showParts(parts, ranking);
  }

  /** @param {"rankOf" | "scoreOf"} name @param {string} places @param {(model: number) => string} shown */
  write(name, places, shown) {
    for (const place of findAll(document, places, HTMLElement)) {
      const model = this.indices.get(place.dataset[name] ?? "");
      if (model !== undefined) writeAnew(place, shown(model));
    }
  }

  /** Where a model's score comes from, on its own page. @param {HTMLTableElement} table @param {Ranking} ranking */
  async showParts(table, ranking) {
    const model = this.indices.get(table.dataset.model ?? "");
    if (model === undefined) return;
    const ranked = ranking.rankOf(model) !== null;
    for (const place of findAll(document, ".if-ranked", HTMLElement)) place.hidden = !ranked;
    for (const place of findAll(document, ".if-unranked", HTMLElement)) place.hidden = ranked;
    // Parts of a score add up to no mean z-score.
    const by = ranking.by === "z_score" ? "dynascore" : ranking.by;
    for (const place of findAll(document, ".score-name", HTMLElement)) {
      place.textContent = text(`header.${by}`);
    }
    find(document, "#why .at-default", HTMLElement).hidden = true;
    const [other, role] = comparedWith(ranking, model);
    findAll(table, "tbody tr", HTMLTableRowElement).forEach((row, at) => {
      const [value, , adds, against] = findAll(row, "td", HTMLTableCellElement);
      const part = ranking.contributions[at];
      const difference = part[model] - part[other];
      writeAnew(value, figure(ranking.values[at][model], this.data.metrics[at].decimals));
      writeAnew(adds, figure(part[model], 2));
      writeAnew(against, Number.isNaN(difference) ? MISSING : signed(difference));
      if ("difference" in against.dataset) against.dataset.difference = String(difference || 0);
    });
    find(table, "thead th:last-child", HTMLElement).textContent = text("at-weights.against", {
      role: text(`at-weights.${role}`),
    });
    const bar = findOptional(document, ".wide-bar", HTMLElement);
    if (!bar) return;
    const name = isolated(this.data.models[other].label);
    const words = text("at-weights.compared", { name, role: text(`at-weights.${role}`) });
    find(bar, "p", HTMLElement).textContent = words;
    bar.hidden = !ranked;
    const { drawScoreBar } = await import("../charts/figures.js");
    drawScoreBar(bar);
  }
}

/** The model to compare a score with, and which it is, as on the page at the default weights.
 * @param {Ranking} ranking @param {number} model @returns {[number, "median" | "leader" | "second"]} */
function comparedWith(ranking, model) {
  const middle = median(ranking);
  if (middle !== model) return [middle < 0 ? model : middle, "median"];
  const [leader, second] = ranking.order;
  return model !== leader || ranking.ranked < 2 ? [leader, "leader"] : [second, "second"];
}

/** @param {number} value @param {number} decimals */
function figure(value, decimals) {
  return Number.isNaN(value) ? MISSING : number(value, decimals);
}

/** @param {HTMLElement} place @param {string} shown at the weights of the address */
function writeAnew(place, shown) {
  place.textContent = shown;
  place.classList.add("at-weights");
}

/** Show the ranks at the weights of the address, and say so in a place that waits for it.
 * @param {HTMLElement} place */
export async function start(place) {
  place.append(document.importNode(find(place, "template", HTMLTemplateElement).content, true));
  place.hidden = false;
  const board = new URL(place.dataset.board ?? "", location.href);
  find(place, "a", HTMLAnchorElement).hash = location.hash;
  try {
    await loadBoard(board);
    await new PageAtWeights().start();
  } catch (error) {
    showMessage("problem", text("at-weights.failed", { reason: reasonOf(error) }));
  }
}

/** Put the data of the board's page into this one, and start Python. @param {URL} board */
async function loadBoard(board) {
  const answer = await fetch(board);
  if (!answer.ok) throw new Error(`${board.pathname} answers ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ISLANDS) add(id, find(page, `#${id}`, HTMLElement).textContent ?? "");
  /** @type {ScorerUrls} */
  const urls = JSON.parse(find(page, "#board-urls", HTMLElement).textContent ?? "");
  const absolute = (/** @type {string} */ at) => new URL(at, board).href;
  const own = { ...urls, scorer: absolute(urls.scorer), runtime: absolute(urls.runtime), home: board.href };
  add("board-urls", JSON.stringify(own));
  const starter = element("script", { src: new URL("../scorer/start.js", import.meta.url).href });
  const loaded = new Promise((resolve, reject) => {
    starter.onload = resolve;
    starter.onerror = () => reject(new Error(text("at-weights.starter")));
  });
  document.head.append(starter);
  await loaded;
}

/** @param {string} id @param {string} content */
function add(id, content) {
  document.body.append(element("script", { type: "application/json", id }, content));
}
