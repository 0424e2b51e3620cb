// Two metrics against each other: the models that no other beats at both, and those that one does.
import { Axis } from "./axes.js";
import { element } from "../base/elements.js";
import { number } from "../base/formats.js";
import { placed } from "./names.js";
import { listed } from "./panel.js";
import { Pointer } from "./pointer.js";
import { STRONG, label, path, picture, svg, widthOf } from "./svg.js";

const HEIGHT = { share: 0.52, least: 300, most: 460 };
const EDGE = { top: 32, right: 16, bottom: 48 };
// How near to a mark one must point, in pixels.
const REACH = 28;
// With more models than this, marks are small.
const MANY = 150;

export class Scatter {
  constructor(page, panel, charts) {
    Object.assign(this, { page, panel, charts, turn: 0, marks: [] });
    this.metrics = page.data.metrics;
    this.pointer = new Pointer(panel.frame, this);
    this.selects = [...panel.element.querySelectorAll("select")];
    this.selects.forEach((select, at) => this.offer(select, page.view.now.axes[at]));
  }

  offer(select, chosen) {
    select.append(
      ...this.metrics.map((metric) => element("option", { value: metric.name, dir: "auto" }, metric.label)),
    );
    select.value = chosen;
    select.addEventListener("change", () =>
      this.page.view.set({ axes: this.selects.map(({ value }) => value) }),
    );
  }

  /** The two metrics, by place: across and up. */
  get axes() {
    const wanted = [...this.page.view.now.axes, ...this.page.view.defaults.axes].slice(0, 2);
    return wanted.map((name) => this.metrics.findIndex((metric) => metric.name === name));
  }

  key() {
    const { pointed, chosen, sought } = this.charts;
    return [this.axes, this.page.ranked.datasets, pointed, chosen, sought, this.page.ready];
  }

  async draw() {
    if (this.metrics.length < 2) return this.decline();
    this.axes.forEach((metric, at) => (this.selects[at].value = this.metrics[metric].name));
    const turn = ++this.turn;
    const front = await this.front();
    if (turn === this.turn) this.paint(front);
  }

  decline() {
    this.panel.element.querySelector(".chart-controls").hidden = true;
    this.panel.clear();
    this.panel.say("This board has one metric; a trade-off needs two.", [], null);
  }

  /** The models on the front, from Python; null while there is nobody to ask. */
  async front() {
    const [x, y] = this.axes.map((metric) => this.metrics[metric].name);
    if (x === y) return null;
    const { axes, front } = this.page.data;
    const first = axes[0] === x && axes[1] === y ? front : null;
    if (!this.page.ready) return first;
    return this.page.scorer.front(x, y, this.page.ranked.datasets).catch(() => null);
  }

