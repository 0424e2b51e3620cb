// What a model gets right and wrong in every split: a ring of splits from the easiest on, clockwise, and
// around it what is right, pale, and what is wrong, in full colour and reaching further. One model is large,
// and all of them are small.
import { element } from "../base/elements.js";
import { MISSING, number, percent } from "../base/formats.js";
import { Figure, shade } from "./difficulty-figure.js";
import { svg } from "./svg.js";

/** @import { AnswerRow, ChartTable, DifficultyHost, Split } from "../../types" */
/**
 * The pieces of one split in a sun, all of them in `group`.
 * @typedef {object} SunPiece
 * @property {SVGPathElement} ring
 * @property {SVGPathElement} right
 * @property {SVGPathElement} wrong
 * @property {SVGTextElement} number
 * @property {SVGTextElement} count
 * @property {SVGGElement} group
 */
/** @typedef {{ sun: Sun, button: HTMLButtonElement, score: HTMLSpanElement }} SmallSun */

const TURN = 2 * Math.PI;
// Radii of a sun of radius 100: the ring of splits, the ring of right answers, and how far wrong ones reach.
const RINGS = { hole: 40, splits: 56, start: 58, right: 86, wrong: 100 };
// Around the large one is room for writing; its circle has the same radius.
const MARGIN = { large: 26, small: 2 };
// A split that is narrower than this has no number in its ring.
const WIDE = 0.22;

export class Sunburst extends Figure {
  /** @param {DifficultyHost} page @param {HTMLElement} host */
  constructor(page, host) {
    super(page, host, "sunburst", null);
    this.large = new Sun(MARGIN.large);
    /** The small ones, by model. @type {Map<string, SmallSun>} */
    this.small = new Map();
    this.title = element("p", { class: "sun-title", dir: "auto" });
    this.grid = element("div", { class: "suns" });
    this.whole = element("div", { class: "sun-large" }, this.title, this.large.picture);
  }

  paint() {
    const rows = this.models.filter(({ splits }) => splits.length);
    const pointed = rows.find(({ model }) => model === this.pointed?.model);
    const { suns } = this.words;
    if (!pointed || typeof suns === "string") {
      this.panel.decline(String(suns));
      return;
    }
    this.frame.classList.remove("bare");
    if (!this.whole.isConnected) this.frame.append(this.whole, this.grid);
    this.grid.hidden = rows.length < 2;
    this.title.textContent = this.page.label(pointed.model);
    this.large.show(pointed.splits, this.inWords(pointed), true);
    this.fill(rows, pointed);
    this.panel.say(suns[pointed.model], this.remarks(rows), () => this.numbers(rows));
  }

  /** Show the small ones, made once a model. @param {AnswerRow[]} rows @param {AnswerRow} pointed */
  fill(rows, pointed) {
    const shown = [...this.small.keys()];
    if (rows.length !== shown.length || rows.some(({ model }, at) => model !== shown[at])) this.make(rows);
    for (const row of rows) {
      const small = this.small.get(row.model);
      small?.sun.show(row.splits, this.inWords(row), false);
      small?.button.setAttribute("aria-pressed", String(row === pointed));
      small?.score.replaceChildren(rightShare(row.splits));
    }
  }

  /** @param {AnswerRow[]} rows */
  make(rows) {
    const suns = rows.map(({ model }) => this.smallSun(model));
    this.small = new Map(rows.map(({ model }, at) => [model, suns[at]]));
    this.grid.replaceChildren(...suns.map(({ button }) => button));
  }

  /** @param {string} model @returns {SmallSun} */
  smallSun(model) {
    const sun = new Sun(MARGIN.small);
    const score = element("span", { class: "muted" });
    const name = element("span", { class: "clamp", dir: "auto" }, this.page.label(model));
    const button = element("button", { type: "button", class: "sun" }, sun.picture, name, score);
    button.addEventListener("click", () => this.page.pointOut(model));
    return { sun, button, score };
  }

  /** @param {AnswerRow} row */
  inWords({ model, splits }) {
    const parts = splits.map(
      ({ right, examples }, at) => `split ${at + 1}: ${number(right, 0)} of ${examples}`,
    );
    return `${this.page.label(model)}, right by split: ${parts.join(", ")}`;
  }

  // Sentences and tables.

  /** @param {AnswerRow[]} rows */
  remarks(rows) {
    const shared = rows.some(({ splits }) => splits.some(({ right }) => !Number.isInteger(right)));
    return [
      `The inner ring is the splits, clockwise from the ${this.words.ends[0]}; around it, pale, what is right, and what is wrong, in full colour and standing out further, with its count.`,
      rows.length > 1 ? "Under each small one is the share that is right; press it to see it large." : "",
      shared
        ? "Examples of one and the same difficulty are shared between splits, so counts are rounded."
        : "",
    ];
  }

  /** @param {AnswerRow[]} rows @returns {ChartTable} */
  numbers(rows) {
    const heads = rows[0].splits.map((_, at) => `Split ${at + 1}`);
    const cells = rows.map(({ model, splits }) => [
      this.page.label(model),
      ...splits.map(({ wrong, examples }) => `${number(wrong, 0)} of ${examples}`),
    ]);
    return { heads: ["Wrong, by split", ...heads], rows: cells };
  }
}

