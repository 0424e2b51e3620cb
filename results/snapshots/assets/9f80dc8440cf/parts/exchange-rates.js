// The exchange rates: what a unit of each metric is worth, how its values spread, which model's leaving changes the
// rates, and the notes under the ranking. All words are Python's; the histograms are drawn here.
import { byId, drawn, element, find, findAll, findOptional, write } from "../base/elements.js";
import { text } from "../base/texts.js";
import { MANY } from "../scorer/certainty.js";
import { Queue } from "../scorer/engine.js";
import { compared } from "../scorer/ranking.js";
import { AfterRest, piecesOf } from "../scorer/words.js";
import { ranksAlike } from "../view/view.js";
import { explained } from "./explanation.js";

/** @import { BoardHost, BoardView, LeavingData, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Text } from "../scorer/words.js" */
/** @import { Table } from "./table.js" */

/** A page with the rows that are marked. @typedef {BoardHost & { readonly table: Pick<Table, "lines"> }} MarkedPage */
/** `rates_explained` of evaluator/rank/score_sentences.py. @typedef {object} RatesWords
 * @property {string} about
 * @property {Record<string, RateRow>} rows by metric
 * @property {string} worth
 * @property {string[]} notices above the table: what takes no part, and which models are not ranked
 * @property {string[]} notes
 * @property {string} count
 */
/** @typedef {{ rate: string, unit: string, worth: string, drives: string, flagged: boolean, fragile: boolean,
 *   spread: string }} RateRow */

const WIDTH = 240;
const HEIGHT = 28;
const BINS = 24;
/** A bin with one model among a thousand is still to be seen. */
const LEAST = 2;

/** The badge, with the number of models that change place. @param {number} [others] */
function badge(others) {
  const words = others ? text("why.fragile-others", { others }) : text("why.fragile");
  return element("a", { class: "fragile few-mark", href: "#fragile" }, words);
}

/** @implements {Part} */
export class ExchangeRates {
  /** @param {MarkedPage} page */
  constructor(page) {
    this.page = page;
    const lines = findAll(document, ".rates li", HTMLElement);
    this.lines = new Map(lines.map((line) => [line.dataset.metric ?? "", line]));
    this.fragile = new Fragile(page);
  }

  /** @param {Ranking} ranking @param {BoardView} _view @param {Set<string>} changed */
  show(ranking, _view, changed) {
    if (!["ranking", "why", "ready"].some((field) => changed.has(field))) return;
    const terms = () => ({ model: explained(this.page) });
    this.page.words.ask("rates", terms, (said) => this.write(said));
    if (!changed.has("why")) this.fragile.follow(ranking);
  }

  /** @param {RatesWords} said */
  write({ about, rows, worth, notices, notes, count }) {
    write(byId("rates-about"), about);
    write(byId("worth"), worth);
    this.page.data.metrics.forEach(({ name }, at) => {
      const line = this.lines.get(name);
      if (line) this.writeLine(line, rows[name], at);
    });
    const model = explained(this.page);
    byId("spread-model").textContent =
      model === null ? text("why.leader") : this.page.data.models[model].label;
    byId("notices").hidden = !notices.length;
    byId("notes").hidden = !notes.length;
    byId("notes-count").textContent = count;
    for (const [id, lines] of Object.entries({ notices, "notes-list": notes })) {
      byId(id).replaceChildren(...lines.map((line) => element("li", { dir: "auto" }, line)));
    }
  }

  /** @param {HTMLElement} line @param {RateRow} row @param {number} at the metric's place */
  writeLine(line, { rate, unit, worth, drives, flagged, fragile, spread }, at) {
    const texts = { rate, "rate-unit": unit, worth };
    for (const [name, said] of Object.entries(texts)) write(find(line, `.${name}`, HTMLElement), said);
    const place = find(line, ".drives", HTMLElement);
    place.classList.toggle("flagged", flagged);
    // The badge is left alone where it stays: it may have the focus.
    const present = findOptional(place, ".fragile", HTMLElement);
    if (!fragile) present?.remove();
    else if (!present) place.prepend(badge());
    const last = place.lastChild instanceof Text ? place.lastChild : place.appendChild(new Text());
    last.data = fragile ? ` ${drives}` : drives;
    const svg = find(line, ".spread", SVGElement);
    svg.setAttribute("aria-label", spread);
    const model = explained(this.page);
    drawSpread(svg, compared(this.page.ranking, this.page.data.metrics)[at], model);
  }
}

