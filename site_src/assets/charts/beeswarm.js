// Every sample of every model by its difficulty: right above the line, wrong below it, coloured by split.
// Dots are on canvases, which keep their places while thresholds move; all else is one picture over them.
import { counted, number } from "../base/formats.js";
import { Bounds } from "./bounds.js";
import { Figure, SHADES } from "./difficulty-figure.js";
import { Pointer } from "./panel.js";
import { fitted, svg } from "./svg.js";
import {
  boundaryTicks,
  difficultyRange,
  samePlaces,
  stripWriting,
  swarmAxis,
  SwarmLayout,
  swarmRuler,
} from "./swarm-layout.js";

/** @import { Answer, Card, ChartTable, DifficultyHost, Points, SplitOutline } from "../../types" */
/** @import { Strip } from "./swarm-layout.js" */
/** @import { Course, Swarm } from "./swarm.js" */
const KEYS =
  "Examples by difficulty: left and right go from one to the next, up and down from one model to the next";
// Width of a sample's text on its card, in pixels.
const TEXT = 480;

export class Beeswarm extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "beeswarm", KEYS);
    /** @type {Points | null} */
    this.points = null;
    /** @type {SwarmLayout | null} */
    this.layout = null;
    /** What the places of the marks depend on. */
    this.drawn = "";
    this.stretched = false;
    /** Which colours are used: those of the screen, `--split-1`, or of paper, `--paper-1`. */
    this.inks = "split";
    /** @type {string[]} */
    this.shades = [];
    /** The samples of the mark that the pointer is at. @type {number[]} */
    this.several = [];
    this.ruler = svg("g", {});
    /** A ring for each strip. @type {SVGCircleElement[]} */
    this.rings = [];
    this.pointer = new SamplePointer(this.frame, this);
    this.bounds = new Bounds(
      (thresholds) => this.moved(thresholds),
      () => page.settle(),
    );
    this.watchTheme();
  }

  watchTheme() {
    const theme = { attributeFilter: ["data-theme"] };
    new MutationObserver(() => this.again()).observe(document.documentElement, theme);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.again());
  }

  paint() {
    const { answer, points } = this.given;
    if (!points) return;
    const layout = this.layoutFor(points);
    this.points = points;
    this.ink(layout);
    this.colour();
    this.panel.say(this.words.swarm, swarmRemarks(layout, answer, this), () =>
      swarmTable(layout, points, ({ model }) => this.page.label(model)),
    );
  }

  /** The present layout if it still fits, else a new one. @param {Points} points */
  layoutFor(points) {
    const key = this.key(points);
    const kept = this.drawn === key && this.points && samePlaces(this.points, points);
    if (this.layout && kept) return this.layout;
    this.drawn = key;
    this.layout = this.layoutOf(points);
    this.build(this.layout);
    return this.layout;
  }

  /** What the places of marks depend on, besides the samples themselves. @param {Points} points */
  key(points) {
    const models = this.models.map(({ model }) => model);
    const beyond = this.bounds.held === null ? this.beyond(points) : this.stretched;
    const { direction } = this.given.answer;
    return JSON.stringify([models, Object.keys(points.right), direction, this.width, beyond, this.ruled]);
  }

  /**
   * Whether own thresholds reach beyond the samples, so that the picture has to as well.
   * @param {Points} points
   */
  beyond(points) {
    const [low, high] = difficultyRange(points.difficulty);
    return this.own.some((threshold) => threshold < low || threshold > high);
  }

  /** The thresholds of the page; empty where splits are equal or there are none. */
  get own() {
    const { kind, thresholds, splits } = this.page.state;
    if (kind !== "thresholds") return [];
    return thresholds ?? Array.from({ length: splits - 1 }, (_, at) => (at + 1) / splits);
  }

  /** @param {Points} points */
  layoutOf(points) {
    this.stretched = this.beyond(points);
    const flipped = this.given.answer.direction === "easy-high";
    const models = this.models.map(({ model }) => model);
    const options = { flipped, stretched: this.stretched, ruled: this.ruled };
    return new SwarmLayout(points, models, this.width, options);
  }

  /** Make the canvases, and the picture over them. @param {SwarmLayout} layout */
  build(layout) {
    const canvases = layout.strips.map((strip) => {
      const canvas = strip.swarm.settle(layout.tallness, layout.base);
      Object.assign(canvas.style, layout.corner(strip));
      return canvas;
    });
    this.ruler = svg("g", {});
    const ring = { class: "ring", r: layout.size / 2 + 2.5, visibility: "hidden" };
    this.rings = layout.strips.map(() => svg("circle", ring));
    this.frame.classList.remove("bare");
    this.pointer.hold(this.pictureOver(layout), ...canvases);
  }

  /** What is on the canvases, for a picture without them. */
  marks() {
    const { layout } = this;
    return layout ? layout.strips.flatMap(({ swarm, top }) => swarm.paths(layout.left, top)) : [];
  }

  /** @param {SwarmLayout} layout */
  pictureOver(layout) {
    const { width, height, strips } = layout;
    const size = { viewBox: `0 0 ${width} ${height}`, width, height };
    return svg(
      "svg",
      { class: "over", ...size, role: "group", "aria-label": "Examples by difficulty" },
      ...swarmAxis(layout, this.shared ? "Difficulty (B)" : "Confidence (B)", this.words.ends),
      this.ruler,
      this.bounds.layer,
      ...strips.flatMap((strip) => stripWriting(layout, strip, this.page.label(strip.model))),
      ...this.rings,
    );
  }

  // What moves with the thresholds: colours, boundaries, and the numbers of splits.

  /**
   * Take the colours of the theme, or of paper; marks that have others are drawn again.
   * @param {SwarmLayout} layout
   */
  ink({ strips }) {
    const shades = shadesOf(this.frame, this.inks);
    if (shades.join() !== this.shades.join()) strips.forEach(({ swarm }) => swarm.fade());
    this.shades = shades;
  }

  colour() {
    const { layout } = this;
    if (!layout) return;
    for (const { model, swarm } of layout.strips) {
      swarm.colour(this.shades, this.thresholds(model) ?? this.ramp(layout));
    }
    const shared = this.thresholds(null);
    this.ruler.replaceChildren(...(this.ruled ? this.rulerOf(layout, shared) : this.ticks(layout)));
    this.bounds.show((this.together && shared) || [], layout.course, layout.area);
  }

  /** @param {SwarmLayout} layout @param {number[] | null} thresholds */
  rulerOf(layout, thresholds) {
    return swarmRuler(layout, thresholds ?? this.ramp(layout), thresholds !== null);
  }

  /**
   * Where every model has boundaries of its own, they are ticks across its own line.
   * @param {SwarmLayout} layout
   */
  ticks(layout) {
    return layout.strips.map((strip) => boundaryTicks(layout, strip, this.thresholds(strip.model) ?? []));
  }

  /**
   * The ascending thresholds of a model, or of all; null where a metric has no splits.
   * @param {string | null} model
   */
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

  /** Equal steps of the difficulty, a shade each, for weights without splits. @param {SwarmLayout} layout */
  ramp({ course }) {
    const [low, high] = course.domain;
    return Array.from({ length: SHADES - 1 }, (_, at) => low + ((high - low) * (at + 1)) / SHADES);
  }

  /** @param {number[]} thresholds */
  moved(thresholds) {
    this.colour();
    this.page.setThresholds(thresholds);
  }

  print() {
    this.inks = "paper";
    this.again();
    super.print();
  }

  printed() {
    super.printed();
    this.inks = "split";
    this.again();
  }

  // Answers to the pointer; a mark is a strip and a sample in one number.

  get strips() {
    return this.layout?.strips ?? [];
  }

  get samples() {
    return this.layout?.course.values.length ?? 0;
  }

  /** @param {number} strip @param {number} sample */
  mark(strip, sample) {
    return strip * this.samples + sample;
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
    return this.several.length ? this.mark(at, this.several[0]) : null;
  }

  along() {
    const [strip] = this.pointer.mark === null ? [0] : this.unmark(this.pointer.mark);
    const order = this.strips[strip]?.swarm.course.order ?? [];
    return Array.from(order, (sample) => this.mark(strip, sample));
  }

  start() {
    return this.along()[0];
  }

  /**
   * The same sample in the strip above (-1) or below (1), as far as there is one.
   * @param {number} mark @param {number} step
   */
  beside(mark, step) {
    const [strip, sample] = this.unmark(mark);
    return this.mark(Math.min(this.strips.length - 1, Math.max(0, strip + step)), sample);
  }

  /**
   * A ring around the sample in every strip: one sees which models get it right.
   * @param {number | null} mark
   */
  light(mark) {
    this.rings.forEach((ring, at) => {
      const place = mark === null ? null : this.placeOf(at, this.unmark(mark)[1]);
      ring.setAttribute("visibility", place ? "visible" : "hidden");
      if (!place) return;
      ring.setAttribute("cx", String(place[0]));
      ring.setAttribute("cy", String(place[1]));
    });
  }

  /**
   * Where a sample is in the picture; null where it has no mark.
   * @param {number} at @param {number} sample
   */
  placeOf(at, sample) {
    const { swarm, top } = this.strips[at];
    const place = swarm.place(sample);
    return place && [(this.layout?.left ?? 0) + place[0], top + place[1]];
  }

  /** @param {number} mark @returns {Card} */
  card(mark) {
    const [at, sample] = this.unmark(mark);
    const { model, swarm } = this.strips[at];
    const [x, y] = this.placeOf(at, sample) ?? [0, 0];
    const { id, text, gold } = this.page.example(sample);
    const others = this.several[0] === sample ? this.several.length - 1 : 0;
    const title = `Example ${id}${others ? ` and ${others} more here` : ""}`;
    const lines = [text ? fitted(text, TEXT) : "", ...this.facts(model, swarm, sample, gold)];
    return { x, y, title, lines: lines.filter(Boolean) };
  }

  /** @param {string} model @param {Swarm} swarm @param {number} sample @param {string | null} gold */
  facts(model, swarm, sample, gold) {
    const thresholds = this.thresholds(model);
    const value = swarm.course.values[sample];
    const split = thresholds ? `, split ${swarm.course.split(value, thresholds) + 1}` : "";
    const right = this.points?.right[model][sample] === "1" ? "right" : "wrong";
    return [
      `${this.page.label(model)}: ${right}`,
      gold === null ? "" : `gold ${gold}`,
      `B ${number(value, 3)}${split}`,
      `${this.layout?.agreed[sample]} of ${counted(this.strips.length, "model")} right`,
    ];
  }
}

