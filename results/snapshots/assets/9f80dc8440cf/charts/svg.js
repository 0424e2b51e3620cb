// The pictures of charts, and names cut to the room they have.
import { drawn } from "../base/elements.js";
import { number } from "../base/formats.js";
import { extremes } from "./drawing.js";

/** @import { Box, Point, Tick } from "../../types" */
/** @import { Attributes, Child } from "../base/elements.js" */
/** Size of all writing in charts, in CSS pixels; charts are drawn at the size they are shown. */
export const WRITING = 12.5;
const PLAIN = 400;
export const STRONG = 600;
// Longer names are cut before they are measured: nothing shows more of them.
const LONGEST = 200;

/** What texts are measured with, made for the first of them. @type {CanvasRenderingContext2D | null} */
let ruler = null;

/**
 * An SVG element, its numbers rounded to what an eye can see.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {Child[]} children
 */
export function svg(name, attributes = {}, ...children) {
  const entries = Object.entries(attributes);
  const texts = entries.map(([key, value]) => [key, typeof value === "number" ? rounded(value) : value]);
  return drawn(name, Object.fromEntries(texts), ...children);
}

/** The picture of a chart: `name` is read out to those who cannot see it.
 * @param {number} width @param {number} height @param {string} name @param {Node[]} children */
export function picture(width, height, name, ...children) {
  const attributes = { viewBox: `0 0 ${rounded(width)} ${rounded(height)}`, width, height };
  return svg("svg", { ...attributes, role: "img", "aria-label": name }, ...children);
}

/** A text cut to `room` pixels; resting the pointer on it shows all of it.
 * @param {string} text @param {Attributes} attributes @param {number} [room] @param {number} [weight] */
export function label(text, attributes, room = Infinity, weight = PLAIN) {
  const short = fitted(text, room, weight);
  const element = svg("text", attributes, short);
  if (short !== text) element.append(svg("title", {}, text));
  return element;
}

/** The width of what a label shows, without its title. @param {SVGTextElement} text @param {number} [weight] */
export function shownWidth(text, weight = PLAIN) {
  return widthOf(text.firstChild?.nodeValue ?? "", weight);
}

