// Names beside marks: each takes the first free place, and a name without one is left out.
import { STRONG, label, widthOf } from "./svg.js";

/** @import { Box } from "../../types" */
/**
 * A name to write beside the mark at x and y.
 * @typedef {{ x: number, y: number, name: string, strong: boolean }} NameTag
 * @typedef {{ anchor: "start" | "middle" | "end", x: number, y: number, box: Box }} Spot
 */

const HEIGHT = 15;
/** Widest name on a chart, in pixels. */
export const ROOM = 150;
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
  const widths = names.map(({ name, strong }) =>
    Math.min(ROOM, widthOf(name.slice(0, 100), strong ? STRONG : undefined)),
  );
  const spots = freeSpots(names, widths, taken, room, avoided);
  return names.flatMap(({ name, strong }, at) => {
    const spot = spots[at];
    return spot ? [tag(name, strong, spot)] : [];
  });
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

/**
 * @param {Spot["anchor"]} anchor @param {number} x @param {number} y @param {number} width @returns {Spot}
 */
function spotAt(anchor, x, y, width) {
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return { anchor, x, y, box: [left - 2, y - HEIGHT + 3, left + width + 2, y + 4] };
}

/** @param {string} name @param {boolean} strong @param {Spot} spot */
function tag(name, strong, { x, y, anchor }) {
  const attributes = { x, y, "text-anchor": anchor, class: tagClass(strong) };
  return label(name, attributes, ROOM, strong ? STRONG : undefined);
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
