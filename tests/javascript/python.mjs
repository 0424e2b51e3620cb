// Python of this project, asked from a test: many cases at once, as it takes a while to start.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What a program writes as JSON; `input` is its standard input, as JSON too. */
export function python(program, input) {
  const { status, stdout, stderr } = spawnSync(process.env.PYTHON ?? "python3", ["-c", program], {
    cwd: ROOT,
    encoding: "utf-8",
    input: JSON.stringify(input),
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`Python failed: ${stderr}`);
  return JSON.parse(stdout);
}
