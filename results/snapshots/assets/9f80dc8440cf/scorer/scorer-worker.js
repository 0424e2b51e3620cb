// The scorer: Python in a worker. It keeps what it has opened, a board as a rule, and gets questions only.
// It starts to load when start.js says so. Messages in and out: `WorkerMessage` and `WorkerReply` of types.d.ts.
import { keepMemory, keptMemory, memoryOf } from "./memory.js";

/** @import { NetworkFiles, WorkerActions, WorkerFiles, WorkerKind, WorkerMessage, WorkerReply } from "../../types" */

/**
 * @template {WorkerKind} Kind
 * @typedef {(details: WorkerActions[Kind]["details"], tell: Tell) => Promise<WorkerActions[Kind]["result"]>} Action
 */
/** Say that so many more bytes of a file have come. @typedef {(bytes: number) => void} Tell */

/** @typedef {{ destroy(): void }} PyObject */
/** @typedef {PyObject & { toJs(): Uint8Array<ArrayBuffer> }} PyBytes */
/** @typedef {PyObject & { answer(text: string, known: number): PyBytes }} Opened only a board has `answer` */
/** @typedef {Record<string, (text: string) => Opened>} Opener */
/** A function of what is open and a JSON text. @typedef {PyObject & ((opened: PyObject, text: string) => any)} PyFunction */
/** What is found step by step, see `Sweep` in evaluator/rank/rank_answers.py. @typedef {PyObject & { step(): boolean, json(): string }} PySteps */
/** @typedef {{ mkdirTree(name: string): void, writeFile(name: string, content: string | Uint8Array): void }} PyFiles */
/** Texts of modules, by their paths in `evaluator`. @typedef {Record<string, string>} Sources */
/** Pyodide's own, of the version that is pinned. @typedef {{ config: { _makeSnapshot?: boolean }, getExpectedKeys(): unknown[] }} PyOwn */
/** @typedef {{ FS: PyFiles, pyimport<Module>(name: string): Module, makeMemorySnapshot(): Uint8Array<ArrayBuffer>, _api: PyOwn }} Python what this uses of Pyodide */
/** @typedef {{ loadPyodide(options: object): Promise<Python> }} Pyodide */
/** @typedef {Awaited<ReturnType<typeof loadPython>>} Loaded */

const INFO = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
// An empty WebAssembly module: the quickest way to learn whether the page's policy allows any.
const EMPTY_WASM = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

// Python itself.
const PYTHON = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"];
// Python's files, beside the one whose address the page gives; they import one another by these names. A
// page may name others. The first is what it asks.
const SCORERS = ["dynascore", "tradeoffs"];
// What says how certain ranks are, what other weights would do, and all of it in words: loaded when first asked for.
const REST = [
  ...[
    "significance",
    "published",
    "rate_factor",
    "rank_sets",
    "another_dataset",
    "rank_answers",
    "moves",
    "what_if",
  ],
  ...[
    "formats",
    "prices",
    "coverage",
    "score_sentences",
    "certainty_sentences",
    "chart_sentences",
    "citations",
  ],
  ...["trade_sentences", "verdict_sentences", "exports", "page_words"],
];
// Python's errors where a part of its library is not there.
const LACKING = new Set(["ModuleNotFoundError", "ImportError", "AttributeError"]);
// Of a board of which nothing is known.
const NOTHING = "{}";

/** @type {Opened | null} */
let opened = null;
/** How that was opened. @type {WorkerActions["open"]["details"] | null} */
let openedBy = null;
/** How the values of the open board vary. @type {PyObject | null} */
let varied = null;
/** What said so. @type {WorkerActions["vary"]["details"] | null} */
let variedBy = null;
/** `REST`, once it is asked for. @type {Promise<void> | null} */
let rest = null;
/** What runs networks, once one is opened. @type {import("./networks.js").Networks | null} */
let networks = null;
/** How many rankings have been asked for. */
let rankings = 0;
/** The bytes of Python that have come. */
let come = 0;
/** Who wants to know of more. @type {Tell} */
let tellOfMore = () => {};

/** @type {{ [Kind in WorkerKind]: Action<Kind> }} */
const actions = {
  ready,
  keep,
  files: addresses,
  open,
  rank,
  call,
  vary,
  steps,
  put,
  network,
  answers: async ({ model, examples }) => openNetworks().answers(model, examples),
};