/** How values spread, with a mark at their median and one at a model.
 * @param {SVGElement} svg @param {Float64Array} all @param {number | null} model */
function drawSpread(svg, all, model) {
  const values = all.filter((value) => !Number.isNaN(value)).sort();
  const own = model === null ? NaN : all[model];
  const half = values.length / 2;
  const median = (values[Math.ceil(half) - 1] + values[Math.floor(half)]) / 2;
  const paths = { bins: columns(values), middle: upright(median, values), chosen: upright(own, values) };
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(...Object.entries(paths).map(([name, d]) => drawn("path", { class: name, d })));
}

/** Where a value is along the range; in the middle where all are equal. @param {number} value @param {Float64Array} values */
function place(value, values) {
  const [low, high] = [values[0], values[values.length - 1]];
  return high === low ? 0.5 : (value - low) / (high - low);
}

/** @param {Float64Array} values in order */
function columns(values) {
  /** @type {number[]} */
  const counts = new Array(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.floor(place(value, values) * BINS))] += 1;
  const most = Math.max(...counts);
  const width = WIDTH / BINS;
  return counts
    .map((count, bin) => {
      const height = Math.max(LEAST, (count / most) * (HEIGHT - 2)).toFixed(1);
      return count ? `M${bin * width + 0.5} ${HEIGHT}v-${height}h${width - 1}v${height}z` : "";
    })
    .join("");
}

/** @param {number} value @param {Float64Array} values */
function upright(value, values) {
  if (Number.isNaN(value)) return "";
  return `M${(1 + place(value, values) * (WIDTH - 2)).toFixed(1)} 0V${HEIGHT}`;
}

/** What is fragile: models whose leaving moves others. */
class Fragile {
  /** @param {MarkedPage} page */
  constructor(page) {
    this.page = page;
    this.list = byId("fragile-list");
    /** What the page came with still holds. That of a snapshot comes without. */
    this.asCame = this.list.childElementCount > 0;
    this.queue = new Queue(() => this.update());
    this.rest = new AfterRest(() => this.queue.ask());
    /** Open the explanation that a badge leads to. */
    document.addEventListener("click", ({ target }) => {
      const link = target instanceof Element && target.closest("a.fragile");
      if (link) byId("fragile", HTMLDetailsElement).open = true;
    });
  }

  /** @param {Ranking} ranking */
  follow(ranking) {
    if (!this.page.ready || ranking.size > MANY) return;
    this.asCame &&= ranksAlike(this.page.ranked, this.page.view.defaults);
    if (!this.asCame) this.rest.ask();
  }

  async update() {
    const { ranking, certainty, scorer, question, words } = this.page;
    // The sets of all models come first.
    await certainty.ask();
    if (ranking !== this.page.ranking) return;
    const moves = await scorer.leaving(question);
    if (!moves || ranking !== this.page.ranking) return;
    /** @type {Text[]} */
    const lines = await words.now("leaving", { moves });
    if (ranking !== this.page.ranking) return;
    this.mark(moves);
    this.list.replaceChildren(...lines.map((line) => element("li", {}, ...piecesOf(line))));
  }

  /** Mark the rows of models that others depend on, whether they are in the page now or not. @param {LeavingData} moves */
  mark(moves) {
    const { data, table } = this.page;
    const counts = new Map(
      Object.entries(moves).map(([model, found]) => [data.models[Number(model)].id, found.length]),
    );
    for (const [model = "", line] of table.lines) {
      const count = counts.get(model);
      const present = findOptional(line, ".fragile", HTMLElement);
      if (present?.textContent === (count && text("why.fragile-others", { others: count }))) continue;
      present?.remove();
      if (count) find(line, ".origin .mark", HTMLElement).after(badge(count), " ");
    }
  }
}
