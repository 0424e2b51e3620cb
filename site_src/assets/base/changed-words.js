// Which words of a text are others than before.
/** @import { TextPiece } from "../../types" */

/** Words and what is between them; no more pairs of them than this are compared. */
const WORDS = /[\p{L}\p{N}'’]+|[^\p{L}\p{N}'’]+/gu;
const MOST = 1_000_000;

/**
 * A text in pieces, those marked that a text before it did not have at that place. What both begin or end with is
 * set aside first; in the rest the longest common subsequence of words stays.
 * @param {string} before
 * @param {string} after
 * @returns {TextPiece[]}
 */
export function changedWords(before, after) {
  const [old, now] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const kept = common(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const isKept = (/** @type {number} */ place) =>
    place < start || place >= now.length - end || kept.has(place - start);
  return joined(now.map((text, place) => ({ text, changed: !isKept(place) })));
}

/**
 * The places in `now` of a longest common subsequence; none where there are too many words to compare.
 * @param {string[]} old
 * @param {string[]} now
 * @returns {Set<number>}
 */
function common(old, now) {
  const width = now.length + 1;
  if (old.length * width > MOST) return new Set();
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const skipped = Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      lengths[i * width + j] = old[i] === now[j] ? lengths[(i + 1) * width + j + 1] + 1 : skipped;
    }
  }
  const places = new Set();
  for (let i = 0, j = 0; i < old.length && j < now.length;) {
    if (old[i] === now[j]) {
      places.add(j);
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return places;
}

/** Pieces side by side that are alike become one. @param {TextPiece[]} pieces */
function joined(pieces) {
  /** @type {TextPiece[]} */
  const found = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last && last.changed === piece.changed) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
