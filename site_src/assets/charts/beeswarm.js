// Every sample of every model by its difficulty: right above the line, wrong below it, coloured by split.
import { number } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Bounds } from "./bounds.js";
import { Figure, shade, SHADES } from "./difficulty-figure.js";
import { Pointer } from "./panel.js";
import { fitted, label, STRONG, svg, widthOf } from "./svg.js";
import { difficultyRange, FOOT, GUTTER, KNOBS, SIDE, SwarmLayout } from "./swarm.js";

/** @import { Card, ChartTable, DifficultyHost, Points, SplitOutline } from "../../types" */
/** @import { Course, Strip, Swarm } from "./swarm.js" */
// Width of a sample's text on its card, and of a number on the axis, in pixels.
const TEXT = 480;
const TICK = 40;
// Columns of the table behind the picture.
const BINS = 10;

export class Beeswarm extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "beeswarm", text("swarm.keys"));
    /** What is drawn, and of which points. @type {SwarmLayout | null} */
    this.layout = null;
    /** @type {Points | null} */
    this.points = null;
    this.drawn = "";
    this.stretched = false;
    /** The samples of the mark that the pointer is at. @type {number[]} */
    this.several = [];
    this.ruler = svg("g", {});
    /** A ring for each strip. @type {SVGCircleElement[]} */
    this.rings = [];
    this.pointer = new SamplePointer(this.frame, this);
    this.bounds = new Bounds(
      (thresholds) => {
        this.colour();
        page.setThresholds(thresholds);
      },
      () => page.settle(),
    );
  }

  paint() {
    const { points } = this.given;
    if (!points) return;
    const layout = this.layoutFor(points);
    this.colour();
    this.panel.say(this.words.swarm, this.remarks(layout), () => this.numbers(layout, points));
  }

  /** The layout as long as it fits: marks keep their places while thresholds move. @param {Points} points */
  layoutFor(points) {
    const flipped = this.given.answer.direction === "easy-high";
    const models = this.models.map(({ model }) => model);
    if (this.bounds.held === null) {
      // The picture reaches as far as own thresholds do.
      const [low, high] = difficultyRange(points.difficulty);
      this.stretched = this.own.some((threshold) => threshold < low || threshold > high);
    }
    const options = { flipped, stretched: this.stretched, ruled: this.ruled };
    const key = JSON.stringify([models, this.width, options]);
    if (this.layout && points === this.points && key === this.drawn) return this.layout;
    this.points = points;
    this.drawn = key;
    this.layout = new SwarmLayout(points, models, this.width, options);
    this.build(this.layout);
    return this.layout;
  }

  /** @param {SwarmLayout} layout */
  build(layout) {
    const { left, width, height, strips } = layout;
    this.ruler = svg("g", {});
    this.rings = strips.map(() =>
      svg("circle", { class: "ring", r: layout.size / 2 + 2.5, visibility: "hidden" }),
    );
    const size = { viewBox: `0 0 ${width} ${height}`, width, height };
    this.frame.classList.remove("bare");
    this.pointer.hold(
      svg(
        "svg",
        { ...size, role: "group", "aria-label": text("swarm.title") },
        ...strips.map(({ swarm, top }) => swarm.layer(left, top)),
        ...this.axis(layout),
        this.ruler,
        this.bounds.layer,
        ...strips.flatMap((strip) => this.writing(layout, strip)),
        ...this.rings,
      ),
    );
  }

  /** The axis under the strips: a number at every tenth, or every other one, and what its ends are.
   * @param {SwarmLayout} layout */
  axis({ width, height, left, course }) {
    const [low, high] = course.domain;
    const steps = Math.round((high - low) * 10);
    const every = course.width / steps < TICK ? 2 : 1;
    const ticks = Array.from({ length: Math.floor(steps / every) + 1 }, (_, at) => {
      const value = low + (at * every) / 10;
      const written = number(value, 1);
      const half = widthOf(written) / 2;
      const x = Math.min(width - half, Math.max(half, left + course.at(value)));
      return svg("text", { class: "tick", x, y: height - FOOT + 16, "text-anchor": "middle" }, written);
    });
    const y = height - FOOT + 38;
    const title = text(this.shared ? "swarm.difficulty" : "swarm.confidence");
    const [first, last] = this.words.ends;
    return [
      ...ticks,
      svg("text", { class: "better", x: left, y }, `← ${first}`),
      svg("text", { class: "axis-title", x: left + course.width / 2, y, "text-anchor": "middle" }, title),
      svg("text", { class: "better", x: width - SIDE, y, "text-anchor": "end" }, `${last} →`),
    ];
  }

  /** The line of a strip, its model's name and counts. @param {SwarmLayout} layout @param {Strip} strip */
  writing({ base, left, width, narrow }, { model, swarm, top }) {
    const [right, wrong] = swarm.counts.map((count) => number(count, 0));
    const y = top + base;
    const rule = svg("path", { class: "rule", d: `M${left} ${y}H${width - SIDE}` });
    const name = this.page.label(model);
    if (narrow) {
      const counts = `● ${right}  × ${wrong}`;
      const room = width - widthOf(counts) - 32;
      return [
        rule,
        label(name, { class: "strip-name", x: SIDE, y: top - 8 }, room, STRONG),
        svg("text", { class: "tick", x: width - SIDE, y: top - 8, "text-anchor": "end" }, counts),
      ];
    }
    return [
      rule,
      label(name, { class: "strip-name", x: 0, y: y - 20 }, GUTTER - 16, STRONG),
      svg("text", { class: "tick", x: 0, y: y - 3 }, text("swarm.right", { right })),
      svg("text", { class: "tick", x: 0, y: y + 14 }, text("swarm.wrong", { wrong })),
    ];
  }

  // What moves with the thresholds: colours, boundaries, and the numbers of splits.

  colour() {
    const { layout } = this;
    if (!layout) return;
    const { strips, course, area } = layout;
    // Equal steps of the difficulty, a shade each, for weights without splits.
    const [low, high] = course.domain;
    const ramp = Array.from({ length: SHADES - 1 }, (_, at) => low + ((high - low) * (at + 1)) / SHADES);
    for (const { model, swarm } of strips) swarm.colour(this.thresholds(model) ?? ramp);
    const shared = this.thresholds(null);
    // Where every model has boundaries of its own, they are ticks across its own line.
    this.ruler.replaceChildren(
      ...(this.ruled
        ? rulerOf(layout, shared ?? ramp, shared !== null)
        : strips.map((strip) => boundaryTicks(layout, strip, this.thresholds(strip.model) ?? []))),
    );
    this.bounds.show((this.together && shared) || [], course, area);
  }

  /** The thresholds of the page; empty where splits are equal or there are none. */
  get own() {
    const { kind, thresholds, splits } = this.page.state;
    if (kind !== "thresholds") return [];
    return thresholds ?? Array.from({ length: splits - 1 }, (_, at) => (at + 1) / splits);
  }

  /** The ascending thresholds of a model, or of all; null where a metric has no splits. @param {string | null} model */
  thresholds(model) {
    const { answer } = this.given;
    if (this.bounds.held !== null) return this.bounds.list;
    if (this.continuous) return null;
    if (this.own.length) return this.own;
    const splits = answer.splits ?? answer.models.find((one) => one.model === model)?.splits ?? [];
    return splits.length ? boundariesOf(splits, answer.direction === "easy-high") : null;
  }

  /** Whether all models share the difficulties of samples. */
  get shared() {
    return Array.isArray(this.given.points?.difficulty);
  }

  /** Whether all strips have the same boundaries. */
  get together() {
    return (this.shared || this.own.length > 0) && !this.continuous;
  }

  get continuous() {
    return this.page.state.kind === "continuous";
  }

  /** Whether one ruler above the strips is true of all. */
  get ruled() {
    return this.together || this.continuous;
  }

  // Words and numbers.

  /** @param {SwarmLayout} layout */
  remarks({ each, strips, ruled }) {
    const missing = this.given.answer.left_out?.no_difficulty ?? 0;
    return [
      text(this.continuous ? "swarm.reading-continuous" : "swarm.reading"),
      each > 1 ? text("swarm.each", { each }) : "",
      strips.some(({ swarm }) => swarm.aside) ? text("swarm.aside") : "",
      this.together ? text("swarm.drag") : "",
      ruled ? "" : text("swarm.own"),
      missing ? text("swarm.undrawn", { count: missing }) : "",
    ];
  }

  /** How many samples each model gets right in equal steps of the difficulty.
   * @param {SwarmLayout} layout @param {Points} points @returns {ChartTable} */
  numbers({ strips, course }, { right }) {
    const [low, high] = course.domain;
    const edges = Array.from({ length: BINS + 1 }, (_, at) => low + ((high - low) * at) / BINS);
    const steps = edges
      .slice(1)
      .map((to, at) => text("charts.range", { low: number(edges[at], 2), high: number(to, 2) }));
    const sorted = (/** @type {string[]} */ cells) => (course.flipped ? cells.reverse() : cells);
    const rows = strips.map(({ model, swarm }) => {
      const bins = binned(swarm.course, right[model]);
      return [this.page.label(model), ...sorted(bins.map(([part, all]) => text("charts.of", { part, all })))];
    });
    return { heads: [text("swarm.right-by-difficulty"), ...sorted(steps)], rows };
  }

  // Answers to the pointer; a mark is a strip and a sample in one number.

  get strips() {
    return this.layout?.strips ?? [];
  }

  get samples() {
    return this.layout?.course.values.length ?? 0;
  }

  /** The strip and the sample of a mark. @param {number} mark */
  unmark(mark) {
    return [Math.floor(mark / this.samples), mark % this.samples];
  }

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    this.several = [];
    if (this.bounds.held !== null || !this.layout) return null;
    const { strips, left, tallness } = this.layout;
    const at = strips.findIndex(({ top }) => y >= top && y <= top + tallness);
    if (at < 0) return null;
    this.several = strips[at].swarm.near(x - left, y - strips[at].top);
    return this.several.length ? at * this.samples + this.several[0] : null;
  }

  along() {
    const [strip] = this.pointer.mark === null ? [0] : this.unmark(this.pointer.mark);
    const order = this.strips[strip]?.swarm.course.order ?? [];
    return order.map((sample) => strip * this.samples + sample);
  }

  start() {
    return this.along()[0];
  }

  /** The same sample in the strip above (-1) or below (1), as far as there is one.
   * @param {number} mark @param {number} step */
  beside(mark, step) {
    const [strip, sample] = this.unmark(mark);
    return Math.min(this.strips.length - 1, Math.max(0, strip + step)) * this.samples + sample;
  }

  /** A ring around the sample in every strip: one sees which models get it right. @param {number | null} mark */
  light(mark) {
    this.rings.forEach((ring, at) => {
      const place = mark === null ? null : this.placeOf(at, this.unmark(mark)[1]);
      ring.setAttribute("visibility", place ? "visible" : "hidden");
      if (!place) return;
      ring.setAttribute("cx", String(place[0]));
      ring.setAttribute("cy", String(place[1]));
    });
  }

  /** Where a sample is in the picture; null where it has no mark. @param {number} at @param {number} sample */
  placeOf(at, sample) {
    const { swarm, top } = this.strips[at];
    const mark = swarm.markOf[sample];
    if (!mark) return null;
    const [x, y] = swarm.spot(mark);
    return [(this.layout?.left ?? 0) + x, top + y];
  }

  /** @param {number} mark @returns {Card} */
  card(mark) {
    const [at, sample] = this.unmark(mark);
    const { model, swarm } = this.strips[at];
    const [x, y] = this.placeOf(at, sample) ?? [0, 0];
    const { id, text: start, gold } = this.page.example(sample);
    const more = this.several[0] === sample ? this.several.length - 1 : 0;
    const title = text(more ? "swarm.examples" : "swarm.example", { id, more });
    const lines = [start ? fitted(start, TEXT) : "", ...this.facts(model, swarm, sample, gold)];
    return { x, y, title, lines: lines.filter(Boolean) };
  }

  /** @param {string} model @param {Swarm} swarm @param {number} sample @param {string | null} gold */
  facts(model, { course }, sample, gold) {
    const thresholds = this.thresholds(model);
    const value = course.values[sample];
    const right = this.points?.right[model][sample] === "1";
    const name = this.page.label(model);
    const values = { b: number(value, 3), split: thresholds ? course.split(value, thresholds) + 1 : "" };
    return [
      text(right ? "swarm.is-right" : "swarm.is-wrong", { name }),
      gold === null ? "" : text("swarm.gold", { gold }),
      text(thresholds ? "swarm.in-split" : "swarm.b", values),
      text("swarm.agreed", { right: this.layout?.agreed[sample] ?? 0, count: this.strips.length }),
    ];
  }
}

