// From the default ranking to the visitor's own: who climbs and who falls.
import { MISSING } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Pointer, rankLine } from "./panel.js";
import { label, nearestLine, path, picture, shownWidth, STRONG, svg, tagClass, widthOf } from "./svg.js";

/** @import { BoardHost, Card, ChartTable, Point } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Charts } from "./charts.js" */
/** @import { Panel } from "./panel.js" */

// On long boards the leaders of both rankings are drawn, and the models that the visitor chose.
const LEADERS = 20;
const ROW = 24;
const WIDEST = 760;
const EDGE = { top: 32, bottom: 12 };
// Room for ranks and names at both sides; on a narrow screen names are at the right only.
const NARROW = 520;
const NAMES = { share: 0.36, most: 260, narrow: 0.62 };
const RANK = 28;

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
    /** The models that are drawn, in the order of the ranking, and where their lines begin and end.
     * @type {Map<number, [Point, Point]>} */
    this.lines = new Map();
    this.width = 0;
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
    if (!moved.length) {
      this.lines = new Map();
      this.pointer.point(null);
      this.panel.decline(text("slope.same"));
      return;
    }
    const drawn = this.picked(moved);
    this.width = Math.min(WIDEST, this.panel.width);
    const narrow = this.width < NARROW;
    this.left = narrow ? RANK : Math.min(NAMES.most, this.width * NAMES.share);
    this.right = this.width - (narrow ? this.width * NAMES.narrow : this.left);
    const [before, after] = [this.page.first, ranking].map((one) =>
      [...one.order].filter((model) => drawn.has(model)),
    );
    const y = (/** @type {number[]} */ order, /** @type {number} */ model) =>
      EDGE.top + ROW * (order.indexOf(model) + 0.5);
    this.lines = new Map(
      after.map((model) => [
        model,
        [
          [this.left + 8, y(before, model)],
          [this.right - 8, y(after, model)],
        ],
      ]),
    );
    this.panel.frame.classList.remove("bare");
    const height = EDGE.top + ROW * drawn.size + EDGE.bottom;
    this.pointer.hold(picture(this.width, height, text("slope.title"), ...this.layers(narrow)));
    const terms = () => ({ before: this.before, drawn: drawn.size, left: this.charts.left });
    this.panel.ask(this.page.words, "slope", terms, [text("slope.reading")], () => this.numbers());
  }

  /** The models that are drawn: leaders of both rankings, those that stand out, and who moves furthest either way.
   * @param {number[]} moved */
  picked(moved) {
    const { ranking, matches, outstanding } = this.charts;
    const leaders = [this.page.first, ranking].flatMap((one) =>
      [...one.order].filter((model) => matches[model]).slice(0, LEADERS),
    );
    const byMove = [...moved].sort((one, other) => this.move(other) - this.move(one));
    return new Set([...leaders, ...outstanding, byMove[0], byMove[byMove.length - 1]]);
  }

  /** @param {boolean} narrow */
  layers(narrow) {
    const first = narrow ? { x: 0, "text-anchor": "start" } : { x: this.left, "text-anchor": "end" };
    return [
      svg("text", { class: "axis-title", ...first, y: 16 }, text("slope.default")),
      svg("text", { class: "axis-title", x: this.right, y: 16 }, text("slope.yours")),
      ...[...this.lines].map(([model, ends]) => {
        const loud = this.charts.outstanding.includes(model) ? " loud" : "";
        return svg("path", { class: `slope ${this.direction(model)}${loud}`, d: path(ends) });
      }),
      this.lit,
      ...[...this.lines.keys()].flatMap((model) => this.writing(model, narrow)),
    ];
  }

  /** How many places a model climbs; 0 where one of its ranks is missing, or they are among other models.
   * @param {number} model */
  move(model) {
    if (!this.charts.ranking.ranksModelsOf(this.page.first)) return 0;
    const [before, after] = [this.before[model], this.after[model]];
    return before === null || after === null ? 0 : before - after;
  }

  /** @param {number} model */
  direction(model) {
    const move = this.move(model);
    return move > 0 ? "up" : move < 0 ? "down" : "same";
  }

  /** @param {number} model @returns {[Point, Point]} */
  ends(model) {
    return (
      this.lines.get(model) ?? [
        [0, 0],
        [0, 0],
      ]
    );
  }

  /** Ranks and names at both ends of a line, and how far it moves. @param {number} model @param {boolean} narrow */
  writing(model, narrow) {
    const strong = model === this.charts.pointed;
    const weight = strong ? STRONG : undefined;
    const name = this.charts.names[model];
    const [before, after] = this.ends(model).map(([, y]) => y + 4);
    const move = this.move(model);
    const change = move > 0 ? `▲${move}` : move < 0 ? `▼${-move}` : "";
    const room = this.width - this.right - 48 - widthOf(change);
    const own = label(name, { class: tagClass(strong), x: this.right + 34, y: after }, room, weight);
    const x = this.right + 40 + shownWidth(own, weight);
    const end = { y: before, "text-anchor": "end" };
    const first = { class: tagClass(strong), x: this.left - 34, ...end };
    return [
      ...(narrow ? [] : [label(name, first, this.left - 36, weight)]),
      svg("text", { class: "place-tag", x: this.left, ...end }, rankText(this.before[model])),
      svg("text", { class: "place-tag", x: this.right, y: after }, rankText(this.after[model])),
      own,
      svg("text", { class: `move ${this.direction(model)}`, x, y: after }, change),
    ];
  }

  /** @returns {ChartTable} */
  numbers() {
    const { ranking, names } = this.charts;
    const alike = ranking.ranksModelsOf(this.page.first);
    const rows = Array.from(ranking.order, (model) => [
      names[model],
      rankText(this.before[model]),
      rankText(this.after[model]),
      alike ? text(`charts.${this.direction(model)}`, { size: Math.abs(this.move(model)) }) : MISSING,
    ]);
    const heads = ["charts.model", "slope.default-rank", "slope.your-rank", "charts.change"];
    return { heads: heads.map((head) => text(head)), rows };
  }

  // Answers to the pointer.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const within = Math.min(this.right - 8, Math.max(this.left + 8, x));
    const at = nearestLine([...this.lines.values()], [within, y], ROW / 2);
    return at === null ? null : this.along()[at];
  }

  along() {
    return [...this.lines.keys()];
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
    const lines = [
      `${text("slope.card-default")} ${rankLine(this.before[model])}`,
      `${text("slope.card-yours")} ${rankLine(this.after[model])}`,
    ];
    return { x: x - 80, y, title: this.charts.names[model], lines };
  }

  /** @param {number} model */
  choose(model) {
    this.charts.pointOut(model);
  }
}

/** @param {number | null} rank */
function rankText(rank) {
  return rank === null ? "—" : String(rank);
}
