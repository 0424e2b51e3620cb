// What a model gets right and wrong in every split: a ring of splits from the easiest on, clockwise, and
// around it what is right, pale, and what is wrong, in full colour and reaching further. One model is large,
// and all of them are small.
import { element } from "../base/elements.js";
import { MISSING, number, percent } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Figure, shade } from "./difficulty-figure.js";
import { svg } from "./svg.js";

/** @import { AnswerRow, ChartTable, DifficultyHost, Split } from "../../types" */

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
    this.large = emptySun(MARGIN.large);
    this.title = element("p", { class: "sun-title", dir: "auto" });
    /** The small ones, by model: they stay, so that focus does. @type {Map<string, SmallSun>} */
    this.small = new Map();
    this.grid = element("div", { class: "suns" });
    this.whole = element("div", { class: "sun-large" }, this.title, this.large);
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
    this.show(this.large, pointed, true);
    if (rows.map(({ model }) => model).join() !== [...this.small.keys()].join()) {
      this.small = new Map(rows.map(({ model }) => [model, this.smallSun(model)]));
      this.grid.replaceChildren(...Array.from(this.small.values(), ({ button }) => button));
    }
    for (const row of rows) {
      const { picture, button, score } = /** @type {SmallSun} */ (this.small.get(row.model));
      this.show(picture, row, false);
      button.setAttribute("aria-pressed", String(row === pointed));
      score.textContent = rightShare(row.splits);
    }
    const shared = rows.some(({ splits }) => splits.some(({ right }) => !Number.isInteger(right)));
    const reading = [
      text("suns.reading", { first: this.words.ends[0] }),
      rows.length > 1 ? text("suns.small") : "",
      shared ? text("suns.shared") : "",
    ];
    this.panel.say(suns[pointed.model], reading, () => this.numbers(rows));
  }

  /** @param {string} model */
  smallSun(model) {
    const picture = emptySun(MARGIN.small);
    const score = element("span", { class: "muted" });
    const name = element("span", { class: "clamp", dir: "auto" }, this.page.label(model));
    const button = element("button", { type: "button", class: "sun" }, picture, name, score);
    button.addEventListener("click", () => this.page.pointOut(model));
    return { picture, button, score };
  }

  /** Draw a model into a picture; a `written` one has numbers in it.
   * @param {SVGSVGElement} picture @param {AnswerRow} row @param {boolean} written */
  show(picture, { model, splits }, written) {
    const parts = splits.map(({ right, examples }, at) =>
      text("suns.part", { number: at + 1, right: number(right, 0), examples }),
    );
    const words = text("suns.label", { name: this.page.label(model), parts: parts.join(", ") });
    picture.setAttribute("aria-label", words);
    const all = splits.reduce((sum, { examples }) => sum + examples, 0);
    let from = 0;
    const pieces = splits.map((split, at) => {
      const to = from + (all ? (TURN * split.examples) / all : 0);
      const drawn = piece(split, at, splits.length, from, to, written);
      from = to;
      return drawn;
    });
    const middle = { "text-anchor": "middle" };
    const centre = [
      svg("text", { class: "sun-share", y: 2, ...middle }, rightShare(splits)),
      svg("text", { class: "tick", y: 18, ...middle }, text("suns.right")),
    ];
    picture.replaceChildren(...pieces, ...(written ? centre : []));
  }

  /** @param {AnswerRow[]} rows @returns {ChartTable} */
  numbers(rows) {
    const heads = rows[0].splits.map((_, at) => text("charts.split", { number: at + 1 }));
    const cells = rows.map(({ model, splits }) => [
      this.page.label(model),
      ...splits.map(({ wrong, examples }) => text("charts.of", { part: number(wrong, 0), all: examples })),
    ]);
    return { heads: [text("suns.wrong-by-split"), ...heads], rows: cells };
  }
}

/** @typedef {ReturnType<Sunburst["smallSun"]>} SmallSun */

/** @param {number} margin around the circle */
function emptySun(margin) {
  const reach = RINGS.wrong + margin;
  const viewBox = `${-reach} ${-reach} ${2 * reach} ${2 * reach}`;
  return svg("svg", { class: "sun-picture", viewBox, role: "img" });
}

/**
 * The piece of split `at` of `count`, between two angles; a `written` one has the split's number in its ring, and outside
 * how many are wrong.
 * @param {Split} split @param {number} at @param {number} count @param {number} from @param {number} to
 * @param {boolean} written
 */
function piece({ right, wrong }, at, count, from, to, written) {
  const style = `s${shade(at, count)}`;
  const middle = right + wrong ? from + ((to - from) * right) / (right + wrong) : from;
  const wide = written && to - from > WIDE;
  const inRing = {
    class: `sun-number ${style}`,
    ...spotOf((RINGS.hole + RINGS.splits) / 2, (from + to) / 2),
  };
  const outside = { class: "sun-count", ...spotOf(RINGS.wrong + 14, (middle + to) / 2) };
  return svg(
    "g",
    {},
    svg("path", { class: `sun-ring ${style}`, d: sector(RINGS.hole, RINGS.splits, from, to) }),
    svg("path", { class: `sun-right ${style}`, d: sector(RINGS.start, RINGS.right, from, middle) }),
    svg("path", { class: `sun-wrong ${style}`, d: sector(RINGS.start, RINGS.wrong, middle, to) }),
    ...(wide ? [svg("text", inRing, String(at + 1))] : []),
    ...(wide && wrong >= 0.5 ? [svg("text", outside, `× ${number(wrong, 0)}`)] : []),
  );
}

/** Where a text is at a radius and an angle. @param {number} radius @param {number} angle */
function spotOf(radius, angle) {
  return { x: radius * Math.sin(angle), y: 4 - radius * Math.cos(angle), "text-anchor": "middle" };
}

/** A piece of a ring between two radii and two angles, clockwise from the top; nothing where the angles are equal.
 * @param {number} inner @param {number} outer @param {number} from @param {number} to */
function sector(inner, outer, from, to) {
  const end = Math.min(to, from + TURN - 1e-3);
  if (end - from < 1e-6) return "";
  const spot = (/** @type {number} */ radius, /** @type {number} */ angle) =>
    `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  const large = end - from > Math.PI ? 1 : 0;
  const out = `L${spot(outer, from)}A${outer} ${outer} 0 ${large} 1 ${spot(outer, end)}`;
  const back = `L${spot(inner, end)}A${inner} ${inner} 0 ${large} 0 ${spot(inner, from)}Z`;
  return `M${spot(inner, from)}${out}${back}`;
}

/** The share of right answers in all splits together. @param {Split[]} splits */
function rightShare(splits) {
  const right = splits.reduce((sum, split) => sum + split.right, 0);
  const all = splits.reduce((sum, split) => sum + split.right + split.wrong, 0);
  return all ? percent(right / all) : MISSING;
}
