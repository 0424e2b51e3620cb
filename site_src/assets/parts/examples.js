// The single examples on which the chosen models differ, from files fetched for these models only.
import { Answers, agreeing, patternCounts, patternsOf } from "./answers.js";
import { drawn, element, framed } from "../base/elements.js";
import { isolated, number, percent } from "../base/formats.js";
import { same } from "../view/fragment.js";

const PAGE = 100;
const BAR = 240;

/** A JSON file of the site. Throws an Error with a message for people. */
export async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}

export class Examples {
  constructor(page) {
    this.page = page;
    this.files = new Map();
    this.place = element("section", { "aria-labelledby": "examples-title" });
    this.body = element("div");
    this.dataset = null;
  }

  /** Offer the datasets on which at least two of the models have predictions, and show the first. */
  showDetails(details) {
    this.details = details;
    this.models = this.page.chosen;
    const own = this.page.own.datasets.filter(
      (dataset) => dataset.examples && this.having(dataset).length > 1,
    );
    this.place.replaceChildren(element("h2", { id: "examples-title" }, "Example by example"));
    if (!own.length) return this.place.append(element("p", { class: "muted" }, this.nothing()));
    this.dataset = own.find(({ id }) => id === this.dataset?.id) ?? own[0];
    if (own.length > 1) this.place.append(this.choice(own));
    this.place.append(this.body);
    return this.load();
  }

  having(dataset) {
    return this.models.filter((_, place) => this.details[place].predictions[dataset.id]);
  }

  nothing() {
    const without = this.models.filter((_, place) => !Object.keys(this.details[place].predictions).length);
    const names = without.map((model) => isolated(this.page.short(model))).join(", ");
    const reason = without.length
      ? ` The answers of ${names} to single examples are not known here, only scores.`
      : "";
    return `No two of these models have published answers to the same dataset.${reason}`;
  }

  choice(datasets) {
    const options = datasets.map(({ id, label }) =>
      element("option", { value: id, selected: id === this.dataset.id }, label),
    );
    const select = element("select", { id: "examples-dataset" }, ...options);
    select.addEventListener("change", () => {
      this.dataset = datasets.find(({ id }) => id === select.value);
      this.load();
    });
    return element(
      "p",
      { class: "fields" },
      element("label", { for: "examples-dataset" }, "Dataset"),
      select,
    );
  }

  async load() {
    const { dataset, models } = this;
    this.body.replaceChildren(element("p", { class: "muted", role: "status" }, "Fetching the answers…"));
    try {
      const chosen = this.having(dataset);
      const names = chosen.map((model) => this.details[models.indexOf(model)].predictions[dataset.id]);
      const [examples, ...documents] = await Promise.all(
        [dataset.examples, ...names].map((name) => this.fetch(name)),
      );
      if (dataset !== this.dataset || !same(models, this.page.chosen)) return;
      const answers = documents.map((document) => new Answers(document, examples, dataset.ids));
      this.body.replaceChildren(
        ...this.left(chosen),
        ...new Comparison(this.page, chosen, examples, answers).parts,
      );
    } catch (error) {
      if (dataset !== this.dataset || !same(models, this.page.chosen)) return;
      this.body.replaceChildren(
        element(
          "p",
          { class: "problem", role: "alert" },
          `The answers could not be shown: ${error.message}.`,
        ),
        this.again(),
      );
    }
  }

  fetch(name) {
    if (!this.files.has(name)) {
      const file = fetched(this.page.addresses.predictions + name);
      file.catch(() => this.files.delete(name));
      this.files.set(name, file);
    }
    return this.files.get(name);
  }

  again() {
    const button = element("button", { type: "button", class: "button" }, "Try again");
    button.addEventListener("click", () => this.load());
    return button;
  }

  /** A note on models whose answers are not known. */
  left(chosen) {
    const names = this.models
      .filter((model) => !chosen.includes(model))
      .map((model) => isolated(this.page.short(model)));
    return names.length
      ? [
          element(
            "p",
            { class: "muted small" },
            `Left out, since their answers here are not known: ${names.join(", ")}.`,
          ),
        ]
      : [];
  }
}

