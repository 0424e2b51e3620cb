// Which model wins where, as weight moves between three metrics. Python finds the winner at every point of a
// grid (evaluator/rank/tradeoffs.py); here they become regions. The visitor's own weights are a knob to move.
import { element, find } from "../base/elements.js";
import { percent, reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { LARGEST } from "../view/fragment.js";
import { question } from "../view/view.js";
import { offerMetrics, Pointer } from "./panel.js";
import { fitted, picture } from "./svg.js";
import { Grid, NOBODY, TrianglePicture, TriangleShape, withinTriangle } from "./triangle-picture.js";

/** @import { BoardHost, Card, ChartTable } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Panel } from "./panel.js" */
/** @import { Region, Triple } from "./triangle-picture.js" */
/** Milliseconds after which weights are taken to rest. */
const REST = 200;
// Points of the grid along a side, less one: fewer on a board that takes Python longer.
const STEPS = { fine: 80, coarse: 40, many: 150 };
// Winners that get a tone of their own; further ones share the last.
const TONES = 8;
// Width of a name in the legend, in pixels.
const NAME = 200;
/** Where the map is shown: the ranking that it stands beside, the models' names, and whether somebody sees it.
 * @typedef {{ ranking: Ranking, names: string[], mapInSight: boolean }} MapPlace */

export class Triangle {
  /** @param {BoardHost} page @param {Panel} panel @param {MapPlace} charts */
  constructor(page, panel, charts) {
    this.page = page;
    this.panel = panel;
    this.charts = charts;
    this.metrics = page.data.metrics;
    this.grid = new Grid(page.data.models.length > STEPS.many ? STEPS.coarse : STEPS.fine);
    this.shape = new TriangleShape(0);
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
    /** @type {Region[]} */
    this.regions = [];
    /** The points where the leader is not certain; null until that is known. @type {Triple[] | null} */
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
    const corners = [...this.corners];
    const from = corners.indexOf(name);
    if (from >= 0) corners[from] = corners[at];
    corners[at] = name;
    this.page.view.set({ corners });
  }

  /** Names of the three metrics: those of the view, filled up with the board's own. */
  get corners() {
    const names = [...this.page.view.now.corners, ...this.page.view.defaults.corners];
    return [...new Set(names)].slice(0, 3);
  }

  get cornerMetrics() {
    return this.corners.flatMap((name) => this.metrics.filter((metric) => metric.name === name));
  }

  /** What the three weigh now. */
  get weights() {
    return this.corners.map((name) => this.page.view.now.metrics[name]);
  }

  /** Shares of the three among themselves; null while none of them weighs anything. @returns {Triple | null} */
  get shares() {
    const [a, b, c] = this.weights;
    const total = a + b + c;
    return total ? [a / total, b / total, c / total] : null;
  }

  key() {
    return [this.mapKey(), this.weights, this.charts.ranking.order[0] ?? null, this.charts.ranking.ranked];
  }

  /** The question of the newest view, which the ranking may not answer yet. */
  get question() {
    return question(this.page.view.now, this.page.data.models);
  }

  /** What the map depends on: everything but how the three share their weight. */
  mapKey() {
    const { metrics, ...terms } = this.question;
    const others = Object.entries(metrics).filter(([name]) => !this.corners.includes(name));
    const weights = [this.corners, others, sum(this.weights).toPrecision(4)];
    return JSON.stringify([...weights, terms, this.page.ready, this.panel.width]);
  }

  draw() {
    if (this.metrics.length < 3) return this.decline(text("triangle.few-metrics"));
    if (!this.page.ready) return this.decline(text("triangle.later"));
    this.corners.forEach((name, at) => (this.selects[at].value = name));
    if (this.mapKey() === this.mapped) return this.describe();
    return this.schedule(this.mapped ? REST : 0);
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
    try {
      const winners = await this.page.scorer.triangle(this.question, this.corners, this.grid.steps);
      if (turn !== this.turn) return;
      // A ranking came between.
      if (!winners) return this.schedule(REST);
      this.winners = winners;
      this.mapped = key;
      this.unsure = null;
      this.paint(winners);
      await this.shade();
    } catch (error) {
      if (turn === this.turn) this.decline(text("triangle.failed", { reason: reasonOf(error) }));
    }
  }

  /** Find where the leader is not certain, and shade it, once the map is in sight. */
  async shade() {
    const { turn } = this;
    const { certainty, scorer } = this.page;
    if (!certainty.able || !this.winners || this.unsure || !this.charts.mapInSight) return;
    await certainty.ask();
    if (turn !== this.turn) return;
    const sure = await scorer.certain(this.question, this.corners, this.grid.steps);
    if (!sure || turn !== this.turn || !this.winners) return;
    this.unsure = this.grid.nodes.filter((_, at) => !sure[at]);
    this.paint(this.winners);
  }

  /** @param {Int32Array} winners */
  paint(winners) {
    this.regions = this.grid.regions(winners);
    this.chooseTones();
    this.shape = new TriangleShape(this.panel.width);
    const { names } = this.charts;
    const drawing = new TrianglePicture(this.shape, this.grid, names, (model) => this.tone(model));
    const layers = drawing.layers(this.regions, this.unsure ?? [], this.cornerMetrics);
    this.panel.frame.classList.remove("bare");
    this.pointer.hold(picture(this.shape.width, this.shape.height, text("triangle.title"), ...layers));
    this.panel.frame.append(this.knob.element);
    const lines = this.regions.map(({ model, share }) =>
      legendLine(this.tone(model), fitted(this.winnerName(model), NAME), share),
    );
    const shade = this.unsure?.length
      ? [legendLine("unsure", text("triangle.unsure"), this.unsureShare)]
      : [];
    this.legend.replaceChildren(...lines, ...shade);
    this.describe();
  }

  /** Say where the weights are now. */
  describe() {
    const terms = () => ({
      regions: this.won.map(({ model, share }) => [model, share]),
      unsure: this.unsure && this.unsureShare,
    });
    const reading = [
      text("triangle.reading"),
      this.unsure?.length ? text("triangle.hatched") : "",
      this.shares ? "" : text("triangle.weightless"),
      this.won.length > TONES ? text("triangle.tones") : "",
    ];
    this.panel.ask(this.page.words, "triangle", terms, reading, () => this.numbers());
    this.knob.show();
  }

  get won() {
    return this.regions.filter(({ model }) => model !== NOBODY);
  }

  /** The part of the triangle where the leader is not certain. */
  get unsureShare() {
    return this.grid.ground(this.unsure ?? []);
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
    const middles = this.cornerMetrics.map((metric) => text("triangle.middle", { name: metric.label }));
    const rows = this.regions.map(({ model, share, nodes }) => [
      this.winnerName(model),
      shareText(share),
      ...this.grid.middle(nodes).map((middle) => percent(middle, 0)),
    ]);
    return { heads: [text("triangle.winner"), text("triangle.share"), ...middles], rows };
  }

  // Answers to the pointer. Marks are the positions of points of the grid in `winners`.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    if (!this.winners || !this.shape.has(y)) return null;
    const [a, b] = this.shape.sharesAt(x, y);
    return this.grid.nearest(a, b);
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
    const shares = this.grid.shares(this.grid.nodes[mark]);
    const [x, y] = this.shape.spot(shares);
    return { x, y, title: this.winnerName(this.winners?.[mark] ?? NOBODY), lines: this.inWords(shares) };
  }

  /** The three metrics with their shares. @param {Triple} shares */
  inWords(shares) {
    return this.cornerMetrics.map((metric, at) => `${metric.label} ${percent(shares[at], 0)}`);
  }

  /** @param {number} mark */
  choose(mark) {
    this.weigh(this.grid.shares(this.grid.nodes[mark]));
    this.page.view.settle();
  }

  /** Give the three these shares of what they weigh together; a locked one keeps its own. @param {Triple} shares */
  weigh(shares) {
    const { view } = this.page;
    const total = sum(this.weights) || 1;
    const locks = this.corners.map((name) => view.now.lockedMetrics.includes(name));
    const kept = this.shares ? withLocked(shares, this.shares, locks) : shares;
    const weights = kept.map((share) => Math.min(LARGEST, Number((share * total).toPrecision(6))));
    const changed = Object.fromEntries(this.corners.map((name, at) => [name, weights[at]]));
    view.change({ metrics: { ...view.now.metrics, ...changed } });
  }
}

