// The trade-offs under the table: four charts behind tabs. A chart is drawn only while somebody can see it,
// after the table has been painted, and again only when what it shows has changed.
import { makeOneStop } from "../base/controls.js";
import { byId, element, find, findAll } from "../base/elements.js";
import { CHARTS } from "../view/fragment.js";
import { Panel } from "./panel.js";
import { Parallel } from "./parallel.js";
import { Scatter } from "./scatter.js";
import { Slope } from "./slope.js";
import { fitted } from "./svg.js";
import { TradeTerms } from "./trade-map.js";
import { Triangle } from "./triangle.js";

/** @import { BoardHost, BoardView, ChartName } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

// Drawn before they scroll into view, so that they do not appear under one's eyes.
const NEAR = "400px";
// A drawing waits for an idle moment, but no longer than this many milliseconds.
const PATIENCE = 300;
// On paper, boards up to this many models have the numbers behind the chart.
const PRINTED = 60;
// Width of a name in the list of models, in pixels.
const NAME = 280;

export class Charts {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.section = byId("tradeoffs");
    this.names = page.data.models.map((model) => model.label);
    this.charts = {
      scatter: new Scatter(page, new Panel("scatter"), this),
      parallel: new Parallel(page, new Panel("parallel"), this),
      triangle: new Triangle(page, new Panel("triangle"), this, new TradeTerms(page)),
      slope: new Slope(page, new Panel("slope"), this),
    };
    this.tabs = new Tabs((chart) => page.view.set({ chart }));
    this.pointedChoice = find(this.section, ".pointed", HTMLElement);
    this.select = find(this.pointedChoice, "select", HTMLSelectElement);
    const options = this.names.map((name, at) =>
      element("option", { value: at, dir: "auto" }, fitted(name, NAME)),
    );
    this.select.append(...options);
    this.select.addEventListener("change", () => this.schedule());
    this.visible = false;
    /** Whether the map of winners is on the screen. */
    this.mapInSight = false;
    this.waiting = false;
    this.watch();
  }

  watch() {
    const seen = new IntersectionObserver(
      ([entry]) => {
        this.visible = entry.isIntersecting;
        this.schedule();
      },
      { rootMargin: NEAR },
    );
    seen.observe(this.section);
    // What shades the map costs a download, so that waits until somebody sees the map.
    const seenMap = new IntersectionObserver(([entry]) => {
      this.mapInSight = entry.isIntersecting;
      if (this.mapInSight) this.charts.triangle.shade();
    });
    seenMap.observe(byId("chart-triangle"));
    new ResizeObserver(() => this.schedule()).observe(this.section);
    // Charts off the screen are drawn before the page is printed, with their numbers where they are few.
    /** @type {HTMLDetailsElement[]} */
    let opened = [];
    addEventListener("beforeprint", () => {
      this.draw();
      const closed = "[role=tabpanel]:not([hidden]) .numbers:not([open])";
      opened = this.names.length <= PRINTED ? findAll(this.section, closed, HTMLDetailsElement) : [];
      for (const details of opened) details.open = true;
      this.chart.panel.fill();
    });
    addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));
  }

  /** @param {Ranking} _ranking @param {BoardView} view */
  show(_ranking, view) {
    this.tabs.open(view.chart);
    this.pointedChoice.hidden = view.chart === "triangle";
    this.charts.triangle.wait();
    this.schedule();
  }

  get ranking() {
    return this.page.ranking;
  }

  /** The chart that is open. */
  get chart() {
    return this.charts[this.page.view.now.chart];
  }

  /** The highlighted model: the chosen one, else the leader; null where no model is ranked. */
  get pointed() {
    if (this.select.value !== "") return Number(this.select.value);
    return this.ranking.ranked ? this.ranking.order[0] : null;
  }

  /** Whether search, filters and limits leave each model; the others stay in fronts, ranks and wins. */
  get matches() {
    return this.page.shown.matches(this.ranking, this.page.view.now);
  }

  /** What `matches` depends on. */
  get searched() {
    const { search, filters, limits } = this.page.view.now;
    return [search, filters, limits, this.page.ranked.datasets];
  }

  /** How many models search, filters and limits leave out. */
  get left() {
    return this.matches.filter((matches) => !matches).length;
  }

  /** The models chosen to be compared. */
  get chosen() {
    return this.page.view.now.chosen.map((id) => this.page.data.models.findIndex((model) => model.id === id));
  }

  /** The models that stand out: the highlighted one, then those chosen to be compared. */
  get outstanding() {
    const models = this.pointed === null ? this.chosen : [this.pointed, ...this.chosen];
    return [...new Set(models)];
  }

  /** @param {number} model */
  pointOut(model) {
    this.select.value = String(model);
    this.schedule();
  }

  schedule() {
    if (!this.visible || this.waiting) return;
    this.waiting = true;
    const draw = () => {
      this.waiting = false;
      this.draw();
    };
    if ("requestIdleCallback" in window) requestIdleCallback(draw, { timeout: PATIENCE });
    else setTimeout(draw, 50);
  }

  draw() {
    const { chart } = this;
    const key = JSON.stringify([chart.key(), chart.panel.width]);
    if (key === chart.drawn || !chart.panel.width) return;
    chart.drawn = key;
    chart.draw();
  }
}

/** Tabs as people know them: arrow keys go along, the one that has the focus is open. */
class Tabs {
  /** @param {(chart: ChartName) => void} onOpen */
  constructor(onOpen) {
    this.tabs = CHARTS.map((chart) => ({ chart, tab: byId(`tab-${chart}`), panel: byId(`chart-${chart}`) }));
    makeOneStop(this.tabs.map(({ tab }) => tab));
    for (const { chart, tab } of this.tabs) {
      // Some browsers do not give the focus to what is clicked.
      for (const type of ["focus", "click"]) tab.addEventListener(type, () => onOpen(chart));
    }
  }

  /** @param {ChartName} open */
  open(open) {
    for (const { chart, tab, panel } of this.tabs) {
      tab.setAttribute("aria-selected", String(chart === open));
      tab.tabIndex = chart === open ? 0 : -1;
      panel.hidden = chart !== open;
    }
  }
}
