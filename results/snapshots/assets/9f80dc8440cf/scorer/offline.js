// What a second visit needs is kept in the visitor's browser: Python, what ranks, and this page with its scripts and
// styles. It is then there at once, and without a network.

/** @import { Scorer } from "./scorer.js" */

/** Milliseconds after which nobody waits for anything of the page. */
const REST = 3000;

/**
 * Let the site's service worker keep what this page uses, once the page has come to rest.
 * @param {Scorer} scorer one that is ready
 * @param {string} runtime the address of Python, in a folder of a folder of the site
 */
export function keepForNextVisit(scorer, runtime) {
  // There is none on pages that are not encrypted.
  if (!("serviceWorker" in navigator)) return;
  setTimeout(async () => {
    const root = new URL("../../", new URL(runtime, document.baseURI));
    const script = new URL("service-worker.js", root);
    try {
      await navigator.serviceWorker.register(script);
      const { active } = await navigator.serviceWorker.ready;
      active?.postMessage({ keep: [location.href, ...resources(), ...(await scorer.files())] });
      await scorer.keep();
    } catch {
      // Where nothing may be kept, as in some private windows, every visit is a first one.
    }
  }, REST);
}

/** The addresses of what the page has loaded. */
function resources() {
  return performance.getEntriesByType("resource").map(({ name }) => name);
}