/**
 * Pointing at samples: the picture lies over canvases, and keys go up and down between models too.
 * @extends {Pointer<number>}
 */
class SamplePointer extends Pointer {
  /** @param {HTMLElement} frame @param {Beeswarm} beeswarm */
  constructor(frame, beeswarm) {
    super(frame, beeswarm);
    this.beeswarm = beeswarm;
  }

  /** @param {SVGSVGElement} picture @param {HTMLElement[]} grounds */
  hold(picture, ...grounds) {
    // The same number is another sample in a new layout.
    this.mark = null;
    super.hold(picture, ...grounds);
  }

  /** @param {string} key @param {number[]} marks */
  next(key, marks) {
    const step = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
    return step && this.mark !== null ? this.beeswarm.beside(this.mark, step) : super.next(key, marks);
  }
}

/**
 * Ascending boundaries between splits that say what they hold: half-way between neighbours.
 * @param {SplitOutline[]} splits @param {boolean} flipped
 */
function boundariesOf(splits, flipped) {
  const known = splits.flatMap(({ low, high }) => (low === null || high === null ? [] : [{ low, high }]));
  const bounds = known
    .slice(1)
    .map((split, at) => (flipped ? known[at].low + split.high : known[at].high + split.low) / 2);
  return bounds.sort((a, b) => a - b);
}

