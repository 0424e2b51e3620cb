// Where the samples of one model go: marks stacked along the difficulty, those that it gets right upwards from
// a line, those that it gets wrong downwards. Where many want one place, marks move a little to its sides.
import { shade } from "./difficulty-figure.js";
import { context2d, svg } from "./svg.js";

/** @import { Difficulties, Point } from "../../types" */
/**
 * A dot or a cross.
 * @typedef {object} SwarmMark
 * @property {number} side 0 above the line, 1 below it
 * @property {number} home the column that its first sample belongs to
 * @property {number} turn how many marks want that column before it
 * @property {number} at its place among all marks
 * @property {number[]} samples
 * @property {number} shade 0 until it is drawn
 * @property {number} column
 * @property {number} row
 */

const RIGHT = "1".charCodeAt(0);
// Canvases are drawn this fine at least, so that paper and zoom stay sharp.
const FINE = 2;
// A mark that stands for fewer samples than others is smaller, but never smaller than this share of them.
const SMALLEST = 0.6;
// Samples share a mark, where marks stand for several, over this many columns.
const TOGETHER = 2;
// A mark moves at most this far, in pixels; one column aside costs as much as one row up.
const ASIDE = 24;
// How many rows and columns from the pointer marks are looked for.
const AROUND = neighbours(3);
const NONE = -1;

/** The difficulties of all samples along `width` pixels, the split of least weight at the left. */
export class Course {
  /**
   * `domain` is the lowest and the highest of the values; `flipped` puts the highest at the left.
   * @param {Difficulties} values @param {[number, number]} domain @param {boolean} flipped
   * @param {number} width
   */
  constructor(values, domain, flipped, width) {
    this.domain = domain;
    this.flipped = flipped;
    this.width = width;
    /** NaN for a sample without difficulty. */
    this.values = Float64Array.from(values, (value) => value ?? NaN);
    this.order = this.sorted();
  }

  /** The samples that have a difficulty, from the left to the right. */
  sorted() {
    const { values } = this;
    const sign = this.flipped ? -1 : 1;
    const known = Int32Array.from(values.keys()).filter((sample) => !Number.isNaN(values[sample]));
    return known.sort((a, b) => sign * (values[a] - values[b]) || a - b);
  }

  /** The place of a value. @param {number} value */
  at(value) {
    const [low, high] = this.domain;
    const share = (value - low) / (high - low);
    return this.width * (this.flipped ? 1 - share : share);
  }

  /** The value at a place; the other way round. @param {number} x */
  value(x) {
    const [low, high] = this.domain;
    const share = Math.min(1, Math.max(0, x / this.width));
    return low + (this.flipped ? 1 - share : share) * (high - low);
  }

  /**
   * The split of a value between ascending thresholds: one at a threshold belongs above it.
   * @param {number} value @param {number[]} thresholds
   */
  split(value, thresholds) {
    let split = 0;
    for (const threshold of thresholds) if (this.flipped ? threshold > value : threshold <= value) split += 1;
    return split;
  }
}

/**
 * The marks of one model: `size` pixels wide, each for `each` samples of one side and nearly one difficulty.
 */
export class Swarm {
  /**
   * `answers` has a letter a sample, "1" for a right answer.
   * @param {Course} course @param {string} answers @param {number} size @param {number} each
   */
  constructor(course, answers, size, each) {
    this.course = course;
    this.size = size;
    this.each = each;
    this.columns = Math.max(1, Math.floor(course.width / size));
    this.heights = [0, 1].map(() => new Int16Array(this.columns));
    /** How many marks each column is home to, by side. */
    this.crowds = [0, 1].map(() => new Int32Array(this.columns));
    /** @type {SwarmMark[]} */
    this.marks = [];
    /** Marks by their cells. @type {Map<number, SwarmMark>} */
    this.cells = new Map();
    /** The height of the line on the canvas. */
    this.base = 0;
    /** @type {HTMLCanvasElement | null} */
    this.canvas = null;
    this.markOf = new Int32Array(course.values.length).fill(NONE);
    this.counts = [0, 0];
    this.gather(answers);
    this.placeMarks();
    this.rows = this.heights.map((heights) => heights.reduce((most, height) => Math.max(most, height), 0));
    this.aside = this.marks.some(({ home, column }) => home !== column);
  }

  /** Put the samples into marks, in the order of their difficulty. @param {string} answers */
  gather(answers) {
    /** The last mark of each side. @type {(SwarmMark | null)[]} */
    const last = [null, null];
    for (const sample of this.course.order) {
      const side = answers.charCodeAt(sample) === RIGHT ? 0 : 1;
      const home = this.column(this.course.values[sample]);
      const mark = this.withRoom(last[side], home) ?? this.add(side, home);
      last[side] = mark;
      this.counts[side] += 1;
      mark.samples.push(sample);
      this.markOf[sample] = mark.at;
    }
  }

