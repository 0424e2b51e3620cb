// Which model wins where, as weight moves between three metrics. Python finds the winner at every point of a
// grid (evaluator/rank/tradeoffs.py); here they become regions. The visitor's own weights are a knob to move.
import { element, find, write } from "../base/elements.js";
import { percent, reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { offerMetrics, Pointer } from "./panel.js";
import { fitted, picture } from "./svg.js";
import { WeightTerms } from "./map-terms.js";
import { NOBODY, layersOf, regionsOf } from "./winner-map.js";

/** @import { BoardHost, Card, ChartTable } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Panel } from "./panel.js" */
/** @import { TradeTerms } from "./trade-map.js" */
/** @import { Triple } from "./triangle-picture.js" */
/** @import { Region, Unsure } from "./winner-map.js" */
/** Milliseconds after which weights are taken to rest. */
const REST = 200;
// Winners that get a tone of their own; further ones share the last.
const TONES = 8;
// Width of a name in the legend, in pixels.
const NAME = 200;
/** Where the map is shown: the ranking that it stands beside, the models' names, and whether somebody sees it.
 * @typedef {{ ranking: Ranking, names: string[], mapInSight: boolean }} MapPlace */

export class Triangle {
  /** @param {BoardHost} page @param {Panel} panel @param {MapPlace} charts
   * @param {TradeTerms | null} byTrades what it is of by trade-offs; null on a page that never ranks by them */
  constructor(page, panel, charts, byTrades = null) {
    this.page = page;
    this.panel = panel;
    this.charts = charts;
    this.metrics = page.data.metrics;
    this.byWeights = new WeightTerms(page);
    this.byTrades = byTrades;
    /** What the picture shows, and in which shape. */
    this.shown = this.terms;
    this.shape = this.shown.shape(0);
    /** How many maps have been requested. */
    this.turn = 0;
    /** What the picture shows, and what its map was made for. @type {string | null} */
    this.drawn = null;
    /** @type {string | null} */
    this.mapped = null;
    /** The timer of a map that is due; 0 while none is. */
    this.due = 0;
    /** Each winner's tone. @type {Map<number, number>} */
    this.tones = new Map();
    /** The winner at each point of the grid. @type {Int32Array | null} */
    this.winners = null;
    /** @type {Region<Triple>[]} */
    this.regions = [];
    /** Where the leader is not certain; null until that is known. @type {Unsure<Triple> | null} */
    this.unsure = null;
    this.legend = find(panel.element, ".wins", HTMLElement);
    this.controls = find(panel.element, ".chart-controls", HTMLElement);
    this.selects = [...panel.element.querySelectorAll("select")];
    this.selects.forEach((select, at) => {
      offerMetrics(select, this.metrics, () => this.putAt(at, select.value));
      // Until the map is drawn: three selects with the same metric would look like a mistake.
      select.selectedIndex = Math.min(at, this.metrics.length - 1);
    });
    this.pointer = new Pointer(panel.frame, this);
    this.knob = new Knob(this);
  }

  /** A metric goes to a corner; the one that was there goes where it came from. @param {number} at @param {string} name */
  putAt(at, name) {
    const corners = [...this.terms.names];
    const from = corners.indexOf(name);
    if (from >= 0) corners[from] = corners[at];
    corners[at] = name;
    this.page.view.set({ corners });
  }

  /** What the map is of by the view now: one of two with the same methods, each with places of its own.
   * @returns {WeightTerms} */
  get terms() {
    if (this.page.view.now.by !== "trades") return this.byWeights;
    return /** @type {any} */ (this.byTrades ?? this.byWeights);
  }

  /** @param {WeightTerms} terms */
  metricsOf({ names }) {
    return names.flatMap((name) => this.metrics.filter((metric) => metric.name === name));
  }

  key() {
    const { ranking } = this.charts;
    return [this.mapKey(), this.terms.place, ranking.order[0] ?? null, ranking.ranked];
  }

  /** What the map depends on: everything but where the knob is. */
  mapKey() {
    return JSON.stringify([...this.terms.key, this.page.ready, this.panel.width]);
  }

  draw() {
    if (this.metrics.length < 3) return this.decline(text("triangle.few-metrics"));
    if (!this.page.ready) return this.decline(text("triangle.later"));
    this.showChoice();
    if (this.mapKey() === this.mapped) return this.describe();
    return this.schedule(this.mapped ? REST : 0);
  }

  /** Show which metrics the map is of, and which it can be of. */
  showChoice() {
    const { terms } = this;
    this.selects.forEach((select, at) => {
      const label = find(this.controls, `label:nth-of-type(${at + 1})`, HTMLElement);
      label.hidden = at >= terms.names.length;
      if (label.hidden) return;
      write(find(label, "span", HTMLElement), terms.say(`side-${at + 1}`));
      for (const option of select.options) option.disabled = !terms.takes(option.value);
      select.value = terms.names[at];
    });
  }

  /** @param {string} sentence */
  decline(sentence) {
    this.mapped = this.winners = null;
    this.controls.hidden = this.metrics.length < 3;
    this.legend.replaceChildren();
    this.panel.decline(sentence);
  }

  /** Make a map after a while, unless another is due by then. @param {number} rest */
  schedule(rest) {
    clearTimeout(this.due);
    this.due = setTimeout(() => {
      this.due = 0;
      this.map();
    }, rest);
  }

  /** Something moves: a map that is due is put off until it rests, as it keeps Python from ranking. */
  wait() {
    if (this.due) this.schedule(REST);
  }

  async map() {
    const key = this.mapKey();
    const turn = ++this.turn;
    const { terms } = this;
    try {
      const winners = await terms.winners(this.page.scorer);
      if (turn !== this.turn) return;
      // A ranking came between.
      if (!winners) return this.schedule(REST);
      this.winners = winners;
      this.mapped = key;
      this.shown = terms;
      this.unsure = null;
      this.paint(winners);
      await this.shade();
    } catch (error) {
      if (turn === this.turn) this.decline(text("triangle.failed", { reason: reasonOf(error) }));
    }
  }

  /** Find where the leader is not certain, and shade it, once the map is in sight. */
  async shade() {
    const { turn, shown } = this;
    const { certainty, scorer } = this.page;
    if (!certainty.able || !this.winners || this.unsure || !this.charts.mapInSight) return;
    await certainty.ask();
    if (turn !== this.turn) return;
    const unsure = await shown.unsure(scorer);
    if (!unsure || turn !== this.turn || !this.winners) return;
    this.unsure = unsure;
    this.paint(this.winners);
  }

  /** @param {Int32Array} winners */
  paint(winners) {
    const { shown } = this;
    this.regions = regionsOf(shown.grid, winners);
    this.chooseTones();
    this.shape = shown.shape(this.panel.width);
    const { names } = this.charts;
    const drawing = shown.picture(this.shape, names, (model) => this.tone(model));
    const layers = layersOf(drawing, this.regions, this.unsure?.nodes ?? [], this.metricsOf(shown));
    this.panel.frame.classList.remove("bare");
    this.pointer.hold(picture(this.shape.width, this.shape.height, text("triangle.title"), ...layers));
    this.panel.frame.append(this.knob.element);
    const lines = this.regions.map(({ model, share }) =>
      legendLine(this.tone(model), fitted(this.winnerName(model), NAME), share),
    );
    const shade = this.unsure?.nodes.length
      ? [legendLine("unsure", text("triangle.unsure"), this.unsure.share)]
      : [];
    this.legend.replaceChildren(...lines, ...shade);
    this.describe();
  }

  /** Say where the weights are now. */
  describe() {
    const terms = () => ({
      regions: this.won.map(({ model, share }) => [model, share]),
      unsure: this.unsure && this.unsure.share,
    });
    const reading = [
      this.shown.say("reading"),
      this.unsure?.nodes.length ? text("triangle.hatched") : "",
      this.shown.place ? "" : text("triangle.weightless"),
      this.won.length > TONES ? text("triangle.tones") : "",
    ];
    this.panel.ask(this.page.words, "triangle", terms, reading, () => this.numbers());
    this.knob.show();
  }

  get won() {
    return this.regions.filter(({ model }) => model !== NOBODY);
  }

  /** A winner keeps its tone as long as it wins somewhere; the larger regions choose first. */
  chooseTones() {
    const winners = this.won.map(({ model }) => model);
    for (const model of this.tones.keys()) if (!winners.includes(model)) this.tones.delete(model);
    const used = new Set(this.tones.values());
    const free = Array.from({ length: TONES }, (_, tone) => tone).filter((tone) => !used.has(tone));
    for (const model of winners) {
      const tone = this.tones.has(model) ? undefined : free.shift();
      if (tone !== undefined) this.tones.set(model, tone);
    }
  }

  /** @param {number} model */
  tone(model) {
    return model === NOBODY ? "nobody" : `tone${this.tones.get(model) ?? TONES}`;
  }

  /** @param {number} model */
  winnerName(model) {
    return model === NOBODY ? text("triangle.nobody") : this.charts.names[model];
  }

  /** @returns {ChartTable} */
  numbers() {
    const { grid } = this.shown;
    const middles = this.metricsOf(this.shown).map((metric) =>
      text("triangle.middle", { name: metric.label }),
    );
    const rows = this.regions.map(({ model, share, nodes }) => [
      this.winnerName(model),
      shareText(share),
      ...this.amounts(grid.middle(nodes)),
    ]);
    return { heads: [text("triangle.winner"), text("triangle.share"), ...middles], rows };
  }

  // Answers to the pointer. Marks are the positions of points of the grid in `winners`.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    if (!this.winners || !this.shape.has(y)) return null;
    return this.shown.grid.nearest(this.shape.placeAt(x, y));
  }

  /** By keys it is the knob that moves. @returns {number[]} */
  along() {
    return [];
  }

  start() {
    return undefined;
  }

  light() {}

  /** @param {number} mark @returns {Card} */
  card(mark) {
    const place = this.placeOf(mark);
    const [x, y] = this.shape.spot(place);
    return { x, y, title: this.winnerName(this.winners?.[mark] ?? NOBODY), lines: this.inWords(place) };
  }

  /** @param {number} mark */
  placeOf(mark) {
    const { grid } = this.shown;
    return grid.placeOf(grid.nodes[mark]);
  }

  /** What each metric has at a place. @param {Triple} place */
  amounts(place) {
    const { shown } = this;
    return this.metricsOf(shown).map((metric, at) => shown.amount(metric, at, place));
  }

  /** The metrics of the map, each with what it has at a place. @param {Triple} place */
  inWords(place) {
    const amounts = this.amounts(place);
    return this.metricsOf(this.shown).map((metric, at) => `${metric.label} ${amounts[at]}`);
  }

  /** @param {number} mark */
  choose(mark) {
    this.shown.take(this.placeOf(mark));
    this.page.view.settle();
  }
}

