// Pointing at the marks of a chart, by mouse, finger or keys, and the card that says what is pointed at.
import { element } from "../base/elements.js";

const BACK = ["ArrowLeft", "ArrowUp"];
const ON = ["ArrowRight", "ArrowDown"];

export class Pointer {
  /**
   * `frame` holds the picture. `chart` answers for its marks: `nearest(x, y)` which one is there (null:
   * none), `along()` all in the order that keys walk them, `start()` where keys begin, `card(mark, place)` what
   * is said {x, y, title, lines}, `place` being where the pointer is (null: keys), `light(mark)` shows which (null: none), `choose(mark)` takes a press.
   */
  constructor(frame, chart) {
    Object.assign(this, { frame, chart, mark: null });
    this.tip = element("div", { class: "tip", role: "status", hidden: "" });
    frame.addEventListener("pointermove", (event) => this.follow(event));
    frame.addEventListener("pointerleave", () => this.point(null));
    frame.addEventListener("click", (event) => this.press(event));
    frame.addEventListener("keydown", (event) => this.walk(event));
    frame.addEventListener("focusout", () => this.point(null));
  }

  /** Put a new picture into the frame; what is pointed at stays pointed at, if it is still there. */
  hold(picture) {
    this.picture = picture;
    this.frame.replaceChildren(picture, this.tip);
    this.point(this.chart.along().includes(this.mark) ? this.mark : null);
  }

  follow(event) {
    if (!this.picture) return;
    const place = this.place(event);
    this.point(this.chart.nearest(...place), place);
  }

  /** Where an event is, in the picture's own coordinates. */
  place({ clientX, clientY }) {
    const box = this.picture.getBoundingClientRect();
    const zoom = this.picture.viewBox.baseVal.width / box.width;
    return [(clientX - box.left) * zoom, (clientY - box.top) * zoom];
  }

  press(event) {
    this.follow(event);
    if (this.mark !== null) this.chart.choose?.(this.mark);
  }

  walk(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = this.chart.along();
    const to = this.next(event.key, marks);
    if (to === undefined) return;
    event.preventDefault();
    this.point(to);
  }

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

  point(mark, place = null) {
    this.mark = mark;
    this.chart.light(mark);
    this.tip.hidden = mark === null;
    if (mark !== null) this.say(this.chart.card(mark, place));
  }

  say({ x, y, title, lines }) {
    const name = element("strong", { dir: "auto" }, title);
    this.tip.replaceChildren(name, ...lines.map((line) => element("span", {}, line)));
    const zoom = this.picture.getBoundingClientRect().width / this.picture.viewBox.baseVal.width;
    const room = this.frame.clientWidth - this.tip.offsetWidth;
    const left = x * zoom + 12 > room ? x * zoom - this.tip.offsetWidth - 12 : x * zoom + 12;
    this.tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
    this.tip.style.top = `${Math.max(0, y * zoom - this.tip.offsetHeight - 8)}px`;
  }
}
