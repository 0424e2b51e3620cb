// The answers of some models to one dataset: how far they agree, and the examples themselves.
import { clamped, drawn, element, framed, saveAs } from "../base/elements.js";
import { isolated, number, percent } from "../base/formats.js";
import { text } from "../base/texts.js";
import { agreeing, amountOf, patternCounts, patternsOf } from "./answers.js";

/** @import { CompareHost } from "../../types" */
/** @import { Answers, ExamplesFile, ShownMetric } from "./answers.js" */

/** A way to narrow the examples down. `preferred`: shown first.
 * @typedef {{ label: string, test: (at: number) => boolean, preferred?: boolean }} Filter */

const PAGE = 100;
/** So many ids are shown at once even where their texts are not. */
const FEW = 20;
const BAR = 240;

export class Comparison {
  /** @param {CompareHost} page @param {string} dataset its id @param {string[]} models @param {ExamplesFile} examples
   * @param {Answers[]} answers of each model */
  constructor(page, dataset, models, examples, answers) {
    this.page = page;
    this.dataset = dataset;
    this.models = models;
    this.examples = examples;
    this.answers = answers;
    this.places = examples.ids.map((_, at) => at);
    /** Those that the choices leave. */
    this.chosen = this.places;
    this.patterns = patternsOf(answers);
    /** What numbers in place of answers are compared by. */
    this.metric = answers[0].shown?.metric;
    this.filters = this.makeFilters();
    this.which = this.filterChoice();
    this.gold = this.goldChoice();
    this.status = element("p", { class: "muted small", role: "status" });
    this.table = element("div");
    this.pager = element("p", { class: "pager" });
    // Without their texts ids say little: they are a press away, and to download.
    this.fold = examples.texts ? null : this.folded();
    for (const select of [this.which, this.gold]) select?.addEventListener("change", () => this.show(0));
    this.show(0);
  }

  /** What the page shows of it, from top to bottom. */
  get parts() {
    const counts = this.patterns
      ? this.patternTable(this.patterns)
      : element("p", { class: "muted" }, this.metric ? "" : text("examples.no-gold"));
    const gold = this.gold && [element("label", { for: "examples-gold" }, text("examples.gold")), this.gold];
    const show = element("label", { for: "examples-which" }, text("examples.show"));
    const controls = element("p", { class: "fields" }, show, this.which, ...(gold ?? []));
    const between = this.metric ? this.whatCounts(this.metric) : this.agreement();
    const list = this.fold ? [this.downloadLine(), this.fold] : [this.table, this.pager];
    return [counts, between, controls, this.status, ...list];
  }

  folded() {
    const summary = element("summary", {}, text("examples.listed"));
    return element("details", {}, summary, this.table, this.pager);
  }

  downloadLine() {
    const button = element("button", { type: "button", class: "button" }, text("examples.download"));
    button.addEventListener("click", () => this.download());
    return element("p", {}, button);
  }

  /** Save the examples that the choices leave, with the answers. */
  download() {
    const { ids, labels = [], gold } = this.examples;
    const label = (/** @type {number} */ at) => (gold ? [labels[gold[at]]] : []);
    const head = [text("examples.example"), ...(gold ? [text("examples.gold")] : [])];
    for (const model of this.models) {
      const name = this.page.label(model);
      head.push(text("examples.verdict-of", { name }), text("examples.answer-of", { name }));
    }
    const rows = this.chosen.map((at) => [
      ids[at],
      ...label(at),
      ...this.answers.flatMap((one) => [wordOf(one.right?.[at]), one.text(at) ?? text("examples.no-answer")]),
    ]);
    this.page.words.ask(
      "examples",
      () => ({ rows: [head, ...rows] }),
      (/** @type {string} */ csv) =>
        saveAs(
          `${this.page.data.id}_${this.dataset}.csv`,
          new Blob([csv], { type: "text/csv;charset=utf-8" }),
        ),
    );
  }

  /** Of numbers in place of answers: by which metric examples are compared, and what is right.
   * @param {ShownMetric} metric */
  whatCounts(metric) {
    const right = this.patterns && this.answers[0].shown?.right;
    const most = typeof right === "number" ? amountOf(right, metric) : "";
    const words = text(most ? "examples.counts-right" : "examples.by-value", { metric: metric.label, most });
    return element("p", { class: "muted small" }, words);
  }