/** @param {string} tone @param {string} name @param {number} share of the triangle */
function legendLine(tone, name, share) {
  return element(
    "li",
    {},
    element("span", { class: `tone ${tone}`, "aria-hidden": "true" }),
    element("span", { class: "win-name", dir: "auto" }, name),
    element("span", { class: "num" }, shareText(share)),
  );
}

/** A part of the triangle in per cent; a small one does not become 0. @param {number} share */
function shareText(share) {
  return share > 0 && share < 0.005 ? "< 1 %" : percent(share, 0);
}

/** The visitor's weights on the triangle: a knob to drag, or to move by the arrow keys. */
class Knob {
  /** @param {Triangle} triangle */
  constructor(triangle) {
    this.triangle = triangle;
    this.held = false;
    this.moved = false;
    this.element = element("div", {
      class: "knob",
      role: "slider",
      tabindex: "0",
      "aria-valuemin": "0",
      "aria-valuemax": "100",
    });
    this.element.addEventListener("pointerdown", (event) => {
      this.held = true;
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => this.drag(event));
    for (const type of ["pointerup", "pointercancel", "keyup"]) {
      this.element.addEventListener(type, () => this.release());
    }
    this.element.addEventListener("keydown", (event) => this.walk(event));
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.held) return;
    const { shape, shown, pointer } = this.triangle;
    this.move(shown.rounded(shape.placeAt(...pointer.place(event))));
  }

  release() {
    if (this.moved) this.triangle.page.view.settle();
    this.held = this.moved = false;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const { shown } = this.triangle;
    const place = shown.step(shown.place ?? shown.middle, event.key);
    if (!place) return;
    event.preventDefault();
    this.move(place);
  }

  /** @param {Triple} place */
  move(place) {
    this.moved = true;
    this.triangle.shown.take(place);
    this.show();
  }

  show() {
    const { triangle } = this;
    const { shown } = triangle;
    const place = shown.place ?? shown.middle;
    const [x, y] = triangle.shape.spot(place);
    const { zoom } = triangle.pointer;
    this.element.style.left = `${x * zoom}px`;
    this.element.style.top = `${y * zoom}px`;
    this.element.classList.toggle("weightless", !shown.place);
    this.element.setAttribute("aria-label", shown.say("knob"));
    this.element.setAttribute("aria-valuenow", String(Math.round(shown.height(place) * 100)));
    this.element.setAttribute("aria-valuetext", triangle.inWords(place).join(", "));
  }
}
