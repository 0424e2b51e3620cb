// Tries as an issue on GitHub whose text is in its address: what fits, and what does not. Pure.

/** @import { KeptTry } from "./events.js" */

/** GitHub refuses addresses of 8,192 bytes and more; some are left for what it adds when somebody logs in. */
export const LONGEST = 7_500;

/**
 * The address of a new issue with as many judged tries, in their order, as fit into one; null where none does. The
 * program that reads it is `steelyard collect receive`.
 * @param {string} repository its page on GitHub
 * @param {string} collection
 * @param {string} writer
 * @param {KeptTry[]} tries
 * @returns {{ address: string, ids: string[] } | null}
 */
export function issueOf(repository, collection, writer, tries) {
  /** @type {KeptTry[]} */
  const taken = [];
  let best = null;
  for (const one of tries) {
    const address = addressOf(repository, collection, writer, [...taken, one]);
    if (address.length <= LONGEST) {
      taken.push(one);
      best = { address, ids: taken.map(({ id }) => id) };
    }
  }
  return best;
}

/**
 * @param {string} repository
 * @param {string} collection
 * @param {string} writer
 * @param {KeptTry[]} tries
 */
function addressOf(repository, collection, writer, tries) {
  const lines = tries.flatMap(({ asked, judged }) => (judged ? [asked.line, judged.line] : [asked.line]));
  const words = `What ${writer} wrote for the collection ${collection}. A program reads these lines: please leave them as they are.`;
  // A line begins with a brace, so that none of them can end the fence.
  const body = `${words}\n\n\`\`\`jsonl\n${lines.join("\n")}\n\`\`\`\n`;
  return `${repository}/issues/new?${new URLSearchParams({ title: `Tries of ${writer} for ${collection}`, body })}`;
}
