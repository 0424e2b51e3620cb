// A board in one file: its worker is hired as scorer/start.js does it on a page that has a server.
// From a file, browsers start no worker of an address but that of `data:`.
import { byId, findAll } from "../assets/base/elements.js";

/** @import { HiredWorker } from "../types" */

/** @returns {HiredWorker} */
globalThis.hireScorer = () => {
  const worker = new Worker(byId("worker").textContent, { type: "module" });
  /** @type {Promise<string>} */
  const failed = new Promise((resolve) => {
    worker.onerror = (event) => resolve(event.message);
  });
  const files = findAll(document, "script[data-file]", HTMLScriptElement);
  // Texts as they stand in the page: the worker has the time to unpack them.
  worker.postMessage(Object.fromEntries(files.map((file) => [file.dataset.file, file.textContent])));
  return Object.assign(worker, { failed });
};
globalThis.earlyScorer = hireScorer({ runtime: "", scorer: "" });
