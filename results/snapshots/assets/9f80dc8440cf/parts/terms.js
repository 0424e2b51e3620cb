// Base metric, threshold, how rates are estimated, what is ranked by, and what the bars show.
import { byId, findOptional, selected } from "../base/elements.js";
import { weight } from "../base/formats.js";
import { fillWithModels } from "../base/models.js";
import { text } from "../base/texts.js";
import { BARS, ESTIMATORS, isWeight, LARGEST, RANKED_BY, THRESHOLDS } from "../view/fragment.js";
import { rankBy, takeBase } from "./trades.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

const FIELDS = ["ranking", "ready", "metrics", "base", "threshold", "rate", "by", "bars"];

/** @implements {Part} */
export class Terms {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.view = page.view;
    this.base = byId("base", HTMLSelectElement);
    this.number = byId("threshold", HTMLInputElement);
    this.kind = byId("threshold-kind", HTMLSelectElement);
    this.problem = byId("threshold-problem");
    this.hint = byId("threshold-hint");
    this.rule = byId("pair-rule");
    this.rate = byId("rate", HTMLSelectElement);
    this.rates = byId("terms-of-rates");
    this.by = byId("by", HTMLSelectElement);
    this.bars = byId("bars", HTMLSelectElement);
    this.model = byId("bars-model", HTMLSelectElement);
    this.typing = false;
    fillWithModels(this.model, page.data.models);
    this.listen();
    this.showAll(this.view.now);
  }

  listen() {
    this.base.addEventListener("change", () => takeBase(this.page, this.base.value));
    this.rate.addEventListener("change", () => this.view.set({ rate: selected(this.rate, ESTIMATORS) }));
    this.by.addEventListener("change", () => rankBy(this.page, selected(this.by, RANKED_BY)));
    this.number.addEventListener("input", () => this.move());
    this.number.addEventListener("change", () => this.settle());
    this.kind.addEventListener("change", () => this.turn());
    this.bars.addEventListener("change", () => this.choose());
    this.model.addEventListener("change", () => this.choose());
  }

  move() {
    const valid = this.number.value.trim() !== "" && isWeight(Number(this.number.value));
    this.showProblem(valid ? "" : text("weights.no-threshold", { largest: weight(LARGEST) }));
    if (!valid) return;
    this.typing = true;
    this.view.change({ threshold: { kind: this.kindChosen, epsilon: Number(this.number.value) } });
    this.typing = false;
  }

  settle() {
    this.showProblem("");
    this.view.settle();
    this.showAll(this.view.now);
  }

  turn() {
    this.view.set({ threshold: { ...this.view.now.threshold, kind: this.kindChosen } });
  }

  get kindChosen() {
    return selected(this.kind, THRESHOLDS);
  }

  choose() {
    const kind = selected(this.bars, [...BARS, "model"]);
    this.view.set({ bars: kind === "model" ? { kind, model: this.model.value } : { kind } });
  }

  /** @param {string} words */
  showProblem(words) {
    this.number.setAttribute("aria-invalid", String(words !== ""));
    this.problem.textContent = words;
    this.problem.hidden = !words;
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (FIELDS.some((field) => changed.has(field))) this.showAll(view);
  }

  /** @param {BoardView} view */
  showAll({ metrics, base, threshold, rate, by, bars }) {
    this.base.value = base;
    if (!this.typing) this.number.value = weight(threshold.epsilon);
    this.kind.value = threshold.kind;
    this.rate.value = rate;
    this.by.value = by;
    this.rates.hidden = by === "trades";
    const weighed = this.page.data.metrics.filter(({ name }) => metrics[name] > 0);
    const mean = findOptional(this.by, "option[value=mean]", HTMLOptionElement);
    // Of several units there is no mean; where it is chosen already, Python says so.
    if (mean) mean.disabled = by !== "mean" && new Set(weighed.map(({ unit }) => unit)).size > 1;
    this.bars.value = bars.kind;
    this.model.hidden = bars.kind !== "model";
    if (bars.kind === "model") this.model.value = bars.model;
    // The rule says the base metric and the threshold.
    this.page.words.ask(
      "pair_rule",
      () => ({ threshold: this.page.ranked.threshold }),
      (/** @type {string} */ said) => {
        this.rule.textContent = said;
        this.hint.textContent = text("weights.counted", { rule: said });
      },
    );
  }
}
