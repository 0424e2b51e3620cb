// Every metric as an axis of its own, better upwards, and every model as a line across them. On narrow
// screens the picture is turned: axes are below one another, better to the right.
import { number } from "../base/formats.js";
import { limited, rangeOf } from "../view/limits.js";
import { Brush, NAMES, ParallelLayout, UPRIGHT } from "./parallel-layout.js";
import { listed, metricLine, numberOrDash, Pointer, rankLine } from "./panel.js";
import { extremes } from "./drawing.js";
import { colourKey, label, path, picture, shownWidth, STRONG, svg, tagClass, widthOf } from "./svg.js";

/** @import { BoardHost, Card, ChartTable, MetricData, Point } from "../../types" */
/** @import { Charts } from "./charts.js" */
/** @import { Panel } from "./panel.js" */

// With more lines than this each is fainter, so that where many run together is darker.
const MANY = 100;
// Names of lines are at least this far apart, in pixels.
const LINE = 15;

const TITLE = "Models by all metrics";

export class Parallel {
  /** @param {BoardHost} page @param {Panel} panel @param {Charts} charts */
  constructor(page, panel, charts) {
    this.page = page;
    this.panel = panel;
    this.charts = charts;
    this.metrics = page.data.metrics;
    /** What the picture shows. @type {string | null} */
    this.drawn = null;
    this.layout = new ParallelLayout(0, [], []);
    this.lit = svg("path", { class: "line lit", d: "" });
    this.pointer = new Pointer(panel.frame, this);
    this.brush = new Brush(panel.frame, this);
  }

  key() {
    const { pointed, chosen, searched, ranking } = this.charts;
    const rank = pointed === null ? null : ranking.rankOf(pointed);
    return [this.page.ranked.datasets, searched, pointed, chosen, rank];
  }

  draw() {
    this.layout = new ParallelLayout(this.panel.width, this.metrics, this.values);
    this.pointer.hold(picture(this.layout.width, this.layout.height, TITLE, ...this.layers()));
    const terms = () => ({ model: this.charts.pointed, left: this.charts.left });
    this.panel.ask(this.page.words, "parallel", terms, this.remarks(), () => this.numbers());
  }

  /** The values of all models, by metric. */
  get values() {
    return this.charts.ranking.values;
  }

  get lines() {
    return this.layout.lines;
  }

  layers() {
    const { pointed, chosen, outstanding, matches } = this.charts;
    const faint = this.lines.filter((_, model) => matches[model] && !outstanding.includes(model));
    const style = faint.length > MANY ? "lines many" : "lines";
    return [
      ...this.metrics.map((_, at) => svg("path", { class: "rule", d: path(this.layout.rule(at)) })),
      svg("g", { class: style }, ...faint.map((line) => svg("path", { d: path(line) }))),
      ...chosen.filter((model) => model !== pointed).map((model) => this.line(model, "picked")),
      ...(pointed === null ? [] : [this.line(pointed, "led")]),
      this.lit,
      ...this.metrics.flatMap((_, at) => this.heading(at)),
      ...(pointed === null ? [] : this.figures(pointed)),
      ...this.lineNames(),
      ...this.metrics.flatMap((_, at) => this.grips(at)),
      this.brush.band,
    ];
  }

  /** The part of an axis that limits leave, and what one drags to set them. @param {number} at */
  grips(at) {
    const grip = svg("rect", { class: "grip", "data-at": at, ...this.layout.grip(at) });
    const range = rangeOf(this.page.view.now.limits, this.metrics[at].name);
    if (range.every((end) => end === null)) return [grip];
    const { start, end } = this.layout.axes[at];
    const [least, most] = range;
    const band = this.layout.around(at, [this.within(at, least, start), this.within(at, most, end)]);
    return [svg("rect", { class: "brush", ...band }), grip];
  }

