// The board on the first page: a few sliders, the rows they move, and who wins where. The parts are those of every board;
// the whole board is one link away, at the same weights.
import { byId, find, findAll } from "../base/elements.js";
import { Panel } from "../charts/panel.js";
import { saveLine } from "../charts/saving.js";
import { Triangle } from "../charts/triangle.js";
import { savedChart } from "../parts/exporting.js";
import { addressOf, shownView } from "../parts/sharing.js";
import { Table } from "../parts/table.js";
import { Verdict } from "../parts/verdict.js";
import { WeightControls } from "../parts/weights.js";
import { Shown } from "../view/shown.js";
import { Announcer } from "./page.js";
import { RankedPage } from "./ranked.js";

/** @import { BoardView } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** Who wins where, as the chart of a board's page, but always in sight. */
class WinnerMap {
  /** @param {LivePage} page */
  constructor(page) {
    this.page = page;
    this.names = page.data.models.map((model) => model.label);
    this.mapInSight = true;
    this.triangle = new Triangle(page, new Panel("triangle"), this);
    new ResizeObserver(() => this.draw()).observe(byId("chart-triangle"));
  }

  get ranking() {
    return this.page.ranking;
  }

  show() {
    this.triangle.wait();
    this.draw();
  }

  draw() {
    const key = JSON.stringify([this.triangle.key(), this.triangle.panel.width]);
    if (key === this.triangle.drawn || !this.triangle.panel.width) return;
    this.triangle.drawn = key;
    this.triangle.draw();
  }
}

class LivePage extends RankedPage {
  constructor() {
    super({ shared: true });
    this.shown = new Shown(this.data.models, this.data.metrics, this.certainty);
    this.announcer = new Announcer();
    this.parts = [new Table(this), new Verdict(this), new WeightControls(this), new WinnerMap(this)];
    byId("reset").addEventListener("click", () => this.view.set({ metrics: this.view.defaults.metrics }));
    this.carryView(byId("live"));
    this.saveMap(byId("chart-triangle"));
  }

  /** Let the map be saved; the picture says where its board is. @param {HTMLElement} map */
  saveMap(map) {
    const title = find(document, ".live-map h2", HTMLElement).textContent;
    const board = new URL(this.urls.home ?? "", location.href).href;
    const address = () => addressOf(this, shownView(this), board);
    map.append(saveLine(map, title, () => savedChart(this, map, title, address())));
  }

  start() {
    this.show(["ranking"]);
    return this.load();
  }

  /** @param {BoardView} view @param {Ranking} ranking */
  take(view, ranking) {
    super.take(view, ranking);
    this.words.ask(
      "leaders",
      () => ({ sets: null }),
      (said) => this.announcer.announce(said),
    );
  }
}

/** Start, with what was moved before this script was here. */
export function startLive() {
  const sliders = findAll(byId("metric-weights"), ".control", HTMLElement).flatMap((control) => [
    find(control, ".slider", HTMLInputElement),
    find(control, ".number", HTMLInputElement),
  ]);
  const moved = sliders
    .filter((input) => input.value !== input.defaultValue)
    .map((input) => ({ input, value: input.value }));
  const page = new LivePage();
  page.view.start();
  for (const { input, value } of moved) {
    input.value = value;
    for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
  }
  page.start();
}
