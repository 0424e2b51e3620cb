// Keeps what pages say they use, so that a second visit needs no download. It lies in the root of the site. What is in a
// folder named by a hash of its contents is never asked for again; pages are always asked for first, and shown as they
// were last seen only where there is no network.

/** @import { SiteFetch, SiteWorker } from "../../types" */

const site = /** @type {SiteWorker} */ (/** @type {unknown} */ (self));
const { scope } = site.registration;
// Other sites of the same host have caches of their own.
const FILES = `steelyard files of ${scope}`;
const PAGES = `steelyard pages of ${scope}`;
/** The folder that has files of one kind, and the one of their contents. */
const HASHED = /^(.*\/(?:assets|runtime|scorers?)\/)([0-9a-f]{12,}\/)/;
/** So many pages are kept, those seen last. */
const MOST = 100;

site.addEventListener("install", () => site.skipWaiting());
site.addEventListener("activate", (event) => event.waitUntil(site.clients.claim()));
site.addEventListener("message", (event) => event.waitUntil(keep(event.data.keep)));
site.addEventListener("fetch", (event) => {
  const { method, mode, url, headers } = event.request;
  if (method !== "GET" || !url.startsWith(scope) || headers.has("range")) return;
  if (HASHED.test(url)) event.respondWith(kept(event.request));
  else event.respondWith(newest(event, mode === "navigate"));
});

/** A file that never changes. @param {Request} request */
async function kept(request) {
  const known = await caches
    .open(FILES)
    .then((files) => files.match(request.url))
    .catch(() => undefined);
  return known ?? fetch(request);
}

/** What may have changed; as it was, where there is no network. A browser that can keep nothing, as on a full disk, has
 * the answer all the same, and no answer waits until it is kept. @param {SiteFetch} event @param {boolean} isPage */
async function newest(event, isPage) {
  const { request } = event;
  const address = addressOf(request.url);
  const pages = await caches.open(PAGES).catch(() => null);
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    const known = await pages?.match(address);
    if (known) return known;
    throw error;
  }
  if (pages && isPage && answer.ok && !answer.redirected) {
    event.waitUntil(pages.put(address, answer.clone()).catch(() => {}));
  }
  return answer;
}

/** Keep what is at these addresses, as far as that works, and drop what is out of date once all has come.
 * @param {string[]} addresses */
async function keep(addresses) {
  const own = addresses.filter((address) => address.startsWith(scope)).map(addressOf);
  const [files, pages] = await Promise.all([caches.open(FILES), caches.open(PAGES)]);
  /** @type {Set<string>} */
  const kept = new Set();
  let hasNetwork = true;
  for (const address of own) {
    const hashed = HASHED.test(address);
    if (hashed && (await files.match(address))) continue;
    let answer = null;
    try {
      // The browser has just loaded it, as a rule.
      answer = await fetch(address, hashed ? { cache: "force-cache" } : {});
      if (!answer.ok || answer.redirected) continue;
      await (hashed ? files : pages).put(address, answer);
      kept.add(address);
    } catch {
      // A full disk has room again once the old files are gone; without a network they are all there is.
      if (!answer) hasNetwork = false;
    }
  }
  if (hasNetwork) await dropOutdated(own, kept, files, pages);
  const known = await pages.keys();
  for (const page of known.slice(0, -MOST)) await pages.delete(page);
}

/** A site that was built anew has other folders; what was in those before goes, and pages that need it, but for those just
 * kept. Snapshots stay as they are.
 * @param {string[]} own @param {Set<string>} kept @param {Cache} files @param {Cache} pages */
async function dropOutdated(own, kept, files, pages) {
  const folders = new Map(own.flatMap((address) => folderOf(address) ?? []));
  const outdated = (await files.keys()).filter(({ url }) => {
    const [kind, folder] = folderOf(url)?.[0] ?? ["", ""];
    const now = folders.get(kind);
    return now !== undefined && now !== folder && !kind.startsWith(`${scope}snapshots/`);
  });
  if (!outdated.length) return;
  for (const file of outdated) await files.delete(file);
  for (const page of await pages.keys()) if (!kept.has(page.url)) await pages.delete(page);
}

/** The folder of a file's kind, and the one of its contents; null for what may change. @param {string} address
 * @returns {[[string, string]] | null} */
function folderOf(address) {
  const found = HASHED.exec(address);
  return found && [[found[1], found[2]]];
}

/** Without what only scripts of the page read. @param {string} url */
function addressOf(url) {
  return url.split(/[?#]/, 1)[0];
}
