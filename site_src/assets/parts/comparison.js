// The answers of some models to one dataset: how far they agree, and the examples themselves.
import { clamped, drawn, element, framed } from "../base/elements.js";
import { counted, isolated, number, percent } from "../base/formats.js";
import { agreeing, patternCounts, patternsOf } from "./answers.js";

/** @import { CompareHost } from "../../types" */
/** @import { Child } from "../base/elements.js" */
/** @import { Answers, ExamplesFile } from "./answers.js" */

/** A way to narrow the examples down. `preferred`: shown first.
 * @typedef {{ label: string, test: (at: number) => boolean, preferred?: boolean }} Filter */

const PAGE = 100;
const BAR = 240;

export class Comparison {
  /**
   * @param {CompareHost} page
   * @param {string[]} models
   * @param {ExamplesFile} examples
   * @param {Answers[]} answers of each model
   */
  constructor(page, models, examples, answers) {
    this.page = page;
    this.models = models;
    this.examples = examples;
    this.answers = answers;
    this.places = examples.ids.map((_, at) => at);
    this.patterns = patternsOf(answers);
    this.filters = this.makeFilters();
    this.which = this.filterChoice();
    this.gold = this.goldChoice();
    this.status = element("p", { class: "muted small", role: "status" });
    this.table = element("div");
    this.pager = element("p", { class: "pager" });
    for (const select of [this.which, this.gold]) select?.addEventListener("change", () => this.show(0));
    this.show(0);
  }

  /** What the page shows of it, from top to bottom. */
  get parts() {
    const counts = this.patterns
      ? this.patternTable(this.patterns)
      : element(
          "p",
          { class: "muted" },
          "The right answers are not published, so it is only shown where the models agree.",
        );
    return [counts, this.agreement(), this.controls(), this.status, this.table, this.pager];
  }

  /**
   * A model's name within a sentence, where a very long one would hide the rest.
   * @param {string} model
   */
  label(model) {
    return isolated(this.page.short(model));
  }

  /** The heads of the columns of models. */
  names() {
    return this.models.map((model) => element("th", { scope: "col" }, clamped(this.page.label(model))));
  }

  // How far they agree

  /** @param {string[]} patterns */
  patternTable(patterns) {
    const counts = patternCounts(patterns, this.models.length);
    const most = Math.max(...counts.map(([, count]) => count), 1);
    const rows = counts.map(([pattern, count]) => patternRow(pattern, count, patterns.length, most));
    const [examples, share] = ["Examples", "Share"].map((text) =>
      element("th", { scope: "col", class: "right" }, text),
    );
    const head = element("tr", {}, ...this.names(), examples, share, element("td"));
    return framed("Who is right how often", "patterns", head, element("tbody", {}, ...rows));
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
      (/** @type {string[]} */ said) => list.replaceChildren(...said.map((text) => element("li", {}, text))),
    );
    return list;
  }

  // Which examples

  /** @returns {Filter[]} */
  makeFilters() {
    const differ = (/** @type {number} */ at) =>
      new Set(this.answers.map((answers) => answers.key(at))).size > 1;
    const { patterns } = this;
    return [
      { label: "All examples", test: () => true },
      { label: "Only where their answers differ", test: differ, preferred: !patterns },
      ...(patterns
        ? patternFilters(
            patterns,
            this.models.map((model) => this.label(model)),
          )
        : []),
    ];
  }

  filterChoice() {
    const options = this.filters.map(({ label, test }, at) =>
      element("option", { value: at }, `${label} (${number(this.places.filter(test).length, 0)})`),
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
    const counts = labels.map((_, place) => gold.filter((label) => label === place).length);
    const options = labels.map((label, place) =>
      element("option", { value: place }, `${label} (${number(counts[place], 0)})`),
    );
    return element("select", { id: "examples-gold" }, element("option", { value: "" }, "Any"), ...options);
  }

  controls() {
    const gold = this.gold ? [element("label", { for: "examples-gold" }, "Right answer"), this.gold] : [];
    return element(
      "p",
      { class: "fields" },
      element("label", { for: "examples-which" }, "Show"),
      this.which,
      ...gold,
    );
  }

  /** The examples that both choices leave. */
  chosen() {
    const { test } = this.filters[this.which.selectedIndex];
    const label = this.gold?.value ? Number(this.gold.value) : null;
    return this.places.filter((at) => test(at) && (label === null || this.examples.gold?.[at] === label));
  }

  /**
   * Show one page of the examples.
   * @param {number} from
   */
  show(from) {
    const chosen = this.chosen();
    const shown = chosen.slice(from, from + PAGE);
    this.status.textContent = rangeText(chosen.length, from, shown.length);
    this.table.replaceChildren(...(shown.length ? [this.exampleTable(shown)] : []));
    this.showPager(from, chosen.length);
  }

  /** @param {number[]} shown */
  exampleTable(shown) {
    const gold = this.examples.gold ? element("th", { scope: "col" }, "Right answer") : null;
    const head = element("tr", {}, element("th", { scope: "col" }, "Example"), gold, ...this.names());
    const rows = shown.map((at) => this.exampleRow(at));
    return framed("Examples", "examples", head, element("tbody", {}, ...rows));
  }

  /** @param {number} at */
  exampleRow(at) {
    const { ids, labels = [], gold, texts } = this.examples;
    const right = gold ? element("td", {}, clamped(labels[gold[at]])) : null;
    const text = texts ? clamped(texts[at], "clamp muted") : null;
    const id = element("th", { scope: "row" }, clamped(ids[at]), text);
    return element("tr", {}, id, right, ...this.answers.map((answers) => answerCell(answers, at)));
  }

  // One page of the table after the other

  /**
   * @param {number} from
   * @param {number} total
   */
  showPager(from, total) {
    const back = this.step(`Previous ${PAGE}`, from - PAGE, total);
    const on = this.step(`Next ${PAGE}`, from + PAGE, total);
    this.pager.replaceChildren(...(total > PAGE ? [back, on] : []));
  }

  /**
   * @param {string} text
   * @param {number} to
   * @param {number} total
   */
  step(text, to, total) {
    const disabled = to < 0 || to >= total;
    const button = element("button", { type: "button", class: "button", disabled }, text);
    button.addEventListener("click", () => {
      this.show(to);
      this.status.scrollIntoView({ block: "nearest" });
      this.focusPager(text);
    });
    return button;
  }

  /**
   * The button that was pressed has been made anew; at an end the other one is left to press.
   * @param {string} text
   */
  focusPager(text) {
    const able = [...this.pager.querySelectorAll("button")].filter(({ disabled }) => !disabled);
    const again = able.find(({ textContent }) => textContent === text) ?? able[0];
    again?.focus({ preventScroll: true });
  }
}

