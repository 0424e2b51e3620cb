// Asks a browser copy about examples, in Pyodide, as a page does.
// Called as: node ask.mjs PYODIDE_FOLDER JOB, a JSON file: `modules` are the texts of the evaluator's modules by
// path, `folder` and `files` are the copy's, `spec` is for add_json. A copy with a `network`, one of its files, has
// `networks`: the paths of onnxruntime's `script` and `wasm`, and of the `page`'s module that runs them. Prints a JSON
// list of answers a line.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const BATCH = 100;
const [pyodide, path] = process.argv.slice(2);
const job = JSON.parse(readFileSync(path, "utf8"));
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
const python = await loadPyodide({
  indexURL: `${pyodide}/`,
  lockFileContents: JSON.stringify({ info, packages: {} }),
  // As in the page: the model's code finds nothing of JavaScript.
  jsglobals: {},
});

/** @param {string} name @param {string | Uint8Array} content */
function put(name, content) {
  python.FS.mkdirTree(dirname(name));
  python.FS.writeFile(name, content);
}

for (const [name, text] of Object.entries(job.modules)) put(`evaluator/${name}`, text);
for (const name of job.files) {
  if (name !== job.network) put(`${job.spec.folder}/${name}`, readFileSync(join(job.folder, name)));
}
python.FS.mkdirTree(`${job.spec.folder}/model`);
const answering = python.pyimport("evaluator.tryit.answering");
const models = answering.open_models(JSON.stringify({ task: job.task }));
answering.add_json(models, JSON.stringify(job.spec));
const networks = job.network && (await openedNetwork(job.networks, join(job.folder, job.network)));

/** @param {{ script: string, wasm: string, page: string }} files @param {string} network */
async function openedNetwork({ script, wasm, page }, network) {
  const { Networks } = await import(pathToFileURL(page).href);
  const runtime = await import(pathToFileURL(script).href);
  const opened = new Networks(runtime, new Uint8Array(readFileSync(wasm)).buffer);
  await opened.open(job.spec.model, readFileSync(network));
  return opened;
}

/** A function of the answering module. @param {string} name @param {object} details */
function call(name, details) {
  return answering[name](models, JSON.stringify({ model: job.spec.model, ...details }));
}

/** @param {object[]} examples */
async function answers(examples) {
  if (!networks) return call("ask_json", { examples });
  const questions = JSON.parse(call("question_json", { examples }));
  return call("answer_json", { outputs: await networks.outputs(job.spec.model, questions) });
}

for (let start = 0; start < job.examples.length; start += BATCH) {
  console.log(await answers(job.examples.slice(start, start + BATCH)));
}
