// The trade-offs under the table: four charts behind tabs. A chart is drawn only while somebody can see it,
// after the table has been painted, and again only when what it shows has changed.
import { element } from "../base/elements.js";
import { isolated } from "../base/formats.js";
import { Panel } from "./panel.js";
import { Parallel } from "./parallel.js";
import { Scatter } from "./scatter.js";
import { Slope } from "./slope.js";
import { fitted } from "./svg.js";
import { Triangle } from "./triangle.js";

const CHARTS = { scatter: Scatter, parallel: Parallel, triangle: Triangle, slope: Slope };
// Drawn before they scroll into view, so that they do not appear under one's eyes.
const NEAR = "400px";
// A drawing waits for an idle moment, but no longer than this many milliseconds.
const PATIENCE = 300;
// On paper, boards up to this many models have the numbers behind the chart.
const PRINTED = 60;
// Width of a name in the list of models, in pixels.
const NAME = 280;

export class Charts {
  constructor(page) {
    this.page = page;
    this.section = document.getElementById("tradeoffs");
    this.names = page.data.models.map((model) => model.label);
    this.charts = {};
    for (const [name, Chart] of Object.entries(CHARTS)) {
      this.charts[name] = new Chart(page, new Panel(name), this);
    }
    this.tabs = new Tabs(this.section, (chart) => page.view.set({ chart }));
    this.prepareSelect();
    this.watch();
  }

  show(ranking, view) {
    this.tabs.open(view.chart);
    this.section.querySelector(".pointed").hidden = view.chart === "triangle";
    this.charts.triangle.wait();
    this.schedule();
  }

  get ranking() {
    return this.page.ranking;
  }

  /** The model that is pointed out: the one asked for, else the leader; null where no model is ranked. */
  get pointed() {
    if (this.select.value !== "") return Number(this.select.value);
    return this.ranking.ranked ? this.ranking.order[0] : null;
  }

  /** The models that search and filters find, by model; the others stay in fronts, ranks and wins. */
  get found() {
    return this.page.shown.matches(this.page.view.now);
  }

  /** What `found` depends on. */
  get sought() {
    const { search, filters } = this.page.view.now;
    return [search, filters];
  }

  /** How many models search and filters leave out, in a sentence; empty for none. */
  left(what) {
    const out = this.found.filter((found) => !found).length;
    return out
      ? `${out} ${out === 1 ? "model" : "models"} that you do not search for ${out === 1 ? "is" : "are"} ${what}.`
      : "";
  }

  /** The models chosen to be compared. */
  get chosen() {
    return this.page.view.now.chosen.map((id) => this.page.data.models.findIndex((model) => model.id === id));
  }

  /** What a model is called within a sentence. */
  called(model) {
    const name = this.names[model];
    return isolated(name.length > 80 ? `${name.slice(0, 79)}…` : name);
  }

  pointOut(model) {
    this.fillSelect();
    this.select.value = String(model);
    this.schedule();
  }

  prepareSelect() {
    this.select = this.section.querySelector(".pointed select");
    this.select.addEventListener("pointerdown", () => this.fillSelect(), { once: true });
    this.select.addEventListener("focus", () => this.fillSelect(), { once: true });
    this.select.addEventListener("change", () => this.schedule());
  }

  fillSelect() {
    if (this.select.length > 1) return;
    this.select.append(
      ...this.names.map((name, at) => element("option", { value: at, dir: "auto" }, fitted(name, NAME))),
    );
  }

  watch() {
    new IntersectionObserver(([entry]) => this.seen(entry.isIntersecting), { rootMargin: NEAR }).observe(
      this.section,
    );
    new ResizeObserver(() => this.schedule()).observe(this.section);
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => this.opened?.forEach((details) => (details.open = false)));
  }

  seen(visible) {
    this.visible = visible;
    this.schedule();
  }

  schedule() {
    if (!this.visible || this.waiting) return;
    this.waiting = true;
    idle(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const chart = this.charts[this.page.view.now.chart];
    const key = JSON.stringify([chart.key(), chart.panel.width]);
    if (key === chart.drawn || !chart.panel.width) return;
    chart.drawn = key;
    chart.draw();
  }

  /** Whatever is off the screen is drawn before it goes to paper, with its numbers where they are few. */
  print() {
    this.draw();
    const all = [...this.section.querySelectorAll("[role=tabpanel]:not([hidden]) .numbers:not([open])")];
    this.opened = this.names.length <= PRINTED ? all : [];
    for (const details of this.opened) details.open = true;
    this.charts[this.page.view.now.chart].panel.fill();
  }
}

function idle(work) {
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: PATIENCE });
  else setTimeout(work, 50);
}

/** Tabs as people know them: arrow keys go along, the one that has the focus is open. */
class Tabs {
  constructor(section, onOpen) {
    this.tabs = [...section.querySelectorAll("[role=tab]")];
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => onOpen(tab.dataset.chart));
      tab.addEventListener("keydown", (event) => this.walk(event, onOpen));
    }
  }

  walk(event, onOpen) {
    const at = this.tabs.indexOf(event.currentTarget);
    const last = this.tabs.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onOpen(this.tabs[to].dataset.chart);
    this.tabs[to].focus();
  }

  open(chart) {
    if (chart === this.now) return;
    this.now = chart;
    for (const tab of this.tabs) {
      const open = tab.dataset.chart === chart;
      tab.setAttribute("aria-selected", String(open));
      tab.tabIndex = open ? 0 : -1;
      document.getElementById(`chart-${tab.dataset.chart}`).hidden = !open;
    }
  }
}