/**
 * The colours of the splits, on the screen (`--split-1`, …) or on paper (`--paper-1`, …).
 * @param {HTMLElement} frame @param {string} inks
 */
function shadesOf(frame, inks) {
  const style = getComputedStyle(frame);
  return Array.from({ length: SHADES }, (_, at) => style.getPropertyValue(`--${inks}-${at + 1}`).trim());
}

// What a swarm of samples says in words and numbers.

const BINS = 10;

/**
 * How to read the swarm. `together`: all models have the same boundaries.
 * @param {SwarmLayout} layout @param {Answer} answer
 * @param {{ continuous: boolean, together: boolean }} splitting
 */
function swarmRemarks({ each, strips, ruled }, answer, { continuous, together }) {
  return [
    `A dot above its line is an example that the model gets right, a cross below it one that it gets wrong; colours go by ${continuous ? "difficulty" : "split"}.`,
    each > 1
      ? `There are more examples than room: each mark stands for ${each} of nearly the same difficulty, a smaller one for fewer.`
      : "",
    strips.some(({ swarm }) => swarm.aside)
      ? "Where many have one difficulty, marks are a little beside it."
      : "",
    together ? "Drag a boundary, or move it by arrow keys, and every chart follows." : "",
    ruled ? "" : "Every model has boundaries of its own, since every model is sure of other examples.",
    missingRemark(answer.left_out?.no_difficulty ?? 0),
  ];
}

/** @param {number} missing */
function missingRemark(missing) {
  if (!missing) return "";
  return `${counted(missing, "example")} without a difficulty (B) ${missing === 1 ? "is" : "are"} not drawn.`;
}

/**
 * How many samples each model gets right in equal steps of the difficulty.
 * @param {SwarmLayout} layout @param {Points} points @param {(strip: Strip) => string} labelOf
 * @returns {ChartTable}
 */
function swarmTable({ strips, course }, points, labelOf) {
  const [low, high] = course.domain;
  const edges = Array.from({ length: BINS + 1 }, (_, at) => low + ((high - low) * at) / BINS);
  const steps = edges.slice(1).map((to, at) => `${number(edges[at], 2)} to ${number(to, 2)}`);
  const sorted = (/** @type {string[]} */ cells) => (course.flipped ? cells.reverse() : cells);
  const rows = strips.map((strip) => {
    const bins = binned(strip.swarm.course, points.right[strip.model]);
    return [labelOf(strip), ...sorted(bins.map(([right, all]) => `${right} of ${all}`))];
  });
  return { heads: ["Right, by difficulty", ...sorted(steps)], rows };
}

/**
 * [right, all] samples in each of equal steps of the difficulty.
 * @param {Course} course @param {string} answers
 */
function binned(course, answers) {
  const [low, high] = course.domain;
  const bins = Array.from({ length: BINS }, () => [0, 0]);
  for (const sample of course.order) {
    const share = (course.values[sample] - low) / (high - low);
    const bin = bins[Math.min(BINS - 1, Math.max(0, Math.floor(share * BINS)))];
    bin[0] += answers[sample] === "1" ? 1 : 0;
    bin[1] += 1;
  }
  return bins;
}