/** @param {string} text @param {number} [weight] */
export function widthOf(text, weight = PLAIN) {
  ruler ??= context2d(document.createElement("canvas"));
  ruler.font = `${weight} ${WRITING}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/** What draws on a canvas. @param {HTMLCanvasElement} canvas */
export function context2d(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws nothing on a canvas");
  return context;
}

/** As much of a text as `room` pixels hold, with an ellipsis where some is left out.
 * @param {string} text @param {number} room @param {number} [weight] */
export function fitted(text, room, weight = PLAIN) {
  const letters = [...text.slice(0, LONGEST)];
  if (text.length <= LONGEST && widthOf(text, weight) <= room) return text;
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(`${letters.slice(0, middle).join("")}…`, weight) <= room) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}

/** The colour of a metric, beside its name. @param {number} colour @param {number} x @param {number} y */
export function colourKey(colour, x, y) {
  return svg("rect", { class: `m${colour} key`, x, y, width: 10, height: 10, rx: 2 });
}

/** A path through points; `null` lifts the pen, and a point alone becomes a dot. @param {(Point | null)[]} points */
export function path(points) {
  return points
    .map((point, at) => {
      if (!point) return "";
      const spot = `${rounded(point[0])} ${rounded(point[1])}`;
      if (points[at - 1]) return `L${spot}`;
      return points[at + 1] ? `M${spot}` : `M${spot}h0`;
    })
    .join("");
}

/** @param {number} value */
function rounded(value) {
  return String(Math.round(value * 100) / 100);
}

// Axes: from the values of a metric to places, with round numbers marked.

// A range that spans more than this is drawn in powers of ten.
const WIDE = 100;
// Room left at both ends, as a share of the range, so that no mark touches the frame.
const END_ROOM = 0.04;

export class Axis {
  /**
   * `values` (NaN where missing) are laid out from pixel `start` to pixel `end`; marks are at least
   * `gap` pixels apart. `log` says whether places go by powers of ten.
   * @param {Iterable<number>} values @param {number} start @param {number} end
   * @param {{ gap?: number, margin?: number }} [options]
   */
  constructor(values, start, end, { gap = 80, margin = END_ROOM } = {}) {
    const [low, high] = extremes(values) ?? [0, 1];
    this.log = low > 0 && high / low > WIDE;
    this.scale = this.log ? Math.log10 : (/** @type {number} */ value) => value;
    this.ends = withRoomAtEnds(this.scale(low), this.scale(high), margin);
    this.start = start;
    this.end = end;
    this.most = Math.max(2, Math.floor(Math.abs(end - start) / gap));
  }

  /** The place of a value; NaN where it is missing. @param {number} value */
  at(value) {
    const [low, high] = this.ends;
    return this.start + ((this.scale(value) - low) / (high - low)) * (this.end - this.start);
  }

  /** The value at a place. @param {number} place */
  value(place) {
    const [low, high] = this.ends;
    const scaled = low + ((place - this.start) / (this.end - this.start)) * (high - low);
    return this.log ? 10 ** scaled : scaled;
  }

  /** Round numbers within the range, ascending. @returns {Tick[]} */
  ticks() {
    return this.log ? this.powers() : this.steps();
  }

  steps() {
    const [low, high] = this.ends;
    const step = roundStep((high - low) / this.most);
    const first = Math.ceil(low / step);
    const count = Math.min(Math.floor(high / step) - first, 2 * this.most);
    const values = Array.from({ length: Math.max(0, count + 1) }, (_, at) => (first + at) * step);
    return values.map((value) => ({ value, text: tickText(value, step) }));
  }

  powers() {
    const [low, high] = this.ends;
    const every = Math.max(1, Math.ceil((high - low) / this.most));
    const heads = high - low < this.most / 3 ? [1, 2, 5] : [1];
    const powers = Array.from({ length: Math.ceil(high - low) + 2 }, (_, at) => Math.floor(low) + at);
    return powers
      .filter((power) => power % every === 0)
      .flatMap((power) => heads.map((head) => head * 10 ** power))
      .filter((value) => Math.log10(value) >= low && Math.log10(value) <= high)
      .map((value) => ({ value, text: tickText(value, value) }));
  }
}

/** @param {number} low @param {number} high @param {number} margin @returns {[number, number]} */
function withRoomAtEnds(low, high, margin) {
  if (high > low) return [low - (high - low) * margin, high + (high - low) * margin];
  const half = Math.abs(low) * 0.1 || 1;
  return [low - half, high + half];
}

/** The first of 1, 2, 5, 10 times a power of ten that is no less. @param {number} rough */
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 5, 10].map((head) => head * power);
  return steps.find((step) => step >= rough * (1 - 1e-9)) ?? 10 * power;
}

/** The power of ten of a positive number's first digit. @param {number} size */
function magnitude(size) {
  return Math.floor(Math.log10(size) + 1e-9);
}

/** A mark as it is written among marks that are `step` apart. @param {number} value @param {number} step */
function tickText(value, step) {
  const decimals = Math.max(0, -magnitude(step));
  const size = Math.abs(value);
  if (size < 1e9 && decimals <= 6) return number(value, decimals);
  if (size < step / 2) return "0";
  const digits = Math.max(0, magnitude(size) - magnitude(step));
  return value.toExponential(digits).replace("e+", "e");
}

// What axes and lines of several charts have in common.

/** Round numbers of an axis that goes up: lines from `left` to `right`, with their texts before them.
 * @param {Axis} axis @param {number} left @param {number} right */
export function linesAcross(axis, left, right) {
  const ticks = axis.ticks().map(({ value, text }) => ({ y: axis.at(value), text }));
  const d = ticks.map(({ y }) =>
    path([
      [left, y],
      [right, y],
    ]),
  );
  return [
    svg("path", { class: "grid", d: d.join("") }),
    ...ticks.map(({ y, text }) =>
      svg("text", { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" }, text),
    ),
  ];
}

/** The same of an axis that goes to the right: lines from `top` to `bottom`, with their texts under them, none of them
 * beyond `end`. @param {Axis} axis @param {number} top @param {number} bottom @param {number} [end] */
export function linesUp(axis, top, bottom, end = Infinity) {
  const ticks = axis.ticks().map(({ value, text }) => ({ at: axis.at(value), text }));
  const d = ticks.map(({ at }) =>
    path([
      [at, top],
      [at, bottom],
    ]),
  );
  return [
    svg("path", { class: "grid", d: d.join("") }),
    ...ticks.map(({ at, text }) => {
      const x = Math.min(at, end - widthOf(text) / 2);
      return svg("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, text);
    }),
  ];
}

/** How far a line is from a point, measured across the axis `along` which it runs: 0 across, 1 down.
 * @param {(Point | null)[]} line @param {Point} point @param {0 | 1} along */
export function distance(line, point, along = 0) {
  const across = along ? 0 : 1;
  for (let at = 0; at + 1 < line.length; at += 1) {
    const [from, to] = [line[at], line[at + 1]];
    if (!from || !to || point[along] < from[along] || point[along] > to[along]) continue;
    const share = (point[along] - from[along]) / (to[along] - from[along]);
    return Math.abs(from[across] + share * (to[across] - from[across]) - point[across]);
  }
  return Infinity;
}

/** Which of some lines is nearest to a point, by its place among them; null where none is within `reach` pixels.
 * @param {(Point | null)[][]} lines @param {Point} point @param {number} reach @param {0 | 1} [along] */
export function nearestLine(lines, point, reach, along = 0) {
  const distances = lines.map((line) => distance(line, point, along));
  const least = Math.min(...distances);
  return least < reach ? distances.indexOf(least) : null;
}

// Names beside marks: each takes the first free place, and a name without one is left out.

/**
 * A name to write beside the mark at x and y.
 * @typedef {{ x: number, y: number, name: string, strong: boolean }} NameTag
 * @typedef {{ anchor: "start" | "middle" | "end", x: number, y: number, box: Box }} Spot
 */

const HEIGHT = 15;
/** Pixels that are left free before and after a name. */
const MARGIN = 2;
/** Pixels of a name on a chart; longer ones are cut where there is no more room at their place. */
const ROOM = 150;
/** Widest name on a chart, in pixels. */
const WIDEST = 260;
/** Where a name may be placed beside its mark: text anchor, and the shift of its anchor.
 * @type {[Spot["anchor"], number, number][]} */
const PLACES = [
  ["start", 9, 4],
  ["start", 7, -8],
  ["end", -7, -8],
  ["middle", 0, -10],
  ["end", -9, 4],
  ["start", 7, 16],
  ["middle", 0, 19],
  ["end", -7, 16],
];

/**
 * Texts for names, most important first, which overlap neither one another, nor `taken` boxes, nor the edges
 * of `room`; nor, if possible, `avoided` boxes.
 * @param {NameTag[]} names @param {Box[]} taken @param {Box} room @param {Box[]} avoided
 */
export function nameTags(names, taken, room, avoided) {
  const widths = names.map(({ name, strong }) => widthOf(name.slice(0, 100), strong ? STRONG : undefined));
  const cut = widths.map((width) => Math.min(ROOM, width));
  const spots = widened(freeSpots(names, cut, taken, room, avoided), widths, [...taken, ...avoided], room);
  return names.flatMap(({ name, strong }, at) => {
    const spot = spots[at];
    return spot ? [tag(name, strong, spot)] : [];
  });
}

/** The same spots, each as wide as its whole name where that hits no other, nothing `taken` and no edge of `room`.
 * @param {(Spot | null)[]} spots @param {number[]} widths @param {Box[]} taken @param {Box} room */
export function widened(spots, widths, taken, room) {
  const found = [...spots];
  spots.forEach((spot, at) => {
    if (!spot || widths[at] <= widthIn(spot)) return;
    const others = found.flatMap((other, place) => (other && place !== at ? [other.box] : []));
    const whole = spotAt(spot.anchor, spot.x, spot.y, Math.min(WIDEST, widths[at]));
    if (within(whole.box, room) && !hits(whole.box, [...others, ...taken])) found[at] = whole;
  });
  return found;
}

/** How many pixels of a name a spot has room for. @param {Spot} spot */
function widthIn({ box: [left, , right] }) {
  return right - left - 2 * MARGIN;
}

/**
 * A spot for each name, `widths` wide; null for a name that finds none.
 * @param {Pick<NameTag, "x" | "y">[]} names @param {number[]} widths
 * @param {Box[]} taken @param {Box} room @param {Box[]} avoided
 */
export function freeSpots(names, widths, taken, room, avoided) {
  const boxes = [...taken];
  return names.map(({ x, y }, at) => {
    const spots = PLACES.map(([anchor, dx, dy]) => spotAt(anchor, x + dx, y + dy, widths[at]));
    const free = spots.filter(({ box }) => within(box, room) && !hits(box, boxes));
    const spot = free.find(({ box }) => !hits(box, avoided)) ?? free[0] ?? null;
    if (spot) boxes.push(spot.box);
    return spot;
  });
}

/** @param {Spot["anchor"]} anchor @param {number} x @param {number} y @param {number} width @returns {Spot} */
function spotAt(anchor, x, y, width) {
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return { anchor, x, y, box: [left - MARGIN, y - HEIGHT + 3, left + width + MARGIN, y + 4] };
}

/** @param {string} name @param {boolean} strong @param {Spot} spot */
function tag(name, strong, spot) {
  const { x, y, anchor } = spot;
  const attributes = { x, y, "text-anchor": anchor, class: tagClass(strong) };
  // A hair more, so that a name for which there is just room is not cut.
  return label(name, attributes, widthIn(spot) + 0.5, strong ? STRONG : undefined);
}

/** The class of a name that stands out, or not. @param {boolean} strong */
export function tagClass(strong) {
  return strong ? "name-tag strong" : "name-tag";
}

/** @param {Box} box @param {Box} room */
function within([left, top, right, bottom], room) {
  return left >= room[0] && top >= room[1] && right <= room[2] && bottom <= room[3];
}

/** @param {Box} one @param {Box[]} others */
function hits(one, others) {
  return others.some(
    (other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3],
  );
}
