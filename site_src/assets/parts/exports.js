// A table as text to take away: CSV, JSON, LaTeX, Markdown. Names come from results, so whatever they hold
// stays text in the program that opens it.
//
// A sheet is {board, title, updated, address, terms, columns: [{label, unit}], rows, whole}; a row is
// {rank, id, label, numbers: [text]}, its numbers as the page shows them but in plain digits; `whole` is
// the same in full precision, for JSON.
import { INVISIBLE, visible } from "../base/invisible.js";

export const WARNING =
  "A Dynascore is relative to the models on its board, changes as models are added and is not comparable across tasks.";

// What a spreadsheet takes for the beginning of a formula, full-width forms included.
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

// CSV: rows of one shape, so that every reader takes it; the terms stand in columns of their own.

export function csv({ title, updated, terms, columns, rows }) {
  const about = [["Board", title], ["Results of", updated], ...terms, ["Note", WARNING]];
  const heads = ["Rank", "Model", "Id", ...columns.map(named), ...about.map(([name]) => name)];
  const lines = rows.map(({ rank, label, id, numbers }) => [
    rank ?? "",
    words(label),
    words(id),
    ...numbers.map((text) => text ?? ""),
    ...about.map(([, text]) => words(text)),
  ]);
  return `${[heads.map(words), ...lines].map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;
}

/** A text that no spreadsheet takes for a formula. */
function words(text) {
  const clean = visible(String(text));
  return FORMULA.test(clean) ? `'${clean}` : clean;
}

function quoted(cell) {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function named({ label, unit }) {
  return unit ? `${label} (${unit})` : label;
}

// JSON: the view and its numbers in full precision.

export function json({ whole }) {
  return `${JSON.stringify(whole, null, 2).replace(INVISIBLE, escaped)}\n`;
}

/** An invisible character as JSON writes it; a line feed is part of the layout. */
function escaped(mark) {
  if (mark === "\n") return mark;
  return mark
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

// LaTeX: a tabular that needs no package.

const LATEX = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
};

export function latex({ title, updated, address, terms, columns, rows }) {
  const about = [
    ["Board", title],
    ["Results of", updated],
    ...terms,
    ["Address", address],
    ["Note", WARNING],
  ];
  const line = (cells) => `${cells.join(" & ")} \\\\`;
  return [
    ...about.map(([name, text]) => `% ${visible(name)}: ${visible(text)}`),
    `\\begin{tabular}{rl${"r".repeat(columns.length)}}`,
    "\\hline",
    line(["Rank", "Model", ...columns.map((column) => tex(named(column)))]),
    "\\hline",
    ...rows.map(({ rank, label, numbers }) =>
      line([rank ?? "--", tex(label), ...numbers.map((text) => text?.replace("-", "$-$") ?? "--")]),
    ),
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}

function tex(text) {
  return visible(text).replace(/[\\{}$&#%_^~<>|]/g, (mark) => LATEX[mark]);
}

// Markdown: a table after the sentence that it must not be parted from.

export function markdown({ title, updated, address, terms, columns, rows }) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const about = [["Results of", updated], ...terms].map(([name, text]) => `- ${mark(name)}: ${mark(text)}`);
  return [
    `**${mark(title)}**`,
    "",
    ...about,
    `- Address: <${address}>`,
    "",
    line(["Rank", "Model", ...columns.map((column) => mark(named(column)))]),
    line(["---:", "---", ...columns.map(() => "---:")]),
    ...rows.map(({ rank, label, numbers }) =>
      line([rank ?? "", mark(label), ...numbers.map((text) => text ?? "")]),
    ),
    "",
    WARNING,
    "",
  ].join("\n");
}

function mark(text) {
  return visible(text)
    .replace(/[\\`*_{}[\]()#+!|~$:@]/g, (sign) => `\\${sign}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
