// Of a long list only the rows on or near the screen are in the page; spacers stand for the others.
import { element } from "../base/elements.js";

// Pixels above and below the screen that are kept ready for scrolling.
const MARGIN = 128;

export class Window {
  /** @param {HTMLElement} frame has the table; all its rows are equally high, as are the lines of opened ones */
  constructor(frame) {
    this.frame = frame;
    /** @type {HTMLTableRowElement[]} */
    this.spacers = [];
    /** Heights in pixels: of a row, of a line of an opened one, of the table's header and of the screen. */
    this.row = 0;
    this.part = 0;
    this.head = 0;
    this.height = 0;
    /** How far the first row is above the screen; below 0 where it is farther down. */
    this.scrolled = 0;
    this.count = 0;
    /** @type {number[]} */
    this.opened = [];
    this.extra = 0;
    this.above = 0;
  }

  /** Take the heights anew: after a resize, or when columns come and go.
   * @param {number} row @param {number} part @param {number} head */
  measure(row, part, head) {
    Object.assign(this, { row, part, head });
    this.follow();
  }

  /** Take where the table is on the screen; nothing else asks, as that would lay the page out anew. */
  follow() {
    this.scrolled = -this.frame.getBoundingClientRect().top - this.head;
    this.height = innerHeight;
  }

  /**
   * The list to show: how many rows, at which places opened ones are, how many lines each of those has,
   * and how many pinned rows lie above.
   * @param {number} count @param {number[]} opened @param {number} lines @param {number} pinned
   */
  hold(count, opened, lines, pinned) {
    this.count = count;
    this.opened = opened.sort((a, b) => a - b);
    this.extra = lines * this.part;
    this.above = pinned * this.row;
  }

  /** Distance of a row's upper edge from that of the first. @param {number} place */
  top(place) {
    let above = 0;
    while (above < this.opened.length && this.opened[above] < place) above += 1;
    return place * this.row + above * this.extra;
  }

  /** Places of the rows to have in the page, those in `kept` included wherever they are.
   * @param {number[]} kept */
  places(kept) {
    const scrolled = this.scrolled - this.above;
    const from = this.at(scrolled - MARGIN);
    const to = Math.min(this.at(scrolled + this.height + MARGIN), this.count - 1);
    const near = Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step);
    return [...kept.filter((place) => place < from), ...near, ...kept.filter((place) => place > to)];
  }

  /** The row at a distance from the first one's upper edge. @param {number} distance */
  at(distance) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= distance) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The rows of the page in order, with a spacer wherever some are left out.
   * @param {number[]} places @param {(place: number) => HTMLElement[]} linesOf */
  spaced(places, linesOf) {
    /** @type {HTMLElement[]} */
    const children = [];
    let next = 0;
    let used = 0;
    for (const place of [...places, this.count]) {
      if (place > next) children.push(this.spacer(used++, this.top(place) - this.top(next)));
      if (place < this.count) children.push(...linesOf(place));
      next = place + 1;
    }
    return children;
  }

  /** @param {number} at @param {number} height */
  spacer(at, height) {
    this.spacers[at] ??= element("tr", { class: "spacer", "aria-hidden": "true" }, element("td"));
    this.spacers[at].style.height = `${height}px`;
    return this.spacers[at];
  }
}