  /** The heads of the columns of models. */
  names() {
    return this.models.map((model) => element("th", { scope: "col" }, clamped(this.page.label(model))));
  }

  /** Who is right how often: a row for each way in which the models are right and wrong. @param {string[]} patterns */
  patternTable(patterns) {
    const counts = patternCounts(patterns, this.models.length);
    const most = Math.max(...counts.map(([, count]) => count), 1);
    const [examples, share] = ["examples.examples", "examples.share"].map((name) =>
      element("th", { scope: "col", class: "right" }, text(name)),
    );
    const rows = counts.map(([pattern, count]) => {
      const frame = {
        class: "length-bar",
        viewBox: `0 0 ${BAR} 10`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      };
      const length = drawn("rect", { width: ((BAR * count) / most).toFixed(2), height: "10" });
      return element(
        "tr",
        {},
        ...[...pattern].map((bit) => element("td", {}, verdict(bit === "1"))),
        element("td", { class: "right num" }, number(count, 0)),
        element("td", { class: "right num" }, percent(count / patterns.length)),
        element("td", { class: "length" }, drawn("svg", frame, length)),
      );
    });
    const head = element("tr", {}, ...this.names(), examples, share, element("td"));
    return framed(text("examples.who-is-right"), "patterns", head, element("tbody", {}, ...rows));
  }

  /** On how many examples each two of them answer the same. */
  agreement() {
    const list = element("ul", { class: "agreement" });
    const examples = this.places.length;
    const pairs = this.models.flatMap((left, at) =>
      this.models.slice(at + 1).map((right, after) => {
        const same = agreeing(this.answers[at], this.answers[at + 1 + after], examples);
        return [this.page.at(left), this.page.at(right), same];
      }),
    );
    this.page.words.ask(
      "agreement",
      () => ({ pairs, examples }),
      (/** @type {string[]} */ said) => list.replaceChildren(...said.map((line) => element("li", {}, line))),
    );
    return list;
  }

  // Which examples

  /** @returns {Filter[]} */
  makeFilters() {
    const { patterns, answers } = this;
    const differ = (/** @type {number} */ at) => new Set(answers.map((one) => one.key(at))).size > 1;
    const general = [
      { label: text("examples.all"), test: () => true },
      {
        label: text(this.metric ? "examples.values-differ" : "examples.differ"),
        test: differ,
        preferred: !patterns,
      },
    ];
    if (!patterns) return general;
    const names = this.models.map((model) => isolated(this.page.short(model)));
    /** Examples on which the models are right and wrong in one way.
     * @param {string} label @param {string} pattern */
    const only = (label, pattern) => ({
      label,
      test: (/** @type {number} */ at) => patterns[at] === pattern,
    });
    const alone = (/** @type {string} */ bit, /** @type {string} */ other, /** @type {string} */ name) =>
      names.map((model, place) =>
        only(text(name, { model }), names.map((_, at) => (at === place ? bit : other)).join("")),
      );
    return [
      ...general,
      { label: text("examples.mixed"), test: (at) => /01|10/.test(patterns[at]), preferred: true },
      ...alone("1", "0", "examples.alone-right"),
      // Of two models, one alone is wrong where the other alone is right.
      ...(names.length > 2 ? alone("0", "1", "examples.alone-wrong") : []),
      only(text("examples.all-right"), "1".repeat(names.length)),
      only(text("examples.none-right"), "0".repeat(names.length)),
    ];
  }

  filterChoice() {
    const options = this.filters.map(({ label, test }, at) =>
      element("option", { value: at }, counted(label, this.places.filter(test).length)),
    );
    const select = element("select", { id: "examples-which" }, ...options);
    select.selectedIndex = Math.max(
      0,
      this.filters.findIndex(({ preferred }) => preferred),
    );
    return select;
  }

  /** A choice among the right answers; null where they are not published. */
  goldChoice() {
    const { gold, labels = [] } = this.examples;
    if (!gold) return null;
    const options = labels.map((label, place) =>
      element("option", { value: place }, counted(label, gold.filter((one) => one === place).length)),
    );
    const any = element("option", { value: "" }, text("examples.any"));
    return element("select", { id: "examples-gold" }, any, ...options);
  }

