// Words are made in Python: no script of the site has a sentence of its own.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";

const SITE = new URL("../../site_src/", import.meta.url);
const { parse } = createRequire(new URL("package.json", SITE))("espree");
/** Texts that are no sentences, though they look like some. */
const ALLOWED = [
  // Source of a module.
  "import *; import *;",
  "* import { load } from *; load(*);",
  // Attributes that a saved picture keeps.
  "x y dx dy cx cy r rx ry x1 y1 x2 y2 width height d transform",
  // Names of what a browser keeps.
  "steelyard files of *",
  "steelyard pages of *",
  "steelyard memory of *",
  // A selector of names and roles.
  "main :is(button, input, select, summary, [role=tab], [role=slider])",
  // What people may type for %.
  "per cent",
  // Fonts.
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
];
/** Numbers with their units. */
const FORMATS = "assets/base/formats.js";
/** Names of elements in selectors. */
const ELEMENTS =
  "a bdi button circle col g h2 h3 input label li line path rect select summary svg tbody td text";
const MORE = "textarea th thead title tr";

/** Files of a kind under a folder of the site. @param {string} folder @param {RegExp} kind */
function files(folder, kind) {
  const names = readdirSync(new URL(folder, SITE), { recursive: true, encoding: "utf-8" });
  return names.filter((name) => kind.test(name)).map((name) => `${folder}/${name}`);
}

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, SITE), "utf-8");

/** The words of class lists and selectors. */
const known = new Set([
  ...ELEMENTS.split(" "),
  ...MORE.split(" "),
  ...files("assets", /\.css$/).flatMap((name) =>
    [...read(name).matchAll(/\.([a-z][\w-]*)/g)].map(([, one]) => one),
  ),
]);

/** Whether a text, with a star where a value goes, has two words or more, one of them in nobody's code.
 * @param {string} text */
function isSentence(text) {
  const words = text.split(/\s+/).filter(Boolean);
  const plain = words.map((word) => word.match(/^[“‘]?(\p{L}[\p{L}'’-]+)[.,;:?!…”’]*$/u)?.[1]);
  return words.length > 1 && plain.some((word) => word !== undefined && !known.has(word));
}

/** The texts of a script, but for messages of errors, which are for programmers. */
function* textsOf(node) {
  if (!node || typeof node !== "object") return;
  if (node.type === "NewExpression" && node.callee.name === "Error") return;
  if (node.type === "Literal" && typeof node.value === "string") yield node.value;
  if (node.type === "TemplateLiteral") yield node.quasis.map(({ value }) => value.cooked).join("*");
  for (const child of Object.values(node).flat()) yield* textsOf(child);
}

test("no script has a sentence of its own", () => {
  const scripts = [...files("assets", /\.js$/), ...files("local", /\.js$/)];
  const found = scripts
    .filter((name) => name !== FORMATS)
    .flatMap((name) => {
      const script = parse(read(name), { ecmaVersion: "latest", sourceType: "module" });
      const sentences = [...textsOf(script)].filter((text) => isSentence(text) && !ALLOWED.includes(text));
      return sentences.map((text) => `${name}: ${text}`);
    });
  assert.ok(scripts.length > 50);
  assert.deepEqual(found, []);
});
