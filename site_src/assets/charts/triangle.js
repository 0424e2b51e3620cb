// Which model wins where, as weight moves between three metrics. Python finds the winner at every point of a
// grid (evaluator/tradeoffs.py); here they become regions. The visitor's own weights are a knob to move.
import { element } from "../base/elements.js";
import { percent } from "../base/formats.js";
import { LARGEST } from "../view/fragment.js";
import { Pointer } from "./pointer.js";
import { STRONG, fitted, label, path, picture, svg, widthOf } from "./svg.js";
import { question } from "../view/view.js";

// Points of the grid along a side, less one: fewer on a board that takes Python longer.
const STEPS = { fine: 80, coarse: 40, many: 150 };
// The map is drawn anew once the weights rest for this long.
const REST = 200;
// So many winners get a tone of their own; further ones share the last.
const TONES = 8;
const LARGEST_SIDE = 460;
const EDGE = { side: 12, top: 28, bottom: 40 };
const NOBODY = -1;
// A region of a smaller share of the triangle has no name in it.
const SMALL = 0.03;
const LINE = 20;
// A knob that is dragged goes by hundredths; the arrow keys move this share.
const FINE = 100;
const KEY = 0.025;
// Width of a name in the legend, in pixels.
const NAME = 200;

export class Triangle {
  constructor(page, panel, charts) {
    Object.assign(this, { page, panel, charts, turn: 0, tones: new Map(), winners: null });
    this.metrics = page.data.metrics;
    this.grid = new Grid(page.data.models.length > STEPS.many ? STEPS.coarse : STEPS.fine);
    this.legend = panel.element.querySelector(".wins");
    this.pointer = new Pointer(panel.frame, this);
    this.selects = [...panel.element.querySelectorAll("select")];
    this.selects.forEach((select, at) => this.offer(select, at));
    this.knob = new Knob(this);
  }

  offer(select, at) {
    select.append(
      ...this.metrics.map((metric) => element("option", { value: metric.name, dir: "auto" }, metric.label)),
    );
    select.addEventListener("change", () => this.putAt(at, select.value));
  }

  /** A metric goes to a corner; the one that was there goes where it came from. */
  putAt(at, name) {
    const corners = [...this.corners];
    const from = corners.indexOf(name);
    if (from >= 0) corners[from] = corners[at];
    corners[at] = name;
    this.page.view.set({ corners });
  }

  /** Names of the three metrics: those of the view, filled up with the board's own. */
  get corners() {
    const wanted = [...this.page.view.now.corners, ...this.page.view.defaults.corners];
    return [...new Set(wanted)].slice(0, 3);
  }

  /** What the three weigh now, and together. */
  get weights() {
    return this.corners.map((name) => this.page.view.now.metrics[name]);
  }

  /** Shares of the three among themselves; null while none of them weighs anything. */
  get shares() {
    const total = this.weights.reduce((sum, weight) => sum + weight, 0);
    return total ? this.weights.map((weight) => weight / total) : null;
  }

  key() {
    return [this.mapKey(), this.weights, this.charts.ranking.order[0] ?? null, this.charts.ranking.ranked];
  }

  /** What the map depends on: everything but how the three share their weight. */
  mapKey() {
    const { metrics, datasets, base, threshold, by } = this.page.view.now;
    const others = Object.entries(metrics).filter(([name]) => !this.corners.includes(name));
    const total = this.weights.reduce((sum, weight) => sum + weight, 0).toPrecision(4);
    return JSON.stringify([
      this.corners,
      others,
      total,
      datasets,
      base,
      threshold,
      by,
      this.page.ready,
      this.panel.width,
    ]);
  }

  draw() {
    if (this.metrics.length < 3) {
      return this.decline("This board has fewer than three metrics, so there is no triangle to draw.");
    }
    if (!this.page.ready) return this.decline("The map is drawn once the scorer is ready.");
    this.corners.forEach((name, at) => (this.selects[at].value = name));
    const key = this.mapKey();
    if (key === this.mapped) return this.settle();
    this.wait();
    this.rest = setTimeout(() => this.map(key), this.mapped ? REST : 0);
    return undefined;
  }

  /** Something moves: a map that is due is put off until it rests, as it keeps Python from ranking. */
  wait() {
    if (!this.rest) return;
    clearTimeout(this.rest);
    this.rest = 0;
    this.drawn = null;
  }

  decline(text) {
    this.mapped = this.winners = null;
    this.panel.element.querySelector(".chart-controls").hidden = this.metrics.length < 3;
    this.legend.replaceChildren();
    this.panel.clear();
    this.panel.say(text, [], null);
  }