  /**
   * A mark, if it has room for another sample, whose own column is `home`.
   * @param {SwarmMark | null} mark @param {number} home
   */
  withRoom(mark, home) {
    return mark && mark.samples.length < this.each && home - mark.home <= TOGETHER ? mark : null;
  }

  /** @param {number} value */
  column(value) {
    return Math.min(this.columns - 1, Math.max(0, Math.floor(this.course.at(value) / this.size)));
  }

  /**
   * A new mark, with its place in the order of those that want the same column.
   * @param {number} side @param {number} home
   */
  add(side, home) {
    const turn = this.crowds[side][home]++;
    /** @type {SwarmMark} */
    const mark = { side, home, turn, at: this.marks.length, samples: [], shade: 0, column: home, row: 0 };
    this.marks.push(mark);
    return mark;
  }

  /** Give every mark the lowest place near its home: the first of all columns, then the second, so that none
   * drifts. */
  placeMarks() {
    for (const mark of [...this.marks].sort((one, other) => one.turn - other.turn)) {
      mark.column = this.lowest(this.heights[mark.side], mark);
      mark.row = this.heights[mark.side][mark.column]++;
    }
  }

  /**
   * The column near a mark's home that is the cheapest to reach.
   * @param {Int16Array} heights @param {SwarmMark} mark
   */
  lowest(heights, { home, turn }) {
    const reach = Math.floor(ASIDE / this.size);
    const first = turn % 2 ? 1 : -1;
    let [column, least] = [home, heights[home]];
    for (let away = 1; away <= reach && away < least; away += 1) {
      for (const next of [home + first * away, home - first * away]) {
        if (next >= 0 && next < this.columns && heights[next] + away < least) {
          [column, least] = [next, heights[next] + away];
        }
      }
    }
    return column;
  }

  /**
   * Have the line at `base` on a new canvas, `height` pixels high.
   * @param {number} height @param {number} base
   */
  settle(height, base) {
    this.base = base;
    this.canvas = canvas(this.course.width, height);
    this.cells = new Map(this.marks.map((mark) => [this.cell(mark.side, mark.column, mark.row), mark]));
    return this.canvas;
  }

  /** @param {number} side @param {number} column @param {number} row */
  cell(side, column, row) {
    return (row * this.columns + column) * 2 + side;
  }

  /** The middle of a mark, in the canvas's own pixels. @param {SwarmMark} mark @returns {Point} */
  spot({ side, column, row }) {
    const away = (row + 0.5) * this.size + 1;
    return [(column + 0.5) * this.size, side ? this.base + away : this.base - away];
  }

  /** Colour all marks anew, after the colours themselves have changed. */
  fade() {
    for (const mark of this.marks) mark.shade = 0;
  }

  /**
   * Draw the marks whose shade is another than before, by the splits between these thresholds.
   * @param {string[]} inks @param {number[]} thresholds
   */
  colour(inks, thresholds) {
    /** @type {SwarmMark[][]} */
    const changed = inks.map(() => []);
    for (const mark of this.marks) {
      const split = this.course.split(this.course.values[mark.samples[0]], thresholds);
      const next = shade(split, thresholds.length + 1);
      if (next !== mark.shade) changed[next - 1].push(mark);
      mark.shade = next;
    }
    changed.forEach((marks, at) => this.draw(marks, inks[at]));
  }

  /** @param {SwarmMark[]} marks @param {string} ink */
  draw(marks, ink) {
    if (!marks.length || !this.canvas) return;
    const pen = context2d(this.canvas);
    pen.fillStyle = pen.strokeStyle = ink;
    pen.lineWidth = this.size > 5 ? 1.5 : 1.25;
    for (const mark of marks) this.wipe(pen, mark);
    this.drawRight(
      pen,
      marks.filter(({ side }) => side === 0),
    );
    this.drawWrong(
      pen,
      marks.filter(({ side }) => side === 1),
    );
  }

  /** @param {CanvasRenderingContext2D} pen @param {SwarmMark[]} marks */
  drawRight(pen, marks) {
    pen.beginPath();
    for (const mark of marks) dot(pen, this.spot(mark), this.reach(mark));
    pen.fill();
  }

  /** @param {CanvasRenderingContext2D} pen @param {SwarmMark[]} marks */
  drawWrong(pen, marks) {
    pen.beginPath();
    for (const mark of marks) cross(pen, this.spot(mark), this.reach(mark));
    pen.stroke();
  }

