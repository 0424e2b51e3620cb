// Python's memory once it has imported what ranks, kept in the visitor's browser: at the next visit Python goes on from
// there, where it would have to start and to import its library. It holds nothing of any board.

/** @import { Python } from "./scorer-worker.js" */

/** Where memory is kept, of one scorer at a time. @param {string} scorer */
function placeOf(scorer) {
  // Other sites of the same host have caches of their own.
  return `steelyard memory of ${new URL("../../", scorer).href}`;
}

/** What it is the memory of. Other browsers may lay out the same Python in another way.
 * @param {string} runtime @param {string} scorer */
function addressOf(runtime, scorer) {
  return `${new URL("memory", scorer).href}?${encodeURIComponent(`${runtime} ${navigator.userAgent}`)}`;
}

/** What an earlier visit has kept; null where there is nothing. @param {string} runtime @param {string} scorer
 * @returns {Promise<ArrayBuffer | null>} */
export async function keptMemory(runtime, scorer) {
  try {
    const answer = await caches.match(addressOf(runtime, scorer), { cacheName: placeOf(scorer) });
    return answer ? await answer.arrayBuffer() : null;
  } catch {
    // Pages that are not encrypted can keep nothing.
    return null;
  }
}

/** Keep memory in the place of any before. @param {Uint8Array<ArrayBuffer>} memory @param {string} runtime @param {string} scorer */
export async function keepMemory(memory, runtime, scorer) {
  const cache = await caches.open(placeOf(scorer));
  for (const before of await cache.keys()) await cache.delete(before);
  await cache.put(addressOf(runtime, scorer), new Response(memory));
}

/** A copy of Python's memory, as its loader wants it; null where it cannot be made or kept. @param {Python} python
 * @returns {Uint8Array<ArrayBuffer> | null} */
export function memoryOf(python) {
  if (!("caches" in self)) return null;
  const api = python._api;
  // Of what Pyodide looks for among the objects that Python knows of JavaScript, the lean library takes the first three.
  const known = api.getExpectedKeys().slice(0, 3);
  api.getExpectedKeys = () => known;
  api.config._makeSnapshot = true;
  try {
    return python.makeMemorySnapshot();
  } catch {
    return null;
  }
}
