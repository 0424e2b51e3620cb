// Makes a standard-library zip of bytecode that holds just what the scorer needs.
// Called as: node reduce_stdlib.mjs PYODIDE_FOLDER TARGET_ZIP [MODULE...]
// The bytecode must be compiled by Pyodide's own Python: the host's has another version.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, target, ...modules] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
const pyodide = await loadPyodide({
  indexURL: `${folder}/`,
  lockFileContents: JSON.stringify({ info, packages: {} }),
});
const recipe = readFileSync(new URL("reduce_stdlib.py", import.meta.url), "utf8");
const reduce = pyodide.runPython(`${recipe}\nreduced_zip`);
const zip = reduce(pyodide.toPy(modules));
writeFileSync(target, zip.toJs());