  paint(front) {
    const [across, up] = this.axes.map((metric) => this.charts.ranking.values[metric]);
    const known = [...across.keys()].filter((at) => !Number.isNaN(across[at]) && !Number.isNaN(up[at]));
    this.lay(known, across, up, new Set(front ?? []));
    const finding = this.finding(front, known.length);
    this.panel.frame.classList.remove("static");
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers(front, across, up)));
    this.panel.say(finding, this.remarks(front, known.length), () => this.numbers(new Set(front ?? [])));
  }

  /** Work out where everything goes. */
  lay(known, across, up, front) {
    this.width = this.panel.width;
    this.height = Math.min(HEIGHT.most, Math.max(HEIGHT.least, this.width * HEIGHT.share));
    const bottom = this.height - EDGE.bottom;
    this.y = new Axis(
      known.map((at) => up[at]),
      bottom,
      EDGE.top,
      { gap: 48 },
    );
    const left = 12 + Math.max(0, ...this.y.ticks().map(({ text }) => widthOf(text)));
    this.x = new Axis(
      known.map((at) => across[at]),
      left,
      this.width - EDGE.right,
    );
    this.box = [left, EDGE.top, this.width - EDGE.right, bottom];
    const { found } = this.charts;
    this.marks = gathered(known, (at) => [this.x.at(across[at]), this.y.at(up[at])]);
    for (const mark of this.marks) {
      mark.front = mark.models.some((model) => front.has(model));
      mark.found = mark.models.some((model) => found[model]);
    }
  }

  layers(front, across, up) {
    const group = (style, marks, radius) =>
      svg(
        "g",
        { class: `marks${this.many ? " small" : ""} ${style}` },
        ...marks.map((mark) => dot(mark, radius)),
      );
    const found = this.marks.filter((mark) => mark.found);
    this.stairs = [];
    this.ring = svg("circle", { class: "ring", r: 8, visibility: "hidden" });
    return [
      ...this.grid(),
      ...(front?.length ? this.staircase(front, across, up) : []),
      group(
        "out",
        this.marks.filter((mark) => !mark.found),
        2,
      ),
      group(
        "",
        found.filter((mark) => !mark.front),
        this.many ? 2.5 : 4,
      ),
      group(
        "front",
        found.filter((mark) => mark.front),
        this.many ? 3.5 : 5,
      ),
      ...this.pointedDot(),
      this.ring,
      ...this.names(),
    ];
  }

  get many() {
    return this.charts.names.length > MANY;
  }

  grid() {
    const [left, top, right, bottom] = this.box;
    const across = this.x.ticks().map(({ value, text }) => ({ at: this.x.at(value), text }));
    const up = this.y.ticks().map(({ value, text }) => ({ at: this.y.at(value), text }));
    return [
      svg("path", {
        class: "grid",
        d: up
          .map(({ at }) =>
            path([
              [left, at],
              [right, at],
            ]),
          )
          .join(""),
      }),
      svg("path", {
        class: "grid",
        d: across
          .map(({ at }) =>
            path([
              [at, top],
              [at, bottom],
            ]),
          )
          .join(""),
      }),
      ...up.map(({ at, text }) =>
        svg("text", { class: "tick", x: left - 8, y: at + 4, "text-anchor": "end" }, text),
      ),
      ...across.map(({ at, text }) => {
        const x = Math.min(at, this.width - widthOf(text) / 2);
        return svg("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, text);
      }),
      ...this.titles(),
    ];
  }

  titles() {
    const [across, up] = this.axes.map((metric) => this.metrics[metric]);
    const [left, , right, bottom] = this.box;
    const better = [across.cost ? "← better" : "better →", up.cost ? "better ↓" : "better ↑"];
    const room = right - left - widthOf(better[0]) - 24;
    return [
      ...title(across, this.x.log, left, bottom + 40, room),
      svg(
        "text",
        {
          class: "better",
          x: across.cost ? left : right,
          y: bottom + 40,
          "text-anchor": across.cost ? "start" : "end",
        },
        better[0],
      ),
      ...title(up, this.y.log, 0, 16, this.width - widthOf(better[1]) - 24),
      svg("text", { class: "better", x: right, y: 16, "text-anchor": "end" }, better[1]),
    ];
  }

  /** The front as a staircase from one end of the picture to the other, and the ground that it beats. */
  staircase(front, across, up) {
    const [left, top, right, bottom] = this.box;
    const [worseX, worseY] = [
      this.metrics[this.axes[0]].cost ? right : left,
      this.metrics[this.axes[1]].cost ? top : bottom,
    ];
    const points = front.map((at) => [this.x.at(across[at]), this.y.at(up[at])]);
    points.sort(
      (a, b) =>
        Math.abs(a[0] - worseX) - Math.abs(b[0] - worseX) ||
        Math.abs(b[1] - worseY) - Math.abs(a[1] - worseY),
    );
    const corners = points.flatMap((point, at) => (at ? [[points[at - 1][0], point[1]], point] : [point]));
    const line = [[worseX, points[0][1]], ...corners, [points.at(-1)[0], worseY]];
    this.stairs = line.slice(1).map((point, at) => around(line[at], point));
    return [
      svg("path", { class: "beaten", d: `${path([...line, [worseX, worseY]])}Z` }),
      svg("path", { class: "staircase", d: path(line) }),
    ];
  }

  pointedDot() {
    const mark = this.markOf(this.charts.pointed);
    return mark
      ? [svg("circle", { class: "pointed-dot", cx: mark.x, cy: mark.y, r: this.many ? 4.5 : 6 })]
      : [];
  }

  names() {
    const { pointed, chosen } = this.charts;
    const first = [pointed, ...chosen].map((model) => this.markOf(model)).filter(Boolean);
    const marks = [...new Set([...first, ...this.marks.filter((mark) => mark.front && mark.found)])];
    const wanted = marks.map((mark) => ({ ...mark, name: this.title(mark), strong: mark === first[0] }));
    const room = [this.box[0], 20, this.width, this.box[3]];
    return placed(
      wanted,
      this.marks.map(({ x, y }) => [x - 5, y - 5, x + 5, y + 5]),
      room,
      this.stairs,
    );
  }

  markOf(model) {
    return this.marks.find((mark) => mark.models.includes(model));
  }

  title({ models }) {
    const { names, pointed } = this.charts;
    const first = models.includes(pointed) ? pointed : models[0];
    return models.length > 1 ? `${names[first]} +${models.length - 1}` : names[first];
  }

  finding(front, count) {
    const [across, up] = this.axes.map((metric) => this.metrics[metric].label);
    if (across === up) return `Every model by its ${up}. Choose two different metrics to see a trade-off.`;
    if (!count) return `No model has a number for both ${up} and ${across}.`;
    if (!front) return `${count} models by ${up} and ${across}.`;
    if (count === 1) {
      return `${this.charts.called(this.marks[0].models[0])} is the only model with a number for both ${up} and ${across}.`;
    }
    if (front.length === 1) {
      return `No trade-off here: ${this.charts.called(front[0])} is at least as good as every other model at both ${up} and ${across}.`;
    }
    return `${front.length} of ${count} models are on the front: what is better than one of them at ${up} is worse at ${across}, and the other way round.`;
  }

  remarks(front, count) {
    const lacking = this.charts.names.length - count;
    const [across, up] = this.axes.map((metric) => this.metrics[metric]);
    const logs = [this.x.log && across.label, this.y.log && up.label].filter(Boolean);
    return [
      front && count > front.length
        ? "The ground that the front beats is shaded; the models on it are grey."
        : "",
      front || across === up
        ? ""
        : this.page.ready
          ? "The front could not be computed."
          : "The front is drawn once the scorer is ready.",
      logs.length
        ? `${listed(logs)}: in powers of ten, since the largest is over 100 times the smallest.`
        : "",
      lacking
        ? `${lacking} ${lacking === 1 ? "model has" : "models have"} no number for one of the two and cannot be drawn.`
        : "",
      this.charts.left("drawn as specks"),
    ];
  }

  numbers(front) {
    const [across, up] = this.axes;
    const { ranking, names } = this.charts;
    const text = (metric, model) => shown(ranking.values[metric][model], this.metrics[metric].decimals);
    return {
      heads: ["Model", this.metrics[up].label, this.metrics[across].label, "On the front"],
      rows: [...ranking.order].map((model) => [
        names[model],
        text(up, model),
        text(across, model),
        front.has(model) ? "yes" : "no",
      ]),
    };
  }

  // Answers to the pointer.

  nearest(x, y) {
    let [found, least] = [null, REACH * REACH];
    for (const mark of this.marks) {
      const distance = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (distance < least) [found, least] = [mark.models[0], distance];
    }
    return found;
  }

  along() {
    return [...this.marks].sort((a, b) => a.x - b.x || a.y - b.y).map((mark) => mark.models[0]);
  }

  start() {
    return (this.markOf(this.charts.pointed) ?? this.marks[0]).models[0];
  }

  light(model) {
    const mark = this.markOf(model);
    this.ring?.setAttribute("visibility", mark ? "visible" : "hidden");
    if (mark) {
      [
        ["cx", mark.x],
        ["cy", mark.y],
      ].forEach(([name, value]) => this.ring.setAttribute(name, value));
    }
  }

  card(model) {
    const mark = this.markOf(model);
    const { ranking, names } = this.charts;
    const title =
      mark.models.length > 4
        ? `${names[model]} and ${mark.models.length - 1} more`
        : mark.models.map((at) => names[at]).join(", ");
    const [across, up] = this.axes;
    const lines = [up, across].map((metric) => said(this.metrics[metric], ranking.values[metric][model]));
    const rank = ranking.rankOf(model);
    return { x: mark.x, y: mark.y, title, lines: [...lines, rank === null ? "not ranked" : `rank ${rank}`] };
  }

  choose(model) {
    this.charts.pointOut(model);
  }
}

