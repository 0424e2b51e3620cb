// What is exported is read back as it was shown, with any characters in names.
import assert from "node:assert/strict";
import test from "node:test";
import { visible } from "../../site_src/assets/base/invisible.js";
import { exportTable, fileName } from "../../site_src/assets/parts/export-table.js";
import { WARNING, csv, json, latex, markdown, notFormula } from "../../site_src/assets/parts/exports.js";
import { Shown } from "../../site_src/assets/view/shown.js";
import { defaultView } from "../../site_src/assets/view/view.js";
import { boardData, certaintyOf, rankingOf } from "./boards.mjs";
import { fc, hostileName, hostileNames } from "./properties.mjs";
import { python } from "./python.mjs";

const ADDRESS = "https://example.org/board/#v1;q=x";
const value = fc.oneof(
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.constantFrom(NaN, 0, -0, 1e21, -0.5),
);

/** A table with hostile names everywhere, and its parts. */
const tables = fc
  .record({
    models: hostileNames(1, 6),
    metrics: hostileNames(2, 3),
    datasets: hostileNames(1, 2),
    title: hostileName,
    search: hostileName,
  })
  .chain((names) =>
    fc.tuple(
      fc.constant(names),
      fc.array(fc.array(value, { minLength: 3, maxLength: 3 }), { minLength: 6, maxLength: 6 }),
    ),
  )
  .map(([names, values]) => tableOf(names, values));

function tableOf({ models, metrics, datasets, title, search }, values) {
  const data = boardData({
    metrics,
    datasets,
    title,
    models: models.map((label, at) => ({ id: `m${at}`, label })),
  });
  const ranking = rankingOf(
    data,
    models.map((_, at) => values[at]),
    models.map((_, at) => (at ? at : null)),
  );
  const defaults = defaultView(data);
  const filters = [{ kind: "provenance", value: "measured" }];
  // A search that would leave nothing to export.
  const certainty = certaintyOf(
    ranking,
    models.map((_, at) => (at ? [1, at + at] : null)),
  );
  const shown = new Shown(data.models, data.metrics, certainty);
  shown.matches = () => models.map(() => true);
  const page = {
    data,
    ranking,
    ranked: defaults,
    certainty,
    shown,
    view: { now: { ...defaults, search, filters } },
  };
  return exportTable(page, ADDRESS);
}

/** Cells that may begin with a sign: numbers. */
const NUMBER = /^-?\d+(\.\d+)?$/;

const READ = `
import csv, io, json, sys
def rows(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))
json.dump([rows(text) for text in json.load(sys.stdin)], sys.stdout)
`;

test("CSV is read back by Python cell for cell, and no cell is a formula", () => {
  const drawn = fc.sample(tables, 300);
  const read = python(READ, drawn.map(csv));
  drawn.forEach((table, at) => {
    const [head, ...rows] = read[at];
    assert.equal(rows.length, table.rows.length);
    assert.equal(new Set([head, ...rows].map((row) => row.length)).size, 1);
    for (const cell of [head, ...rows].flat()) {
      assert.ok(NUMBER.test(cell) || !/^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell), cell);
    }
    rows.forEach(([rank, best, worst, label, id, ...cells], place) => {
      const row = table.rows[place];
      assert.deepEqual([best, worst], (row.set ?? ["", ""]).map(String));
      assert.deepEqual([rank, id], [String(row.rank ?? ""), row.id]);
      assert.equal(label.replaceAll("'", ""), visible(row.label).replaceAll("'", ""));
      assert.deepEqual(
        cells.slice(0, row.numbers.length),
        row.numbers.map((text) => text ?? ""),
      );
    });
  });
});

/** Short texts of what matters to the rule, so that most of them try it. */
const nearlyFormulas = fc
  .array(
    fc.constantFrom(
      ..."=+-@|%;,\"'` \t\ra1\u2212\ufe62\ufe63\ufe66\ufe6a\ufe6b\uff05\uff0b\uff0d\uff1d\uff20\uff5c",
    ),
    { maxLength: 6 },
  )
  .map((signs) => signs.join(""));

test("Python and scripts make the same cells, in which no formula can begin", () => {
  const drawn = [
    ...fc.sample(nearlyFormulas, 3000),
    ...fc.sample(fc.fullUnicodeString?.() ?? fc.string({ unit: "binary" }), 500),
  ];
  const theirs = python(
    "import json, sys\nfrom evaluator.exchange.ranked_board import words\nprint(json.dumps([words(text) for text in json.load(sys.stdin)]))",
    drawn,
  );
  assert.deepEqual(drawn.map(notFormula), theirs);
  for (const cell of theirs) assert.doesNotMatch(cell, /(^|;)[ "`,;|]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/u);
});

test("JSON is read back whole, and nothing in it is invisible", () => {
  fc.assert(
    fc.property(tables, (table) => {
      const text = json(table);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(table.record)));
      assert.equal(visible(text.replace(/\s+/g, "")), text.replace(/\s+/g, ""));
    }),
  );
});

