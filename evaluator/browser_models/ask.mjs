// Asks a browser copy about examples, in Pyodide, as a page does.
// Called as: node ask.mjs PYODIDE_FOLDER JOB, a JSON file: `modules` are the texts of the evaluator's modules by
// path, `folder` and `files` are the copy's, `spec` is for add_json. Prints a JSON list of answers a line.
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
for (const name of job.files) put(`${job.spec.folder}/${name}`, readFileSync(join(job.folder, name)));
python.FS.mkdirTree(`${job.spec.folder}/model`);
const answering = python.pyimport("evaluator.browser_models.answering");
const models = answering.open_models(JSON.stringify({ task: job.task }));
answering.add_json(models, JSON.stringify(job.spec));
for (let start = 0; start < job.examples.length; start += BATCH) {
  const examples = job.examples.slice(start, start + BATCH);
  console.log(answering.ask_json(models, JSON.stringify({ model: job.spec.model, examples })));
}
