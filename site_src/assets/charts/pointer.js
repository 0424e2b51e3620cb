// Pointing at the marks of a chart, by mouse, finger or keys, and the card that says what is pointed at.
import { element } from "../base/elements.js";

/** @import { Card, Point, Pointable } from "../../types" */

const BACK = ["ArrowLeft", "ArrowUp"];
const ON = ["ArrowRight", "ArrowDown"];

/**
 * Points at the marks of `chart`, whose picture is in `frame`.
 * @template {number | string} Mark
 */
export class Pointer {
  /** @param {HTMLElement} frame @param {Pointable<Mark>} chart */
  constructor(frame, chart) {
    this.frame = frame;
    this.chart = chart;
    /** @type {Mark | null} */
    this.mark = null;
    /** @type {SVGSVGElement | null} */
    this.picture = null;
    /** Where the mouse rests that came before there was a picture to point at. @type {MouseEvent | null} */
    this.early = null;
    this.tip = element("div", { class: "tip", role: "status", hidden: "" });
    frame.addEventListener("pointermove", (event) => this.follow(event));
    frame.addEventListener("pointerleave", () => this.leave());
    frame.addEventListener("click", (event) => this.press(event));
    frame.addEventListener("keydown", (event) => this.walk(event));
    frame.addEventListener("focusout", () => this.point(null));
  }

  /**
   * Put a new picture into the frame, over `grounds`; what is pointed at stays so, if it is still there.
   * A mouse that was there before the first picture points at what has come under it.
   * @param {SVGSVGElement} picture @param {HTMLElement[]} grounds
   */
  hold(picture, ...grounds) {
    const { early } = this;
    this.picture = picture;
    this.early = null;
    this.frame.replaceChildren(...grounds, picture, this.tip);
    if (early) this.follow(early);
    else this.point(this.mark !== null && this.chart.along().includes(this.mark) ? this.mark : null);
  }

  /** @param {MouseEvent} event */
  follow(event) {
    if (!this.picture) {
      this.early = event;
      return;
    }
    const place = this.place(event);
    this.point(this.chart.nearest(...place), place);
  }

  leave() {
    this.early = null;
    this.point(null);
  }

  /** Pixels of the screen for one of the picture's own. */
  get zoom() {
    if (!this.picture) return 1;
    return this.picture.getBoundingClientRect().width / this.picture.viewBox.baseVal.width;
  }

  /** Where an event is, in the picture's own coordinates. @param {MouseEvent} event @returns {Point} */
  place({ clientX, clientY }) {
    const { left, top } = (this.picture ?? this.frame).getBoundingClientRect();
    return [(clientX - left) / this.zoom, (clientY - top) / this.zoom];
  }

  /** @param {MouseEvent} event */
  press(event) {
    this.follow(event);
    if (this.mark !== null) this.chart.choose?.(this.mark);
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = this.chart.along();
    const to = this.next(event.key, marks);
    if (to === undefined) return;
    event.preventDefault();
    this.point(to);
  }

  /**
   * The mark that a key leads to, null for none; undefined for a key that leads nowhere.
   * @param {string} key @param {Mark[]} marks @returns {Mark | null | undefined}
   */
  next(key, marks) {
    if (key === "Escape") return null;
    if (key === "Home") return marks[0];
    if (key === "End") return marks.at(-1);
    if (key === "Enter" && this.mark !== null) this.chart.choose?.(this.mark);
    const step = ON.includes(key) ? 1 : BACK.includes(key) ? -1 : 0;
    if (!step || !marks.length) return undefined;
    if (this.mark === null) return this.chart.start();
    return marks[Math.min(marks.length - 1, Math.max(0, marks.indexOf(this.mark) + step))];
  }

  /** @param {Mark | null} mark @param {Point | null} [place] */
  point(mark, place = null) {
    this.mark = mark;
    this.chart.light(mark);
    this.tip.hidden = mark === null;
    if (mark !== null) this.show(this.chart.card(mark, place));
  }

  /** @param {Card} card */
  show({ x, y, title, lines }) {
    const name = element("strong", { dir: "auto" }, title);
    this.tip.replaceChildren(name, ...lines.map((line) => element("span", {}, line)));
    const [across, down] = [x * this.zoom, y * this.zoom];
    const room = this.frame.clientWidth - this.tip.offsetWidth;
    const left = across + 12 > room ? across - this.tip.offsetWidth - 12 : across + 12;
    this.tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
    this.tip.style.top = `${Math.max(0, down - this.tip.offsetHeight - 8)}px`;
  }
}
