// From the default ranking to the visitor's own: who climbs and who falls.
import { Pointer, rankLine } from "./panel.js";
import { label, path, picture, shownWidth, STRONG, svg, tagClass, widthOf } from "./svg.js";

/** @import { BoardHost, Card, ChartTable, Point } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Charts } from "./charts.js" */
/** @import { Panel } from "./panel.js" */
/** Each drawn model's place from the top. @typedef {Map<number, number>} Side */

// On long boards the leaders of both rankings are drawn, and the models that the visitor chose.
const LEADERS = 20;
const ROW = 24;
const WIDEST = 760;
const EDGE = { top: 32, bottom: 12 };
// Room for ranks and names at both sides; on a narrow screen names are at the right only.
const NARROW = 520;
const NAMES = { share: 0.36, most: 260, narrow: 0.62 };
const RANK = 28;

const TITLE = "Ranks by default and at your weights";

export class Slope {
  /** @param {BoardHost} page @param {Panel} panel @param {Charts} charts */
  constructor(page, panel, charts) {
    this.page = page;
    this.panel = panel;
    this.charts = charts;
    /** What the picture shows. @type {string | null} */
    this.drawn = null;
    /** Ranks by model, null without one. @type {(number | null)[]} */
    this.before = [];
    /** @type {(number | null)[]} */
    this.after = [];
    /** The order at the left and at the right. @type {[Side, Side]} */
    this.sides = [new Map(), new Map()];
    this.width = 0;
    this.height = 0;
    this.narrow = false;
    /** Where lines begin and end. */
    this.left = 0;
    this.right = 0;
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(panel.frame, this);
  }

  key() {
    const { pointed, chosen, searched, ranking } = this.charts;
    return [searched, [...ranking.order], this.ranks(ranking), pointed, chosen];
  }

  /** @param {Ranking} ranking */
  ranks(ranking) {
    return this.charts.names.map((_, model) => ranking.rankOf(model));
  }

  draw() {
    const { ranking, names } = this.charts;
    this.before = this.ranks(this.page.first);
    this.after = this.ranks(ranking);
    const moved = names.map((_, model) => model).filter((model) => this.before[model] !== this.after[model]);
    if (moved.length) this.paint(moved);
    else this.decline();
  }

  decline() {
    this.sides = [new Map(), new Map()];
    this.pointer.point(null);
    this.panel.decline(
      "Your ranking is the default one: every model keeps its rank. Move a weight and the lines show who climbs and who falls.",
    );
  }

