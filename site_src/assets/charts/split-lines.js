// How every model does in each split alone: an axis a split, the easiest at the left, a line a model, its name at the end.
import { Axis } from "./axes.js";
import { Figure, ends, shade } from "./difficulty-figure.js";
import { number } from "../base/formats.js";
import { Pointer } from "./pointer.js";
import { STRONG, label, path, picture, svg, widthOf } from "./svg.js";

const EDGE = { top: 40, bottom: 44 };
const HEIGHT = { least: 320, most: 460, share: 0.42 };
const LINE = 16;
// Names at the right end, as wide as a share of the picture allows.
const NAMES = { share: 0.34, most: 200 };
// Beside a name stands its score in the last split, where both have this room.
const BOTH = 120;
const REACH = 16;
const DECIMALS = 1;
const MEAN = -1;
const KEYS = "Models by split: arrow keys go from one to the next, Enter points one out";

export class SplitLines extends Figure {
  constructor(page, host) {
    super(page, host, "splits", KEYS);
    this.pointer = new Pointer(this.frame, this);
  }

  paint({ answer }) {
    this.list = answer.models.filter(({ splits }) => splits.some(({ score }) => score !== null));
    if (!this.list.length) {
      return this.decline(
        "Continuous weights part the samples into no splits. Choose equal splits or thresholds to see how models do in each.",
      );
    }
    this.count = this.list[0].splits.length;
    this.lay();
    const finding = this.finding();
    this.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers()));
    this.panel.say(finding, this.remarks(), () => this.numbers());
  }

  lay() {
    const scores = this.list.map(({ splits }) => splits.map(({ score }) => score ?? NaN));
    const wanted = Math.max(
      this.width * HEIGHT.share,
      EDGE.top + EDGE.bottom + (this.list.length + 1) * LINE,
    );
    this.height = Math.max(
      HEIGHT.least,
      Math.min(wanted, Math.max(HEIGHT.most, this.list.length * LINE + 100)),
    );
    this.y = new Axis(scores.flat(), this.height - EDGE.bottom, EDGE.top, { gap: 48 });
    this.left = 12 + Math.max(0, ...this.y.ticks().map(({ text }) => widthOf(text)));
    this.right = this.width - Math.min(NAMES.most, this.width * NAMES.share);
    this.means = Array.from({ length: this.count }, (_, split) => mean(scores.map((row) => row[split])));
    this.lines = scores.map((row) => this.line(row));
  }

  standing(split) {
    const side = 12;
    const [from, to] = [this.left + side, this.right - side];
    return this.count === 1 ? from : from + ((to - from) * split) / (this.count - 1);
  }

  line(row) {
    return row.map((score, split) => (Number.isNaN(score) ? null : [this.standing(split), this.y.at(score)]));
  }

  layers() {
    const first = this.list.indexOf(this.pointed);
    const quiet = this.lines.filter((_, at) => at !== first);
    this.lit = svg("path", { class: "line lit", d: "" });
    return [
      ...this.grid(),
      ...Array.from({ length: this.count }, (_, split) => this.rule(split)).flat(),
      svg("g", { class: "lines" }, ...quiet.map((line) => svg("path", { d: path(line) }))),
      ...this.meanLine(),
      ...(first < 0 ? [] : this.led(first)),
      this.lit,
      ...this.names(first),
    ];
  }

  grid() {
    const ticks = this.y.ticks();
    const lines = ticks.map(({ value }) =>
      path([
        [this.left, this.y.at(value)],
        [this.right, this.y.at(value)],
      ]),
    );
    return [
      svg("path", { class: "grid", d: lines.join("") }),
      ...ticks.map(({ value, text }) =>
        svg("text", { class: "tick", x: this.left - 8, y: this.y.at(value) + 4, "text-anchor": "end" }, text),
      ),
      svg("text", { class: "better", x: 0, y: 14 }, "Score, %"),
    ];
  }

  /** The axis of a split: its number and colour on top, what it holds at the bottom where there is room. */
  rule(split) {
    const x = this.standing(split);
    const bottom = this.height - EDGE.bottom;
    const [first, last] = ends(this.given.answer);
    const word = split === 0 ? first : split === this.count - 1 ? last : "";
    const anchor = split === 0 && this.standing(1) - x < 60 ? "start" : "middle";
    return [
      svg("path", {
        class: "rule",
        d: path([
          [x, EDGE.top],
          [x, bottom],
        ]),
      }),
      svg("rect", {
        class: `s${shade(split, this.count)}`,
        x: x - 8,
        y: EDGE.top - 9,
        width: 16,
        height: 6,
        rx: 2,
      }),
      svg("text", { class: "axis-title", x, y: EDGE.top - 14, "text-anchor": "middle" }, String(split + 1)),
      svg("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, this.range(split)),
      svg(
        "text",
        { class: "better", x: anchor === "start" ? x - 8 : x, y: bottom + 34, "text-anchor": anchor },
        word,
      ),
    ];
  }

  /** What a split holds, "0.82–0.97"; nothing where models have splits of their own, or no room. */
  range(split) {
    const { low, high } = this.given.answer.splits?.[split] ?? { low: null };
    if (low === null) return "";
    const text = `${number(low)}–${number(high)}`;
    return this.count > 1 && widthOf(text) + 8 > this.standing(1) - this.standing(0) ? "" : text;
  }

  meanLine() {
    return this.list.length > 2 ? [svg("path", { class: "line mean", d: path(this.line(this.means)) })] : [];
  }

  led(at) {
    const spots = this.lines[at].filter(Boolean);
    return [
      svg("path", { class: "line led", d: path(this.lines[at]) }),
      ...spots.map(([cx, cy]) => svg("circle", { class: "pointed-dot", cx, cy, r: 4 })),
    ];
  }

  /** Names at the right end, moved apart, each tied to its line by a hair. */
  names(first) {
    const wanted = this.lines.map((line, at) => ({ at, spot: line.findLast(Boolean) }));
    if (this.list.length > 2) wanted.push({ at: MEAN, spot: this.line(this.means).findLast(Boolean) });
    const places = apart(
      wanted.map(({ spot }) => spot[1]),
      LINE,
      EDGE.top - 8,
      this.height - 8,
    );
    return wanted.flatMap(({ at, spot }, index) => [
      svg("path", {
        class: "hair",
        d: path([
          [spot[0] + 6, spot[1]],
          [this.right + 4, places[index]],
          [this.right + 10, places[index]],
        ]),
      }),
      this.nameTag(at, places[index] + 4, at === first),
    ]);
  }

  nameTag(at, y, strong) {
    const last = at === MEAN ? this.means.at(-1) : (this.list[at].splits.at(-1).score ?? NaN);
    const value = number(Number.isNaN(last) ? null : last, DECIMALS);
    const style = at === MEAN ? "name-tag of-mean" : strong ? "name-tag strong" : "name-tag";
    const name = at === MEAN ? "mean" : this.page.label(this.list[at].model);
    const room = this.width - this.right - 14;
    const both = room > BOTH;
    const text = label(
      name,
      { class: style, x: this.right + 14, y },
      both ? room - 8 - widthOf(value, STRONG) : room,
      strong ? STRONG : undefined,
    );
    const score = svg("text", { class: style, x: this.width, y, "text-anchor": "end" }, value);
    return svg("g", {}, text, ...(both ? [score] : []));
  }

  // What is said.

  finding() {
    const [first, last] = [this.means[0], this.means.at(-1)];
    if (this.count < 2 || Number.isNaN(first) || Number.isNaN(last)) {
      return "The score of every model in every split.";
    }
    const [easy, hard] = ends(this.given.answer);
    const verb = last < first ? "falls" : "rises";
    const who =
      this.list.length > 1 ? "the mean score of the models" : `the score of ${this.called(this.list[0])}`;
    const all = `From the ${easy} to the ${hard} split ${who} ${verb} from ${number(first, DECIMALS)} to ${number(last, DECIMALS)} %.`;
    return [all, this.furthest(last < first ? 1 : -1, verb), this.overtaking()].filter(Boolean).join(" ");
  }

  /** Whose score changes most and least from the first to the last split. */
  furthest(sign, verb) {
    const ways = this.list
      .map((model) => ({ model, way: sign * (first(model) - final(model)) }))
      .filter(({ way }) => !Number.isNaN(way));
    if (ways.length < 2) return "";
    ways.sort((one, other) => other.way - one.way);
    const said = ({ model }) =>
      `${this.called(model)} (${number(first(model), DECIMALS)} to ${number(final(model), DECIMALS)})`;
    return `It ${verb} most for ${said(ways[0])}, least for ${said(ways.at(-1))}.`;
  }

  /** The model whose place among the others changes most between the first and the last split. */
  overtaking() {
    const [easy, hard] = ends(this.given.answer);
    const moves = this.list.map((model) => ({
      model,
      from: this.placed(model, first),
      to: this.placed(model, final),
    }));
    const most = moves.reduce((best, one) =>
      Math.abs(one.from - one.to) > Math.abs(best.from - best.to) ? one : best,
    );
    if (Math.abs(most.from - most.to) < 2) return "";
    return `${this.called(most.model)} is number ${most.from} in the ${easy} split and number ${most.to} in the ${hard}.`;
  }

  placed(model, score) {
    return 1 + this.list.filter((other) => score(other) > score(model)).length;
  }

  remarks() {
    return [
      `Each axis is one split, the ${ends(this.given.answer)[0]} at the left; scores count that split alone, so weights do not move them.`,
      this.given.answer.splits ? "" : "Every model has splits of its own.",
      this.range(0) ? "Under an axis: the difficulties B that it holds." : "",
      this.lines.some((line) => line.some((spot) => !spot))
        ? "Where a split is empty the line has a gap."
        : "",
    ];
  }

  numbers() {
    const heads = Array.from({ length: this.count }, (_, split) => `Split ${split + 1}`);
    return {
      heads: ["Model", ...heads],
      rows: this.list.map(({ model, splits }) => [
        this.page.label(model),
        ...splits.map(({ score }) => number(score, DECIMALS)),
      ]),
    };
  }

  // Answers to the pointer.

  nearest(x, y) {
    let [found, least] = [null, REACH];
    this.lines?.forEach((line, at) => {
      const away = distance(line, x, y);
      if (away < least) [found, least] = [at, away];
    });
    return found;
  }

  along() {
    return (this.list ?? []).map((_, at) => at);
  }

  start() {
    return Math.max(0, this.list.indexOf(this.pointed));
  }

  light(at) {
    this.lit?.setAttribute("d", at === null ? "" : path(this.lines[at]));
  }

  card(at, place) {
    const [x, y] = place ?? this.lines[at].find(Boolean);
    const { model, splits } = this.list[at];
    const lines = splits.map(
      ({ score, examples }, split) => `split ${split + 1}: ${number(score, DECIMALS)} % of ${examples}`,
    );
    return { x, y, title: this.page.label(model), lines };
  }

  choose(at) {
    this.page.pointOut(this.list[at].model);
  }
}

function first({ splits }) {
  return splits[0].score ?? NaN;
}

function final({ splits }) {
  return splits.at(-1).score ?? NaN;
}

function mean(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN;
}

/** How far a line is above or below a point. */
function distance(line, x, y) {
  for (let at = 0; at + 1 < line.length; at += 1) {
    const [from, to] = [line[at], line[at + 1]];
    if (!from || !to || x < from[0] || x > to[0]) continue;
    return Math.abs(from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]) - y);
  }
  return Infinity;
}

/** `places` moved so that they are `gap` apart and between `low` and `high`, in the order they have. */
export function apart(places, gap, low, high) {
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b]);
  const moved = [...places];
  order.forEach((at, rank) => (moved[at] = Math.max(places[at], rank ? moved[order[rank - 1]] + gap : low)));
  let limit = high;
  for (const at of order.toReversed()) {
    moved[at] = Math.min(moved[at], limit);
    limit = moved[at] - gap;
  }
  return moved;
}
