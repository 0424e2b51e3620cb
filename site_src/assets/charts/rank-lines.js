// From the ranking by accuracy to that by the metric: who moves, and whether the samples at hand can tell.
import { Axis } from "./axes.js";
import { Figure, place } from "./difficulty-figure.js";
import { number } from "../base/formats.js";
import { Pointer } from "./pointer.js";
import { STRONG, label, path, picture, svg, widthOf } from "./svg.js";

const WIDEST = 1080;
// On a narrow screen names stand at the right only, and intervals under them.
const NARROW = 820;
const ROW = { wide: 28, narrow: 44 };
const EDGE = { top: 40, bottom: 28 };
// Room of a rank and a value beside a line's end.
const FIGURES = 80;
const RANK = 28;
const DECIMALS = 1;
const KEYS = "Models by accuracy and by the metric: arrow keys go from one to the next, Enter points one out";

export class RankLines extends Figure {
  constructor(page, host) {
    super(page, host, "lines", KEYS);
    this.pointer = new Pointer(this.frame, this);
  }

  paint({ answer, noise }) {
    this.noise = noise;
    this.list = answer.models.filter(({ value }) => value !== null);
    if (!this.list.length) return this.decline("No model has a value for this metric.");
    this.lay();
    const finding = this.finding();
    this.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers()));
    this.panel.say(finding, this.remarks(), () => this.numbers());
  }

  lay() {
    this.width = this.panel.width;
    const width = Math.min(WIDEST, this.width);
    this.narrow = width < NARROW;
    this.row = this.narrow ? ROW.narrow : ROW.wide;
    this.left = this.narrow ? FIGURES - 8 : width * 0.22 + FIGURES;
    this.right = this.narrow ? Math.max(this.left + 40, width * 0.4) : this.left + width * 0.16;
    this.height = EDGE.top + this.row * this.list.length + EDGE.bottom;
    this.sides = [orderedBy(this.list, "accuracy_rank"), orderedBy(this.list, "rank")];
    this.picture = width;
    this.values = this.scale(width);
  }

  /** The axis of the metric's values and intervals. */
  scale(width) {
    const all = this.list.flatMap(({ model, value }) => [value, ...(this.interval(model) ?? [])]);
    const [start, end] = this.narrow ? [this.right + RANK, width - 48] : [width * 0.74, width - 12];
    return new Axis(all, start, end, { gap: 64 });
  }

  interval(model) {
    return this.noise?.models[model]?.value ?? null;
  }

  layers() {
    this.lit = svg("path", { class: "line lit", d: "" });
    return [
      ...this.heads(),
      ...this.grid(),
      ...this.list.map((model) =>
        svg("path", { class: `moving ${this.way(model)}`, d: path(this.ends(model)) }),
      ),
      this.lit,
      ...this.list.flatMap((model) => [...this.before(model), ...this.after(model), ...this.spread(model)]),
    ];
  }

  heads() {
    const from = this.narrow ? { x: 0 } : { x: this.left, "text-anchor": "end" };
    return [
      svg("text", { class: "axis-title", ...from, y: 14 }, "Accuracy"),
      label(
        this.metric,
        { class: "axis-title", x: this.right, y: 14 },
        (this.narrow ? this.picture : this.values.start - 12) - this.right,
        STRONG,
      ),
      ...(this.narrow
        ? []
        : [
            svg(
              "text",
              { class: "axis-title", x: this.values.start, y: 14 },
              this.noise ? "Value and 95 % interval" : "Value",
            ),
          ]),
    ];
  }

  get metric() {
    return this.page.source.label;
  }

  grid() {
    const [top, bottom] = [EDGE.top - 8, this.height - EDGE.bottom + 4];
    const ticks = this.values.ticks();
    return [
      svg("path", {
        class: "grid",
        d: ticks
          .map(({ value }) =>
            path([
              [this.values.at(value), top],
              [this.values.at(value), bottom],
            ]),
          )
          .join(""),
      }),
      ...ticks.map(({ value, text }) =>
        svg(
          "text",
          { class: "tick", x: this.values.at(value), y: bottom + 16, "text-anchor": "middle" },
          text,
        ),
      ),
    ];
  }

  /** "up", "down" or "same", and "noise" where the samples cannot tell. */
  way(model) {
    const move = moveOf(model);
    const way = move > 0 ? "up" : move < 0 ? "down" : "same";
    const loud = model === this.pointed ? " loud" : "";
    return `${way}${move && this.within(model) ? " noise" : ""}${loud}`;
  }

  /** Whether a model's move is within noise; null while that is being computed. */
  within({ model }) {
    const moved = this.noise?.models[model]?.moved;
    return moved ? moved[0] <= 0 && moved[1] >= 0 : null;
  }

  y(side, model) {
    return EDGE.top + this.row * (this.sides[side].indexOf(model) + 0.5);
  }

  ends(model) {
    return [
      [this.left + 8, this.y(0, model)],
      [this.right - 8, this.y(1, model)],
    ];
  }

  before(model) {
    const y = this.y(0, model) + 4;
    const strong = model === this.pointed;
    const name = label(
      this.page.label(model.model),
      { class: tag(strong), x: this.left - FIGURES, y, "text-anchor": "end" },
      this.left - FIGURES,
      weight(strong),
    );
    return [
      ...(this.narrow ? [] : [name]),
      svg(
        "text",
        { class: "place-tag", x: this.left - RANK, y, "text-anchor": "end" },
        number(model.accuracy, DECIMALS),
      ),
      svg("text", { class: tag(strong), x: this.left, y, "text-anchor": "end" }, String(model.accuracy_rank)),
    ];
  }

  after(model) {
    const y = this.y(1, model) + (this.narrow ? -2 : 4);
    const strong = model === this.pointed;
    const end = this.narrow ? this.picture : this.values.start - 12;
    const all = end - this.right - RANK - 8;
    const called = this.page.label(model.model);
    const move = this.move(model, all - widthOf(called.slice(0, 100), weight(strong)));
    const room = all - widthOf(move, STRONG);
    const name = label(called, { class: tag(strong), x: this.right + RANK, y }, room, weight(strong));
    const x = this.right + RANK + 8 + widthOf(name.firstChild.data, weight(strong));
    return [
      svg("text", { class: tag(strong), x: this.right, y }, String(model.rank)),
      name,
      svg("text", { class: `move ${this.way(model)}`, x, y }, move),
    ];
  }

  /** How far a model moves, and that it is within noise, where there is room to say so. */
  move(model, room) {
    const move = moveOf(model);
    if (!move) return "";
    const arrow = move > 0 ? `▲${move}` : `▼${-move}`;
    const words = `${arrow} within noise`;
    return this.within(model) && widthOf(words, STRONG) <= room ? words : arrow;
  }

  /** The value as a dot on its interval. */
  spread(model) {
    const y = this.y(1, model) + (this.narrow ? 14 : 0);
    const interval = this.interval(model.model);
    const strong = model === this.pointed;
    const x = this.values.at(model.value);
    return [
      ...(interval
        ? [
            svg("path", {
              class: `interval${strong ? " led" : ""}`,
              d: path(interval.map((value) => [this.values.at(value), y])),
            }),
          ]
        : []),
      svg("circle", { class: strong ? "pointed-dot" : "value-dot", cx: x, cy: y, r: strong ? 5 : 4 }),
      ...(this.narrow
        ? [
            svg(
              "text",
              { class: "place-tag", x: this.picture, y: y + 4, "text-anchor": "end" },
              number(model.value, DECIMALS),
            ),
          ]
        : [this.written(model, interval, y)]),
    ];
  }

  /** The number, right of its interval or left of it. */
  written({ value }, interval, y) {
    const text = number(value, DECIMALS);
    const end = this.values.at(interval ? Math.max(...interval) : value) + 10;
    const fits = end + widthOf(text) <= this.picture;
    const x = fits ? end : this.values.at(interval ? Math.min(...interval) : value) - 10;
    return svg("text", { class: "place-tag", x, y: y + 4, "text-anchor": fits ? "start" : "end" }, text);
  }

  // What is said.

  finding() {
    const moved = this.list.filter((model) => moveOf(model));
    if (!moved.length) return `Every model has the same rank by ${this.metric} as by accuracy.`;
    const start = `${moved.length} of ${this.list.length} models ${moved.length === 1 ? "has" : "have"} another rank by ${this.metric} than by accuracy`;
    const parts = [this.far(moved, 1, "climbs"), this.far(moved, -1, "falls")].filter(Boolean);
    return `${start}: ${parts.join("; ")}. ${this.certainty(moved)}`.trim();
  }

  far(moved, sign, verb) {
    const best = moved.reduce((most, model) => (sign * (moveOf(model) - moveOf(most)) > 0 ? model : most));
    if (sign * moveOf(best) <= 0) return "";
    return `${this.called(best)} ${verb} furthest, from ${best.accuracy_rank} to ${best.rank}`;
  }

  certainty(moved) {
    if (!this.noise) return "";
    const within = moved.filter((model) => this.within(model)).length;
    if (within === moved.length) {
      return moved.length === 1 ? "That move is within noise." : "All of these moves are within noise.";
    }
    return within
      ? `${within} of these moves ${within === 1 ? "is" : "are"} within noise.`
      : "No such move is within noise.";
  }

  remarks() {
    return [
      "Lines lead from the rank by accuracy to the rank by the metric; those that cross have changed places.",
      this.noise
        ? "Dashed: other samples of the same kind could well undo the move; solid: hardly."
        : "Intervals are being computed.",
    ];
  }

  numbers() {
    const heads = [
      "Model",
      "Accuracy",
      "Rank by accuracy",
      this.metric,
      "95 % interval",
      "Rank",
      "95 % of ranks",
      "Change",
    ];
    const rows = this.sides[1].map((model) => [
      this.page.label(model.model),
      number(model.accuracy, DECIMALS),
      String(model.accuracy_rank),
      number(model.value, DECIMALS),
      range(this.interval(model.model), DECIMALS),
      String(model.rank),
      range(this.noise?.models[model.model]?.rank, 0),
      this.change(model),
    ]);
    return { heads, rows };
  }

  change(model) {
    const move = moveOf(model);
    if (!move) return "same";
    const text = move > 0 ? `up ${move}` : `down ${-move}`;
    return this.within(model) ? `${text}, within noise` : text;
  }

  // Answers to the pointer.

  nearest(x, y) {
    const share = Math.min(1, Math.max(0, (x - this.left) / (this.right - this.left)));
    const distances = (this.list ?? []).map((model) => {
      const [from, to] = this.ends(model);
      return Math.abs(from[1] + share * (to[1] - from[1]) - y);
    });
    const least = Math.min(...distances);
    return least < this.row / 2 ? this.list[distances.indexOf(least)].model : null;
  }

  along() {
    return (this.sides?.[1] ?? []).map(({ model }) => model);
  }

  start() {
    return this.along()[0];
  }

  found(id) {
    return this.list.find(({ model }) => model === id);
  }

  light(id) {
    this.lit?.setAttribute("d", id === null ? "" : path(this.ends(this.found(id))));
  }

  card(id) {
    const model = this.found(id);
    const [, [x, y]] = this.ends(model);
    const interval = this.interval(id);
    const ranks = this.noise?.models[id]?.rank;
    return {
      x: x - 40,
      y: y - 8,
      title: this.page.label(id),
      lines: [
        `accuracy ${number(model.accuracy, DECIMALS)} %, rank ${model.accuracy_rank}`,
        `${this.metric} ${number(model.value, DECIMALS)} %${interval ? ` (${range(interval, DECIMALS)})` : ""}`,
        `rank ${model.rank}${ranks ? ` (${range(ranks, 0)})` : ""}`,
        this.change(model),
      ],
    };
  }

  choose(id) {
    this.page.pointOut(id);
  }
}

function orderedBy(models, rank) {
  return [...models].sort((one, other) => place(one[rank]) - place(other[rank]));
}

/** How many places a model climbs from accuracy to the metric; negative where it falls. */
function moveOf({ rank, accuracy_rank: before }) {
  return before - rank;
}

function tag(strong) {
  return strong ? "name-tag strong" : "name-tag";
}

function weight(strong) {
  return strong ? STRONG : undefined;
}

function range(ends, decimals) {
  return ends ? `${number(ends[0], decimals)} to ${number(ends[1], decimals)}` : "—";
}
