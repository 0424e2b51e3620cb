// Two metrics against each other: the models that no other beats at both, and those that one does.
import { find } from "../base/elements.js";
import { Axis, colourKey, label, nameTags, path, picture, strokes, STRONG, svg, widthOf } from "./svg.js";
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

const TITLE = "Models by two metrics";

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
    this.selects.forEach((select, at) => {
      offerMetrics(select, this.metrics, () => this.setAxes());
      select.value = page.view.now.axes[at];
    });
  }

  setAxes() {
    this.page.view.set({ axes: this.selects.map(({ value }) => value) });
  }

  /** The two metrics, by place: across and up. @returns {[number, number]} */
  get axes() {
    const names = [...this.page.view.now.axes, ...this.page.view.defaults.axes];
    const [across, up] = names.map((name) => this.metrics.findIndex((metric) => metric.name === name));
    return [across, up];
  }

  /** @returns {[MetricData, MetricData]} */
  get axisMetrics() {
    const [across, up] = this.axes;
    return [this.metrics[across], this.metrics[up]];
  }

  key() {
    const { pointed, chosen, searched } = this.charts;
    return [this.axes, this.page.ranked.datasets, pointed, chosen, searched, this.page.ready];
  }

  async draw() {
    if (this.metrics.length < 2) {
      this.decline();
      return;
    }
    this.axisMetrics.forEach(({ name }, at) => (this.selects[at].value = name));
    const turn = ++this.turn;
    const front = await this.front();
    if (turn === this.turn) this.paint(front);
  }

  decline() {
    this.controls.hidden = true;
    this.panel.decline("This board has one metric; a trade-off needs two.");
  }

  /** The models on the front, from Python; null while it is not known. */
  async front() {
    const [{ name: x }, { name: y }] = this.axisMetrics;
    if (x === y) return null;
    const { axes, front } = this.page.data;
    if (!this.page.ready) return axes[0] === x && axes[1] === y ? front : null;
    return this.page.scorer.front(x, y, this.page.ranked.datasets).catch(() => null);
  }

  /** @param {number[] | null} front */
  paint(front) {
    const [across, up] = this.axes.map((metric) => this.charts.ranking.values[metric]);
    const plot = new Plot(this.panel.width, this.axisMetrics, across, up);
    const onFront = new Set(front ?? []);
    this.marks = plot.marks(onFront, this.charts.matches);
    this.panel.frame.classList.remove("scatter");
    this.pointer.hold(picture(plot.width, plot.height, TITLE, ...this.layers(plot, front)));
    const [{ name: x }, { name: y }] = this.axisMetrics;
    const terms = () => ({ across: x, up: y, front, left: this.charts.left });
    const reading = this.remarks(plot, front);
    this.panel.ask(this.page.words, "scatter", terms, reading, () => this.numbers(onFront));
  }

  /** @param {Plot} plot @param {number[] | null} front */
  layers(plot, front) {
    const stairs = front?.length ? plot.stairs(front) : [];
    const { radii } = this;
    const matches = this.marks.filter((mark) => mark.matches);
    return [
      ...plot.grid(),
      ...(stairs.length ? plot.staircase(stairs) : []),
      this.group(
        "out",
        this.marks.filter((mark) => !mark.matches),
        radii.out,
      ),
      this.group(
        "",
        matches.filter((mark) => !mark.front),
        radii.beaten,
      ),
      this.group(
        "front",
        matches.filter((mark) => mark.front),
        radii.front,
      ),
      ...this.pointedDot(radii.pointed),
      this.ring,
      ...this.names(plot, boxesAround(stairs)),
    ];
  }

  get many() {
    return this.charts.names.length > MANY;
  }

  get radii() {
    return this.many ? RADII.many : RADII.few;
  }

  /** @param {string} style @param {Mark[]} marks @param {number} radius */
  group(style, marks, radius) {
    const dots = marks.map((mark) => dot(mark, radius));
    return svg("g", { class: `marks${this.many ? " small" : ""} ${style}` }, ...dots);
  }

  /** @param {number} r */
  pointedDot(r) {
    const mark = this.markOf(this.charts.pointed);
    return mark ? [svg("circle", { class: "pointed-dot", cx: mark.x, cy: mark.y, r })] : [];
  }

  /**
   * Names of the models that stand out, then of those on the front.
   * @param {Plot} plot @param {Box[]} avoided
   */
  names(plot, avoided) {
    const outstanding = this.charts.outstanding.flatMap((model) => this.markOf(model) ?? []);
    const marks = new Set([...outstanding, ...this.marks.filter((mark) => mark.front && mark.matches)]);
    const tags = [...marks].map((mark) => ({
      ...mark,
      name: this.title(mark),
      strong: mark === outstanding[0],
    }));
    const taken = this.marks.map(({ x, y }) => /** @type {Box} */ ([x - 5, y - 5, x + 5, y + 5]));
    return nameTags(tags, taken, [plot.box[0], 20, plot.width, plot.box[3]], avoided);
  }

  /** The mark of a model; undefined where it has none. @param {number | null} model */
  markOf(model) {
    return model === null ? undefined : this.marks.find((mark) => mark.models.includes(model));
  }

  /** @param {Mark} mark */
  title({ models }) {
    const { names, pointed } = this.charts;
    const first = pointed !== null && models.includes(pointed) ? pointed : models[0];
    return models.length > 1 ? `${names[first]} +${models.length - 1}` : names[first];
  }

  // Sentences and tables.

  /** @param {Plot} plot @param {number[] | null} front */
  remarks(plot, front) {
    const shaded = front && plot.known.length > front.length;
    return [
      shaded ? "The ground that the front beats is shaded; the models on it are grey." : "",
      front ? "" : this.withoutFront(),
      logRemark(plot),
    ];
  }

  /** Why no front is drawn. */
  withoutFront() {
    const [across, up] = this.axes;
    if (across === up) return "";
    return this.page.ready
      ? "The front could not be computed."
      : "The front is drawn once the scorer is ready.";
  }

  /** @param {Set<number>} front @returns {ChartTable} */
  numbers(front) {
    const [across, up] = this.axes;
    const { ranking, names } = this.charts;
    const text = (/** @type {number} */ metric, /** @type {number} */ model) =>
      numberOrDash(ranking.values[metric][model], this.metrics[metric].decimals);
    return {
      heads: ["Model", this.metrics[up].label, this.metrics[across].label, "On the front"],
      rows: Array.from(ranking.order, (model) => [
        names[model],
        text(up, model),
        text(across, model),
        front.has(model) ? "yes" : "no",
      ]),
    };
  }

  // Answers to the pointer.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    /** @type {number | null} */
    let model = null;
    let least = REACH * REACH;
    for (const mark of this.marks) {
      const distance = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (distance < least) [model, least] = [mark.models[0], distance];
    }
    return model;
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
    const all = models.map((at) => names[at]).join(", ");
    const title = models.length > 4 ? `${names[model]} and ${models.length - 1} more` : all;
    const [across, up] = this.axes;
    const lines = [up, across].map((at) => metricLine(this.metrics[at], ranking.values[at][model]));
    return { x, y, title, lines: [...lines, rankLine(ranking.rankOf(model))] };
  }

  /** @param {number} model */
  choose(model) {
    this.charts.pointOut(model);
  }
}