  async map(key) {
    this.rest = 0;
    const turn = ++this.turn;
    try {
      const winners = await this.page.scorer.triangle(
        question(this.page.view.now),
        this.corners,
        this.grid.steps,
      );
      if (turn !== this.turn) return;
      Object.assign(this, { winners, mapped: key });
      this.paint();
    } catch (error) {
      if (turn === this.turn) this.decline(`The map could not be computed: ${error.message}`);
    }
  }

  paint() {
    this.regions = this.grid.regions(this.winners);
    this.dye();
    this.lay();
    this.panel.frame.classList.remove("bare");
    this.pointer.hold(picture(this.width, this.height, this.finding(), ...this.layers()));
    this.panel.frame.append(this.knob.element);
    this.legend.replaceChildren(...this.legendItems());
    this.settle();
  }

  /** Show where the weights are now. */
  settle() {
    const finding = this.finding();
    this.pointer.picture.setAttribute("aria-label", finding);
    this.panel.say(finding, this.remarks(), () => this.numbers());
    this.knob.show();
  }

  /** A winner keeps its tone as long as it wins somewhere; the larger regions choose first. */
  dye() {
    const winners = this.regions.map((region) => region.model).filter((model) => model !== NOBODY);
    for (const model of this.tones.keys()) if (!winners.includes(model)) this.tones.delete(model);
    const free = Array.from({ length: TONES }, (_, tone) => tone).filter(
      (tone) => ![...this.tones.values()].includes(tone),
    );
    for (const model of winners) {
      if (!this.tones.has(model) && free.length) this.tones.set(model, free.shift());
    }
  }

  tone(model) {
    return model === NOBODY ? "nobody" : `tone${this.tones.get(model) ?? TONES}`;
  }

  lay() {
    this.width = Math.min(this.panel.width, LARGEST_SIDE + 2 * EDGE.side);
    this.side = this.width - 2 * EDGE.side;
    this.rise = (this.side * Math.sqrt(3)) / 2;
    this.height = EDGE.top + this.rise + EDGE.bottom;
  }

  /** The place of shares (a, b, c): a at the top, b at the left, c at the right. */
  spot([a, , c]) {
    return [EDGE.side + this.side * (c + a / 2), EDGE.top + this.rise * (1 - a)];
  }

  /** The shares at a place, kept within the triangle. */
  sharesAt(x, y) {
    const a = 1 - (y - EDGE.top) / this.rise;
    const c = (x - EDGE.side) / this.side - a / 2;
    return withinTriangle([a, 1 - a - c, c]);
  }

