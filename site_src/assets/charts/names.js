// Names beside marks: each takes the first free place, and a name without one is left out.
import { STRONG, label, widthOf } from "./svg.js";

const HEIGHT = 15;
/** Widest name on a chart, in pixels. */
export const ROOM = 150;
// Where a name may stand from its mark: text anchor, and the shift of its anchor.
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
 * Texts for `wanted` [{x, y, name, strong}], most important first, which overlap neither one another, nor
 * `taken` boxes [left, top, right, bottom], nor the edges of `room`, a box too; nor `avoided` boxes, if it
 * can be helped.
 */
export function placed(wanted, taken, room, avoided) {
  const boxes = [...taken];
  const texts = [];
  for (const { x, y, name, strong } of wanted) {
    const weight = strong ? STRONG : undefined;
    const width = Math.min(ROOM, widthOf(name.slice(0, 100), weight));
    const spots = PLACES.map(([anchor, dx, dy]) => ({
      anchor,
      x: x + dx,
      y: y + dy,
      box: box(anchor, x + dx, y + dy, width),
    }));
    const free = spots.filter((candidate) => within(candidate.box, room) && !hits(candidate.box, boxes));
    const spot = free.find((candidate) => !hits(candidate.box, avoided)) ?? free[0];
    if (!spot) continue;
    boxes.push(spot.box);
    texts.push(
      label(
        name,
        { x: spot.x, y: spot.y, "text-anchor": spot.anchor, class: strong ? "name-tag strong" : "name-tag" },
        ROOM,
        weight,
      ),
    );
  }
  return texts;
}

function box(anchor, x, y, width) {
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return [left - 2, y - HEIGHT + 3, left + width + 2, y + 4];
}

function within([left, top, right, bottom], room) {
  return left >= room[0] && top >= room[1] && right <= room[2] && bottom <= room[3];
}

function hits(one, others) {
  return others.some(
    (other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3],
  );
}
