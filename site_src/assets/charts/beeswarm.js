// Every sample of every model by its difficulty: right above the line, wrong below it, coloured by split.
// Dots are on canvases, which keep their places while thresholds move; all else is one picture over them.
import { Bounds } from "./bounds.js";
import { Figure, SHADES, counted, ends, shade } from "./difficulty-figure.js";
import { number, percent } from "../base/formats.js";
import { Pointer } from "./pointer.js";
import { STRONG, fitted, label, path, svg, widthOf } from "./svg.js";
import { Course, Swarm } from "./swarm.js";

// Marks are as large as the room of a strip allows; the smallest still shows whether it is a dot or a cross.
const SIZES = [8, 6, 5];
const ROOM = { wide: 104, narrow: 64 };
const MANY = { models: 12, room: 56 };
// Names and counts stand at the left of a strip, on a narrow screen above it.
const NARROW = 640;
const GUTTER = 176;
const SIDE = 8;
// Above the strips: the ruler of the splits, where all models share it.
const HEAD = { ruler: 44, bare: 12 };
const KNOBS = 22;
const LEAST = { up: 36, down: 20 };
const GAP = 16;
const FOOT = 44;
// How far towards the number of samples a mark that seems to be needed one goes at once.
const HASTE = 0.7;
// With marks so much too many, the sizes between are not tried.
const HOPELESS = 3;
const BINS = 10;
const KEYS =
  "Samples by difficulty: left and right go from one to the next, up and down from one model to the next";

