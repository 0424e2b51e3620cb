// The worker of a board in one file. All that it would fetch comes in its first message: files by name, deflated and
// in base 64. Later messages are the scorer's.
import { load } from "../assets/scorer/scorer-worker.js";
import { fileAt } from "./files.js";

/** Any full address: of a file's only its name counts. */
const HERE = "file:///";

const answer = self.onmessage;

self.onmessage = async (/** @type {MessageEvent<Record<string, string>>} */ { data }) => {
  self.onmessage = answer;
  // Python's loader fetches too.
  self.fetch = async (address) => fileAt(data, String(address));
  const [pyodide, { default: createPyodideModule }] = await Promise.all([
    imported("pyodide.mjs"),
    imported("pyodide.asm.mjs"),
  ]);
  const loadPyodide = (/** @type {object} */ options) =>
    pyodide.loadPyodide({ ...options, createPyodideModule });
  load({ runtime: HERE, scorer: `${HERE}dynascore.py`, pyodide: { loadPyodide } });
};

/** A module among the files: a worker of `data:` imports from such addresses only.
 * @param {string} name */
async function imported(name) {
  const script = await (await fetch(name)).blob();
  const reader = new FileReader();
  const address = new Promise((resolve) => {
    reader.onload = () => resolve(reader.result);
  });
  reader.readAsDataURL(script);
  return import(await address);
}