/** Pointing at samples: keys go up and down between models too. @extends {Pointer<number>} */
class SamplePointer extends Pointer {
  /** @param {HTMLElement} frame @param {Beeswarm} beeswarm */
  constructor(frame, beeswarm) {
    super(frame, beeswarm);
    this.beeswarm = beeswarm;
  }

  /** @param {SVGSVGElement} picture */
  hold(picture) {
    // The same number is another sample in a new layout.
    this.mark = null;
    super.hold(picture);
  }

  /** @param {string} key @param {number[]} marks */
  next(key, marks) {
    const step = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
    return step && this.mark !== null ? this.beeswarm.beside(this.mark, step) : super.next(key, marks);
  }
}

/** The colours of the splits above the strips, `numbered` where there is room.
 * @param {SwarmLayout} layout @param {number[]} thresholds @param {boolean} numbered */
function rulerOf({ left, course }, thresholds, numbered) {
  const edges = [0, ...course.places(thresholds), course.width];
  return edges.slice(1).flatMap((to, at) => {
    const [x, width] = [left + edges[at], Math.max(0, to - edges[at])];
    const band = svg("rect", { class: `s${shade(at, edges.length - 1)}`, x, y: KNOBS - 3, width, height: 6 });
    const middle = { class: "tick", x: x + width / 2, y: 12, "text-anchor": "middle" };
    return numbered && width > 14 ? [band, svg("text", middle, String(at + 1))] : [band];
  });
}