const UNTEX = [
  [/\\textbackslash\{\}/g, "\u0001"],
  [/\\textasciicircum\{\}/g, "^"],
  [/\\textasciitilde\{\}/g, "~"],
  [/\\textless\{\}/g, "<"],
  [/\\textgreater\{\}/g, ">"],
  [/\\textbar\{\}/g, "|"],
  [/\\([{}$&#%_])/g, "$1"],
  [/\u0001/g, "\\"],
];

test("LaTeX is a tabular of equal rows in which names are text", () => {
  fc.assert(
    fc.property(tables, (table) => {
      const text = latex(table);
      const [comments, body] = text.split(/^\\begin\{tabular\}.*$/m);
      assert.ok(
        comments
          .trimEnd()
          .split("\n")
          .every((line) => line.startsWith("% ")),
      );
      const lines = body.split("\n").filter((line) => line.endsWith("\\\\"));
      assert.equal(lines.length, 1 + table.rows.length);
      lines.slice(1).forEach((line, at) => {
        const cells = line
          .slice(0, -3)
          .split(/(?<!\\)&/)
          .map((cell) => cell.trim());
        assert.equal(cells.length, 3 + table.columns.length);
        assert.match(cells[1], /^(--|\d+(--\d+)?)$/);
        const label = UNTEX.reduce((name, [pattern, sign]) => name.replace(pattern, sign), cells[2]);
        assert.equal(label, visible(table.rows[at].label));
      });
    }),
  );
});

/** Markdown's escapes taken back. */
function unmarked(text) {
  return text
    .replace(/\\([\\`*_{}[\]()#+!|~$:@])/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

test("Markdown is a table of equal rows in which names are text", () => {
  fc.assert(
    fc.property(tables, (table) => {
      const text = markdown(table);
      assert.ok(text.includes(WARNING));
      assert.ok(!text.replace(`<${ADDRESS}>`, "").includes("<"));
      const lines = text.split("\n").filter((line) => line.startsWith("| "));
      assert.equal(lines.length, 2 + table.rows.length);
      lines.slice(2).forEach((line, at) => {
        const cells = line.slice(2, -2).split(/ (?<!\\)\| /);
        assert.equal(cells.length, 3 + table.columns.length);
        assert.match(cells[1], /^(\d+(–\d+)?)?$/);
        assert.equal(unmarked(cells[2]), visible(table.rows[at].label));
      });
    }),
  );
});

test("rows are those shown, with plain digits, and the terms are those of the numbers", () => {
  const data = boardData({
    models: [
      { id: "bert", label: "BERT" },
      { id: "svm", label: "SVM" },
    ],
  });
  const ranking = rankingOf(data, [
    [12345.678, 1],
    [-0.004, NaN],
  ]);
  const defaults = defaultView(data);
  const ranked = { ...defaults, metrics: { perf: 1, memory: 0 } };
  const now = {
    ...defaults,
    pinned: ["svm"],
    hidden: ["memory"],
    threshold: { kind: "absolute", epsilon: 5 },
  };
  const certainty = certaintyOf(ranking, [[1, 2], null]);
  const shown = new Shown(data.models, data.metrics, certainty);
  const table = exportTable({ data, ranking, ranked, certainty, shown, view: { now } }, ADDRESS);
  assert.deepEqual(
    table.columns.map(({ label, unit }) => [label, unit]),
    [
      ["Dynascore", "F1"],
      ["perf", "F1"],
    ],
  );
  assert.deepEqual(
    table.rows.map(({ rank, set, numbers }) => [rank, set, ...numbers]),
    [
      [2, null, "8.00", "-0.00"],
      [1, [1, 2], "9.00", "12345.68"],
    ],
  );
  assert.deepEqual(Object.fromEntries(table.terms), {
    "Ranked by": "Dynascore",
    "Weights of metrics": "perf 1, memory 0",
    "Weights of datasets": "a 1",
    "Base metric": "perf",
    Threshold: "0.0001, relative",
    "Exchange rates": "mean of slopes",
    "How sure ranks are": "as the page says",
  });
  assert.equal(table.record.models[1].contributions.memory, 1);
  assert.deepEqual(table.record.models[0].values, { perf: -0.004 });
  assert.equal(table.record.models[0].contributions.memory, null);
});

test("a file's name describes what it holds, in letters that every system takes", () => {
  const data = boardData({ id: "sentiment" });
  assert.equal(
    fileName(data, { perf: 4, memory: 0.00005 }),
    "sentiment_20261121T152000Z_perf4-memory0.00005",
  );
  assert.ok(
    fileName(data, Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`m${at}`, at]))).length <= 120,
  );
});