  /** The place of a limit on an axis, as far as that reaches; that of its end without.
   * @param {number} at @param {number | null} value @param {number} open */
  within(at, value, open) {
    if (value === null) return open;
    const place = this.layout.axes[at].at(value);
    const [first, last] = this.brush.ends(at);
    return Number.isFinite(place) ? Math.min(Math.max(place, first), last) : open;
  }

  /** Where an event is in the picture. @param {MouseEvent} event */
  pointed(event) {
    return this.pointer.place(event);
  }

  /** Limit a metric to what is between two values. @param {number} at
   * @param {[least: number | null, most: number | null]} values */
  limit(at, values) {
    const { name, decimals } = this.metrics[at];
    const { view } = this.page;
    const [least, most] = values.map((value) => (value === null ? null : Number(value.toFixed(decimals))));
    const limits = limited(limited(view.now.limits, name, "least", least), name, "most", most);
    view.set({ limits });
  }

  /** A test of which models have a line: those that are searched for, and those that stand out. */
  get hasLine() {
    const { matches, outstanding } = this.charts;
    return (/** @type {number} */ model) => matches[model] || outstanding.includes(model);
  }

  /** @param {number} model @param {string} style */
  line(model, style) {
    return svg("path", { class: `line ${style}`, d: path(this.lines[model]) });
  }

  /** The name of an axis, and the numbers at both of its ends. @param {number} at */
  heading(at) {
    const metric = this.metrics[at];
    const name = metric.label + (this.layout.axes[at].log ? " (log)" : "");
    const place = this.layout.standing(at);
    const ends = this.ends(at);
    return this.layout.turned
      ? this.lyingHeading(metric, name, place, ends)
      : this.uprightHeading(metric, name, place, ends);
  }

  /** @param {MetricData} metric @param {string} name @param {number} place @param {[string, string]} ends */
  uprightHeading(metric, name, place, [worst, best]) {
    const { layout } = this;
    const gap = this.metrics.length > 1 ? layout.standing(1) - layout.standing(0) : layout.width;
    const middle = { y: 14, "text-anchor": "middle" };
    const text = label(name, { class: "axis-title", ...middle }, gap - 24, STRONG);
    const half = shownWidth(text, STRONG) / 2;
    const left = Math.max(8, place - half);
    text.setAttribute("x", String(left + half + 8));
    return [
      colourKey(metric.colour, left - 8, 4),
      text,
      svg("text", { class: "tick", x: place, y: UPRIGHT.top - 10, "text-anchor": "middle" }, best),
      svg("text", { class: "tick", x: place, y: layout.height - 8, "text-anchor": "middle" }, worst),
    ];
  }

  /** @param {MetricData} metric @param {string} name @param {number} place @param {[string, string]} ends */
  lyingHeading(metric, name, place, [worst, best]) {
    const { width } = this.layout;
    const left = widthOf(worst);
    const room = width - left - widthOf(best) - 56;
    const y = place - 10;
    return [
      svg("text", { class: "tick", x: 0, y }, worst),
      colourKey(metric.colour, left + 12, place - 19),
      label(name, { class: "axis-title", x: left + 28, y }, room, STRONG),
      svg("text", { class: "tick", x: width, y, "text-anchor": "end" }, best),
    ];
  }

  /** The worst and the best number of a metric. @param {number} at @returns {[string, string]} */
  ends(at) {
    const range = extremes(this.values[at]);
    if (!range) return ["", ""];
    const { cost, decimals } = this.metrics[at];
    const [low, high] = range.map((value) => number(value, decimals));
    return cost ? [high, low] : [low, high];
  }

  /**
   * Dots where the line that stands out meets the axes, and its numbers beside them where there is room.
   * @param {number} model
   */
  figures(model) {
    const spots = this.lines[model].flatMap((spot, at) => (spot ? [{ spot, at }] : []));
    const dots = spots.map(({ spot: [cx, cy] }) => svg("circle", { class: "pointed-dot", cx, cy, r: 4 }));
    if (this.layout.turned) return dots;
    return [...dots, ...spots.flatMap(({ spot, at }) => this.figure(model, at, spot))];
  }

