// "By your own exchange": sentences that say what one unit of the base metric is worth, in numbers to type or to drag, in
// the place of the weights of metrics.
import { byId, find, findAll, write } from "../base/elements.js";
import { isolated } from "../base/formats.js";
import { text } from "../base/texts.js";
import { same } from "../view/fragment.js";
import { REACH, atPosition, beginning, offered, partsOf, positionOf, textOf, typed } from "../view/trades.js";
import { question } from "../view/view.js";

/** @import { BoardHost, BoardView, MetricData, Part, RankedBy, TradeOffer } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @typedef {BoardHost["offers"]} Offers */
/** @typedef {Pick<BoardHost, "data" | "view" | "words" | "ready">} TradesPage */

/** What the board's exchange rates make of trade-offs under a view: what they follow from beside the models.
 * @param {BoardView} view */
function offeredUnder({ base, datasets, threshold, rate }) {
  return { base, datasets, threshold, rate };
}

/** What the board's rates make of trade-offs under a view; of another view than its default one once Python is there.
 * @param {TradesPage} page @param {BoardView} view @returns {Promise<Offers>} */
async function offersFor({ data, ready, view: { defaults }, words }, view) {
  if (same(offeredUnder(view), offeredUnder(defaults))) return data.offers ?? {};
  return ready ? words.now("trades", {}, question({ ...view, by: "dynascore" }, data.models)) : {};
}

/** Rank by something else, or by trade-offs: those that there are, else what the board's rates make of them.
 * @param {TradesPage} page @param {RankedBy} by */
export async function rankBy(page, by) {
  const { view } = page;
  if (by !== "trades" || Object.keys(view.now.trades).length) return view.set({ by });
  view.set({ by, trades: beginning(await offersFor(page, view.now), view.now) });
}

/** Take another base metric. Trade-offs are of one unit of it, so that by these they are what the rates make of them.
 * @param {TradesPage} page @param {string} base */
export async function takeBase(page, base) {
  const { view } = page;
  const next = { ...view.now, base };
  if (view.now.by !== "trades") return view.set({ base });
  view.set({ base, trades: beginning(await offersFor(page, next), next) });
}

/** @implements {Part} */
export class TradeControls {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.view = page.view;
    this.form = byId("trades");
    const over = document.getElementById("column-weights");
    /** What has the weights of metrics: the form, and the row over the columns. */
    this.weights = [byId("metric-weights"), ...(over ? [over] : [])];
    this.base = byId("trades-base");
    this.problem = byId("trades-problem");
    this.modes = findAll(document, "#modes input", HTMLInputElement);
    this.rows = page.data.metrics.map((metric) => new Row(this, metric));
    /** The terms under which the page's offers are. */
    this.under = offeredUnder(this.view.defaults);
    for (const mode of this.modes) mode.addEventListener("change", () => this.turn(mode.value));
    byId("trades-rates").addEventListener("click", () => this.fill());
    this.showAll(this.view.now);
  }

  /** @param {string} mode */
  turn(mode) {
    const { by } = this.view.defaults;
    rankBy(this.page, mode === "trades" ? "trades" : by === "trades" ? "dynascore" : by);
  }

  async fill() {
    const { now } = this.view;
    this.view.set({ trades: beginning(await offersFor(this.page, now), now) });
  }

  /** Let a metric count for so much, or not at all. @param {string} name @param {number | string | null} trade */
  change(name, trade) {
    const { trades } = this.view.now;
    const known = this.rows.map((row) => row.metric.name);
    const next = new Map([...Object.entries(trades), [name, trade]]);
    const kept = known.flatMap((one) => {
      const amount = next.get(one) ?? null;
      return amount === null ? [] : [/** @type {const} */ ([one, amount])];
    });
    this.view.change({ trades: Object.fromEntries(kept) });
  }

  settle() {
    this.showProblem(null, "");
    this.view.settle();
    this.showAll(this.view.now);
  }

  /** @param {Row | null} at @param {string} words */
  showProblem(at, words) {
    for (const row of this.rows) {
      row.amount.setAttribute("aria-invalid", String(row === at && words !== ""));
    }
    this.problem.textContent = words;
    this.problem.hidden = !words;
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (["by", "trades", "base"].some((field) => changed.has(field))) this.showAll(view);
    if (view.by === "trades" && (changed.has("ranking") || changed.has("ready"))) this.ask(view);
  }

  /** Sliders stand around what the rates make of trade-offs: ask for that where it is other than before. @param {BoardView} view */
  async ask(view) {
    const under = offeredUnder(view);
    if (same(under, this.under) || !this.page.ready) return;
    this.under = under;
    this.page.offers = await offersFor(this.page, view);
    this.showAll(this.view.now);
  }

  /** @param {BoardView} view */
  showAll({ by, base, trades }) {
    const traded = by === "trades";
    for (const mode of this.modes) {
      mode.checked = (mode.value === "trades") === traded;
      // Of a group of radio buttons the Tab key stops at the one that is chosen.
      mode.tabIndex = mode.checked ? 0 : -1;
    }
    this.form.hidden = !traded;
    for (const place of this.weights) place.hidden = traded;
    const metric = this.page.data.metrics.find(({ name }) => name === base);
    if (metric) {
      write(this.base, text("trades.worth", { one: metric.one, name: isolated(metric.label) }));
    }
    for (const row of this.rows) {
      const { name } = row.metric;
      row.show(base, trades[name] ?? null, this.page.offers[name]);
    }
  }
}

