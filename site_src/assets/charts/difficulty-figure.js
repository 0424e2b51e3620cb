// What the charts of a difficulty page share: a sentence, a picture, a table; drawn while somebody can see them.
import { element } from "../base/elements.js";
import { isolated } from "../base/formats.js";
import { Panel } from "./panel.js";

// Drawn before they scroll into view, so that they do not appear under one's eyes.
const NEAR = "400px";
/** Shades that splits have, from easy to hard; fewer splits take them at even steps. */
export const SHADES = 7;

export class Figure {
  /** A figure called `name` in `host`; `keys` says what arrow keys do in its picture, null for none. */
  constructor(page, host, name, keys) {
    Object.assign(this, { page, given: null, stale: false, visible: false });
    host.append(skeleton(name, keys));
    this.panel = new Panel(name);
    this.frame = this.panel.frame;
    this.watch();
  }

  watch() {
    const { element: figure } = this.panel;
    new IntersectionObserver(([entry]) => this.seen(entry.isIntersecting), { rootMargin: NEAR }).observe(
      figure,
    );
    new ResizeObserver(() => this.resized()).observe(figure);
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => this.printed());
  }

  draw(answer, points, noise) {
    this.given = { answer, points, noise };
    this.again();
  }

  /** Draw what is given: now where somebody can see it, else once somebody can. */
  again() {
    this.stale = this.given !== null;
    this.refresh();
  }

  refresh() {
    if (!this.stale || !this.visible || !this.panel.width) return;
    this.stale = false;
    this.width = this.panel.width;
    this.paint(this.given);
  }

  seen(visible) {
    this.visible = visible;
    this.refresh();
  }

  resized() {
    if (this.panel.width !== this.width) this.again();
  }

  print() {
    this.screen = { visible: this.visible, open: this.panel.details.open };
    this.seen(true);
    this.panel.details.open = true;
    this.panel.fill();
  }

  printed() {
    if (!this.screen) return;
    this.visible = this.screen.visible;
    this.panel.details.open = this.screen.open;
  }

  /** The picture gives way to a sentence. */
  decline(sentence) {
    this.panel.clear();
    this.panel.say(sentence, [], null);
  }

  /** The answer's models, best accuracy first: an order that no threshold and no weight moves. */
  get models() {
    return [...this.given.answer.models].sort(
      (one, other) => place(one.accuracy_rank) - place(other.accuracy_rank),
    );
  }

  /** The model that is pointed out: the one asked for, else the first by the metric; undefined without any. */
  get pointed() {
    const { models } = this.given.answer;
    return models.find(({ model }) => model === this.page.state.focus) ?? models[0];
  }

  /** What a model is called within a sentence. */
  called({ model }) {
    const name = this.page.label(model);
    return isolated(name.length > 80 ? `${name.slice(0, 79)}…` : name);
  }
}

function skeleton(name, keys) {
  const label = "The numbers behind this chart";
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

/** Where a rank comes in an order: a missing one is last. */
export function place(rank) {
  return rank ?? Number.MAX_SAFE_INTEGER;
}

/** Which of the shades split `at` of `count` has: 1 is the easiest, `SHADES` the hardest. */
export function shade(at, count) {
  return count > 1 ? 1 + Math.round((at * (SHADES - 1)) / (count - 1)) : SHADES;
}

/** "1 sample", "2 samples". */
export function counted(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** What the ends of the splits are, in words: [first, last]. */
export function ends({ direction }) {
  return direction === "easy-high" ? ["easiest", "hardest"] : ["least sure", "surest"];
}
