// Every metric as an axis of its own, better upwards, and every model as a line across them. On narrow
// screens the picture is turned: axes lie under one another, better to the right.
import { Axis } from "./axes.js";
import { number } from "../base/formats.js";
import { listed } from "./panel.js";
import { Pointer } from "./pointer.js";
import { said, shown } from "./scatter.js";
import { STRONG, label, path, picture, svg, widthOf } from "./svg.js";

// Axes closer than this have no room for their names side by side, so the picture is turned.
const NARROW = 88;
const UPRIGHT = { height: 360, top: 48, bottom: 28 };
const TURNED = { row: 56, top: 36, side: 8 };
// Room at the left, and at the right for the names of lines that stand out.
const SIDE = 52;
const NAMES = 140;
const REACH = 16;
// With more lines than this each is fainter, so that where many run together is darker.
const MANY = 100;

export class Parallel {
  constructor(page, panel, charts) {
    Object.assign(this, { page, panel, charts, lines: [] });
    this.metrics = page.data.metrics;
    this.pointer = new Pointer(panel.frame, this);
  }

  key() {
    const { pointed, chosen, sought, ranking } = this.charts;
    return [
      this.page.ranked.datasets,
      sought,
      pointed,
      chosen,
      pointed === null ? null : ranking.rankOf(pointed),
    ];
  }

