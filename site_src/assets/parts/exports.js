// A table as text for other programs: CSV, JSON, LaTeX, Markdown. Names come from results, so whatever they hold
// stays text in the program that opens it.
import { rankSetText } from "../base/formats.js";
import { INVISIBLE, visible } from "../base/invisible.js";

/**
 * A table to export. `terms` say under which terms its numbers hold; `record` is the same in full precision, for
 * JSON.
 * @typedef {object} ExportTable
 * @property {string} title of the board
 * @property {string} updated when the newest of its results was made
 * @property {string} address of the view
 * @property {ExportTerm[]} terms
 * @property {{ label: string, unit: string }[]} columns
 * @property {ExportRow[]} rows
 * @property {object} record
 */

/** @typedef {[name: string, text: string]} ExportTerm */

/**
 * A model's row: its numbers as the page shows them but in plain digits, null where one is missing. `set` are the best
 * and the worst rank that the model may hold, null where that is unknown.
 * @typedef {{ rank: number | null, set: [number, number] | null, id: string, label: string,
 *   numbers: (string | null)[] }} ExportRow
 */

export const WARNING =
  "A Dynascore is relative to the models on its board, changes as models are added and is not comparable across tasks.";

/** The head of the column with the ranks that a model may hold. */
const SET = "95 % set";

// Where a formula or a command would begin for a spreadsheet: the same as in evaluator/exchange/tables.py, which
// says what it is.
const FORMULA =
  /(?:^|(?<=;))(?=[ "'`,;|]*[=+\-@|%\u2212\ufe62\ufe63\ufe66\ufe6a\ufe6b\uff05\uff0b\uff0d\uff1d\uff20\uff5c])/gu;

/**
 * What a table is about, and under which terms.
 * @param {ExportTable} table
 * @returns {ExportTerm[]}
 */
function about({ title, updated, terms }) {
  return [["Board", title], ["Results of", updated], ...terms];
}

/** @param {{ label: string, unit: string }} column */
function columnTitle({ label, unit }) {
  return unit ? `${label} (${unit})` : label;
}

// CSV: rows of one shape, so that every reader takes it; the terms are in columns of their own.

/** @param {ExportTable} table */
export function csv(table) {
  /** @type {ExportTerm[]} */
  const facts = [...about(table), ["Address", table.address], ["Note", WARNING]];
  const titles = [...table.columns.map(columnTitle), ...facts.map(([name]) => name)];
  const head = ["Rank", "Best possible rank", "Worst possible rank", "Model", "Id", ...titles].map(
    notFormula,
  );
  const lines = table.rows.map(({ rank, set, label, id, numbers }) => [
    String(rank ?? ""),
    ...(set ?? ["", ""]).map(String),
    notFormula(label),
    notFormula(id),
    ...numbers.map((text) => text ?? ""),
    ...facts.map(([, text]) => notFormula(text)),
  ]);
  return [head, ...lines].map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

/**
 * A text that no spreadsheet takes for a formula.
 * @param {string} text
 */
export function notFormula(text) {
  return visible(text).replace(FORMULA, "'");
}

/** @param {string} text */
function csvCell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// JSON: the view and its numbers in full precision.

/** @param {ExportTable} table */
export function json({ record }) {
  return `${JSON.stringify(record, null, 2).replace(INVISIBLE, escaped)}\n`;
}

/**
 * An invisible character as JSON writes it; a line feed is part of the layout.
 * @param {string} mark
 */
function escaped(mark) {
  if (mark === "\n") return mark;
  const units = Array.from({ length: mark.length }, (_, at) => mark.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

// LaTeX: a tabular that needs no package.

/** @type {Record<string, string>} */
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

/** @param {ExportTable} table */
export function latex(table) {
  /** @type {ExportTerm[]} */
  const facts = [...about(table), ["Address", table.address], ["Note", WARNING]];
  const rows = table.rows.map(({ rank, set, label, numbers }) =>
    latexLine([
      String(rank ?? "--"),
      set ? rankSetText(set).replace("–", "--") : "--",
      tex(label),
      ...numbers.map((text) => text?.replace("-", "$-$") ?? "--"),
    ]),
  );
  return [
    ...facts.map(([name, text]) => `% ${visible(name)}: ${visible(text)}`),
    `\\begin{tabular}{rrl${"r".repeat(table.columns.length)}}`,
    "\\hline",
    latexLine(["Rank", tex(SET), "Model", ...table.columns.map((column) => tex(columnTitle(column)))]),
    "\\hline",
    ...rows,
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** @param {string[]} cells */
function latexLine(cells) {
  return `${cells.join(" & ")} \\\\`;
}

/** @param {string} text */
function tex(text) {
  return visible(text).replace(/[\\{}$&#%_^~<>|]/g, (sign) => LATEX[sign]);
}

// Markdown: a table after the sentence that it must not be parted from.

/** @param {ExportTable} table */
export function markdown(table) {
  const [, ...facts] = about(table);
  const rows = table.rows.map(({ rank, set, label, numbers }) =>
    markdownLine([
      String(rank ?? ""),
      set ? rankSetText(set) : "",
      plainMarkdown(label),
      ...numbers.map((text) => text ?? ""),
    ]),
  );
  return [
    `**${plainMarkdown(table.title)}**`,
    "",
    ...facts.map(([name, text]) => `- ${plainMarkdown(name)}: ${plainMarkdown(text)}`),
    `- Address: <${table.address}>`,
    "",
    markdownLine([
      "Rank",
      SET,
      "Model",
      ...table.columns.map((column) => plainMarkdown(columnTitle(column))),
    ]),
    markdownLine(["---:", "---:", "---", ...table.columns.map(() => "---:")]),
    ...rows,
    "",
    WARNING,
    "",
  ].join("\n");
}

/** @param {string[]} cells */
function markdownLine(cells) {
  return `| ${cells.join(" | ")} |`;
}

/** @param {string} text */
function plainMarkdown(text) {
  return visible(text)
    .replace(/[\\`*_{}[\]()#+!|~$:@]/g, (sign) => `\\${sign}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

// HTML: a table for a page elsewhere, whose look is left to that page.

/** @param {ExportTable} table */
export function html(table) {
  const heads = ["Rank", SET, "Model", ...table.columns.map(columnTitle)];
  const rows = table.rows.map(({ rank, set, label, numbers }) => {
    const cells = [
      String(rank ?? ""),
      set ? rankSetText(set) : "",
      label,
      ...numbers.map((text) => text ?? ""),
    ];
    return `<tr>${cells.map((text) => `<td>${inHtml(text)}</td>`).join("")}</tr>`;
  });
  const facts = about(table).map(([name, text]) => `${inHtml(name)}: ${inHtml(text)}`);
  return [
    "<table>",
    `<caption>${facts.join(". ")}. <a href="${inHtml(table.address)}">This view</a>. ${WARNING}</caption>`,
    `<thead><tr>${heads.map((text) => `<th scope="col">${inHtml(text)}</th>`).join("")}</tr></thead>`,
    `<tbody>\n${rows.join("\n")}\n</tbody>`,
    "</table>",
    "",
  ].join("\n");
}

/** @param {string} text */
export function inHtml(text) {
  return visible(text)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
