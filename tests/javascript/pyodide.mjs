// Runs a Python program in Pyodide, with modules of the evaluator beside it: prints what it prints.
// Called as: node pyodide.mjs PYODIDE_FOLDER EVALUATOR_FOLDER PROGRAM MODULE... < INPUT
// PROGRAM finds the input in the variable `text`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, evaluator, program, ...modules] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
const python = await loadPyodide({
  indexURL: `${folder}/`,
  lockFileContents: JSON.stringify({ info, packages: {} }),
});
python.FS.mkdir("evaluator");
for (const name of modules) {
  python.FS.writeFile(`evaluator/${name}.py`, readFileSync(join(evaluator, `${name}.py`)));
}
python.globals.set("text", readFileSync(0, "utf8"));
python.runPython(readFileSync(program, "utf8"));