  layers() {
    const outline = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].map((corner) => this.spot(corner));
    return [
      svg("path", { class: "nobody", d: `${path(outline)}Z` }),
      ...this.regions.filter(({ model }) => model !== NOBODY).map((region) => this.region(region)),
      svg("path", { class: "outline", d: `${path(outline)}Z` }),
      ...this.regions.flatMap((region) => this.regionName(region)),
      ...this.cornerNames(),
    ];
  }

  // A score is linear in the weights, so a region is convex: its hull is its shape, but for half a step of the
  // grid. Smaller ones lie on top of larger ones.
  region({ model, nodes }) {
    const points = hull(nodes.flatMap((node) => this.around(node)));
    const title = svg("title", {}, this.charts.names[model]);
    return svg("path", { class: `region ${this.tone(model)}`, d: `${path(points)}Z` }, title);
  }

  /** The corners of the ground that a point of the grid stands for, within the triangle. */
  around(node) {
    const third = 1 / 3;
    const shifts = [
      [2, -1, -1],
      [-1, 2, -1],
      [-1, -1, 2],
      [-2, 1, 1],
      [1, -2, 1],
      [1, 1, -2],
    ];
    return shifts.map((shift) =>
      this.spot(withinTriangle(node.map((share, at) => (share + shift[at] * third) / this.grid.steps))),
    );
  }

  /** A region's name within it, where it has the room. */
  regionName({ model, share, nodes }) {
    if (model === NOBODY) return [];
    const { steps } = this.grid;
    const level = Math.round(this.grid.middle(nodes)[0] * steps);
    const row = nodes.filter((node) => node[0] === level);
    const [x, y] = this.spot(this.grid.middle(row));
    const breadth = (row.length / steps) * this.side - 12;
    const name = this.charts.names[model];
    const rows = new Set(nodes.map(([i]) => i)).size;
    const tall = (rows / steps) * this.rise > LINE;
    if (share < SMALL || !tall || breadth < Math.min(48, widthOf(name.slice(0, 50)))) return [];
    return [label(name, { class: "region-name", x, y: y + 4, "text-anchor": "middle" }, breadth)];
  }

  cornerNames() {
    const half = this.width / 2 - 16;
    const bottom = EDGE.top + this.rise + 24;
    return [
      ...this.cornerName(0, this.width / 2, 14, "middle", this.width - 24),
      ...this.cornerName(1, 0, bottom, "start", half),
      ...this.cornerName(2, this.width, bottom, "end", half),
    ];
  }

  cornerName(corner, x, y, anchor, room) {
    const metric = this.metrics.find(({ name }) => name === this.corners[corner]);
    const text = fitted(metric.label, room - 16, STRONG);
    const width = widthOf(text, STRONG) + 16;
    const left = x - { start: 0, middle: width / 2, end: width }[anchor];
    return [
      svg("rect", { class: `m${metric.colour} key`, x: left, y: y - 10, width: 10, height: 10, rx: 2 }),
      label(metric.label, { class: "axis-title", x: left + 16, y }, room - 16, STRONG),
    ];
  }

  legendItems() {
    return this.regions.map(({ model, share }) =>
      element(
        "li",
        {},
        element("span", { class: `tone ${this.tone(model)}`, "aria-hidden": "true" }),
        element(
          "span",
          { class: "win-name", dir: "auto" },
          model === NOBODY ? "no model is ranked" : fitted(this.charts.names[model], NAME),
        ),
        element("span", { class: "num" }, part(share)),
      ),
    );
  }

  finding() {
    const [first, ...others] = this.regions.filter(({ model }) => model !== NOBODY);
    if (!first) return "No model is ranked anywhere in this triangle.";
    const { ranking } = this.charts;
    const now = ranking.ranked ? ` At your weights ${this.charts.called(ranking.order[0])} leads.` : "";
    if (!others.length) {
      return `${this.charts.called(first.model)} wins everywhere, however these three share their weight.`;
    }
    return `${this.charts.called(first.model)} wins ${part(first.share)} of the triangle; ${others.length + 1} models win somewhere in it.${now}`;
  }

  remarks() {
    return [
      "A corner is all weight on its metric, the middle of a side an even split of two. The other weights stay as they are. Drag the knob, or press anywhere, to set these three.",
      this.shares ? "" : "These three weigh nothing now; moving the knob gives them a weight of 1 together.",
      this.regions.filter(({ model }) => model !== NOBODY).length > TONES
        ? "The smallest regions share a tone."
        : "",
    ];
  }

  numbers() {
    const labels = this.corners.map((name) => this.metrics.find((metric) => metric.name === name).label);
    const rows = this.regions.map(({ model, share, nodes }) => {
      const middle = this.grid.middle(nodes);
      return [
        model === NOBODY ? "no model" : this.charts.names[model],
        part(share),
        ...middle.map((share) => percent(share, 0)),
      ];
    });
    return {
      heads: ["Winner", "Share of the triangle", ...labels.map((name) => `${name} in the middle of it`)],
      rows,
    };
  }

  // Answers to the pointer. Marks are the positions of points of the grid in `winners`.

  nearest(x, y) {
    if (!this.winners || y < EDGE.top - 8 || y > EDGE.top + this.rise + 8) return null;
    const [a, b] = this.sharesAt(x, y);
    return this.grid.nearest(a, b);
  }

  /** By keys it is the knob that moves. */
  along() {
    return [];
  }

  light() {}

  card(mark) {
    const node = this.grid.sharesOf(mark);
    const [x, y] = this.spot(node);
    const winner = this.winners[mark];
    const shares = node.map(
      (share, at) =>
        `${this.metrics.find(({ name }) => name === this.corners[at]).label} ${percent(share, 0)}`,
    );
    return {
      x,
      y,
      title: winner === NOBODY ? "no model is ranked" : this.charts.names[winner],
      lines: shares,
    };
  }

  choose(mark) {
    this.weigh(this.grid.sharesOf(mark));
    this.page.view.settle();
  }

  // The knob moves the weights.

  /** Give the three these shares of what they weigh together; a locked one keeps its own. */
  weigh(shares) {
    const total = this.weights.reduce((sum, weight) => sum + weight, 0) || 1;
    const kept = this.held(shares);
    const metrics = { ...this.page.view.now.metrics };
    this.corners.forEach(
      (name, at) => (metrics[name] = Math.min(LARGEST, Number((kept[at] * total).toPrecision(6)))),
    );
    this.page.view.change({ metrics });
  }

  held(shares) {
    const locked = this.corners.map((name) => this.shares && this.page.view.now.lockedMetrics.includes(name));
    const held = this.shares?.filter((_, at) => locked[at]).reduce((sum, share) => sum + share, 0) ?? 0;
    const free = shares.filter((_, at) => !locked[at]).reduce((sum, share) => sum + share, 0);
    if (!held) return shares;
    if (!free) return this.shares;
    return shares.map((share, at) => (locked[at] ? this.shares[at] : (share / free) * (1 - held)));
  }
}

