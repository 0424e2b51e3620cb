// The scorer: Python in a worker. It keeps what it has opened, a board as a rule, and gets questions only.
// It starts to load when start.js says so. Messages in: {id, kind, ...details}, as in `actions`.
// Messages out: {id, result}, {id, error}, or {error} when the whole worker is lost.
const INFO = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
// An empty WebAssembly module: the quickest way to learn whether the page's policy allows any.
const EMPTY_WASM = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

// Python's files, beside the one whose address the page gives; they import one another by these names. A
// page may name others. The first is what it asks.
const SCORERS = ["dynascore", "tradeoffs"];

let lost = null;
let python = null;
let scorer = null;
let opened = null;

const actions = { ready, open, rank, front, triangle, call };

self.onmessage = async ({ data }) => {
  try {
    const result = await actions[data.kind](data);
    self.postMessage({ id: data.id, result }, result instanceof ArrayBuffer ? [result] : []);
  } catch (error) {
    self.postMessage({ id: data.id, error: lastLine(String(error?.message ?? error)) });
  }
};

// Where a file is refused, Python's loader neither returns nor throws; its failure surfaces here only.
self.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  lost = lastLine(String(event.reason?.message ?? event.reason));
  self.postMessage({ error: lost });
});

/** Load Python and its files from absolute addresses; `ready` tells how that ends. */
export let load;

const loading = new Promise((resolve) => {
  load = resolve;
}).then(loadPython);
loading.catch(() => {});

function ready() {
  if (lost !== null) throw new Error(lost);
  return loading;
}

async function loadPython({ runtime, scorer: beside, modules = SCORERS }) {
  new WebAssembly.Module(EMPTY_WASM);
  const sources = modules.map((name) => text(new URL(`${name}.py`, beside)));
  // Python's loader asks for this module too, but only once it has been loaded itself.
  import(`${runtime}pyodide.asm.mjs`).catch(() => {});
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  python = await loadPyodide({
    indexURL: runtime,
    stdLibURL: `${runtime}python_stdlib.zip`,
    lockFileContents: JSON.stringify({ info: INFO, packages: {} }),
  });
  python.FS.mkdir("evaluator");
  for (const [index, name] of modules.entries()) {
    python.FS.writeFile(`evaluator/${name}.py`, await sources[index]);
  }
  scorer = python.pyimport(`evaluator.${modules[0]}`);
}

async function text(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response.text();
}

function open({ text, name = "open_board" }) {
  opened?.destroy();
  opened = scorer[name](text);
}

/** Any function of a module that takes what was opened and JSON text, and gives JSON text. */
function call({ module, name, text }) {
  const home = python.pyimport(`evaluator.${module}`);
  const asked = home[name];
  try {
    return asked(opened, text);
  } finally {
    asked.destroy();
    home.destroy();
  }
}

function rank({ text, known }) {
  const bytes = opened.answer(text, known);
  const buffer = bytes.toJs().buffer;
  bytes.destroy();
  return buffer;
}

function front({ text }) {
  return tradeoff("front_json", text);
}

function triangle({ text }) {
  return tradeoff("triangle_json", text);
}

// Imported when first asked for: the scorer is ready sooner without.
function tradeoff(name, text) {
  const tradeoffs = python.pyimport("evaluator.tradeoffs");
  const found = JSON.parse(tradeoffs[name](opened, text));
  tradeoffs.destroy();
  return found;
}

// Python's message is the last line of its traceback.
function lastLine(message) {
  return message.trim().split("\n").at(-1);
}