  /** @param {number[]} moved */
  paint(moved) {
    this.measure(this.picked(moved));
    this.panel.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, TITLE, ...this.layers()));
    const drawn = this.sides[0].size;
    const terms = () => ({ before: this.before, drawn, left: this.charts.left });
    const reading = ["Climbing lines are solid, falling ones dashed, those that stay thin."];
    this.panel.ask(this.page.words, "slope", terms, reading, () => this.numbers());
  }

  /** @param {Set<number>} models */
  measure(models) {
    this.width = Math.min(WIDEST, this.panel.width);
    this.narrow = this.width < NARROW;
    this.left = this.narrow ? RANK : Math.min(NAMES.most, this.width * NAMES.share);
    this.right = this.width - (this.narrow ? this.width * NAMES.narrow : this.left);
    this.sides = [places(this.page.first, models), places(this.charts.ranking, models)];
    this.height = EDGE.top + ROW * models.size + EDGE.bottom;
  }

  /** The models that are drawn. @param {number[]} moved */
  picked(moved) {
    const { ranking, matches, outstanding } = this.charts;
    const leaders = [this.page.first, ranking].flatMap((one) =>
      [...one.order].filter((model) => matches[model]).slice(0, LEADERS),
    );
    return new Set([...leaders, ...outstanding, this.furthest(moved, 1), this.furthest(moved, -1)]);
  }

  layers() {
    const models = [...this.sides[0].keys()];
    const first = this.narrow ? { x: 0, "text-anchor": "start" } : { x: this.left, "text-anchor": "end" };
    return [
      svg("text", { class: "axis-title", ...first, y: 16 }, "Default"),
      svg("text", { class: "axis-title", x: this.right, y: 16 }, "Yours"),
      ...models.map((model) =>
        svg("path", {
          class: `slope ${this.direction(model)}${this.style(model)}`,
          d: path(this.ends(model)),
        }),
      ),
      this.lit,
      ...models.flatMap((model) => this.writing(model)),
    ];
  }

  /** @param {number} model */
  style(model) {
    return this.charts.outstanding.includes(model) ? " loud" : "";
  }

  /** @param {number} model */
  direction(model) {
    const move = this.move(model);
    return move > 0 ? "up" : move < 0 ? "down" : "same";
  }

  /** How many places a model climbs; 0 where one of its ranks is missing. @param {number} model */
  move(model) {
    const [before, after] = [this.before[model], this.after[model]];
    return before === null || after === null ? 0 : before - after;
  }

  /** Where a model's line begins and ends. @param {number} model @returns {[Point, Point]} */
  ends(model) {
    return [
      [this.left + 8, this.y(0, model)],
      [this.right - 8, this.y(1, model)],
    ];
  }

  /** @param {0 | 1} side @param {number} model */
  y(side, model) {
    return EDGE.top + ROW * ((this.sides[side].get(model) ?? 0) + 0.5);
  }

  /** @param {number} model */
  writing(model) {
    return [...this.writingBefore(model), ...this.writingAfter(model)];
  }

  /** @param {number} model */
  writingBefore(model) {
    const strong = model === this.charts.pointed;
    const end = { y: this.y(0, model) + 4, "text-anchor": "end" };
    const rank = svg("text", { class: "place-tag", x: this.left, ...end }, rankText(this.before[model]));
    if (this.narrow) return [rank];
    const attributes = { class: tagClass(strong), x: this.left - 34, ...end };
    const name = label(this.charts.names[model], attributes, this.left - 36, strong ? STRONG : undefined);
    return [name, rank];
  }

  /** @param {number} model */
  writingAfter(model) {
    const change = this.change(model);
    const strong = model === this.charts.pointed;
    const weight = strong ? STRONG : undefined;
    const y = this.y(1, model) + 4;
    const room = this.width - this.right - 48 - widthOf(change);
    const attributes = { class: tagClass(strong), x: this.right + 34, y };
    const name = label(this.charts.names[model], attributes, room, weight);
    const x = this.right + 40 + shownWidth(name, weight);
    return [
      svg("text", { class: "place-tag", x: this.right, y }, rankText(this.after[model])),
      name,
      svg("text", { class: `move ${this.direction(model)}`, x, y }, change),
    ];
  }

  /** @param {number} model */
  change(model) {
    const move = this.move(model);
    return move > 0 ? `▲${move}` : move < 0 ? `▼${-move}` : "";
  }

  // Sentences and tables.

  /** Who climbs furthest (sign 1) or falls furthest (-1). @param {number[]} moved @param {1 | -1} sign */
  furthest(moved, sign) {
    return moved.reduce(
      (best, model) => (sign * (this.move(model) - this.move(best)) > 0 ? model : best),
      moved[0],
    );
  }

  /** @returns {ChartTable} */
  numbers() {
    const { ranking, names } = this.charts;
    const rows = Array.from(ranking.order, (model) => [
      names[model],
      rankText(this.before[model]),
      rankText(this.after[model]),
      this.changeInWords(model),
    ]);
    return { heads: ["Model", "Default rank", "Your rank", "Change"], rows };
  }

  /** @param {number} model */
  changeInWords(model) {
    const move = this.move(model);
    return move > 0 ? `up ${move}` : move < 0 ? `down ${-move}` : "same";
  }

  // Answers to the pointer.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const [left, right] = [this.left + 8, this.right - 8];
    const share = Math.min(1, Math.max(0, (x - left) / (right - left)));
    /** @type {number | null} */
    let nearest = null;
    let least = ROW / 2;
    for (const model of this.along()) {
      const [from, to] = this.ends(model);
      const distance = Math.abs(from[1] + share * (to[1] - from[1]) - y);
      if (distance < least) [nearest, least] = [model, distance];
    }
    return nearest;
  }

  along() {
    return [...this.sides[1].keys()];
  }

  start() {
    return this.along()[0];
  }

  /** @param {number | null} model */
  light(model) {
    this.lit.setAttribute("d", model === null ? "" : path(this.ends(model)));
  }

  /** @param {number} model @returns {Card} */
  card(model) {
    const [, [x, y]] = this.ends(model);
    const lines = [`default: ${rankLine(this.before[model])}`, `yours: ${rankLine(this.after[model])}`];
    return { x: x - 80, y, title: this.charts.names[model], lines };
  }

  /** @param {number} model */
  choose(model) {
    this.charts.pointOut(model);
  }
}

/**
 * The places of some models in the order of a ranking.
 * @param {Ranking} ranking @param {Set<number>} models @returns {Side}
 */
function places(ranking, models) {
  const order = [...ranking.order].filter((model) => models.has(model));
  return new Map(order.map((model, at) => [model, at]));
}

/** @param {number | null} rank */
function rankText(rank) {
  return rank === null ? "—" : String(rank);
}
