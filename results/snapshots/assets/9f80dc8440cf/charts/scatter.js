// Two metrics against each other: the models that no other beats at both, and those that one does.
import { find } from "../base/elements.js";
import { text } from "../base/texts.js";
import { compared } from "../scorer/ranking.js";
import {
  Axis,
  colourKey,
  label,
  linesAcross,
  linesUp,
  nameTags,
  path,
  picture,
  STRONG,
  svg,
  widthOf,
} from "./svg.js";
import { listed, metricLine, numberOrDash, offerMetrics, Pointer, rankLine } from "./panel.js";

/** @import { BoardHost, Box, Card, ChartTable, MetricData, Point } from "../../types" */
/** @import { Charts } from "./charts.js" */
/** @import { Panel } from "./panel.js" */
// How far from a mark the pointer may be, in pixels.
const REACH = 28;
// With more models than this, marks are small.
const MANY = 150;
const RADII = {
  few: { out: 2, beaten: 4, front: 5, pointed: 6 },
  many: { out: 2, beaten: 2.5, front: 3.5, pointed: 4.5 },
};

export class Scatter {
  /** @param {BoardHost} page @param {Panel} panel @param {Charts} charts */
  constructor(page, panel, charts) {
    this.page = page;
    this.panel = panel;
    this.charts = charts;
    this.metrics = page.data.metrics;
    /** What the picture shows. @type {string | null} */
    this.drawn = null;
    /** How many fronts have been requested. */
    this.turn = 0;
    /** @type {Mark[]} */
    this.marks = [];
    this.ring = svg("circle", { class: "ring", r: 8, visibility: "hidden" });
    this.pointer = new Pointer(panel.frame, this);
    this.controls = find(panel.element, ".chart-controls", HTMLElement);
    this.selects = [...panel.element.querySelectorAll("select")];
    const choose = () => page.view.set({ axes: this.selects.map(({ value }) => value) });
    this.selects.forEach((select, at) => {
      offerMetrics(select, this.metrics, choose);
      select.value = page.view.now.axes[at];
    });
  }

  /** The places of the two metrics: across and up. @returns {[number, number]} */
  get axes() {
    const names = [...this.page.view.now.axes, ...this.page.view.defaults.axes];
    const [across, up] = names.map((name) => this.metrics.findIndex((metric) => metric.name === name));
    return [across, up];
  }

  key() {
    const { pointed, chosen, searched } = this.charts;
    return [this.axes, this.page.ranked.datasets, pointed, chosen, searched, this.page.ready];
  }

  async draw() {
    if (this.metrics.length < 2) {
      this.controls.hidden = true;
      this.panel.decline(text("scatter.one-metric"));
      return;
    }
    this.axes.forEach((metric, at) => (this.selects[at].value = this.metrics[metric].name));
    const turn = ++this.turn;
    const front = await this.front();
    if (turn === this.turn) this.paint(front);
  }

  /** The models on the front, from Python; null while it is not known. */
  async front() {
    const [x, y] = this.axes.map((metric) => this.metrics[metric].name);
    if (x === y) return null;
    const without = this.axes.flatMap((metric) => this.metrics[metric].one_answer ?? []);
    const { axes, front } = this.page.data;
    if (!this.page.ready) return axes[0] === x && axes[1] === y ? front : null;
    return this.page.scorer.front(x, y, this.page.ranked.datasets, without).catch(() => null);
  }

  /** @param {number[] | null} front */
  paint(front) {
    const [x, y] = this.axes;
    const values = compared(this.charts.ranking, this.metrics);
    const plot = new Plot(this.panel.width, [this.metrics[x], this.metrics[y]], values[x], values[y]);
    const onFront = new Set(front ?? []);
    this.marks = plot.marks(onFront, this.charts.matches);
    this.panel.frame.classList.remove("scatter");
    this.pointer.hold(picture(plot.width, plot.height, text("scatter.title"), ...this.layers(plot, front)));
    const terms = () => ({
      across: this.metrics[x].name,
      up: this.metrics[y].name,
      front,
      left: this.charts.left,
    });
    this.panel.ask(this.page.words, "scatter", terms, this.reading(plot, front), () => this.numbers(onFront));
  }