  draw() {
    this.lay();
    const finding = this.finding();
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers()));
    this.panel.say(finding, this.remarks(), () => this.numbers());
  }

  lay() {
    this.width = this.panel.width;
    this.turned = (this.width - SIDE - NAMES) / Math.max(1, this.metrics.length - 1) < NARROW;
    this.height = this.turned ? TURNED.top + TURNED.row * (this.metrics.length - 1) + 20 : UPRIGHT.height;
    this.axes = this.metrics.map((metric, at) => this.axis(metric, this.charts.ranking.values[at]));
    this.lines = this.charts.names.map((_, model) => this.metrics.map((_, at) => this.spot(at, model)));
  }

  axis({ cost }, values) {
    const [worst, best] = this.turned
      ? [TURNED.side, this.width - TURNED.side]
      : [this.height - UPRIGHT.bottom, UPRIGHT.top];
    return cost ? new Axis(values, best, worst, { margin: 0 }) : new Axis(values, worst, best, { margin: 0 });
  }

  /** Where along the picture an axis stands. */
  standing(at) {
    if (this.turned) return TURNED.top + TURNED.row * at;
    const [left, right] = [SIDE, this.width - NAMES];
    return this.metrics.length === 1 ? left : left + ((right - left) * at) / (this.metrics.length - 1);
  }

  /** The place [x, y] of a model on an axis; null where its number is missing. */
  spot(at, model) {
    const value = this.charts.ranking.values[at][model];
    if (Number.isNaN(value)) return null;
    const place = this.axes[at].at(value);
    return this.turned ? [place, this.standing(at)] : [this.standing(at), place];
  }

  layers() {
    const { pointed, chosen } = this.charts;
    const loud = new Set([pointed, ...chosen]);
    const faint = this.lines.filter((_, model) => this.charts.found[model] && !loud.has(model));
    this.lit = svg("path", { class: "line lit", d: "" });
    return [
      ...this.metrics.map((_, at) => this.rule(at)),
      svg(
        "g",
        { class: faint.length > MANY ? "lines many" : "lines" },
        ...faint.map((line) => svg("path", { d: path(line) })),
      ),
      ...chosen.filter((model) => model !== pointed).map((model) => this.line(model, "picked")),
      ...(pointed === null ? [] : [this.line(pointed, "led")]),
      this.lit,
      ...this.metrics.flatMap((_, at) => this.heading(at)),
      ...(pointed === null ? [] : this.figures(pointed)),
      ...this.lineNames(pointed, chosen),
    ];
  }

  /** Whether a model has a line: those that are searched for, and those that stand out. */
  hasLine(model) {
    const { found, pointed, chosen } = this.charts;
    return found[model] || model === pointed || chosen.includes(model);
  }

  line(model, style) {
    return svg("path", { class: `line ${style}`, d: path(this.lines[model]) });
  }

  rule(at) {
    const place = this.standing(at);
    const ends = this.turned
      ? [
          [TURNED.side, place],
          [this.width - TURNED.side, place],
        ]
      : [
          [place, UPRIGHT.top],
          [place, this.height - UPRIGHT.bottom],
        ];
    return svg("path", { class: "rule", d: path(ends) });
  }

  /** The name of an axis, and the numbers at both of its ends. */
  heading(at) {
    const metric = this.metrics[at];
    const place = this.standing(at);
    const [worst, best] = this.ends(at);
    const name = metric.label + (this.axes[at].log ? " (log)" : "");
    if (this.turned) return this.lyingHeading(metric, name, place, worst, best);
    const gap = this.metrics.length > 1 ? this.standing(1) - this.standing(0) : this.width;
    const text = label(
      name,
      { class: "axis-title", x: place, y: 14, "text-anchor": "middle" },
      gap - 24,
      STRONG,
    );
    const left = Math.max(8, place - widthOf(text.firstChild.data, STRONG) / 2);
    text.setAttribute("x", String(left + widthOf(text.firstChild.data, STRONG) / 2 + 8));
    return [
      svg("rect", { class: `m${metric.colour} key`, x: left - 8, y: 4, width: 10, height: 10, rx: 2 }),
      text,
      svg("text", { class: "tick", x: place, y: UPRIGHT.top - 10, "text-anchor": "middle" }, best),
      svg("text", { class: "tick", x: place, y: this.height - 8, "text-anchor": "middle" }, worst),
    ];
  }

  lyingHeading(metric, name, place, worst, best) {
    const room = this.width - widthOf(worst) - widthOf(best) - 56;
    return [
      svg("text", { class: "tick", x: 0, y: place - 10 }, worst),
      svg("rect", {
        class: `m${metric.colour} key`,
        x: widthOf(worst) + 12,
        y: place - 19,
        width: 10,
        height: 10,
        rx: 2,
      }),
      label(name, { class: "axis-title", x: widthOf(worst) + 28, y: place - 10 }, room, STRONG),
      svg("text", { class: "tick", x: this.width, y: place - 10, "text-anchor": "end" }, best),
    ];
  }

  ends(at) {
    const values = [...this.charts.ranking.values[at]].filter((value) => !Number.isNaN(value));
    if (!values.length) return ["", ""];
    const { cost, decimals } = this.metrics[at];
    const [low, high] = values.reduce(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Infinity, -Infinity],
    );
    return (cost ? [high, low] : [low, high]).map((value) => number(value, decimals));
  }

  /** Dots where the line that stands out meets the axes, and its numbers beside them where there is room. */
  figures(model) {
    const spots = this.lines[model].map((spot, at) => ({ spot, at })).filter(({ spot }) => spot);
    const dots = spots.map(({ spot: [cx, cy] }) => svg("circle", { class: "pointed-dot", cx, cy, r: 4 }));
    if (this.turned) return dots;
    return [...dots, ...spots.flatMap((spot) => this.figure(model, spot))];
  }

  /** A number beside its dot, on the side away from the line; what an end of the axis says is not said again. */
  figure(model, { spot: [x, y], at }) {
    const text = shown(this.charts.ranking.values[at][model], this.metrics[at].decimals);
    if (this.ends(at).includes(text)) return [];
    const next = this.lines[model][at + 1];
    const shift = next ? (next[1] > y ? -4 : 12) : 4;
    return [svg("text", { class: "name-tag strong", x: x + 8, y: y + shift }, text)];
  }

  /** Names at the right end of the lines that stand out, as many as find a place. */
  lineNames(pointed, chosen) {
    if (this.turned) return [];
    const taken = [];
    const models = [pointed, ...chosen].filter(
      (model, at, all) => model !== null && all.indexOf(model) === at && this.lines[model].at(-1),
    );
    return models.flatMap((model) => {
      const y = this.lines[model].at(-1)[1] + 4;
      if (taken.some((other) => Math.abs(other - y) < 15)) return [];
      taken.push(y);
      return [this.lineName(model, y, model === pointed)];
    });
  }

  lineName(model, y, strong) {
    const x = this.standing(this.metrics.length - 1) + 8;
    const text = shown(this.charts.ranking.values.at(-1)[model], this.metrics.at(-1).decimals);
    const own = strong && !this.ends(this.metrics.length - 1).includes(text) ? widthOf(text, STRONG) + 8 : 0;
    const style = strong ? "name-tag strong" : "name-tag";
    return label(
      this.charts.names[model],
      { class: style, x: x + own, y },
      NAMES - own - 8,
      strong ? STRONG : undefined,
    );
  }

  finding() {
    const { pointed, ranking } = this.charts;
    if (pointed === null) return "No model is ranked at these weights.";
    const rank = ranking.rankOf(pointed);
    const name = `${this.charts.called(pointed)}${rank === null ? ", not ranked," : `, ranked ${rank},`}`;
    const places = this.metrics.map((metric, at) => this.place(metric, at, pointed)).filter(Boolean);
    if (!places.length) return `${name} has no number for any metric.`;
    places.sort((a, b) => a.place - b.place || b.of - a.of);
    const [strong, weak] = [places[0], places.at(-1)].map(
      ({ metric, place, of }) => `${metric.label} (${ordinal(place)} of ${of})`,
    );
    if (places[0].place === places.at(-1).place) {
      return `${name} is ${ordinal(places[0].place)} in every metric.`;
    }
    return `${name} is strongest in ${strong} and weakest in ${weak}.`;
  }

  /** How many have a better number of a metric, and one: places, not scores. */
  place(metric, at, model) {
    const values = [...this.charts.ranking.values[at]].filter((value) => !Number.isNaN(value));
    const own = this.charts.ranking.values[at][model];
    if (Number.isNaN(own)) return null;
    const better = values.filter((value) => (metric.cost ? value < own : value > own)).length;
    return { metric, place: better + 1, of: values.length };
  }

  remarks() {
    const costs = this.metrics.filter((metric) => metric.cost).map((metric) => metric.label);
    const logs = this.metrics.filter((_, at) => this.axes[at].log).map((metric) => metric.label);
    const broken = this.lines.filter((line) => line.some((spot) => !spot)).length;
    const side = this.turned ? "Better is to the right on every axis" : "Better is up on every axis";
    return [
      `${side}${costs.length ? `, so for ${listed(costs)} the least is ${this.turned ? "at the right" : "on top"}` : ""}.`,
      logs.length
        ? `${listed(logs)}: by powers of ten, since the largest is over 100 times the smallest.`
        : "",
      broken
        ? `Where a number is missing the line has a gap (${broken} ${broken === 1 ? "model" : "models"}).`
        : "",
      this.charts.left("not drawn"),
    ];
  }

  numbers() {
    const { ranking, names } = this.charts;
    const cells = (model) =>
      this.metrics.map(({ decimals }, at) => shown(ranking.values[at][model], decimals));
    return {
      heads: ["Model", ...this.metrics.map((metric) => metric.label)],
      rows: [...ranking.order].map((model) => [names[model], ...cells(model)]),
    };
  }

  // Answers to the pointer.

  nearest(x, y) {
    let [found, least] = [null, REACH];
    this.lines.forEach((line, model) => {
      if (!this.hasLine(model)) return;
      const distance = this.distance(line, ...(this.turned ? [y, x] : [x, y]));
      if (distance < least) [found, least] = [model, distance];
    });
    return found;
  }

  /** How far a line is from a point, measured along the axes. */
  distance(line, main, cross) {
    const [mainOf, crossOf] = this.turned ? [1, 0] : [0, 1];
    for (let at = 0; at + 1 < line.length; at += 1) {
      const [from, to] = [line[at], line[at + 1]];
      if (!from || !to || main < from[mainOf] || main > to[mainOf]) continue;
      const share = (main - from[mainOf]) / (to[mainOf] - from[mainOf]);
      return Math.abs(from[crossOf] + share * (to[crossOf] - from[crossOf]) - cross);
    }
    return Infinity;
  }

  along() {
    return [...this.charts.ranking.order].filter(
      (model) => this.hasLine(model) && this.lines[model].some(Boolean),
    );
  }

  start() {
    return this.charts.pointed ?? this.along()[0];
  }

  light(model) {
    this.lit?.setAttribute("d", model === null ? "" : path(this.lines[model]));
  }

  card(model, place) {
    const { ranking, names } = this.charts;
    const [x, y] = place ?? this.lines[model].find(Boolean);
    const rank = ranking.rankOf(model);
    const lines = this.metrics.map((metric, at) => said(metric, ranking.values[at][model]));
    return { x, y, title: names[model], lines: [rank === null ? "not ranked" : `rank ${rank}`, ...lines] };
  }

  choose(model) {
    this.charts.pointOut(model);
  }
}

function ordinal(place) {
  const last = place % 100 > 10 && place % 100 < 14 ? 0 : place % 10;
  return `${place}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}
