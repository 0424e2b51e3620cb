// How one model's score comes about. The contributions are the ranking's; nothing is scored here.
import { AfterPaint } from "../base/afterpaint.js";
import { element } from "../base/elements.js";
import { isolated, number, percent, significant } from "../base/formats.js";
import { fillWithModels, shortened } from "../base/models.js";
import { share } from "../view/shares.js";

/** The model whose score is explained: the one chosen, else the leader; by index, null without any. */
export function explained(page) {
  const chosen = page.data.models.findIndex(({ id }) => id === page.view.now.why);
  if (chosen >= 0) return chosen;
  return page.ranking.ranked ? page.ranking.order[0] : null;
}

export class Why {
  constructor(page) {
    this.page = page;
    this.section = document.getElementById("why");
    this.select = document.getElementById("why-model");
    if (!this.select) return;
    this.formula = document.getElementById("why-formula");
    this.rows = new Map(
      [...this.section.querySelectorAll("tbody [data-metric]")].map((row) => [row.dataset.metric, row]),
    );
    this.later = new AfterPaint(() => this.showScore());
    fillWithModels(this.select, page.data.models);
    this.select.addEventListener("change", () => page.view.set({ why: this.select.value }));
    document.querySelector(".ranks").addEventListener("click", (event) => this.pick(event));
  }

  /** A click on a score explains it. */
  pick({ target }) {
    const model = target.closest(".score > .num") && target.closest("[data-model]")?.dataset.model;
    if (!model) return;
    this.page.view.set({ why: model });
    this.section.scrollIntoView({ block: "nearest" });
    this.select.focus({ preventScroll: true });
  }

  show(ranking, view, changed) {
    if (this.select && (changed.has("ranking") || changed.has("why"))) this.later.ask();
  }

  showScore() {
    const { data, ranking, ranked, view } = this.page;
    this.select.value = view.now.why;
    document.getElementById("why-base").textContent = this.base.label;
    const index = explained(this.page);
    if (index === null) return;
    const terms = data.metrics.map((metric, at) =>
      term(metric, ranking, at, index, share(ranked.metrics, metric.name)),
    );
    for (const part of terms) this.showRow(part);
    document.getElementById("why-score").textContent = number(known(ranking.scores[index]));
    this.formula.replaceChildren(...this.sentence(data.models[index].label, ranking, index, terms));
  }

  get base() {
    return this.page.data.metrics.find(({ name }) => name === this.page.ranked.base);
  }

  showRow(part) {
    const row = this.rows.get(part.metric.name);
    row.classList.toggle("idle", part.share === 0);
    const [, value, ...cells] = row.cells;
    value.replaceChildren(...valueParts(part));
    const texts = [
      part.rate === null ? "undefined" : significant(part.rate),
      number(part.converted),
      percent(part.share),
      number(part.share ? part.contribution : 0),
    ];
    texts.forEach((text, index) => (cells[index].textContent = text));
  }

  /** The formula in numbers; or why there is none. */
  sentence(label, ranking, index, terms) {
    const name = element("strong", { dir: "auto" }, shortened(label));
    const score = known(ranking.scores[index]);
    if (score === null) return [name, ` is not ranked: ${lacking(terms)}.`];
    const sum = terms.filter(weighs).flatMap((part, at) => [at ? " + " : "", product(part)]);
    const unit = element("span", { class: "muted" }, this.base.unit);
    return ["Dynascore of ", name, " = ", ...sum, " = ", element("strong", {}, number(score)), " ", unit];
  }
}

/** One metric's part of a score: see generator/views/why.py. */
function term(metric, ranking, at, index, share) {
  const value = known(ranking.values[at][index]);
  const contribution = known(ranking.contributions[at][index]);
  const { rate } = ranking.rates[metric.name];
  const cap = metric.cost ? (metric.cap ?? largest(ranking.values[at])) : null;
  const good = value === null || cap === null ? value : cap - value;
  const converted = good === null ? contribution / share || null : rate ? good / rate : 0;
  return { metric, value, cap, good, rate, share, converted, contribution };
}

function weighs({ share, converted }) {
  return share > 0 && converted !== null;
}

function product({ metric, share, converted }) {
  return element("span", { class: `why-term m${metric.colour}` }, `${percent(share)} × ${number(converted)}`);
}

function largest(values) {
  return values.reduce((most, value) => (value > most ? value : most), -Infinity);
}

function valueParts({ metric: { decimals }, value, cap, good, contribution }) {
  if (value === null) return [contribution ? "missing, the worst counts" : "missing"];
  if (cap === null) return [number(good, decimals)];
  const taken = `${number(cap, decimals)} − ${number(value, decimals)} =`;
  return [element("span", { class: "muted" }, taken), " ", number(good, decimals)];
}

function lacking(terms) {
  const names = terms
    .filter((part) => part.share > 0 && part.value === null)
    .map((part) => isolated(part.metric.label));
  return names.length ? `it has no value for ${names.join(", ")}` : "nothing has weight";
}

function known(value) {
  return value === null || Number.isNaN(value) ? null : value;
}