self.onmessage = async (/** @type {MessageEvent<WorkerMessage>} */ { data }) => {
  try {
    const result = await run(data.kind, data, (loaded) => reply({ id: data.id, loaded }));
    reply({ id: data.id, result }, result instanceof ArrayBuffer ? [result] : []);
  } catch (error) {
    reply({ id: data.id, error: lastLine(error) });
  }
};

/**
 * Do what a message asks; once more where Python has been started in another way meanwhile.
 * @template {WorkerKind} Kind
 * @param {Kind} kind
 * @param {WorkerActions[Kind]["details"]} details
 * @param {Tell} tell
 * @returns {Promise<WorkerActions[Kind]["result"]>}
 */
async function run(kind, details, tell) {
  const before = loading;
  try {
    return await actions[kind](details, tell);
  } catch (error) {
    const others = await otherWays(error);
    if (before === loading && !others.length) throw error;
    if (before === loading) startAnew(others);
    return run(kind, details, tell);
  }
}

/** @param {WorkerReply} message @param {ArrayBuffer[]} transfer */
function reply(message, transfer = []) {
  self.postMessage(message, { transfer });
}

// What Python's loader is refused is thrown where somebody waits for it; here it comes once more.
self.addEventListener("unhandledrejection", (event) => event.preventDefault());

/** Load Python and its files from absolute addresses; `ready` settles when that has ended.
 * @type {(files: WorkerFiles) => void} */
export let load;

/** @type {Promise<WorkerFiles>} */
const files = new Promise((resolve) => {
  load = resolve;
});
/** @type {Promise<Loaded>} */
let loading = files.then(waysToStart).then(startPython);
loading.catch(() => {});

/** How Python can be started, the quickest way first: from its memory at an earlier visit, with no more of it than ranking
 * takes, with all of it. @param {WorkerFiles} files @returns {Promise<WorkerFiles[]>} */
async function waysToStart(files) {
  new WebAssembly.Module(EMPTY_WASM);
  if (!files.lean) return [files];
  const lean = { ...files, runtime: files.runtime + files.lean };
  const memory = files.modules ? null : await keptMemory(lean.runtime, lean.scorer);
  return [...(memory ? [{ ...lean, memory }] : []), lean, { ...files, lean: undefined }];
}

/** Python, started in the first of some ways that works. @param {WorkerFiles[]} ways
 * @returns {ReturnType<typeof loadPython>} */
async function startPython([files, ...others]) {
  try {
    return await loadPython(files, others);
  } catch (error) {
    if (!others.length) throw error;
    return startPython(others);
  }
}

/** @param {WorkerFiles} files @param {WorkerFiles[]} others how else it can be started */
async function loadPython(files, others) {
  const { runtime, lean, scorer, modules = SCORERS, bundle, memory } = files;
  const sources = memory ? null : bundle ? bundled(bundle) : fetchedModules(modules, scorer);
  sources?.catch(() => {});
  const python = await loadRuntime(files);
  if (sources) writeModules(python, await sources);
  /** @type {Opener} */
  const opener = python.pyimport(`evaluator.${bundle ? modules[0] : `rank.${modules[0]}`}`);
  const made = lean && sources && !files.modules ? memoryWith(python, modules) : null;
  return { python, opener, runtime, scorer, others, made };
}

/** Python's memory once it has imported the scorer; null where that cannot be told. @param {Python} python @param {string[]} modules */
function memoryWith(python, modules) {
  for (const name of modules) python.pyimport(`evaluator.rank.${name}`);
  return memoryOf(python);
}

/** How else Python can be started, where what was thrown may come from how it was: it has ended, or misses a part of its
 * library. @param {any} error */
async function otherWays(error) {
  const { others } = await loading.catch(() => ({ others: [] }));
  return error?.pyodide_fatal_error || LACKING.has(error?.type) ? others : [];
}

/** Let Python that is started in another way take the place of the one there is, and open what was open.
 * @param {WorkerFiles[]} ways */
function startAnew(ways) {
  [opened, varied, rest] = [null, null, null];
  loading = startPython(ways).then(async (python) => {
    if (openedBy) opened = await openedIn(python, openedBy);
    return python;
  });
  loading.catch(() => {});
}

/** @type {Action<"ready">} */
async function ready(_, tell) {
  tell(come);
  tellOfMore = tell;
  await loading;
}

/** Keep Python's memory for the next visit, where it is not that of an earlier one. @type {Action<"keep">} */
async function keep() {
  const loaded = await loading;
  const { runtime, scorer, made } = loaded;
  loaded.made = null;
  if (made) await keepMemory(made, runtime, scorer);
}