/** Some models on one dataset: how far they agree, and the examples themselves. */
class Comparison {
  constructor(page, models, examples, answers) {
    this.page = page;
    this.models = models;
    this.examples = examples;
    this.answers = answers;
    this.patterns = answers.every(({ right }) => right) ? patternsOf(answers) : null;
    this.from = 0;
    this.filters = this.makeFilters();
    this.which = element(
      "select",
      { id: "examples-which" },
      ...this.filters.map(({ label, count }, at) =>
        element("option", { value: at }, `${label} (${number(count, 0)})`),
      ),
    );
    this.gold = this.goldChoice();
    this.said = element("p", { class: "muted small", role: "status" });
    this.table = element("div");
    this.pager = element("p", { class: "pager" });
    for (const select of [this.which, this.gold]) select?.addEventListener("change", () => this.show(0));
    this.which.value = String(
      Math.max(
        0,
        this.filters.findIndex(({ preferred }) => preferred),
      ),
    );
    this.show(0);
  }

  get parts() {
    const counts = this.patterns
      ? [this.patternTable()]
      : [
          element(
            "p",
            { class: "muted" },
            "The right answers are not published, so it is only shown where the models agree.",
          ),
        ];
    return [...counts, this.agreement(), this.controls(), this.said, this.table, this.pager];
  }

  /** A model's name within a sentence, where a very long one would hide the rest. */
  label(model) {
    return isolated(this.page.short(model));
  }

  // How far they agree

  patternTable() {
    const counts = patternCounts(this.patterns, this.models.length);
    const most = Math.max(...counts.map(([, count]) => count), 1);
    const rows = counts.map(([pattern, count]) => this.patternRow(pattern, count, most));
    const names = this.models.map((model) =>
      element(
        "th",
        { scope: "col" },
        element("span", { class: "clamp", dir: "auto" }, this.page.label(model)),
      ),
    );
    const head = element(
      "tr",
      {},
      ...names,
      element("th", { scope: "col", class: "right" }, "Examples"),
      element("th", { scope: "col", class: "right" }, "Share"),
      element("td"),
    );
    return framed("Who is right how often", "patterns", head, element("tbody", {}, ...rows));
  }