/** Shares of three where the locked ones stay as they are `now`; the others keep their proportions in the rest.
 * @param {Triple} shares @param {Triple} now @param {boolean[]} locks */
export function withLocked(shares, now, locks) {
  const held = sum(now.filter((_, at) => locks[at]));
  const free = sum(shares.filter((_, at) => !locks[at]));
  if (!held) return shares;
  if (!free) return now;
  return shares.map((share, at) => (locks[at] ? now[at] : (share / free) * (1 - held)));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
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

// A knob that is dragged goes by hundredths; the arrow keys move this share.
const FINE = 100;
const KEY = 0.025;
/** Left and right trade the lower corners, up and down go to the top one and away from it.
 * @type {Record<string, Triple>} */
const KEY_STEPS = {
  ArrowLeft: [0, KEY, -KEY],
  ArrowRight: [0, -KEY, KEY],
  ArrowUp: [KEY, -KEY / 2, -KEY / 2],
  ArrowDown: [-KEY, KEY / 2, KEY / 2],
};
/** Where the knob is while the three weigh nothing. @type {Triple} */
const MIDDLE = [1 / 3, 1 / 3, 1 / 3];

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
      "aria-label": text("triangle.knob"),
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
    const shares = this.triangle.shape.sharesAt(...this.triangle.pointer.place(event));
    const [a, b] = shares.map((share) => Math.round(share * FINE) / FINE);
    this.move([a, b, Math.max(0, 1 - a - b)]);
  }

  release() {
    if (this.moved) this.triangle.page.view.settle();
    this.held = this.moved = false;
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const step = KEY_STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [a, b, c] = this.triangle.shares ?? MIDDLE;
    this.move(withinTriangle([a + step[0], b + step[1], c + step[2]]));
  }

  /** @param {Triple} shares */
  move(shares) {
    this.moved = true;
    this.triangle.weigh(shares);
    this.show();
  }

  show() {
    const { triangle } = this;
    const shares = triangle.shares ?? MIDDLE;
    const [x, y] = triangle.shape.spot(shares);
    const { zoom } = triangle.pointer;
    this.element.style.left = `${x * zoom}px`;
    this.element.style.top = `${y * zoom}px`;
    this.element.classList.toggle("weightless", !triangle.shares);
    this.element.setAttribute("aria-valuenow", String(Math.round(shares[0] * 100)));
    this.element.setAttribute("aria-valuetext", triangle.inWords(shares).join(", "));
  }
}