/** Marks at their places; models at one and the same place share a mark. */
function gathered(models, place) {
  const marks = new Map();
  for (const model of models) {
    const [x, y] = place(model);
    const key = `${Math.round(x)} ${Math.round(y)}`;
    const mark = marks.get(key) ?? marks.set(key, { x, y, models: [] }).get(key);
    mark.models.push(model);
  }
  return [...marks.values()];
}

/** The box around a line. */
function around([x, y], [toX, toY]) {
  return [Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY)];
}

function dot({ x, y, models }, radius) {
  return svg("circle", { cx: x, cy: y, r: radius + Math.min(3, models.length - 1) });
}

function title(metric, log, x, y, room) {
  const unit = metric.unit ? `, ${metric.unit}` : "";
  const text = `${metric.label}${unit}${log ? " (log)" : ""}`;
  return [
    svg("rect", { class: `m${metric.colour} key`, x, y: y - 10, width: 10, height: 10, rx: 2 }),
    label(text, { class: "axis-title", x: x + 18, y }, room - 18, STRONG),
  ];
}

/** A number as the table shows it; a dash where it is missing. */
export function shown(value, decimals) {
  return number(Number.isNaN(value) ? null : value, decimals);
}

/** A metric and a number of it, as a line of a card. */
export function said({ label: name, unit, decimals }, value) {
  return `${name} ${shown(value, decimals)}${unit && !Number.isNaN(value) ? ` ${unit}` : ""}`;
}
