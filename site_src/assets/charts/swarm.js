// Where the samples of one model go: marks heaped along the difficulty, those that it gets right upwards from a
// line, those that it gets wrong downwards. Where many want one place, marks move a little to its sides.
import { shade } from "./difficulty-figure.js";

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
const AROUND = 3;
const NONE = -1;

/** The difficulties of all samples along `width` pixels, the split of least weight at the left. */
export class Course {
  /** `values` are numbers or null; `domain` [low, high] of them; `flipped` puts the highest at the left. */
  constructor(values, domain, flipped, width) {
    Object.assign(this, { values, domain, flipped, width });
    const known = values.map((_, sample) => sample).filter((sample) => values[sample] !== null);
    this.order = Int32Array.from(known).sort(
      (a, b) => (flipped ? values[b] - values[a] : values[a] - values[b]) || a - b,
    );
  }

  at(value) {
    const [low, high] = this.domain;
    const share = (value - low) / (high - low);
    return this.width * (this.flipped ? 1 - share : share);
  }

  /** The value at a place; the other way round. */
  value(x) {
    const [low, high] = this.domain;
    const share = Math.min(1, Math.max(0, x / this.width));
    return low + (this.flipped ? 1 - share : share) * (high - low);
  }

  /** The split of a value between ascending thresholds: one at a threshold belongs above it. */
  split(value, thresholds) {
    let split = 0;
    for (const threshold of thresholds) if (this.flipped ? threshold > value : threshold <= value) split += 1;
    return split;
  }
}

/** The marks of one model: `size` pixels wide, each for `each` samples of one side and nearly one difficulty. */
export class Swarm {
  constructor(course, answers, size, each) {
    Object.assign(this, { course, size, each });
    this.columns = Math.max(1, Math.floor(course.width / size));
    this.heights = [0, 1].map(() => new Int16Array(this.columns));
    this.marks = [];
    this.markOf = new Int32Array(course.values.length).fill(NONE);
    this.counts = [0, 0];
    this.gather(answers);
    this.heap();
    this.rows = this.heights.map((heights) => heights.reduce((most, height) => Math.max(most, height), 0));
    this.aside = this.marks.some(({ home, column }) => home !== column);
  }

  /** Put the samples into marks, in the order of their difficulty. */
  gather(answers) {
    const open = [null, null];
    this.crowds = [0, 1].map(() => new Int32Array(this.columns));
    for (const sample of this.course.order) {
      const side = answers.charCodeAt(sample) === RIGHT ? 0 : 1;
      const home = this.column(this.course.values[sample]);
      this.counts[side] += 1;
      if (!this.fits(open[side], home)) open[side] = this.mark(side, home);
      open[side].samples.push(sample);
      this.markOf[sample] = open[side].at;
    }
  }

  /** Whether a mark has room for another sample, whose own column is `home`. */
  fits(mark, home) {
    return mark !== null && mark.samples.length < this.each && home - mark.home <= TOGETHER;
  }

  column(value) {
    return Math.min(this.columns - 1, Math.max(0, Math.floor(this.course.at(value) / this.size)));
  }

  /** A new mark, with its place in the order of those that want the same column. */
  mark(side, home) {
    const mark = {
      side,
      home,
      turn: this.crowds[side][home]++,
      at: this.marks.length,
      samples: [],
      shade: 0,
    };
    this.marks.push(mark);
    return mark;
  }

  /** Give every mark the lowest place near its home: the first of all columns, then the second, so that none drifts. */
  heap() {
    for (const mark of [...this.marks].sort((one, other) => one.turn - other.turn)) {
      mark.column = this.lowest(this.heights[mark.side], mark);
      mark.row = this.heights[mark.side][mark.column]++;
    }
  }

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

  /** Have the line at `base` on a canvas `height` pixels high. */
  settle(height, base) {
    this.base = base;
    this.canvas = canvas(this.course.width, height);
    this.cells = new Map(this.marks.map((mark) => [this.cell(mark.side, mark.column, mark.row), mark]));
  }

  cell(side, column, row) {
    return (row * this.columns + column) * 2 + side;
  }

  /** The middle of a mark, in the canvas's own pixels. */
  spot({ side, column, row }) {
    const away = (row + 0.5) * this.size + 1;
    return [(column + 0.5) * this.size, side ? this.base + away : this.base - away];
  }

  /** Colour all marks anew, after the colours themselves have changed. */
  fade() {
    for (const mark of this.marks) mark.shade = 0;
  }

  /** Draw the marks whose shade is another than before. `splits` is how many splits `splitOf(value)` tells apart. */
  colour(inks, splits, splitOf) {
    const changed = inks.map(() => []);
    for (const mark of this.marks) {
      const next = shade(splitOf(this.course.values[mark.samples[0]]), splits);
      if (next !== mark.shade) changed[next - 1].push(mark);
      mark.shade = next;
    }
    changed.forEach((marks, at) => marks.length && this.draw(marks, inks[at]));
  }

  draw(marks, ink) {
    const pen = this.canvas.getContext("2d");
    pen.fillStyle = pen.strokeStyle = ink;
    pen.lineWidth = this.size > 5 ? 1.5 : 1.25;
    for (const mark of marks) this.wipe(pen, mark);
    pen.beginPath();
    for (const mark of marks) {
      if (!mark.side) dot(pen, ...this.spot(mark), (this.size / 2 - 0.5) * this.scale(mark));
    }
    pen.fill();
    pen.beginPath();
    for (const mark of marks) {
      if (mark.side) cross(pen, ...this.spot(mark), (this.size / 2 - 0.75) * this.scale(mark));
    }
    pen.stroke();
  }

  wipe(pen, mark) {
    const [x, y] = this.spot(mark);
    pen.clearRect(x - this.size / 2, y - this.size / 2, this.size, this.size);
  }

  /** How large a mark is among the others: by area, for as many samples as it has. */
  scale({ samples }) {
    return Math.max(SMALLEST, Math.sqrt(samples.length / this.each));
  }

  /** Where a sample's mark is, in the canvas's own pixels; null for a sample without difficulty. */
  place(sample) {
    const at = this.markOf[sample];
    return at === NONE ? null : this.spot(this.marks[at]);
  }

  /** The samples of the mark nearest to a place; empty where none is near. */
  near(x, y) {
    const side = y > this.base ? 1 : 0;
    const [column, row] = [
      Math.floor(x / this.size),
      Math.max(0, Math.floor((Math.abs(y - this.base) - 1) / this.size)),
    ];
    let [found, least] = [[], Infinity];
    for (let over = -AROUND; over <= AROUND; over += 1) {
      for (let up = -AROUND; up <= AROUND; up += 1) {
        const mark =
          column + over < 0 || column + over >= this.columns
            ? null
            : this.cells.get(this.cell(side, column + over, row + up));
        if (mark && Math.hypot(over, up) < least) [found, least] = [mark.samples, Math.hypot(over, up)];
      }
    }
    return found;
  }
}

/** A canvas for pictures of `width` by `height` pixels, fine enough for screen and paper. */
function canvas(width, height) {
  const made = document.createElement("canvas");
  const fine = Math.max(FINE, window.devicePixelRatio);
  made.width = Math.round(width * fine);
  made.height = Math.round(height * fine);
  made.getContext("2d").scale(made.width / width, made.height / height);
  return made;
}

function dot(pen, x, y, radius) {
  pen.moveTo(x + radius, y);
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}

function cross(pen, x, y, half) {
  pen.moveTo(x - half, y - half);
  pen.lineTo(x + half, y + half);
  pen.moveTo(x + half, y - half);
  pen.lineTo(x - half, y + half);
}
