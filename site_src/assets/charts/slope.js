// From the default ranking to the visitor's own: who climbs and who falls.
import { Pointer } from "./pointer.js";
import { STRONG, label, path, picture, svg, widthOf } from "./svg.js";

// On long boards the leaders of both rankings are drawn, and the models asked for.
const LEADERS = 20;
const ROW = 24;
const WIDEST = 760;
const EDGE = { top: 32, bottom: 12 };
// Room for ranks and names at both sides; on a narrow screen names stand at the right only.
const NARROW = 520;
const NAMES = { share: 0.36, most: 260, narrow: 0.62 };
const RANK = 28;

export class Slope {
  constructor(page, panel, charts) {
    Object.assign(this, { page, panel, charts, drawnModels: [] });
    this.pointer = new Pointer(panel.frame, this);
  }

  key() {
    const { pointed, chosen, sought, ranking } = this.charts;
    return [sought, [...ranking.order], [...this.ranks(ranking)], pointed, chosen];
  }

  ranks(ranking) {
    return this.charts.names.map((_, model) => ranking.rankOf(model));
  }

  draw() {
    const { ranking, names } = this.charts;
    this.before = this.ranks(this.page.first);
    this.after = this.ranks(ranking);
    const moved = names.map((_, model) => model).filter((model) => this.before[model] !== this.after[model]);
    if (!moved.length) return this.decline();
    this.lay(moved);
    const finding = this.finding(moved);
    this.panel.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, finding, ...this.layers()));
    this.panel.say(finding, this.remarks(), () => this.numbers());
  }

  decline() {
    this.sides = [new Map(), new Map()];
    this.pointer.point(null);
    this.panel.clear();
    this.panel.say(
      "Your ranking is the default one: every model keeps its rank. Move a weight and the lines show who climbs and who falls.",
      [],
      null,
    );
  }

  lay(moved) {
    const { ranking } = this.charts;
    this.width = Math.min(WIDEST, this.panel.width);
    this.narrow = this.width < NARROW;
    this.left = this.narrow ? RANK : Math.min(NAMES.most, this.width * NAMES.share);
    this.right = this.width - (this.narrow ? this.width * NAMES.narrow : this.left);
    const models = this.picked(moved);
    this.sides = [this.page.first, ranking].map((one) =>
      places([...one.order].filter((model) => models.has(model))),
    );
    this.height = EDGE.top + ROW * models.size + EDGE.bottom;
  }

  /** The models that are drawn. */
  picked(moved) {
    const { ranking, found, pointed, chosen } = this.charts;
    const asked = [pointed, this.furthest(moved, 1), this.furthest(moved, -1), ...chosen].filter(
      (model) => model !== null,
    );
    const leaders = [this.page.first, ranking].flatMap((one) =>
      [...one.order].filter((model) => found[model]).slice(0, LEADERS),
    );
    return new Set([...leaders, ...asked]);
  }

  layers() {
    const models = [...this.sides[0].keys()];
    this.lit = svg("path", { class: "line lit", d: "" });
    return [
      svg(
        "text",
        {
          class: "axis-title",
          x: this.narrow ? 0 : this.left,
          y: 16,
          "text-anchor": this.narrow ? "start" : "end",
        },
        "Default",
      ),
      svg("text", { class: "axis-title", x: this.right, y: 16 }, "Yours"),
      ...models.map((model) =>
        svg("path", { class: `slope ${this.way(model)}${this.style(model)}`, d: path(this.ends(model)) }),
      ),
      this.lit,
      ...models.flatMap((model) => this.writing(model)),
    ];
  }

  style(model) {
    return model === this.charts.pointed || this.charts.chosen.includes(model) ? " loud" : "";
  }

  way(model) {
    const move = this.move(model);
    return move > 0 ? "up" : move < 0 ? "down" : "same";
  }

  /** How many places a model climbs; 0 where one of its ranks is missing. */
  move(model) {
    const [before, after] = [this.before[model], this.after[model]];
    return before === null || after === null ? 0 : before - after;
  }

  ends(model) {
    return [
      [this.left + 8, this.y(0, model)],
      [this.right - 8, this.y(1, model)],
    ];
  }

  y(side, model) {
    return EDGE.top + ROW * (this.sides[side].get(model) + 0.5);
  }

  writing(model) {
    const change = this.change(model);
    const room = this.width - this.right - 48 - widthOf(change);
    const weight = model === this.charts.pointed ? STRONG : undefined;
    const style = weight ? "name-tag strong" : "name-tag";
    const name = this.charts.names[model];
    const [before, after] = [0, 1].map((side) => this.y(side, model) + 4);
    const short = label(name, { class: style, x: this.right + 34, y: after }, room, weight);
    const width = widthOf(short.firstChild.data, weight);
    return [
      ...(this.narrow
        ? []
        : [
            label(
              name,
              { class: style, x: this.left - 34, y: before, "text-anchor": "end" },
              this.left - 36,
              weight,
            ),
          ]),
      svg(
        "text",
        { class: "place-tag", x: this.left, y: before, "text-anchor": "end" },
        place(this.before[model]),
      ),
      svg("text", { class: "place-tag", x: this.right, y: after }, place(this.after[model])),
      short,
      svg("text", { class: `move ${this.way(model)}`, x: this.right + 40 + width, y: after }, change),
    ];
  }

  change(model) {
    const move = this.move(model);
    return move > 0 ? `▲${move}` : move < 0 ? `▼${-move}` : "";
  }

  finding(moved) {
    const { names } = this.charts;
    const start = `${moved.length} of ${names.length} ${names.length === 1 ? "model changes" : "models change"} rank at your weights`;
    const [climber, faller] = [this.furthest(moved, 1), this.furthest(moved, -1)];
    const parts = [];
    if (this.move(climber) > 0) {
      parts.push(`${this.charts.called(climber)} climbs most, by ${this.move(climber)}`);
    }
    if (this.move(faller) < 0) {
      parts.push(`${this.charts.called(faller)} falls most, by ${-this.move(faller)}`);
    }
    return `${start}${parts.length ? `: ${parts.join("; ")}` : ""}.`;
  }

  /** Who climbs furthest (sign 1) or falls furthest (-1). */
  furthest(moved, sign) {
    return moved.reduce(
      (best, model) => (sign * (this.move(model) - this.move(best)) > 0 ? model : best),
      moved[0],
    );
  }

  remarks() {
    const { names } = this.charts;
    const shown = this.sides[0].size;
    return [
      "Climbing lines are solid, falling ones dashed, those that stay thin.",
      shown < names.length
        ? `${shown} of ${names.length} models are drawn: the first ${LEADERS} of either ranking, who climbs and who falls most, and those you chose; ranks between them are left out.`
        : "",
      this.charts.left("not drawn"),
    ];
  }

  numbers() {
    const { ranking, names } = this.charts;
    const change = (model) => {
      const move = this.move(model);
      return move > 0 ? `up ${move}` : move < 0 ? `down ${-move}` : "same";
    };
    const rows = [...ranking.order].map((model) => [
      names[model],
      place(this.before[model]),
      place(this.after[model]),
      change(model),
    ]);
    return { heads: ["Model", "Default rank", "Your rank", "Change"], rows };
  }

  // Answers to the pointer.

  nearest(x, y) {
    const [left, right] = [this.left + 8, this.right - 8];
    const share = Math.min(1, Math.max(0, (x - left) / (right - left)));
    let [found, least] = [null, ROW / 2];
    for (const model of this.along()) {
      const [from, to] = this.ends(model);
      const distance = Math.abs(from[1] + share * (to[1] - from[1]) - y);
      if (distance < least) [found, least] = [model, distance];
    }
    return found;
  }

  along() {
    return this.sides ? [...this.sides[1].keys()] : [];
  }

  start() {
    return this.along()[0];
  }

  light(model) {
    this.lit?.setAttribute("d", model === null ? "" : path(this.ends(model)));
  }

  card(model) {
    const [, [x, y]] = this.ends(model);
    const [before, after] = [this.before[model], this.after[model]].map((rank) =>
      rank === null ? "not ranked" : `rank ${rank}`,
    );
    return {
      x: x - 80,
      y,
      title: this.charts.names[model],
      lines: [`default: ${before}`, `yours: ${after}`],
    };
  }

  choose(model) {
    this.charts.pointOut(model);
  }
}

function places(order) {
  return new Map(order.map((model, at) => [model, at]));
}

function place(rank) {
  return rank === null ? "—" : String(rank);
}