/** @param {Mark} mark @param {number} radius */
function dot({ x, y, models }, radius) {
  return svg("circle", { cx: x, cy: y, r: radius + Math.min(3, models.length - 1) });
}

/** @param {Plot} plot */
function logRemark({ x, y, metrics: [across, up] }) {
  const names = [...(x.log ? [across.label] : []), ...(y.log ? [up.label] : [])];
  if (!names.length) return "";
  return `${listed(names)}: in powers of ten, since the largest is over 100 times the smallest.`;
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
    const left = 12 + Math.max(0, ...this.y.ticks().map(({ text }) => widthOf(text)));
    this.x = new Axis(numbers(across), left, width - EDGE.right);
    /** @type {Box} */
    this.box = [left, EDGE.top, width - EDGE.right, bottom];
  }

  /** The place of a model. @param {number} model @returns {Point} */
  place(model) {
    return [this.x.at(this.across[model]), this.y.at(this.up[model])];
  }

  /**
   * Marks at their places; models at one and the same place share a mark.
   * @param {Set<number>} front @param {boolean[]} matches
   */
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

  grid() {
    const [left, top, right, bottom] = this.box;
    const across = this.x.ticks().map(({ value, text }) => ({ at: this.x.at(value), text }));
    const up = this.y.ticks().map(({ value, text }) => ({ at: this.y.at(value), text }));
    return [
      svg("path", { class: "grid", d: strokes(up.map(({ at }) => line([left, at], [right, at]))) }),
      svg("path", { class: "grid", d: strokes(across.map(({ at }) => line([at, top], [at, bottom]))) }),
      ...up.map(({ at, text }) => tick(text, left - 8, at + 4, "end")),
      ...across.map(({ at, text }) =>
        tick(text, Math.min(at, this.width - widthOf(text) / 2), bottom + 16, "middle"),
      ),
      ...this.titles(),
    ];
  }

  titles() {
    const [across, up] = this.metrics;
    const [left, , right, bottom] = this.box;
    const better = [across.cost ? "← better" : "better →", up.cost ? "better ↓" : "better ↑"];
    const room = right - left - widthOf(better[0]) - 24;
    const end = {
      y: bottom + 40,
      x: across.cost ? left : right,
      "text-anchor": across.cost ? "start" : "end",
    };
    return [
      ...title(across, this.x.log, left, bottom + 40, room),
      svg("text", { class: "better", ...end }, better[0]),
      ...title(up, this.y.log, 0, 16, this.width - widthOf(better[1]) - 24),
      svg("text", { class: "better", x: right, y: 16, "text-anchor": "end" }, better[1]),
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

  /** A staircase, and the ground that the front beats. @param {Point[]} stairs */
  staircase(stairs) {
    return [
      svg("path", { class: "beaten", d: `${path([...stairs, this.worst])}Z` }),
      svg("path", { class: "staircase", d: path(stairs) }),
    ];
  }
}

/** The boxes around the pieces of a line. @param {Point[]} points */
function boxesAround(points) {
  return points.slice(1).map((point, at) => boxAround(points[at], point));
}

/** @param {Point} from @param {Point} to @returns {Box} */
function boxAround([x, y], [toX, toY]) {
  return [Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY)];
}

/** @param {Point} from @param {Point} to @returns {[Point, Point]} */
function line(from, to) {
  return [from, to];
}

/** @param {string} text @param {number} x @param {number} y @param {"middle" | "end"} anchor */
function tick(text, x, y, anchor) {
  return svg("text", { class: "tick", x, y, "text-anchor": anchor }, text);
}

/**
 * The name of an axis, with the colour of its metric.
 * @param {MetricData} metric @param {boolean} log @param {number} x @param {number} y @param {number} room
 */
function title(metric, log, x, y, room) {
  const unit = metric.unit ? `, ${metric.unit}` : "";
  const text = `${metric.label}${unit}${log ? " (log)" : ""}`;
  return [
    colourKey(metric.colour, x, y - 10),
    label(text, { class: "axis-title", x: x + 18, y }, room - 18, STRONG),
  ];
}