/** Where everything is that ranking takes, this script included. @type {Action<"files">} */
async function addresses() {
  const { runtime, scorer } = await loading;
  const own = ["scorer-worker.js", "memory.js"].map((name) => new URL(name, import.meta.url).href);
  const modules = [...SCORERS, ...REST].map((name) => new URL(`${name}.py`, scorer).href);
  return [...own, ...PYTHON.map((name) => runtime + name), ...modules];
}

/** @param {string[]} names @param {string} scorer @returns {Promise<Sources>} */
async function fetchedModules(names, scorer) {
  const texts = await Promise.all(names.map((name) => fetchedText(new URL(`${name}.py`, scorer))));
  return Object.fromEntries(names.map((name, index) => [`rank/${name}.py`, texts[index]]));
}

/** @param {string} address @returns {Promise<Sources>} */
async function bundled(address) {
  return JSON.parse(await fetchedText(new URL(address)));
}

/** @param {Python} python @param {Sources} sources */
function writeModules(python, sources) {
  for (const [name, text] of Object.entries(sources)) writeFile(python, `evaluator/${name}`, text);
}

/** @param {Python} python @param {string} path @param {string | Uint8Array} content */
function writeFile(python, path, content) {
  python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  python.FS.writeFile(path, content);
}

/** Python with the scorer's part of its library, or with all of a `library` for the code of others. That code finds
 * nothing of JavaScript. @param {WorkerFiles} files */
async function loadRuntime({ runtime, kept, library, pyodide, memory }) {
  const { refused, stopCounting } = countFetched(kept);
  try {
    const { loadPyodide } = pyodide ?? (await fetchedPyodide(runtime));
    const python = loadPyodide({
      indexURL: runtime,
      stdLibURL: library ?? `${runtime}python_stdlib.zip`,
      lockFileContents: JSON.stringify({ info: INFO, packages: {} }),
      ...(library ? { jsglobals: {} } : {}),
      ...(memory ? { _loadSnapshot: memory } : {}),
    });
    return await Promise.race([python, refused]);
  } finally {
    stopCounting();
  }
}

/** Count the bytes of what Python's loader fetches, as they come. Where a file is refused, the loader neither returns nor
 * throws: `refused` rejects. What is `kept` passes as it is, as a browser keeps what it made of a program only for an
 * answer that nobody has touched. @param {boolean} [kept] */
function countFetched(kept) {
  const { fetch } = self;
  /** @type {(error: unknown) => void} */
  let refuse;
  /** @type {Promise<never>} */
  const refused = new Promise((_, reject) => {
    refuse = reject;
  });
  refused.catch(() => {});
  self.fetch = async (...asked) => {
    try {
      const answer = await answered(fetch(...asked));
      const { status, headers } = answer;
      if (kept) return answer;
      return new Response(answer.body?.pipeThrough(counting(count)), { status, headers });
    } catch (error) {
      refuse(error);
      throw error;
    }
  };
  const stopCounting = () => {
    self.fetch = fetch;
  };
  return { refused, stopCounting };
}

/** @type {Tell} */
function count(bytes) {
  come += bytes;
  tellOfMore(bytes);
}

/** @param {string} runtime @returns {Promise<Pyodide>} */
function fetchedPyodide(runtime) {
  // Python's loader asks for this module too, but only once it has been loaded itself.
  import(`${runtime}pyodide.asm.mjs`).catch(() => {});
  return import(`${runtime}pyodide.mjs`);
}

/** @param {URL} address */
async function fetchedText(address) {
  return (await fetched(address)).text();
}

/** @param {URL} address */
function fetched(address) {
  return answered(fetch(address));
}