/** The visitor's weights on the map: dragged, or moved by the arrow keys. */
class Knob {
  constructor(triangle) {
    this.triangle = triangle;
    this.element = element("div", {
      class: "knob",
      role: "slider",
      tabindex: "0",
      "aria-label": "Your weights",
      "aria-valuemin": "0",
      "aria-valuemax": "100",
    });
    this.element.addEventListener("pointerdown", (event) => this.take(event));
    this.element.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      this.element.addEventListener(end, () => this.release());
    }
    this.element.addEventListener("keydown", (event) => this.walk(event));
    this.element.addEventListener("keyup", () => this.release());
  }

  take(event) {
    this.held = true;
    this.element.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.held) return;
    const shares = this.triangle.sharesAt(...this.triangle.pointer.place(event));
    const [a, b] = shares.map((share) => Math.round(share * FINE) / FINE);
    this.move([a, b, Math.max(0, 1 - a - b)]);
  }

  release() {
    if (this.moved) this.triangle.page.view.settle();
    this.held = this.moved = false;
  }

  /** Left and right trade the lower corners, up and down go to the top one and away from it. */
  walk(event) {
    const step = {
      ArrowLeft: [0, 1, -1],
      ArrowRight: [0, -1, 1],
      ArrowUp: [2, -1, -1],
      ArrowDown: [-2, 1, 1],
    }[event.key];
    if (!step) return;
    event.preventDefault();
    const shares = this.triangle.shares ?? [1 / 3, 1 / 3, 1 / 3];
    this.move(withinTriangle(shares.map((share, at) => share + step[at] * (step[0] ? KEY / 2 : KEY))));
  }

  move(shares) {
    this.moved = true;
    this.triangle.weigh(shares);
    this.show();
  }

  show() {
    const { triangle } = this;
    const shares = triangle.shares ?? [1 / 3, 1 / 3, 1 / 3];
    const [x, y] = triangle.spot(shares);
    const zoom = triangle.pointer.picture.getBoundingClientRect().width / triangle.width;
    this.element.style.left = `${x * zoom}px`;
    this.element.style.top = `${y * zoom}px`;
    this.element.classList.toggle("weightless", !triangle.shares);
    const labels = triangle.corners.map(
      (name) => triangle.metrics.find((metric) => metric.name === name).label,
    );
    this.element.setAttribute("aria-valuenow", String(Math.round(shares[0] * 100)));
    this.element.setAttribute(
      "aria-valuetext",
      labels.map((name, at) => `${name} ${percent(shares[at], 0)}`).join(", "),
    );
  }
}

/** The points (i, j, k), i + j + k = steps, in Python's order: rows by i from 0, in each j from 0. */
class Grid {
  constructor(steps) {
    const upTo = (last) => Array.from({ length: last + 1 }, (_, at) => at);
    this.steps = steps;
    this.nodes = upTo(steps).flatMap((i) => upTo(steps - i).map((j) => [i, j, steps - i - j]));
  }

  /** The position of the point nearest to shares a and b of the first two corners. */
  nearest(a, b) {
    const i = Math.round(a * this.steps);
    const j = Math.min(this.steps - i, Math.round(b * this.steps));
    return i * (this.steps + 1) - (i * (i - 1)) / 2 + j;
  }

  sharesOf(position) {
    return this.nodes[position].map((part) => part / this.steps);
  }

  middle(nodes) {
    return [0, 1, 2].map((at) => nodes.reduce((sum, node) => sum + node[at], 0) / nodes.length / this.steps);
  }

  /** Regions, largest first: {model, nodes, share}. */
  regions(winners) {
    const nodes = new Map();
    winners.forEach((model, at) =>
      (nodes.get(model) ?? nodes.set(model, []).get(model)).push(this.nodes[at]),
    );
    const regions = [...nodes].map(([model, of]) => ({ model, nodes: of, share: this.ground(of) }));
    return regions.sort((one, other) => other.share - one.share || one.model - other.model);
  }

  /** The part of the triangle that points stand for: those on its rim for less, with less ground around them. */
  ground(nodes) {
    const parts = nodes.map((node) => [6, 3, 1][node.filter((part) => part === 0).length]);
    return parts.reduce((sum, part) => sum + part, 0) / (3 * this.steps * this.steps);
  }
}

/** A part of the triangle; what is not nothing does not look like it. */
function part(share) {
  return share > 0 && share < 0.005 ? "< 1 %" : percent(share, 0);
}

/** The nearest shares that are at least 0 and make 1, near enough. */
function withinTriangle(shares) {
  const positive = shares.map((share) => Math.max(0, share));
  const total = positive.reduce((sum, share) => sum + share, 0);
  return positive.map((share) => share / total);
}

/** The convex hull of points [x, y] (Andrew's monotone chain). */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...halfHull(sorted), ...halfHull(sorted.reverse())];
}

function halfHull(points) {
  const chain = [];
  for (const point of points) {
    while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
    chain.push(point);
  }
  chain.pop();
  return chain;
}

function turn([ax, ay], [bx, by], [cx, cy]) {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}
