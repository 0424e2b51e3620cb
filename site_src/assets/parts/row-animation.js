// Models glide from where they were to where they are, unless motion is unwanted.
const MOVE = { duration: 250, easing: "ease-out" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Glide {
  /** `window` knows where the rows of a long board are, so that nothing has to be measured; else null. */
  constructor(window) {
    this.window = window;
    this.running = [];
  }

  /** Remember where the models are that these rows show, by place. */
  from(rows) {
    this.before = new Map();
    if (still.matches) return;
    for (const [place, row] of rows) this.before.set(row.index, this.top(place, row));
  }

  /** Let those glide that have been in the page before. */
  go(rows) {
    for (const animation of this.running.splice(0)) animation.cancel();
    for (const [place, row] of rows) {
      const before = this.before.get(row.index);
      if (before === undefined) continue;
      const top = this.top(place, row);
      if (before !== top && this.visible(top, before)) this.move(row.line, before - top);
    }
  }

  top(place, { line }) {
    return this.window ? this.window.top(place) : line.getBoundingClientRect().top;
  }

  /** Whether a way leads through the screen. */
  visible(one, other) {
    const [top, height] = this.window ? [this.window.scrolled, this.window.height] : [0, innerHeight];
    return Math.min(one, other) < top + height && Math.max(one, other) > top;
  }

  move(line, distance) {
    this.running.push(
      line.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], MOVE),
    );
  }
}
