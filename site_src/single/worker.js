// The worker of a board in one file. All that it would fetch comes in its first message: files by name, deflated and
// in base 64. Later messages are the scorer's.
import { load } from "../assets/scorer/scorer-worker.js";

/** Any full address: of a file's only its name counts. */
const HERE = "file:///";
/** What browsers want to be told of a file, by its ending. @type {Record<string, string>} */
const TYPES = { mjs: "text/javascript", wasm: "application/wasm" };

const answer = self.onmessage;

self.onmessage = async (/** @type {MessageEvent<Record<string, string>>} */ { data }) => {
  self.onmessage = answer;
  // Python's loader fetches too.
  self.fetch = async (address) => response(data, String(address).split("/").at(-1) ?? "");
  const [pyodide, { default: createPyodideModule }] = await Promise.all([
    imported("pyodide.mjs"),
    imported("pyodide.asm.mjs"),
  ]);
  const loadPyodide = (/** @type {object} */ options) =>
    pyodide.loadPyodide({ ...options, createPyodideModule });
  load({ runtime: HERE, scorer: `${HERE}dynascore.py`, pyodide: { loadPyodide } });
};

/** @param {Record<string, string>} files @param {string} name */
function response(files, name) {
  if (!Object.hasOwn(files, name)) return new Response(null, { status: 404 });
  const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  const bytes = new Blob([bytesOf(files[name])]).stream();
  return new Response(bytes.pipeThrough(new DecompressionStream("deflate")), {
    headers: { "content-type": type },
  });
}

/** @param {string} text in base 64 */
function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

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
