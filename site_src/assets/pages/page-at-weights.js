// A page of a model or a dataset that was opened from a re-weighted board: its ranks are those at that board's weights.
// What it takes to rank is fetched from the board's own page, and only then.
import { byId, element, find, findAll } from "../base/elements.js";
import { MISSING, number, reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { showMessage } from "./page.js";
import { RankedPage, keepViewInLinks } from "./ranked.js";

/** @import { BoardView, ScorerUrls } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

const ISLANDS = ["board-data", "board-cells", "board-ranking"];

class PageAtWeights extends RankedPage {
  constructor() {
    super();
    this.indices = new Map(this.data.models.map(({ id }, index) => [id, index]));
    keepViewInLinks(() => this.view.fragment);
  }

  start() {
    this.view.start();
    return this.load();
  }

  /** @param {BoardView} view @param {Ranking} ranking */
  take(view, ranking) {
    super.take(view, ranking);
    this.write("rankOf", "[data-rank-of]", (model) => String(ranking.rankOf(model) ?? MISSING));
    this.write("scoreOf", "[data-score-of]", (model) => number(ranking.scores[model], 2));
    for (const place of findAll(document, ".ranked-count", HTMLElement)) {
      place.textContent = String(ranking.ranked);
    }
    for (const place of findAll(document, ".default-weights", HTMLElement)) {
      place.textContent = text("at-weights.yours");
    }
    byId("at-words").textContent = text("at-weights.underlined");
  }

  /** @param {"rankOf" | "scoreOf"} name @param {string} places @param {(model: number) => string} shown */
  write(name, places, shown) {
    for (const place of findAll(document, places, HTMLElement)) {
      const model = this.indices.get(place.dataset[name] ?? "");
      if (model !== undefined) place.textContent = shown(model);
      place.classList.add("at-weights");
    }
  }
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
  const own = { ...urls, scorer: absolute(urls.scorer), runtime: absolute(urls.runtime) };
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