  /** Show one page of the examples that both choices leave. @param {number} from */
  show(from) {
    const { test } = this.filters[this.which.selectedIndex];
    const label = this.gold?.value ? Number(this.gold.value) : null;
    const { gold } = this.examples;
    const chosen = this.places.filter((at) => test(at) && (label === null || gold?.[at] === label));
    if (this.metric && !this.patterns) this.sortBySpread(chosen);
    this.chosen = chosen;
    if (this.fold && chosen.length <= FEW) this.fold.open = true;
    const shown = chosen.slice(from, from + PAGE);
    const range = { count: chosen.length, from: from + 1, to: from + shown.length };
    const words = this.metric && !this.patterns ? "examples.range-apart" : "examples.range";
    this.status.textContent = text(shown.length ? words : "examples.none", range);
    this.table.replaceChildren(...(shown.length ? [this.exampleTable(shown)] : []));
    const steps = [
      this.step(text("examples.previous", { size: PAGE }), from - PAGE, chosen.length),
      this.step(text("examples.next", { size: PAGE }), from + PAGE, chosen.length),
    ];
    this.pager.replaceChildren(...(chosen.length > PAGE ? steps : []));
  }

  /** Those on which the values lie furthest apart first; then in the dataset's order. @param {number[]} places */
  sortBySpread(places) {
    const spreads = new Map(
      places.map((at) => {
        const known = this.answers.map((one) => one.value(at)).filter((value) => value !== null);
        return [at, known.length > 1 ? Math.max(...known) - Math.min(...known) : -1];
      }),
    );
    places.sort((one, other) => (spreads.get(other) ?? 0) - (spreads.get(one) ?? 0) || one - other);
  }

  /** @param {number[]} shown */
  exampleTable(shown) {
    const { ids, labels = [], gold, texts } = this.examples;
    const right = gold ? element("th", { scope: "col" }, text("examples.gold")) : null;
    const first = element("th", { scope: "col" }, text("examples.example"));
    const head = element("tr", {}, first, right, ...this.names());
    const rows = shown.map((at) => {
      const start = texts ? clamped(texts[at], "clamp muted") : null;
      const answers = this.answers.map((one) => answerCell(one, at));
      const label = gold ? element("td", {}, clamped(labels[gold[at]])) : null;
      return element("tr", {}, element("th", { scope: "row" }, clamped(ids[at]), start), label, ...answers);
    });
    return framed(text("examples.examples"), "examples", head, element("tbody", {}, ...rows));
  }

  /** A button to another page of the table. It is made anew when it is pressed; at an end the other one is left to press.
   * @param {string} words @param {number} to @param {number} total */
  step(words, to, total) {
    const disabled = to < 0 || to >= total;
    const button = element("button", { type: "button", class: "button", disabled }, words);
    button.addEventListener("click", () => {
      this.show(to);
      this.status.scrollIntoView({ block: "nearest" });
      const able = [...this.pager.querySelectorAll("button")].filter((one) => !one.disabled);
      const again = able.find(({ textContent }) => textContent === words) ?? able[0];
      again?.focus({ preventScroll: true });
    });
    return button;
  }
}

/** @param {string} label @param {number} count */
function counted(label, count) {
  return `${label} (${number(count, 0)})`;
}

/** @param {Answers} answers @param {number} at */
function answerCell(answers, at) {
  const answer = answers.text(at);
  const right = answers.right?.[at] ?? null;
  const overlap = answers.overlap(at);
  const parts = [
    right === null ? null : verdict(right),
    answerPart(answer),
    overlap === null || right ? null : element("span", { class: "muted num" }, `F1 ${number(100 * overlap)}`),
  ];
  return element("td", {}, element("span", { class: "answer" }, ...parts));
}

/** @param {string | null} answer */
function answerPart(answer) {
  if (answer === null) return element("span", { class: "missing" }, text("examples.no-answer"));
  return answer ? clamped(answer) : null;
}

/** Right or wrong by shape, word and colour. @param {boolean} right */
function verdict(right) {
  const mark = element("span", { "aria-hidden": "true" }, right ? "✓" : "✗");
  return element("span", { class: `verdict-${right ? "right" : "wrong"}` }, mark, ` ${wordOf(right)}`);
}

/** @param {boolean | undefined} right */
function wordOf(right) {
  if (right === undefined) return "";
  return text(right ? "examples.right" : "examples.wrong");
}
