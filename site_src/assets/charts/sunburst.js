// What a model gets right and wrong in every split: a ring of splits from the easiest on, clockwise, and around
// it what is right, pale, and what is wrong, in full colour and reaching further. One model large, all of them small.
import { Figure, counted, ends, shade } from "./difficulty-figure.js";
import { element } from "../base/elements.js";
import { number, percent } from "../base/formats.js";
import { svg } from "./svg.js";

const TURN = 2 * Math.PI;
// Radii of a sun of radius 100: the ring of splits, the ring of right answers, and how far wrong ones reach.
const RINGS = { hole: 40, splits: 56, start: 58, right: 86, wrong: 100 };
// Around the large one is room for writing; its circle has the same radius.
const MARGIN = { large: 26, small: 2 };

export class Sunburst extends Figure {
  constructor(page, host) {
    super(page, host, "sunburst", null);
    this.large = new Sun(MARGIN.large);
    this.small = new Map();
    this.title = element("p", { class: "sun-title", dir: "auto" });
    this.grid = element("div", { class: "suns" });
    this.whole = element("div", { class: "sun-large" }, this.title, this.large.picture);
  }

  paint({ answer }) {
    const models = this.models.filter(({ splits }) => splits.length);
    if (!models.length) {
      return this.decline(
        "Continuous weights part the samples into no splits. Choose equal splits or thresholds to see what is right and wrong in each.",
      );
    }
    const pointed = models.find((model) => model.model === this.pointed.model);
    this.frame.classList.remove("bare");
    if (!this.whole.isConnected) this.frame.append(this.whole, this.grid);
    this.grid.hidden = models.length < 2;
    this.title.textContent = this.page.label(pointed.model);
    this.large.show(pointed.splits, this.inWords(pointed), true);
    this.fill(models, pointed);
    this.panel.say(this.finding(pointed), this.remarks(answer, models.length), () => this.numbers(models));
  }

  /** The small ones, made once a model. */
  fill(models, pointed) {
    const shown = [...this.small.keys()];
    if (models.length !== shown.length || models.some(({ model }, at) => model !== shown[at])) {
      this.make(models);
    }
    for (const model of models) {
      const { sun, button, score } = this.small.get(model.model);
      sun.show(model.splits, this.inWords(model), false);
      button.setAttribute("aria-pressed", String(model === pointed));
      score.textContent = share(model.splits);
    }
  }

  make(models) {
    this.small = new Map(models.map(({ model }) => [model, this.one(model)]));
    this.grid.replaceChildren(...[...this.small.values()].map(({ button }) => button));
  }

  one(model) {
    const sun = new Sun(MARGIN.small);
    const score = element("span", { class: "muted" });
    const name = element("span", { class: "clamp", dir: "auto" }, this.page.label(model));
    const button = element("button", { type: "button", class: "sun" }, sun.picture, name, score);
    button.addEventListener("click", () => this.page.pointOut(model));
    return { sun, button, score };
  }

  inWords(model) {
    const parts = model.splits.map(
      ({ right, examples }, at) => `split ${at + 1}: ${number(right, 0)} of ${examples}`,
    );
    return `${this.page.label(model.model)}, right by split: ${parts.join(", ")}`;
  }

  finding(model) {
    const { splits } = model;
    const [easy, hard] = ends(this.given.answer);
    const wrong = splits.reduce((sum, split) => sum + split.wrong, 0);
    const name = this.called(model);
    if (!wrong) return `${name} gets every sample right.`;
    const last = splits.at(-1);
    const said = ({ wrong: some, examples }) => `${number(some, 0)} of ${counted(examples, "sample")}`;
    return `${name} is wrong on ${said(last)} in the ${hard} split and on ${said(splits[0])} in the ${easy}: ${percent(last.wrong / wrong, 0)} of its errors are in the ${hard} of ${counted(splits.length, "split")}.`;
  }

  remarks(answer, count) {
    const cut = this.given.answer.models.some(({ splits }) =>
      splits.some(({ right }) => !Number.isInteger(right)),
    );
    return [
      `The inner ring is the splits, clockwise from the ${ends(answer)[0]}; around it, pale, what is right, and what is wrong, in full colour and standing out further, with its count.`,
      count > 1 ? "Under each small one is the share that is right; press it to see it large." : "",
      cut ? "Samples of one and the same difficulty are shared between splits, so counts are rounded." : "",
    ];
  }

