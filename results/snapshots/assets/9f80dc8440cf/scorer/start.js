// Python starts to load before the page has been read, as it takes longer than any page. This is no
// module for that reason: a module would wait.

/** @import { HiredWorker, ScorerUrls } from "../../types" */
{
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const [worker, memory] = ["scorer-worker.js", "memory.js"].map((name) => new URL(name, script.src).href);

  // A page's policy binds a blob's worker, but not one that is fetched from the same origin.
  globalThis.hireScorer = ({ runtime, scorer, lean, modules, bundle, library }) => {
    const files = {
      ...{ runtime: absolute(runtime), scorer: absolute(scorer), lean, modules },
      ...{ bundle: bundle && absolute(bundle), library: library && absolute(library) },
      kept: Boolean(navigator.serviceWorker?.controller),
    };
    // Python's loader, and what the worker imports, are fetched beside what asks for them, not after it.
    const loader = JSON.stringify(`${files.runtime}${lean ?? ""}pyodide.mjs`);
    const beside = `import ${loader}; import ${JSON.stringify(memory)};`;
    const source = `${beside} import { load } from ${JSON.stringify(worker)}; load(${JSON.stringify(files)});`;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    return watched(new Worker(address, { type: "module" }));
  };

  /** @param {Worker} worker @returns {HiredWorker} */
  const watched = (worker) => {
    /** @type {Promise<string>} */
    const failed = new Promise((resolve) => {
      worker.onerror = (event) => resolve(event.message);
    });
    return Object.assign(worker, { failed });
  };

  /** @param {string} address */
  const absolute = (address) => new URL(address, document.baseURI).href;

  // From a file no worker can load anything. Where the browser is asked to save data, Python waits until it is needed.
  if (location.protocol !== "file:" && !navigator.connection?.saveData) {
    /** @type {ScorerUrls} */
    const urls = JSON.parse(document.getElementById("board-urls")?.textContent ?? "");
    globalThis.earlyScorer = hireScorer(urls);
  }
}
