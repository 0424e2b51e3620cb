// Which words of a text are gone and which came, compared with the text before.
/** @import { TextPiece } from "../../types" */

/** Words and what is between them; no more pairs of them than this are compared. */
const WORDS = /[\p{L}\p{N}'’]+|[^\p{L}\p{N}'’]+/gu;
const MOST = 1_000_000;

/**
 * Two texts in pieces: what stayed, what is gone and what came. What both begin or end with is set aside first; in the
 * rest the longest common subsequence of words stays.
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
  return joined([
    ...pieces("same", now.slice(0, start)),
    ...between(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...pieces("same", now.slice(now.length - end)),
  ]);
}

/** @param {TextPiece["kind"]} kind @param {string[]} words @returns {TextPiece[]} */
function pieces(kind, words) {
  return words.map((text) => ({ kind, text }));
}

/** Words in pieces; all are gone and came where there are too many to compare.
 * @param {string[]} old @param {string[]} now @returns {TextPiece[]} */
function between(old, now) {
  const width = now.length + 1;
  if (old.length * width > MOST) return [...pieces("gone", old), ...pieces("come", now)];
  const lengths = commonLengths(old, now);
  /** @type {TextPiece[]} */
  const found = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      found.push({ kind: "same", text: now[j] });
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
      found.push({ kind: "gone", text: old[i] });
      i += 1;
    } else {
      found.push({ kind: "come", text: now[j] });
      j += 1;
    }
  }
  return [...found, ...pieces("gone", old.slice(i)), ...pieces("come", now.slice(j))];
}

/** How long the longest common subsequence is of the words from each place on, row by row.
 * @param {string[]} old @param {string[]} now */
function commonLengths(old, now) {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const skipped = Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      lengths[i * width + j] = old[i] === now[j] ? lengths[(i + 1) * width + j + 1] + 1 : skipped;
    }
  }
  return lengths;
}

/** Pieces of one kind side by side become one. @param {TextPiece[]} all */
function joined(all) {
  /** @type {TextPiece[]} */
  const found = [];
  for (const piece of all) {
    const last = found.at(-1);
    if (last && last.kind === piece.kind) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
