// Asks a browser copy about examples, as a page does.
// Called as: node ask.mjs JOB, a JSON file: `spec` says what copy it is, `folder` is where its files lie, and
// `examples` are what it is asked. A copy with a network has `networks`: the paths of onnxruntime's `script` and
// `wasm`, of the library `tokenizers`, and of the `page`'s module that runs them. Every other copy runs in Pyodide, whose
// files are in the folder `pyodide`; `modules` are the texts of the evaluator's modules by path, and `files` the names
// of the copy's. Prints a JSON list of answers a line.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const BATCH = 100;
const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const answers = job.networks ? await network(job.networks) : await python(job.pyodide);

for (let start = 0; start < job.examples.length; start += BATCH) {
  console.log(await answers(job.examples.slice(start, start + BATCH)));
}

/** Whatever asks a network. @param {Record<"script" | "wasm" | "tokenizers" | "page", string>} files */
async function network(files) {
  const [{ Networks }, runtime, library] = await Promise.all(
    [files.page, files.script, files.tokenizers].map((path) => import(pathToFileURL(path).href)),
  );
  const networks = new Networks(runtime, new Uint8Array(readFileSync(files.wasm)).buffer, library);
  const { model, options, labels } = job.spec;
  const file = (/** @type {string} */ name) => readFileSync(join(job.folder, "model", name));
  await networks.add(model, file("model.onnx"), file("tokenizer.json").toString("utf8"), options, labels);
  return async (/** @type {object[]} */ examples) => JSON.stringify(await networks.answers(model, examples));
}

/** Whatever asks a model in Python. @param {string} pyodide */
async function python(pyodide) {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
  const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
  const { FS, pyimport } = await loadPyodide({
    indexURL: `${pyodide}/`,
    lockFileContents: JSON.stringify({ info, packages: {} }),
    // As in the page: the model's code finds nothing of JavaScript.
    jsglobals: {},
  });
  const put = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) => {
    FS.mkdirTree(dirname(name));
    FS.writeFile(name, content);
  };
  for (const [name, text] of Object.entries(job.modules)) put(`evaluator/${name}`, text);
  for (const name of job.files) put(`${job.spec.folder}/${name}`, readFileSync(join(job.folder, name)));
  FS.mkdirTree(`${job.spec.folder}/model`);
  const answering = pyimport("evaluator.tryit.answering");
  const models = answering.open_models(JSON.stringify({ task: job.task }));
  answering.add_json(models, JSON.stringify(job.spec));
  return (/** @type {object[]} */ examples) =>
    answering.ask_json(models, JSON.stringify({ model: job.spec.model, examples }));
}
