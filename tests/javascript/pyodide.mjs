// Runs a Python program in Pyodide, with modules of the evaluator beside it: prints what it prints.
// Called as: node pyodide.mjs PYODIDE_FOLDER EVALUATOR_FOLDER MADE_FOLDER PROGRAM FILE... < INPUT
// Each file is its path in the evaluator, or +PATH for one in the folder of those that were made.
// PROGRAM finds the input in the variable `text`.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const [folder, evaluator, made, program, ...files] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
const python = await loadPyodide({
  indexURL: `${folder}/`,
  lockFileContents: JSON.stringify({ info, packages: {} }),
});
for (const name of files) {
  const path = name.replace("+", "");
  const source = name.startsWith("+") ? made : evaluator;
  python.FS.mkdirTree(dirname(`evaluator/${path}`));
  python.FS.writeFile(`evaluator/${path}`, readFileSync(join(source, path)));
}
// Read as a stream: a pipe that is not yet filled refuses to be read at once.
python.globals.set("text", await text(process.stdin));
python.runPython(readFileSync(program, "utf8"));