/**
 * @param {string} pattern
 * @param {number} count
 * @param {number} total
 * @param {number} most
 */
function patternRow(pattern, count, total, most) {
  const marks = [...pattern].map((bit) => element("td", {}, verdict(bit === "1")));
  const bar = drawn(
    "svg",
    { class: "length-bar", viewBox: `0 0 ${BAR} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { width: ((BAR * count) / most).toFixed(2), height: "10" }),
  );
  return element(
    "tr",
    {},
    ...marks,
    element("td", { class: "right num" }, number(count, 0)),
    element("td", { class: "right num" }, percent(count / total)),
    element("td", { class: "length" }, bar),
  );
}

/**
 * Filters by who is right.
 * @param {string[]} patterns which models are right on each example
 * @param {string[]} names of the models
 * @returns {Filter[]}
 */
function patternFilters(patterns, names) {
  const word = (/** @type {string} */ bit, /** @type {number} */ place) =>
    names.map((_, at) => (at === place ? bit : bit === "1" ? "0" : "1")).join("");
  const only = (/** @type {string} */ label, /** @type {string} */ pattern) => ({
    label: `Only where ${label}`,
    test: (/** @type {number} */ at) => patterns[at] === pattern,
  });
  const right = names.map((name, place) => only(`${name} alone is right`, word("1", place)));
  const wrong = names.map((name, place) => only(`${name} alone is wrong`, word("0", place)));
  return [
    {
      label: "Only where some are right and some are wrong",
      test: (at) => /01|10/.test(patterns[at]),
      preferred: true,
    },
    ...right,
    // Of two models, one alone is wrong where the other alone is right.
    ...(names.length > 2 ? wrong : []),
    only("all are right", "1".repeat(names.length)),
    only("none is right", "0".repeat(names.length)),
  ];
}

/**
 * Which of the chosen examples are shown.
 * @param {number} total
 * @param {number} from
 * @param {number} count
 */
function rangeText(total, from, count) {
  if (!total) return "No example is like that.";
  const range = `${number(from + 1, 0)} to ${number(from + count, 0)}`;
  return `${counted(total, "example")}, ${range} below, in the dataset's own order.`;
}

/**
 * @param {Answers} answers
 * @param {number} at
 */
function answerCell(answers, at) {
  const text = answers.text(at);
  const right = answers.right?.[at] ?? null;
  const overlap = answers.overlap(at);
  /** @type {Child[]} */
  const parts = [
    right === null ? null : verdict(right),
    text === null ? element("span", { class: "missing" }, "no valid answer") : clamped(text),
    overlap === null || right ? null : element("span", { class: "muted num" }, `F1 ${number(100 * overlap)}`),
  ];
  return element("td", {}, element("span", { class: "answer" }, ...parts));
}

/**
 * Right or wrong by shape, word and colour.
 * @param {boolean} right
 */
function verdict(right) {
  const [mark, word] = right ? ["✓", "right"] : ["✗", "wrong"];
  return element(
    "span",
    { class: `verdict-${word}` },
    element("span", { "aria-hidden": "true" }, mark),
    ` ${word}`,
  );
}
