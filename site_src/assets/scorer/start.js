// Python starts to load before the page has been read, as it takes longer than any page. This is no
// module for that reason: a module would wait.
{
  const worker = new URL("scorer-worker.js", document.currentScript.src).href;

  // A page's policy binds a blob's worker, but not one that is fetched from the same origin.
  globalThis.hireScorer = ({ runtime, scorer, modules }) => {
    const files = { runtime: absolute(runtime), scorer: absolute(scorer), modules };
    const source = `import { load } from ${JSON.stringify(worker)}; load(${JSON.stringify(files)});`;
    const hired = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), {
      type: "module",
    });
    hired.failed = new Promise((resolve) => {
      hired.onerror = (event) => resolve(event.message || "the scorer's files could not be loaded");
    });
    return hired;
  };

  const absolute = (address) => new URL(address, document.baseURI).href;

  // From a file no worker can load anything.
  if (location.protocol !== "file:") {
    globalThis.earlyScorer = hireScorer(JSON.parse(document.getElementById("board-urls").textContent));
  }
}