export class Beeswarm extends Figure {
  constructor(page, host) {
    super(page, host, "beeswarm", KEYS);
    this.pointer = new SamplePointer(this.frame, this);
    this.bounds = new Bounds(
      (list) => this.moved(list),
      () => page.settle(),
    );
    this.inks = "split";
    new MutationObserver(() => this.again()).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.again());
  }

  paint({ answer, points }) {
    if (!points) return;
    const key = this.key(answer, points);
    if (this.drawn !== key || !alike(this.points, points)) this.lay(answer, points);
    [this.points, this.drawn] = [points, key];
    this.ink();
    this.colour();
    this.panel.say(this.finding(), this.remarks(), () => this.numbers());
  }

  /** Take the colours of the theme, or of paper; marks that have others are drawn again. */
  ink() {
    const shades = shadesOf(this.frame, this.inks);
    if (shades.join() !== this.shades?.join()) this.strips.forEach(({ swarm }) => swarm.fade());
    this.shades = shades;
  }

  /** What the places of marks depend on, besides the samples themselves. */
  key({ direction }, points) {
    const models = this.models.map(({ model }) => model);
    const beyond = this.bounds.held === null ? this.beyond(points) : this.stretched;
    return JSON.stringify([models, Object.keys(points.right), direction, this.width, beyond, this.ruled]);
  }

  /** Whether own thresholds reach beyond the samples, so that the picture has to as well. */
  beyond(points) {
    const [low, high] = extent(points.difficulty);
    return this.own.some((threshold) => threshold < low || threshold > high);
  }

  /** The thresholds of the page; empty where splits are equal or there are none. */
  get own() {
    const { kind, thresholds, splits } = this.page.state;
    if (kind !== "thresholds") return [];
    return thresholds ?? Array.from({ length: splits - 1 }, (_, at) => (at + 1) / splits);
  }

  // Where everything goes.

  lay(answer, points) {
    this.narrow = this.width < NARROW;
    this.left = this.narrow ? SIDE : GUTTER;
    const across = this.width - this.left - SIDE;
    this.stretched = this.beyond(points);
    const domain = this.stretched ? [0, 1] : extent(points.difficulty);
    const flipped = answer.direction === "easy-high";
    const course = this.shared ? new Course(points.difficulty, domain, flipped, across) : null;
    const models = this.models.filter(({ model }) => points.right[model]);
    const courses = models.map(
      ({ model }) => course ?? new Course(points.difficulty[model], domain, flipped, across),
    );
    this.course = course ?? courses[0] ?? new Course([], domain, flipped, across);
    const swarms = this.fit(
      courses,
      models.map(({ model }) => points.right[model]),
    );
    this.strips = models.map(({ model }, at) => ({ model, swarm: swarms[at] }));
    this.raise();
    this.tally(points);
    this.build();
  }

  /** The largest marks with which every sample has its own, else the smallest, each for several samples. */
  fit(courses, answers) {
    const room = answers.length > MANY.models ? MANY.room : this.narrow ? ROOM.narrow : ROOM.wide;
    const sizes = [...SIZES];
    [this.size, this.each] = [sizes.shift(), 1];
    for (;;) {
      const swarms = courses.map((course, at) => new Swarm(course, answers[at], this.size, this.each));
      this.rows = [0, 1].map((side) => Math.max(1, ...swarms.map(({ rows }) => rows[side])));
      const over = ((this.rows[0] + this.rows[1]) * this.size) / room;
      if (over <= 1) return swarms;
      if (over > HOPELESS) sizes.splice(0, sizes.length - 1);
      if (sizes.length) this.size = sizes.shift();
      else this.each = Math.max(this.each + 1, Math.floor(this.each * over * HASTE));
    }
  }

  /** The height of strips, and where each one begins. */
  raise() {
    const [up, down] = this.rows.map((count) => count * this.size + 2);
    this.base = this.narrow ? up : Math.max(LEAST.up, up);
    this.tallness = this.base + (this.narrow ? down : Math.max(LEAST.down, down));
    const head = this.narrow ? 24 : 0;
    const ruler = this.ruled ? HEAD.ruler : HEAD.bare;
    this.strips.forEach((strip, at) => (strip.top = ruler + head + at * (this.tallness + GAP + head)));
    this.height = ruler + this.strips.length * (this.tallness + GAP + head) + FOOT;
  }

  /** How many models get each sample right. */
  tally(points) {
    this.agreed = this.course.values.map(
      (_, sample) => this.strips.filter(({ model }) => points.right[model][sample] === "1").length,
    );
  }

  build() {
    for (const strip of this.strips) {
      strip.swarm.settle(this.tallness, this.base);
      Object.assign(strip.swarm.canvas.style, this.corner(strip));
    }
    this.heads = svg("g", {});
    this.rings = this.strips.map(() =>
      svg("circle", { class: "ring", r: this.size / 2 + 2.5, visibility: "hidden" }),
    );
    this.box = { left: this.left, right: this.width, top: KNOBS, bottom: this.height - FOOT };
    const { width, height } = this;
    const attributes = {
      class: "over",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "group",
      "aria-label": "Samples by difficulty",
    };
    this.over = svg(
      "svg",
      attributes,
      ...this.axis(),
      this.heads,
      this.bounds.layer,
      ...this.strips.flatMap((strip) => this.writing(strip)),
      ...this.rings,
    );
    this.frame.classList.remove("bare");
    this.pointer.hold(
      this.over,
      this.strips.map(({ swarm }) => swarm.canvas),
    );
  }

  /** Where a strip's canvas is in the frame, in shares of it: on paper all shrinks alike. */
  corner({ top }) {
    const share = (length, whole) => `${(100 * length) / whole}%`;
    return {
      left: share(this.left, this.width),
      top: share(top, this.height),
      width: share(this.course.width, this.width),
      height: share(this.tallness, this.height),
    };
  }

  writing({ model, swarm, top }) {
    const [right, wrong] = swarm.counts.map((count) => number(count, 0));
    const line = top + this.base;
    const rule = svg("path", {
      class: "rule",
      d: path([
        [this.left, line],
        [this.width - SIDE, line],
      ]),
    });
    const name = this.page.label(model);
    if (this.narrow) return [rule, ...this.above(name, right, wrong, top - 8)];
    return [
      rule,
      label(name, { class: "strip-name", x: 0, y: line - 20 }, GUTTER - 16, STRONG),
      svg("text", { class: "tick", x: 0, y: line - 3 }, `● ${right} right`),
      svg("text", { class: "tick", x: 0, y: line + 14 }, `× ${wrong} wrong`),
    ];
  }

  above(name, right, wrong, y) {
    const counts = `● ${right}  × ${wrong}`;
    return [
      label(name, { class: "strip-name", x: SIDE, y }, this.width - widthOf(counts) - 32, STRONG),
      svg("text", { class: "tick", x: this.width - SIDE, y, "text-anchor": "end" }, counts),
    ];
  }

  axis() {
    const y = this.height - FOOT + 16;
    const [low, high] = this.course.domain;
    const steps = Math.round((high - low) * 10);
    const every = this.course.width / steps < 40 ? 2 : 1;
    const values = Array.from({ length: Math.floor(steps / every) + 1 }, (_, at) => low + (at * every) / 10);
    const ticks = values.map((value) => this.tick(value, y));
    const [first, last] = ends(this.given.answer);
    return [
      ...ticks,
      svg("text", { class: "better", x: this.left, y: y + 22 }, `← ${first}`),
      svg(
        "text",
        { class: "axis-title", x: this.left + this.course.width / 2, y: y + 22, "text-anchor": "middle" },
        this.shared ? "Difficulty B" : "Confidence B",
      ),
      svg("text", { class: "better", x: this.width - SIDE, y: y + 22, "text-anchor": "end" }, `${last} →`),
    ];
  }

  tick(value, y) {
    const text = number(value, 1);
    const half = widthOf(text) / 2;
    const x = Math.min(this.width - half, Math.max(half, this.left + this.course.at(value)));
    return svg("text", { class: "tick", x, y, "text-anchor": "middle" }, text);
  }

  // What moves with the thresholds: colours, boundaries, and the numbers of splits.

  /** The ascending thresholds of a model, or null for a metric without splits. */
  thresholds(model) {
    const { answer } = this.given;
    if (this.bounds.held !== null) return this.bounds.list;
    if (this.continuous) return null;
    if (this.own.length) return this.own;
    const splits = answer.splits ?? answer.models.find((one) => one.model === model).splits;
    return splits.length ? between(splits, this.course.flipped) : null;
  }

  colour() {
    for (const { model, swarm } of this.strips) {
      const thresholds = this.thresholds(model) ?? this.ramp;
      swarm.colour(this.shades, thresholds.length + 1, (value) => swarm.course.split(value, thresholds));
    }
    this.heads.replaceChildren(...(this.ruled ? this.ruler(this.thresholds(null)) : this.ticks()));
    this.bounds.show((this.together && this.thresholds(null)) || [], this.course, this.box);
  }

  get shared() {
    return Array.isArray(this.given.points.difficulty);
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

  /** Equal steps of the difficulty, a shade each, for weights without splits. */
  get ramp() {
    const [low, high] = this.course.domain;
    return Array.from({ length: SHADES - 1 }, (_, at) => low + ((high - low) * (at + 1)) / SHADES);
  }

  /** Places of thresholds from the left to the right. */
  places(thresholds) {
    const places = thresholds.map((threshold) =>
      Math.min(this.course.width, Math.max(0, this.course.at(threshold))),
    );
    return this.course.flipped ? places.reverse() : places;
  }

  /** The colours of the splits on top, with their numbers where there is room. */
  ruler(thresholds) {
    const edges = [0, ...this.places(thresholds ?? this.ramp), this.course.width];
    return edges.slice(1).flatMap((to, at) => {
      const [from, width] = [this.left + edges[at], Math.max(0, to - edges[at])];
      const band = svg("rect", {
        class: `s${shade(at, edges.length - 1)}`,
        x: from,
        y: KNOBS - 3,
        width,
        height: 6,
      });
      const text = svg(
        "text",
        { class: "tick", x: from + width / 2, y: 12, "text-anchor": "middle" },
        String(at + 1),
      );
      return thresholds && width > 14 ? [band, text] : [band];
    });
  }

  /** Where every model has boundaries of its own, they are ticks across its own line. */
  ticks() {
    return this.strips.map(({ model, top }) => {
      const places = this.places(this.thresholds(model) ?? []);
      const line = top + this.base;
      return svg("path", {
        class: "bound-tick",
        d: places
          .map((x) =>
            path([
              [this.left + x, line - 7],
              [this.left + x, line + 7],
            ]),
          )
          .join(""),
      });
    });
  }

  moved(list) {
    this.colour();
    this.page.setThresholds(list);
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

  // What is said.

  finding() {
    const { answer } = this.given;
    if (!this.strips.length) return "No samples to draw yet.";
    const count = this.strips.length;
    const drawn = number(this.course.order.length, 0);
    const [right, wrong] = [count, 0].map(
      (many) => this.agreed.filter((models, at) => models === many && this.course.values[at] !== null).length,
    );
    if (count === 1) {
      return `${this.called(this.strips[0])} gets ${number(right, 0)} of ${drawn} samples right. ${this.errors(answer)}`.trim();
    }
    const none = wrong ? `${number(wrong, 0)} for none` : "every other for some";
    return `${number(right, 0)} of ${drawn} samples are right for all ${count} models, ${none}. ${this.errors(answer)}`.trim();
  }

  /** How the errors of all models spread over the first and the last split. */
  errors(answer) {
    const [first, last] = [0, -1].map((at) =>
      sum(answer.models.map(({ splits }) => splits.at(at)?.wrong ?? 0)),
    );
    const all = sum(answer.models.flatMap(({ splits }) => splits.map(({ wrong }) => wrong)));
    if (!all) return "";
    const [least, most] = ends(answer);
    const count = answer.models[0].splits.length;
    return `Of all errors ${percent(last / all, 0)} are in the ${most} of ${counted(count, "split")}, ${percent(first / all, 0)} in the ${least}.`;
  }

  remarks() {
    const { answer } = this.given;
    const missing = answer.left_out?.no_difficulty ?? 0;
    return [
      `A dot above its line is a sample that the model gets right, a cross below it one that it gets wrong; colours go by ${this.continuous ? "difficulty" : "split"}.`,
      this.each > 1
        ? `There are more samples than room: each mark stands for ${this.each} of nearly the same difficulty, a smaller one for fewer.`
        : "",
      this.strips.some(({ swarm }) => swarm.aside)
        ? "Where many have one difficulty, marks stand a little beside it."
        : "",
      this.together ? "Drag a boundary, or move it by arrow keys, and every chart follows." : "",
      this.ruled ? "" : "Every model has boundaries of its own, since every model is sure of other samples.",
      missing
        ? `${counted(missing, "sample")} without a difficulty ${missing === 1 ? "is" : "are"} not drawn.`
        : "",
    ];
  }

  numbers() {
    const [low, high] = this.course.domain;
    const edges = Array.from({ length: BINS + 1 }, (_, at) => low + ((high - low) * at) / BINS);
    const heads = edges.slice(1).map((to, at) => `${number(edges[at], 2)} to ${number(to, 2)}`);
    const rows = this.strips.map(({ model, swarm }) => [
      this.page.label(model),
      ...binned(swarm.course, this.points.right[model]).map(([right, all]) => `${right} of ${all}`),
    ]);
    const table = [["Right, by difficulty", ...heads], ...rows];
    const [head, ...lines] = this.course.flipped
      ? table.map(([first, ...others]) => [first, ...others.reverse()])
      : table;
    return { heads: head, rows: lines };
  }

  // Answers to the pointer; a mark is a strip and a sample in one number.

  mark(strip, sample) {
    return strip * this.course.values.length + sample;
  }

  unmark(mark) {
    const count = this.course.values.length;
    return [Math.floor(mark / count), mark % count];
  }

  nearest(x, y) {
    this.several = [];
    if (this.bounds.held !== null || !this.strips) return null;
    const at = this.strips.findIndex(({ top }) => y >= top && y <= top + this.tallness);
    if (at < 0) return null;
    this.several = this.strips[at].swarm.near(x - this.left, y - this.strips[at].top);
    return this.several.length ? this.mark(at, this.several[0]) : null;
  }

  along() {
    const [strip] = this.pointer.mark === null ? [0] : this.unmark(this.pointer.mark);
    const order = this.strips?.[strip]?.swarm.course.order ?? [];
    return Array.from(order, (sample) => this.mark(strip, sample));
  }

  start() {
    return this.along()[0];
  }

  /** The same sample in the strip above (-1) or below (1), as far as there is one. */
  beside(mark, step) {
    const [strip, sample] = this.unmark(mark);
    return this.mark(Math.min(this.strips.length - 1, Math.max(0, strip + step)), sample);
  }

  /** A ring around the sample in every strip: one sees which models get it right. */
  light(mark) {
    const [, sample] = mark === null ? [0, -1] : this.unmark(mark);
    this.rings?.forEach((ring, at) => {
      const place = mark === null ? null : this.strips[at].swarm.place(sample);
      ring.setAttribute("visibility", place ? "visible" : "hidden");
      if (!place) return;
      ring.setAttribute("cx", String(this.left + place[0]));
      ring.setAttribute("cy", String(this.strips[at].top + place[1]));
    });
  }

  card(mark) {
    const [at, sample] = this.unmark(mark);
    const { model, swarm, top } = this.strips[at];
    const [x, y] = swarm.place(sample);
    const { id, text, gold } = this.page.example(sample);
    const more =
      this.several?.length > 1 && this.several[0] === sample
        ? ` and ${this.several.length - 1} more here`
        : "";
    return {
      x: this.left + x,
      y: top + y,
      title: `Sample ${id}${more}`,
      lines: [text ? fitted(text, 480) : "", ...this.facts(model, swarm, sample, gold)].filter(Boolean),
    };
  }

  facts(model, swarm, sample, gold) {
    const thresholds = this.thresholds(model);
    const value = swarm.course.values[sample];
    const split = thresholds ? `, split ${swarm.course.split(value, thresholds) + 1}` : "";
    const right = this.points.right[model][sample] === "1" ? "right" : "wrong";
    return [
      `${this.page.label(model)}: ${right}`,
      gold === null ? "" : `gold ${gold}`,
      `B ${number(value, 3)}${split}`,
      `${this.agreed[sample]} of ${counted(this.strips.length, "model")} right`,
    ];
  }
}

/** Pointing at samples: the picture lies over canvases, and keys go up and down between models too. */
class SamplePointer extends Pointer {
  hold(picture, canvases) {
    this.picture = picture;
    this.frame.replaceChildren(...canvases, picture, this.tip);
    this.point(null);
  }

  next(key, marks) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    return step && this.mark !== null ? this.chart.beside(this.mark, step) : super.next(key, marks);
  }
}

