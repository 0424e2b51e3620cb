// The pictures of charts, and names cut to the room they have.
import { drawn } from "../base/elements.js";

/** @import { Point } from "../../types" */
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

/**
 * The picture of a chart: `name` is read out to those who cannot see it.
 * @param {number} width @param {number} height @param {string} name @param {Node[]} children
 */
export function picture(width, height, name, ...children) {
  const attributes = { viewBox: `0 0 ${rounded(width)} ${rounded(height)}`, width, height };
  return svg("svg", { ...attributes, role: "img", "aria-label": name }, ...children);
}

/**
 * A text cut to `room` pixels; resting the pointer on it shows all of it.
 * @param {string} text @param {Attributes} attributes @param {number} [room] @param {number} [weight]
 */
export function label(text, attributes, room = Infinity, weight = PLAIN) {
  const short = fitted(text, room, weight);
  const element = svg("text", attributes, short);
  if (short !== text) element.append(svg("title", {}, text));
  return element;
}

/**
 * The width of what a label shows, without its title.
 * @param {SVGTextElement} text @param {number} [weight]
 */
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

/**
 * As much of a text as `room` pixels hold, with an ellipsis where some is left out.
 * @param {string} text @param {number} room @param {number} [weight]
 */
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

/**
 * A path through points; `null` lifts the pen, and a point alone becomes a dot.
 * @param {(Point | null)[]} points
 */
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

/** Straight lines, as one path. @param {[Point, Point][]} lines */
export function strokes(lines) {
  return lines.map((line) => path(line)).join("");
}

/** @param {number} value */
function rounded(value) {
  return String(Math.round(value * 100) / 100);
}