  /**
   * A number beside its dot, on the side away from the line; none where an end of the axis shows it already.
   * @param {number} model @param {number} at @param {Point} spot
   */
  figure(model, at, [x, y]) {
    const text = this.textOf(at, model);
    if (this.ends(at).includes(text)) return [];
    const next = this.lines[model][at + 1];
    const shift = next ? (next[1] > y ? -4 : 12) : 4;
    return [svg("text", { class: tagClass(true), x: x + 8, y: y + shift }, text)];
  }

  /** A model's number of a metric. @param {number} at @param {number} model */
  textOf(at, model) {
    return numberOrDash(this.values[at][model], this.metrics[at].decimals);
  }

  /** Names at the right end of the lines that stand out, as many as find a place. */
  lineNames() {
    if (this.layout.turned) return [];
    /** @type {number[]} */
    const taken = [];
    return this.charts.outstanding.flatMap((model) => {
      const end = this.lines[model].at(-1);
      if (!end || taken.some((other) => Math.abs(other - end[1]) < LINE)) return [];
      taken.push(end[1]);
      return [this.lineName(model, end[1] + 4)];
    });
  }

  /** @param {number} model @param {number} y */
  lineName(model, y) {
    const last = this.metrics.length - 1;
    const strong = model === this.charts.pointed;
    const text = this.textOf(last, model);
    const own = strong && !this.ends(last).includes(text) ? widthOf(text, STRONG) + 8 : 0;
    const attributes = { class: tagClass(strong), x: this.layout.standing(last) + 8 + own, y };
    return label(this.charts.names[model], attributes, NAMES - own - 8, strong ? STRONG : undefined);
  }

  // Sentences and tables.

  remarks() {
    const logs = this.metrics.filter((_, at) => this.layout.axes[at].log).map(({ label }) => label);
    const powers = `${listed(logs)}: by powers of ten, since the largest is over 100 times the smallest.`;
    return [
      this.betterRemark(),
      "Drag along an axis to set limits, or type them under Limits above the table.",
      logs.length ? powers : "",
    ];
  }

  betterRemark() {
    const { turned } = this.layout;
    const costs = this.metrics.filter(({ cost }) => cost).map(({ label }) => label);
    const side = turned ? "Better is to the right on every axis" : "Better is up on every axis";
    const least = `, so for ${listed(costs)} the least is ${turned ? "at the right" : "on top"}`;
    return `${side}${costs.length ? least : ""}.`;
  }

  /** @returns {ChartTable} */
  numbers() {
    const { ranking, names } = this.charts;
    const rows = Array.from(ranking.order, (model) => [
      names[model],
      ...this.metrics.map((_, at) => this.textOf(at, model)),
    ]);
    return { heads: ["Model", ...this.metrics.map(({ label }) => label)], rows };
  }

  // Answers to the pointer.

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    return this.layout.nearest([x, y], this.hasLine);
  }

  along() {
    const models = [...this.charts.ranking.order].filter(this.hasLine);
    return models.filter((model) => this.lines[model]?.some(Boolean));
  }

  start() {
    return this.charts.pointed ?? this.along()[0];
  }

  /** @param {number | null} model */
  light(model) {
    this.lit.setAttribute("d", model === null ? "" : path(this.lines[model]));
  }

  /** @param {number} model @param {Point | null} place @returns {Card} */
  card(model, place) {
    const { ranking, names } = this.charts;
    const [x, y] = place ?? this.lines[model].find((spot) => spot !== null) ?? [0, 0];
    const lines = this.metrics.map((metric, at) => metricLine(metric, this.values[at][model]));
    return { x, y, title: names[model], lines: [rankLine(ranking.rankOf(model)), ...lines] };
  }

  /** @param {number} model */
  choose(model) {
    this.charts.pointOut(model);
  }
}