  /** @param {Plot} plot @param {number[] | null} front */
  layers(plot, front) {
    const stairs = front?.length ? plot.stairs(front) : [];
    const many = this.charts.names.length > MANY;
    const radii = many ? RADII.many : RADII.few;
    const matching = this.marks.filter((mark) => mark.matches);
    const group = (
      /** @type {string} */ style,
      /** @type {Mark[]} */ marks,
      /** @type {number} */ radius,
    ) => {
      const dots = marks.map(({ x, y, models }) =>
        svg("circle", { cx: x, cy: y, r: radius + Math.min(3, models.length - 1) }),
      );
      return svg("g", { class: `marks${many ? " small" : ""} ${style}` }, ...dots);
    };
    const pointed = this.markOf(this.charts.pointed);
    const boxes = stairs.slice(1).map(([toX, toY], at) => {
      const [x, y] = stairs[at];
      return /** @type {Box} */ ([Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY)]);
    });
    return [
      ...plot.grid(),
      ...(stairs.length
        ? [
            svg("path", { class: "beaten", d: `${path([...stairs, plot.worst])}Z` }),
            svg("path", { class: "staircase", d: path(stairs) }),
          ]
        : []),
      group(
        "out",
        this.marks.filter((mark) => !mark.matches),
        radii.out,
      ),
      group(
        "",
        matching.filter((mark) => !mark.front),
        radii.beaten,
      ),
      group(
        "front",
        matching.filter((mark) => mark.front),
        radii.front,
      ),
      ...(pointed
        ? [svg("circle", { class: "pointed-dot", cx: pointed.x, cy: pointed.y, r: radii.pointed })]
        : []),
      this.ring,
      ...this.names(plot, boxes),
    ];
  }

  /** Names of the models that stand out, then of those on the front. @param {Plot} plot @param {Box[]} avoided */
  names(plot, avoided) {
    const { names, pointed } = this.charts;
    const outstanding = this.charts.outstanding.flatMap((model) => this.markOf(model) ?? []);
    const marks = new Set([...outstanding, ...this.marks.filter((mark) => mark.front && mark.matches)]);
    const tags = [...marks].map((mark) => {
      const { x, y, models } = mark;
      const first = pointed !== null && models.includes(pointed) ? pointed : models[0];
      const name = models.length > 1 ? `${names[first]} +${models.length - 1}` : names[first];
      return { x, y, name, strong: mark === outstanding[0] };
    });
    const taken = this.marks.map(({ x, y }) => /** @type {Box} */ ([x - 5, y - 5, x + 5, y + 5]));
    return nameTags(tags, taken, [plot.box[0], 20, plot.width, plot.box[3]], avoided);
  }

  /** The mark of a model; undefined where it has none. @param {number | null} model */
  markOf(model) {
    return model === null ? undefined : this.marks.find((mark) => mark.models.includes(model));
  }

  /** @param {Plot} plot @param {number[] | null} front */
  reading(plot, front) {
    const [across, up] = this.axes;
    const logs = [...(plot.x.log ? [across] : []), ...(plot.y.log ? [up] : [])];
    const without = this.page.ready ? "scatter.no-front" : "scatter.front-later";
    return [
      front && plot.known.length > front.length ? text("scatter.shaded") : "",
      front || across === up ? "" : text(without),
      logs.length ? text("charts.log", { names: listed(logs.map((at) => this.metrics[at].label)) }) : "",
    ];
  }

  /** @param {Set<number>} front @returns {ChartTable} */
  numbers(front) {
    const [across, up] = this.axes;
    const { ranking, names } = this.charts;
    return {
      heads: [
        text("charts.model"),
        this.metrics[up].label,
        this.metrics[across].label,
        text("scatter.on-front"),
      ],
      rows: Array.from(ranking.order, (model) => [
        names[model],
        ...[up, across].map((at) => numberOrDash(ranking.values[at][model], this.metrics[at].decimals)),
        text(front.has(model) ? "scatter.yes" : "scatter.no"),
      ]),
    };
  }

  // Answers to the pointer.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const distances = this.marks.map((mark) => Math.hypot(mark.x - x, mark.y - y));
    const least = Math.min(...distances);
    return least < REACH ? this.marks[distances.indexOf(least)].models[0] : null;
  }

  along() {
    return [...this.marks].sort((a, b) => a.x - b.x || a.y - b.y).map((mark) => mark.models[0]);
  }

  start() {
    return (this.markOf(this.charts.pointed) ?? this.marks[0])?.models[0];
  }

  /** @param {number | null} model */
  light(model) {
    const mark = this.markOf(model);
    this.ring.setAttribute("visibility", mark ? "visible" : "hidden");
    this.ring.setAttribute("cx", String(mark?.x ?? 0));
    this.ring.setAttribute("cy", String(mark?.y ?? 0));
  }

  /** @param {number} model @returns {Card} */
  card(model) {
    const { x, y, models } = this.markOf(model) ?? { x: 0, y: 0, models: [model] };
    const { ranking, names } = this.charts;
    const title =
      models.length > 4
        ? text("scatter.several", { name: names[model], more: models.length - 1 })
        : models.map((at) => names[at]).join(", ");
    const [across, up] = this.axes;
    const lines = [up, across].map((at) => metricLine(this.metrics[at], ranking.values[at][model]));
    return { x, y, title, lines: [...lines, rankLine(ranking.rankOf(model))] };
  }

  /** @param {number} model */
  choose(model) {
    this.charts.pointOut(model);
  }
}

