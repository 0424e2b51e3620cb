// What the charts of a difficulty page share: a sentence, a picture, a table; drawn while somebody can see
// them.
import { element } from "../base/elements.js";
import { text } from "../base/texts.js";
import { Panel } from "./panel.js";

/** @import { Answer, AnswerRow, DifficultyHost, Noise, Points } from "../../types" */
/**
 * What a chart shows. Points are null until the samples are there, noise while it is being computed.
 * @typedef {{ answer: Answer, points: Points | null, noise: Noise | null }} Given
 */

// Drawn before they scroll into view, so that they do not appear under one's eyes.
const NEAR = "400px";

/** A chart of a difficulty page. Each kind has a `paint` of its own. */
export class Figure {
  /** A figure called `name` in `host`; `keys` says what arrow keys do in its picture, null for none.
   * @param {DifficultyHost} page @param {HTMLElement} host @param {string} name @param {string | null} keys */
  constructor(page, host, name, keys) {
    this.page = page;
    /** @type {Given | null} */
    this.latest = null;
    this.stale = false;
    this.visible = false;
    this.width = 0;
    host.append(skeleton(name, keys));
    this.panel = new Panel(name);
    this.frame = this.panel.frame;
    this.watch();
  }

  watch() {
    const { element: figure, details } = this.panel;
    const see = (/** @type {boolean} */ visible) => {
      this.visible = visible;
      this.refresh();
    };
    const seen = new IntersectionObserver(([entry]) => see(entry.isIntersecting), { rootMargin: NEAR });
    seen.observe(figure);
    new ResizeObserver(() => this.panel.width !== this.width && this.again()).observe(figure);
    let before = { visible: false, open: false };
    addEventListener("beforeprint", () => {
      before = { visible: this.visible, open: details.open };
      see(true);
      details.open = true;
      this.panel.fill();
    });
    addEventListener("afterprint", () => {
      this.visible = before.visible;
      details.open = before.open;
    });
  }

  /** @param {Answer} answer @param {Points | null} points @param {Noise | null} noise */
  draw(answer, points, noise) {
    this.latest = { answer, points, noise };
    this.again();
  }

  /** Draw what is given: now where somebody can see it, else once somebody can. */
  again() {
    this.stale = this.latest !== null;
    this.refresh();
  }

  refresh() {
    if (!this.stale || !this.visible || !this.panel.width) return;
    this.stale = false;
    this.width = this.panel.width;
    this.paint();
  }

  /** Draw what is given. */
  paint() {
    throw new Error(`${this.constructor.name} does not say how it is drawn`);
  }

  /** What is drawn; nothing may ask before there is anything. */
  get given() {
    if (!this.latest) throw new Error("there is nothing to draw yet");
    return this.latest;
  }

  /** The answer's models, best accuracy first: an order that no threshold and no weight moves. */
  get models() {
    return orderedBy(this.given.answer.models, "accuracy_rank");
  }

  /** What the charts say of the answer, and what the first and the last split are. */
  get words() {
    return this.given.answer.words.charts;
  }

  /** The highlighted model: the chosen one, else the first by the metric; undefined without any. */
  get pointed() {
    const { models } = this.given.answer;
    return models.find(({ model }) => model === this.page.state.focus) ?? models[0];
  }
}

/** @param {string} name @param {string | null} keys */
function skeleton(name, keys) {
  const label = text("charts.numbers");
  const frame = element("div", { class: "table-frame", role: "group", "aria-label": label, tabindex: "0" });
  return element(
    "figure",
    { class: "chart difficulty-chart", id: `chart-${name}` },
    element("figcaption", { class: "finding" }),
    element("p", { class: "remarks small muted" }),
    element("div", { class: "plot", role: keys && "group", tabindex: keys && "0", "aria-label": keys }),
    element("details", { class: "numbers", hidden: true }, element("summary", {}, label), frame),
  );
}

/** Shades that splits have, from easy to hard; fewer splits take them at even steps. */
export const SHADES = 7;

/** Which of the shades split `at` of `count` has: 1 is the easiest, `SHADES` the hardest.
 * @param {number} at @param {number} count */
export function shade(at, count) {
  return count > 1 ? 1 + Math.round((at * (SHADES - 1)) / (count - 1)) : SHADES;
}

/**
 * The rows of an answer by one of their ranks; those without it are last.
 * @template {AnswerRow} Row
 * @param {Row[]} rows @param {"rank" | "accuracy_rank"} rank
 */
export function orderedBy(rows, rank) {
  const place = (/** @type {Row} */ row) => row[rank] ?? Number.MAX_SAFE_INTEGER;
  return [...rows].sort((one, other) => place(one) - place(other));
}