  numbers(models) {
    const heads = models[0].splits.map((_, at) => `Split ${at + 1}`);
    const cells = ({ splits }) => splits.map(({ wrong, examples }) => `${number(wrong, 0)} of ${examples}`);
    return {
      heads: ["Wrong, by split", ...heads],
      rows: models.map((model) => [this.page.label(model.model), ...cells(model)]),
    };
  }
}

/** One picture; its parts stay and get new shapes while thresholds move. */
class Sun {
  constructor(margin) {
    const size = 2 * (RINGS.wrong + margin);
    this.reach = RINGS.wrong + margin;
    this.picture = svg("svg", {
      class: "sun-picture",
      viewBox: `${-this.reach} ${-this.reach} ${size} ${size}`,
      role: "img",
    });
    this.parts = [];
  }

  show(splits, words, written) {
    this.picture.setAttribute("aria-label", words);
    if (this.parts.length !== splits.length) this.build(splits.length, written);
    const all = splits.reduce((sum, { examples }) => sum + examples, 0);
    let from = 0;
    splits.forEach((split, at) => {
      const to = from + (all ? (TURN * split.examples) / all : 0);
      this.turn(this.parts[at], split, from, to);
      if (written) this.write(this.parts[at], split, from, to);
      from = to;
    });
    if (written) this.centre.textContent = share(splits);
  }

  build(count, written) {
    this.parts = Array.from({ length: count }, (_, at) => part(at, count));
    this.centre = svg("text", { class: "sun-share", y: 2, "text-anchor": "middle" });
    const word = svg("text", { class: "tick", y: 18, "text-anchor": "middle" }, "right");
    this.picture.replaceChildren(
      ...this.parts.map(({ group }) => group),
      ...(written ? [this.centre, word] : []),
    );
  }

  turn({ ring, right, wrong }, split, from, to) {
    const all = split.right + split.wrong;
    const middle = all ? from + ((to - from) * split.right) / all : from;
    ring.setAttribute("d", sector(RINGS.hole, RINGS.splits, from, to));
    right.setAttribute("d", sector(RINGS.start, RINGS.right, from, middle));
    wrong.setAttribute("d", sector(RINGS.start, RINGS.wrong, middle, to));
  }

  /** The number of the split in its ring, and how many are wrong outside. */
  write({ number: place, count }, split, from, to) {
    const wide = to - from > 0.22;
    at(place, (RINGS.hole + RINGS.splits) / 2, (from + to) / 2, wide);
    const all = split.right + split.wrong;
    const angle = all ? to - ((to - from) * split.wrong) / all / 2 : to;
    at(count, RINGS.wrong + 14, angle, wide && split.wrong >= 0.5);
    count.textContent = `× ${number(split.wrong, 0)}`;
  }
}

function part(at, count) {
  const style = `s${shade(at, count)}`;
  const made = {
    ring: svg("path", { class: `sun-ring ${style}` }),
    right: svg("path", { class: `sun-right ${style}` }),
    wrong: svg("path", { class: `sun-wrong ${style}` }),
    number: svg("text", { class: `sun-number ${style}`, "text-anchor": "middle" }, String(at + 1)),
    count: svg("text", { class: "sun-count", "text-anchor": "middle" }),
  };
  return { ...made, group: svg("g", {}, ...Object.values(made)) };
}

/** Put a text at a radius and an angle, or hide it. */
function at(text, radius, angle, visible) {
  text.setAttribute("x", (radius * Math.sin(angle)).toFixed(1));
  text.setAttribute("y", (4 - radius * Math.cos(angle)).toFixed(1));
  text.setAttribute("visibility", visible ? "visible" : "hidden");
}

/** A piece of a ring between two radii and two angles, clockwise from the top; nothing where the angles are equal. */
function sector(inner, outer, from, to) {
  const end = Math.min(to, from + TURN - 1e-3);
  if (end - from < 1e-6) return "";
  const spot = (radius, angle) =>
    `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  const large = end - from > Math.PI ? 1 : 0;
  const arc = (radius, angle, way) => `A${radius} ${radius} 0 ${large} ${way} ${spot(radius, angle)}`;
  return `M${spot(inner, from)}L${spot(outer, from)}${arc(outer, end, 1)}L${spot(inner, end)}${arc(inner, from, 0)}Z`;
}

function share(splits) {
  const [right, all] = splits.reduce(
    ([some, sum], split) => [some + split.right, sum + split.right + split.wrong],
    [0, 0],
  );
  return all ? percent(right / all) : "—";
}