/** A strip's own boundaries, as ticks across its line.
 * @param {SwarmLayout} layout @param {Strip} strip @param {number[]} thresholds */
function boundaryTicks({ left, base, course }, { top }, thresholds) {
  const y = top + base;
  const ticks = course.places(thresholds).map((place) => `M${(left + place).toFixed(2)} ${y - 7}v14`);
  return svg("path", { class: "bound-tick", d: ticks.join("") });
}

/** Ascending boundaries between splits that say what they hold: half-way between neighbours.
 * @param {SplitOutline[]} splits @param {boolean} flipped */
function boundariesOf(splits, flipped) {
  const known = splits.flatMap(({ low, high }) => (low === null || high === null ? [] : [{ low, high }]));
  const bounds = known
    .slice(1)
    .map((split, at) => (flipped ? known[at].low + split.high : known[at].high + split.low) / 2);
  return bounds.sort((a, b) => a - b);
}

/** [right, all] samples in each of equal steps of the difficulty. @param {Course} course @param {string} answers */
function binned({ domain: [low, high], order, values }, answers) {
  const bins = Array.from({ length: BINS }, () => [0, 0]);
  for (const sample of order) {
    const share = (values[sample] - low) / (high - low);
    const bin = bins[Math.min(BINS - 1, Math.max(0, Math.floor(share * BINS)))];
    bin[0] += answers[sample] === "1" ? 1 : 0;
    bin[1] += 1;
  }
  return bins;
}