// A plot of two metrics against each other: where everything goes, its axes, and the front as a staircase.

/**
 * Models at one and the same place; `matches` where search and filters match one of them.
 * @typedef {{ x: number, y: number, models: number[], front: boolean, matches: boolean }} Mark
 */

const HEIGHT = { share: 0.52, least: 300, most: 460 };
const EDGE = { top: 32, right: 16, bottom: 48 };

class Plot {
  /**
   * `across` and `up` have a value a model, NaN where it is missing; `metrics` are theirs.
   * @param {number} width @param {[MetricData, MetricData]} metrics @param {Float64Array} across
   * @param {Float64Array} up
   */
  constructor(width, metrics, across, up) {
    this.width = width;
    this.height = Math.min(HEIGHT.most, Math.max(HEIGHT.least, width * HEIGHT.share));
    this.metrics = metrics;
    this.across = across;
    this.up = up;
    /** The models that have both numbers. */
    this.known = [...across.keys()].filter((at) => !Number.isNaN(across[at]) && !Number.isNaN(up[at]));
    const bottom = this.height - EDGE.bottom;
    const numbers = (/** @type {Float64Array} */ values) => this.known.map((at) => values[at]);
    this.y = new Axis(numbers(up), bottom, EDGE.top, { gap: 48 });
    const left = 12 + Math.max(0, ...this.y.ticks().map((tick) => widthOf(tick.text)));
    this.x = new Axis(numbers(across), left, width - EDGE.right);
    /** @type {Box} */
    this.box = [left, EDGE.top, width - EDGE.right, bottom];
  }

  /** The place of a model. @param {number} model @returns {Point} */
  place(model) {
    return [this.x.at(this.across[model]), this.y.at(this.up[model])];
  }

  /** Marks at their places; models at one and the same place share a mark.
   * @param {Set<number>} front @param {boolean[]} matches */
  marks(front, matches) {
    /** @type {Map<string, Mark>} */
    const marks = new Map();
    for (const model of this.known) {
      const [x, y] = this.place(model);
      const key = `${Math.round(x)} ${Math.round(y)}`;
      const mark = marks.get(key) ?? { x, y, models: [], front: false, matches: false };
      mark.models.push(model);
      mark.front ||= front.has(model);
      mark.matches ||= matches[model];
      marks.set(key, mark);
    }
    return [...marks.values()];
  }

  /** Lines, numbers and the names of the axes, with the colours of their metrics. */
  grid() {
    const [left, top, right, bottom] = this.box;
    const [across, up] = this.metrics;
    const betterAcross = text(across.cost ? "scatter.better-left" : "scatter.better-right");
    const betterUp = text(up.cost ? "scatter.better-down" : "scatter.better-up");
    const end = across.cost ? { x: left, "text-anchor": "start" } : { x: right, "text-anchor": "end" };
    const beside = widthOf(betterAcross) + 24;
    return [
      ...linesAcross(this.y, left, right),
      ...linesUp(this.x, top, bottom, this.width),
      ...title(across, this.x.log, across.cost ? left + beside : left, bottom + 40, right - left - beside),
      svg("text", { class: "better", y: bottom + 40, ...end }, betterAcross),
      ...title(up, this.y.log, 0, 16, this.width - widthOf(betterUp) - 24),
      svg("text", { class: "better", x: right, y: 16, "text-anchor": "end" }, betterUp),
    ];
  }

  /** The corner of the plot that is worst by both metrics. @returns {Point} */
  get worst() {
    const [left, top, right, bottom] = this.box;
    const [across, up] = this.metrics;
    return [across.cost ? right : left, up.cost ? top : bottom];
  }

  /** The front as a staircase from one end of the plot to the other. @param {number[]} front */
  stairs(front) {
    const [worstX, worstY] = this.worst;
    const points = front.map((model) => this.place(model));
    points.sort(
      (a, b) =>
        Math.abs(a[0] - worstX) - Math.abs(b[0] - worstX) ||
        Math.abs(b[1] - worstY) - Math.abs(a[1] - worstY),
    );
    /** @type {Point[]} */
    const stairs = points.flatMap((point, at) => (at ? [[points[at - 1][0], point[1]], point] : [point]));
    /** @type {Point} */
    const from = [worstX, points[0][1]];
    /** @type {Point} */
    const to = [points[points.length - 1][0], worstY];
    return [from, ...stairs, to];
  }
}

/** The name of an axis, with the colour of its metric.
 * @param {MetricData} metric @param {boolean} log @param {number} x @param {number} y @param {number} room */
function title(metric, log, x, y, room) {
  const unit = metric.unit ? `, ${metric.unit}` : "";
  const name = `${metric.label}${unit}${log ? ` ${text("charts.log-mark")}` : ""}`;
  return [
    colourKey(metric.colour, x, y - 10),
    label(name, { class: "axis-title", x: x + 18, y }, room - 18, STRONG),
  ];
}
