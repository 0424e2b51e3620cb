// Citations and explanations of scores are the same whether Python or a script wrote them.
import assert from "node:assert/strict";
import test from "node:test";
import { FORMATS, citation } from "../../site_src/assets/parts/cite.js";
import { termOf } from "../../site_src/assets/parts/why.js";
import { fc, hostileName } from "./properties.mjs";
import { python } from "./python.mjs";

const CITE = `
import json, sys
from site_src.generator.views import formats
from site_src.generator.views.citation import Citation, plain

def weighed(named):
    return tuple((plain(name), formats.weight(value)) for name, value in named if value > 0)

def texts(case):
    citation = Citation(
        id="20261121T152000Z-Abc", sha256="0123456789abcdef" * 4, created=case["created"], board=plain(case["board"]),
        publisher=plain(case["publisher"]), url=case["url"], models=case["models"],
        metrics=weighed(case["metrics"]), datasets=weighed(case["datasets"]),
    )
    island = citation.island()
    return island, {
        "sentence": f"{citation.sentence} {citation.url}", "apa": citation.apa, "bibtex": citation.bibtex(),
        "ris": citation.ris().replace("\\r\\n", "\\n"), "cff": citation.cff(),
    }

json.dump([texts(case) for case in json.load(sys.stdin)], sys.stdout)
`;

const weights = fc.array(
  fc.tuple(hostileName, fc.oneof(fc.constant(0), fc.double({ noNaN: true, min: 0, max: 1000 }))),
  { minLength: 1, maxLength: 4 },
);
const cited = fc.record({
  created: fc
    .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().replace(/\.\d+/, "")),
  board: fc.oneof(hostileName, fc.string({ unit: "binary", minLength: 290, maxLength: 320 })),
  publisher: hostileName,
  url: fc.constantFrom("https://example.org/b/", "http://localhost/b/#v1;b=x", "snapshots/x/"),
  models: fc.constantFrom(0, 1, 2, 9999, 12345),
  metrics: weights,
  datasets: weights,
});

/** The page's data and view for labels with weights. */
function viewOf({ metrics, datasets }) {
  const numbered = (named) => Object.fromEntries(named.map(([, value], at) => [`n${at}`, value]));
  return [
    {
      metrics: metrics.map(([label], at) => ({ name: `n${at}`, label })),
      datasets: Object.fromEntries(datasets.map(([label], at) => [`n${at}`, label])),
    },
    { metrics: numbered(metrics), datasets: numbered(datasets), by: "dynascore" },
  ];
}

test("a view is cited by the page in Python's words", () => {
  const cases = fc.sample(cited, 800);
  const answers = python(CITE, cases);
  cases.forEach((given, at) => {
    const [about, expected] = answers[at];
    const reference = citation(about, ...viewOf(given), given.url);
    for (const [format, write] of Object.entries(FORMATS)) {
      assert.equal(write(reference), expected[format], format);
    }
  });
});

test("a ranking by z-scores is cited as one", () => {
  const about = {
    id: "x",
    sha256: "0".repeat(64),
    created: "2026-11-21T15:20:00Z",
    board: "B",
    publisher: "P",
    models: 1,
  };
  const [data, ranked] = viewOf({ metrics: [["a", 1]], datasets: [["d", 1]] });
  const { sentence } = citation(about, data, { ...ranked, by: "z_score" }, "https://example.org/");
  assert.match(sentence, /^Mean z-scores of 1 model on d at metric weights a \(1\): B, snapshot x/);
});

test("a citation names what scores depend on besides weights, where that is not the cited page's own", () => {
  const about = {
    id: "x",
    sha256: "0",
    created: "2026-11-21T15:20:00Z",
    board: "B",
    publisher: "P",
    models: 1,
  };
  const [data, ranked] = viewOf({ metrics: [["a", 1]], datasets: [["d", 1]] });
  const first = { base: "n1", threshold: { kind: "relative", epsilon: 0.0001 }, rate: "mean" };
  const own = citation(about, data, { ...ranked, ...first }, "https://example.org/", first);
  assert.match(own.sentence, /metric weights a \(1\): B, /);
  const other = { base: "n0", threshold: { kind: "absolute", epsilon: 0.5 }, rate: "ratio" };
  const { sentence } = citation(about, data, { ...ranked, ...other }, "https://example.org/", first);
  assert.match(
    sentence,
    /\(1\), base metric a, threshold 0.5 \(absolute\), exchange rates by ratio of sums: B, /,
  );
});

const WHY = `
import json, sys
from site_src.generator.views.why import Term

def term(case):
    part = Term(column=None, **case)
    return [part.good, part.converted]

json.dump([term(case) for case in json.load(sys.stdin)], sys.stdout)
`;

/** JSON knows one zero only. */
const unsigned = (number) => (number === 0 ? 0 : number);

const amount = fc.double({ noNaN: true, min: -1e9, max: 1e9 });
const maybe = (arbitrary) => fc.option(arbitrary, { nil: null });
const part = fc.record({
  value: maybe(amount),
  cap: maybe(fc.oneof(fc.constant(0), amount)),
  rate: maybe(fc.oneof(fc.constant(0), fc.double({ noNaN: true, min: 1e-6, max: 1e9 }))),
  share: fc.oneof(fc.constant(0), fc.double({ noNaN: true, min: 1e-6, max: 1 })),
  contribution: fc.oneof(fc.constant(0), amount),
});

test("a metric's part of a score is worked out by the page as by Python", () => {
  // Python leaves out the contribution of a metric without weight.
  const cases = fc
    .sample(part, 2000)
    .map((one) => ({ ...one, contribution: one.share ? one.contribution : null }));
  const answers = python(WHY, cases);
  cases.forEach(({ value, cap, rate, share, contribution }, at) => {
    const metric = { name: "m", cost: cap !== null, cap };
    const ranking = {
      values: [[value ?? NaN]],
      contributions: [[contribution ?? 0]],
      rates: { m: { rate } },
    };
    const term = termOf(metric, ranking, 0, 0, share);
    assert.deepEqual([term.good, term.converted].map(unsigned), answers[at].map(unsigned));
    assert.equal(term.contribution, contribution);
  });
});

test("a cost without a cap is taken from the largest value on the board", () => {
  const ranking = { values: [[3, NaN, 7]], contributions: [[1, NaN, 0]], rates: { m: { rate: 2 } } };
  const { cap, good, converted } = termOf({ name: "m", cost: true, cap: null }, ranking, 0, 0, 0.5);
  assert.deepEqual([cap, good, converted], [7, 4, 2]);
});