  patternRow(pattern, count, most) {
    const total = this.patterns.length;
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

  /** On how many examples each two of them answer the same. */
  agreement() {
    const total = this.examples.ids.length;
    const pairs = this.models.flatMap((_, left) =>
      this.models.slice(left + 1).map((__, right) => [left, left + 1 + right]),
    );
    const lines = pairs.map(([left, right]) => {
      const count = agreeing(this.answers[left], this.answers[right], total);
      return element(
        "li",
        {},
        `The same answer on ${number(count, 0)} of ${number(total, 0)} examples (${percent(count / total)}): ${this.label(this.models[left])} and ${this.label(this.models[right])}.`,
      );
    });
    return element("ul", { class: "agreement" }, ...lines);
  }

  // Which examples

  /** Ways to narrow the table down: {label, test(at), count, preferred}. */
  makeFilters() {
    const differ = (at) => new Set(this.answers.map((answers) => answers.key(at))).size > 1;
    const filters = [
      { label: "All examples", test: () => true },
      { label: "Only where their answers differ", test: differ, preferred: !this.patterns },
    ];
    if (this.patterns) filters.push(...this.patternFilters());
    const all = this.examples.ids.map((_, at) => at);
    return filters.map((filter) => ({ ...filter, count: all.filter(filter.test).length }));
  }

  patternFilters() {
    const size = this.models.length;
    const word = (bit, place) =>
      Array.from({ length: size }, (_, at) => (at === place ? bit : 1 - bit)).join("");
    const only = this.models.map((model, place) => ({
      label: `Only where ${this.label(model)} alone is right`,
      test: (at) => this.patterns[at] === word(1, place),
    }));
    const wrong = this.models.map((model, place) => ({
      label: `Only where ${this.label(model)} alone is wrong`,
      test: (at) => this.patterns[at] === word(0, place),
    }));
    const mixed = {
      label: "Only where some are right and some are wrong",
      test: (at) => /01|10/.test(this.patterns[at]),
      preferred: true,
    };
    const ends = [
      ["1", "all are right"],
      ["0", "none is right"],
    ].map(([bit, text]) => ({
      label: `Only where ${text}`,
      test: (at) => this.patterns[at] === bit.repeat(size),
    }));
    // Of two models, one alone is wrong where the other alone is right.
    return [mixed, ...only, ...(size > 2 ? wrong : []), ...ends];
  }

  goldChoice() {
    const { gold, labels } = this.examples;
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

  show(from) {
    const { test } = this.filters[Number(this.which.value)];
    const label = this.gold?.value ? Number(this.gold.value) : null;
    const fits = (at) => test(at) && (label === null || this.examples.gold[at] === label);
    const found = this.examples.ids.map((_, at) => at).filter(fits);
    const shown = found.slice(from, from + PAGE);
    this.said.textContent = found.length
      ? `${number(found.length, 0)} example${found.length === 1 ? "" : "s"}, ${number(from + 1, 0)} to ${number(from + shown.length, 0)} below, in the dataset's own order.`
      : "No example is like that.";
    this.table.replaceChildren(...(shown.length ? [this.exampleTable(shown)] : []));
    this.turnPages(from, found.length);
  }

  exampleTable(shown) {
    const names = this.models.map((model) =>
      element(
        "th",
        { scope: "col" },
        element("span", { class: "clamp", dir: "auto" }, this.page.label(model)),
      ),
    );
    const gold = this.examples.gold ? element("th", { scope: "col" }, "Right answer") : null;
    const head = element("tr", {}, element("th", { scope: "col" }, "Example"), gold, ...names);
    return framed(
      "Examples",
      "examples",
      head,
      element("tbody", {}, ...shown.map((at) => this.exampleRow(at))),
    );
  }

  exampleRow(at) {
    const { ids, labels, gold, texts } = this.examples;
    const right = gold
      ? element("td", {}, element("span", { class: "clamp", dir: "auto" }, labels[gold[at]]))
      : null;
    const text = texts ? element("span", { class: "clamp muted", dir: "auto" }, texts[at]) : null;
    const id = element(
      "th",
      { scope: "row" },
      element("span", { class: "clamp", dir: "auto" }, ids[at]),
      text,
    );
    return element("tr", {}, id, right, ...this.answers.map((answers) => this.answerCell(answers, at)));
  }

  answerCell(answers, at) {
    const said = answers.said(at);
    const text =
      said === null
        ? element("span", { class: "missing" }, "no valid answer")
        : element("span", { class: "clamp", dir: "auto" }, said);
    const overlap = answers.overlap(at);
    const close =
      overlap !== null && !answers.right[at]
        ? element("span", { class: "muted num" }, `F1 ${number(100 * overlap)}`)
        : null;
    return element(
      "td",
      {},
      element("span", { class: "answer" }, answers.right ? verdict(answers.right[at]) : null, text, close),
    );
  }

  // One page of the table after the other

  turnPages(from, total) {
    const step = (text, to) => {
      const button = element(
        "button",
        { type: "button", class: "button", disabled: to < 0 || to >= total },
        text,
      );
      button.addEventListener("click", () => {
        this.show(to);
        this.said.scrollIntoView({ block: "nearest" });
        const [back, on] = this.pager.querySelectorAll("button");
        const again = to > from ? on : back;
        (again.disabled ? (to > from ? back : on) : again).focus({ preventScroll: true });
      });
      return button;
    };
    const needed = total > PAGE;
    this.pager.replaceChildren(
      ...(needed ? [step(`Previous ${PAGE}`, from - PAGE), step(`Next ${PAGE}`, from + PAGE)] : []),
    );
  }
}

/** Right or wrong by shape, word and colour. */
function verdict(right) {
  const [mark, word] = right ? ["✓", "right"] : ["✗", "wrong"];
  return element(
    "span",
    { class: `verdict-${word}` },
    element("span", { "aria-hidden": "true" }, mark),
    ` ${word}`,
  );
}