/** The part of the sentence about one metric. */
class Row {
  /** @param {TradeControls} controls @param {MetricData} metric */
  constructor(controls, metric) {
    this.controls = controls;
    this.metric = metric;
    this.place = find(controls.form, `[data-name="${CSS.escape(metric.name)}"]`, HTMLElement);
    this.counts = find(this.place, ".counts", HTMLInputElement);
    this.amount = find(this.place, ".amount", HTMLInputElement);
    this.slider = find(this.place, ".slider", HTMLInputElement);
    this.slider.min = String(-REACH);
    this.slider.max = String(REACH);
    /** What somebody types or drags: it stays as it is. @type {HTMLInputElement | null} */
    this.held = null;
    /** The last trade-off, so that one that is taken up again is what it was. @type {number | string | null} */
    this.last = null;
    /** @type {TradeOffer | undefined} */
    this.offer = undefined;
    this.amount.addEventListener("input", () => this.type());
    this.slider.addEventListener("input", () => this.drag());
    for (const input of [this.amount, this.slider]) {
      input.addEventListener("change", () => this.controls.settle());
    }
    this.counts.addEventListener("change", () => {
      this.controls.change(metric.name, this.counts.checked ? this.start : null);
      this.controls.settle();
    });
  }

  get start() {
    return this.last ?? offered(this.offer);
  }

  get percent() {
    return partsOf(this.start).percent;
  }

  type() {
    const { metric, amount } = this;
    const trade = typed(amount.value, metric, this.percent);
    const empty = amount.value.trim() === "";
    const wrong = text("trades.no-amount", { unit: metric.amounts || text("trades.number") });
    this.controls.showProblem(this, trade === null && !empty ? wrong : "");
    if (trade !== null || empty) this.hold(amount, trade);
  }

  drag() {
    this.hold(this.slider, atPosition(Number(this.slider.value), this.percent, this.offer));
  }

  /** @param {HTMLInputElement} input @param {number | string | null} trade */
  hold(input, trade) {
    this.held = input;
    this.controls.change(this.metric.name, trade);
    this.held = null;
  }

  /** @param {string} base @param {number | string | null} trade @param {TradeOffer | undefined} offer */
  show(base, trade, offer) {
    this.offer = offer;
    if (trade !== null) this.last = trade;
    this.place.hidden = this.metric.name === base;
    this.place.classList.toggle("idle", trade === null);
    this.counts.checked = trade !== null;
    const words = trade === null ? "" : textOf(trade, this.metric);
    if (this.held !== this.amount) this.amount.value = words;
    this.amount.placeholder = textOf(this.start, this.metric);
    if (this.held !== this.slider) this.slider.value = String(positionOf(this.start, offer));
    const reach = (100 * (Number(this.slider.value) + REACH)) / (2 * REACH);
    this.slider.style.setProperty("--fill", `${reach}%`);
    this.slider.setAttribute("aria-valuetext", words || text("trades.idle"));
  }
}