  /** @param {CanvasRenderingContext2D} pen @param {SwarmMark} mark */
  wipe(pen, mark) {
    const [x, y] = this.spot(mark);
    pen.clearRect(x - this.size / 2, y - this.size / 2, this.size, this.size);
  }

  /**
   * The marks of a canvas at a place as paths, for a file: those of right and of wrong answers, by shade.
   * @param {number} left @param {number} top
   */
  paths(left, top) {
    const shades = new Set(this.marks.map((mark) => mark.shade));
    return [...shades].sort().flatMap((inked) => {
      const marks = this.marks.filter((mark) => mark.shade === inked);
      return [dotPath, crossPath].map((draw, side) => {
        const drawn = marks.filter((mark) => mark.side === side);
        const d = drawn.map((mark) => draw(moved(this.spot(mark), left, top), this.reach(mark))).join("");
        return svg("path", { class: `s${inked} ${side ? "swarm-wrong" : "swarm-right"}`, d });
      });
    });
  }

  /** From the middle of a mark to its edge. @param {SwarmMark} mark */
  reach(mark) {
    return (this.size / 2 - (mark.side ? 0.75 : 0.5)) * this.scale(mark);
  }

  /** How large a mark is among the others: by area, for as many samples as it has. @param {SwarmMark} mark */
  scale({ samples }) {
    return Math.max(SMALLEST, Math.sqrt(samples.length / this.each));
  }

  /**
   * Where a sample's mark is, in the canvas's own pixels; null for a sample without difficulty.
   * @param {number} sample
   */
  place(sample) {
    const at = this.markOf[sample];
    return at === NONE ? null : this.spot(this.marks[at]);
  }

  /**
   * The samples of the mark nearest to a place; empty where none is near.
   * @param {number} x @param {number} y
   */
  near(x, y) {
    const side = y > this.base ? 1 : 0;
    const column = Math.floor(x / this.size);
    const row = Math.max(0, Math.floor((Math.abs(y - this.base) - 1) / this.size));
    for (const [over, up] of AROUND) {
      const mark = this.markIn(side, column + over, row + up);
      if (mark) return mark.samples;
    }
    return [];
  }

  /** @param {number} side @param {number} column @param {number} row */
  markIn(side, column, row) {
    const inside = column >= 0 && column < this.columns && row >= 0;
    return inside ? this.cells.get(this.cell(side, column, row)) : undefined;
  }
}

/** The cells around one, the nearest first, itself among them. @param {number} reach @returns {Point[]} */
function neighbours(reach) {
  const steps = Array.from({ length: 2 * reach + 1 }, (_, at) => at - reach);
  /** @type {Point[]} */
  const cells = steps.flatMap((over) => steps.map((up) => /** @type {Point} */ ([over, up])));
  return cells.sort((one, other) => Math.hypot(...one) - Math.hypot(...other));
}

/**
 * A canvas for pictures of `width` by `height` pixels, fine enough for screen and paper.
 * @param {number} width @param {number} height
 */
function canvas(width, height) {
  const made = document.createElement("canvas");
  const fine = Math.max(FINE, window.devicePixelRatio);
  made.width = Math.round(width * fine);
  made.height = Math.round(height * fine);
  context2d(made).scale(made.width / width, made.height / height);
  return made;
}

/** @param {CanvasRenderingContext2D} pen @param {Point} middle @param {number} radius */
function dot(pen, [x, y], radius) {
  pen.moveTo(x + radius, y);
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}

/** @param {CanvasRenderingContext2D} pen @param {Point} middle @param {number} half */
function cross(pen, [x, y], half) {
  pen.moveTo(x - half, y - half);
  pen.lineTo(x + half, y + half);
  pen.moveTo(x + half, y - half);
  pen.lineTo(x - half, y + half);
}

/** @param {Point} point @param {number} left @param {number} top @returns {Point} */
function moved([x, y], left, top) {
  return [x + left, y + top];
}

/** @param {Point} middle @param {number} radius */
function dotPath([x, y], radius) {
  const [r, wide] = [radius.toFixed(2), (2 * radius).toFixed(2)];
  return `M${(x - radius).toFixed(2)} ${y.toFixed(2)}a${r} ${r} 0 1 0 ${wide} 0a${r} ${r} 0 1 0 -${wide} 0Z`;
}

/** @param {Point} middle @param {number} half */
function crossPath([x, y], half) {
  const [left, right] = [(x - half).toFixed(2), (x + half).toFixed(2)];
  const [upper, lower] = [(y - half).toFixed(2), (y + half).toFixed(2)];
  return `M${left} ${upper}L${right} ${lower}M${right} ${upper}L${left} ${lower}`;
}