/** @param {Promise<Response>} asked */
async function answered(asked) {
  const response = await asked;
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`);
  return response;
}

/** A file's bytes; `tell` is called with the size of each piece that comes. @param {string} address @param {Tell} tell */
async function fetchedBytes(address, tell) {
  const { body } = await fetched(new URL(address));
  return new Response(body?.pipeThrough(counting(tell))).arrayBuffer();
}

/** Passes on pieces, whose sizes it tells. @param {Tell} tell */
function counting(tell) {
  return new TransformStream({
    transform(piece, controller) {
      tell(piece.length);
      controller.enqueue(piece);
    },
  });
}

/** @type {Action<"put">} */
async function put({ path, address }, tell) {
  const { python } = await loading;
  writeFile(python, path, new Uint8Array(await fetchedBytes(address, tell)));
}

/** @type {Action<"network">} */
async function network({ model, network: address, tokenizer, options, labels, files }, tell) {
  networks ??= await startNetworks(files, tell);
  const [bytes, spec] = await Promise.all([fetchedBytes(address, tell), fetchedBytes(tokenizer, tell)]);
  await networks.add(model, new Uint8Array(bytes), new TextDecoder().decode(spec), options, labels);
}

/** @param {NetworkFiles} files @param {Tell} tell */
async function startNetworks({ script, wasm, tokenizers }, tell) {
  const [{ Networks }, runtime, library, binary] = await Promise.all([
    import("./networks.js"),
    import(script),
    import(tokenizers),
    fetchedBytes(wasm, tell),
  ]);
  return new Networks(runtime, binary, library);
}

/** What runs networks. Throws an Error where nothing does. */
function openNetworks() {
  if (!networks) throw new Error("no network is open");
  return networks;
}

/** @type {Action<"open">} */
async function open(details) {
  const made = await openedIn(await loading, details);
  opened?.destroy();
  varied?.destroy();
  [varied, variedBy] = [null, null];
  [opened, openedBy] = [made, details];
}

/** @param {Loaded} loaded @param {WorkerActions["open"]["details"]} details */
async function openedIn({ opener, python, scorer }, { text, name = "open_board", module }) {
  const home = module ? await moduleOf(module, python, scorer) : opener;
  return home[name](text);
}

/** A module of Python's, which may be among those that are loaded when first asked for.
 * @param {string} module @param {Python} python @param {string} scorer */
async function moduleOf(module, python, scorer) {
  if (REST.includes(module.replace("rank.", ""))) await (rest ??= bringRest(python, scorer));
  /** @type {any} */
  const found = python.pyimport(`evaluator.${module}`);
  return found;
}

/** What is open. Throws an Error where nothing is. */
function current() {
  if (!opened) throw new Error("nothing is open");
  return opened;
}

/** Call a function of a module with what is open, or with how its values vary where that is known.
 * @param {WorkerActions["call"]["details"]} details */
async function call({ module, name, text, board }) {
  const { python, scorer } = await loading;
  if (!board && !varied && variedBy) await vary(variedBy, () => {});
  /** @type {PyObject & Record<string, PyFunction>} */
  const home = await moduleOf(module, python, scorer);
  const method = home[name];
  try {
    return method((!board && varied) || current(), text);
  } finally {
    method.destroy();
    home.destroy();
  }
}

/** @param {Python} python @param {string} scorer */
async function bringRest(python, scorer) {
  writeModules(python, await fetchedModules(REST, scorer));
}

/** @type {Action<"rank">} */
async function rank({ text, known }) {
  rankings += 1;
  await loading;
  const bytes = current().answer(text, known);
  const { buffer } = bytes.toJs();
  bytes.destroy();
  return buffer;
}

/** @type {Action<"vary">} */
async function vary(details) {
  const { address, tokens, priced } = details;
  const board = openedBy;
  const varies = address === null ? NOTHING : await fetchedText(new URL(address));
  const how = { module: "rank.rank_answers", name: "open_certainty", text: varies, board: true };
  if (tokens) {
    how.text = `{"varies":${varies},"tokens":${await fetchedText(new URL(tokens))},"priced":${priced}}`;
    [how.module, how.name] = ["rank.prices", "open_priced_certainty"];
  }
  // At other prices there is another board by now, of which somebody has asked again.
  if (board !== openedBy) return;
  const certainty = await call(how);
  varied?.destroy();
  [varied, variedBy] = [certainty, details];
}

/** @type {Action<"steps">} */
async function steps(details) {
  return stepped(await call(details));
}

/** What is found step by step: other questions are answered in between, and one for another ranking ends it.
 * @param {PySteps} found */
async function stepped(found) {
  const before = rankings;
  try {
    while (!found.step()) {
      await nextMessages();
      if (rankings !== before) return null;
    }
    return JSON.parse(found.json());
  } finally {
    found.destroy();
  }
}

/** Wait until messages that have come are taken. A timer would wait some milliseconds longer. @returns {Promise<void>} */
function nextMessages() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** The message of what was thrown. Python's is the last line of its traceback. @param {unknown} error */
function lastLine(error) {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split("\n").at(-1) ?? "";
}