/** One picture; its parts stay and get new shapes while thresholds move. */
class Sun {
  /** @param {number} margin around the circle */
  constructor(margin) {
    const reach = RINGS.wrong + margin;
    const viewBox = `${-reach} ${-reach} ${2 * reach} ${2 * reach}`;
    this.picture = svg("svg", { class: "sun-picture", viewBox, role: "img" });
    this.centre = svg("text", { class: "sun-share", y: 2, "text-anchor": "middle" });
    /** A piece for each split. @type {SunPiece[]} */
    this.pieces = [];
  }

  /**
   * `words` say what it shows; a `written` one has numbers in it.
   * @param {Split[]} splits @param {string} words @param {boolean} written
   */
  show(splits, words, written) {
    this.picture.setAttribute("aria-label", words);
    if (this.pieces.length !== splits.length) this.build(splits.length, written);
    const all = splits.reduce((sum, { examples }) => sum + examples, 0);
    let from = 0;
    splits.forEach((split, at) => {
      const to = from + (all ? (TURN * split.examples) / all : 0);
      shape(this.pieces[at], split, from, to);
      if (written) writeNumbers(this.pieces[at], split, from, to);
      from = to;
    });
    if (written) this.centre.textContent = rightShare(splits);
  }

  /** @param {number} count @param {boolean} written */
  build(count, written) {
    this.pieces = Array.from({ length: count }, (_, at) => piece(at, count));
    const word = svg("text", { class: "tick", y: 18, "text-anchor": "middle" }, "right");
    this.picture.replaceChildren(
      ...this.pieces.map(({ group }) => group),
      ...(written ? [this.centre, word] : []),
    );
  }
}

/**
 * Where, of the angles from `from` to `to` that a split has, its wrong answers begin.
 * @param {Split} split @param {number} from @param {number} to
 */
function wrongFrom({ right, wrong }, from, to) {
  const all = right + wrong;
  return all ? from + ((to - from) * right) / all : from;
}

/** @param {SunPiece} piece @param {Split} split @param {number} from @param {number} to */
function shape({ ring, right, wrong }, split, from, to) {
  const middle = wrongFrom(split, from, to);
  ring.setAttribute("d", sector(RINGS.hole, RINGS.splits, from, to));
  right.setAttribute("d", sector(RINGS.start, RINGS.right, from, middle));
  wrong.setAttribute("d", sector(RINGS.start, RINGS.wrong, middle, to));
}

/**
 * The number of the split in its ring, and how many are wrong outside.
 * @param {SunPiece} piece @param {Split} split @param {number} from @param {number} to
 */
function writeNumbers({ number: place, count }, split, from, to) {
  const wide = to - from > WIDE;
  put(place, (RINGS.hole + RINGS.splits) / 2, (from + to) / 2, wide);
  put(count, RINGS.wrong + 14, (wrongFrom(split, from, to) + to) / 2, wide && split.wrong >= 0.5);
  count.textContent = `× ${number(split.wrong, 0)}`;
}

/** The piece of split `at` of `count`. @param {number} at @param {number} count @returns {SunPiece} */
function piece(at, count) {
  const style = `s${shade(at, count)}`;
  const parts = {
    ring: svg("path", { class: `sun-ring ${style}` }),
    right: svg("path", { class: `sun-right ${style}` }),
    wrong: svg("path", { class: `sun-wrong ${style}` }),
    number: svg("text", { class: `sun-number ${style}`, "text-anchor": "middle" }, String(at + 1)),
    count: svg("text", { class: "sun-count", "text-anchor": "middle" }),
  };
  return { ...parts, group: svg("g", {}, ...Object.values(parts)) };
}

/**
 * Put a text at a radius and an angle, or hide it.
 * @param {SVGTextElement} text @param {number} radius @param {number} angle @param {boolean} visible
 */
function put(text, radius, angle, visible) {
  text.setAttribute("x", (radius * Math.sin(angle)).toFixed(1));
  text.setAttribute("y", (4 - radius * Math.cos(angle)).toFixed(1));
  text.setAttribute("visibility", visible ? "visible" : "hidden");
}

/**
 * A piece of a ring between two radii and two angles, clockwise from the top; nothing where the angles are
 * equal.
 * @param {number} inner @param {number} outer @param {number} from @param {number} to
 */
function sector(inner, outer, from, to) {
  const end = Math.min(to, from + TURN - 1e-3);
  if (end - from < 1e-6) return "";
  const [innerFrom, innerEnd] = [spot(inner, from), spot(inner, end)];
  const [outerFrom, outerEnd] = [spot(outer, from), spot(outer, end)];
  const large = end - from > Math.PI ? 1 : 0;
  return `M${innerFrom}L${outerFrom}A${outer} ${outer} 0 ${large} 1 ${outerEnd}L${innerEnd}A${inner} ${inner} 0 ${large} 0 ${innerFrom}Z`;
}

/** @param {number} radius @param {number} angle */
function spot(radius, angle) {
  return `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
}

/** The share of right answers in all splits together. @param {Split[]} splits */
function rightShare(splits) {
  const right = splits.reduce((sum, split) => sum + split.right, 0);
  const all = splits.reduce((sum, split) => sum + split.right + split.wrong, 0);
  return all ? percent(right / all) : MISSING;
}
