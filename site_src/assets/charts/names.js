// Names beside marks: each takes the first free place, and a name without one is left out.
import { STRONG, label, widthOf } from "./svg.js";

/** @import { Box } from "../../types" */
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

/**
 * The same spots, each as wide as its whole name where that hits no other, nothing `taken` and no edge of `room`.
 * @param {(Spot | null)[]} spots @param {number[]} widths @param {Box[]} taken @param {Box} room
 */
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

/**
 * @param {Spot["anchor"]} anchor @param {number} x @param {number} y @param {number} width @returns {Spot}
 */
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