/** Whether two sets of points lie at the same places: other splits alone move none. */
function alike(one, other) {
  if (one === other) return true;
  const lists = [one, other].map(({ difficulty }) =>
    Array.isArray(difficulty) ? [difficulty] : Object.values(difficulty),
  );
  return (
    lists[0].length === lists[1].length &&
    lists[0].every(
      (list, at) =>
        list.length === lists[1][at].length && list.every((value, sample) => value === lists[1][at][sample]),
    ) &&
    Object.entries(one.right).every(([model, answers]) => other.right[model] === answers)
  );
}

/** The tenths that hold all difficulties, of one list or of one a model. */
function extent(difficulty) {
  const lists = Array.isArray(difficulty) ? [difficulty] : Object.values(difficulty);
  let [low, high] = [1, 0];
  for (const list of lists) {
    for (const value of list) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const tenths = [Math.floor(low * 10 + 1e-9) / 10, Math.ceil(high * 10 - 1e-9) / 10];
  return tenths[0] < tenths[1] ? tenths : [0, 1];
}

/** Ascending boundaries between splits that say what they hold: half-way between neighbours. */
function between(splits, flipped) {
  const known = splits.filter(({ low }) => low !== null);
  const bounds = known
    .slice(1)
    .map((split, at) => (flipped ? known[at].low + split.high : known[at].high + split.low) / 2);
  return bounds.sort((a, b) => a - b);
}

/** [right, all] samples in each of equal steps of the difficulty. */
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

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The colours of the splits, on the screen (`--split-1`, …) or on paper (`--paper-1`, …). */
function shadesOf(frame, inks) {
  const style = getComputedStyle(frame);
  return Array.from({ length: SHADES }, (_, at) => style.getPropertyValue(`--${inks}-${at + 1}`).trim());
}
