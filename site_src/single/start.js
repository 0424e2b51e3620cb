// A board in one file: its worker is hired as scorer/start.js does it on a page that has a server.
// From a file, browsers start no worker of an address but that of `data:`.
import { byId, findAll } from "../assets/base/elements.js";
import { fileAt } from "./files.js";

/** @import { HiredWorker } from "../types" */

/** The texts of the page's files, by name. @returns {Record<string, string>} */
function filesOfPage() {
  const files = findAll(document, "script[data-file]", HTMLScriptElement);
  return Object.fromEntries(files.map((file) => [file.dataset.file, file.textContent]));
}

// Where a page of the site fetches a file, this one has it.
globalThis.fetch = async (address) => fileAt(filesOfPage(), String(address));

/** @returns {HiredWorker} */
globalThis.hireScorer = () => {
  const worker = new Worker(byId("worker").textContent, { type: "module" });
  /** @type {Promise<string>} */
  const failed = new Promise((resolve) => {
    worker.onerror = (event) => resolve(event.message);
  });
  // As they stand in the page: the worker has the time to unpack them.
  worker.postMessage(filesOfPage());
  return Object.assign(worker, { failed });
};
globalThis.earlyScorer = hireScorer({ runtime: "", scorer: "" });
