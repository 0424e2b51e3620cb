// Base metric, threshold, what is ranked by, and what the bars show.
import { weight } from "../base/formats.js";
import { isWeight, LARGEST } from "../view/fragment.js";
import { fillWithModels } from "../base/models.js";

const FIELDS = ["base", "threshold", "by", "bars"];

export class Terms {
  constructor(page) {
    this.page = page;
    this.view = page.view;
    const ids = [
      "base",
      "threshold",
      "threshold-kind",
      "threshold-problem",
      "threshold-hint",
      "by",
      "bars",
      "bars-model",
    ];
    [this.base, this.number, this.kind, this.problem, this.hint, this.by, this.bars, this.model] = ids.map(
      (id) => document.getElementById(id),
    );
    this.rule = document.getElementById("pair-rule");
    fillWithModels(this.model, page.data.models);
    this.listen();
    this.showAll(this.view.now);
  }

  listen() {
    this.base.addEventListener("change", () => this.view.set({ base: this.base.value }));
    this.by.addEventListener("change", () => this.view.set({ by: this.by.value }));
    this.number.addEventListener("input", () => this.move());
    this.number.addEventListener("change", () => this.settle());
    this.kind.addEventListener("change", () => this.turn());
    this.bars.addEventListener("change", () => this.choose());
    this.model.addEventListener("change", () => this.choose());
  }

  move() {
    const valid = this.number.value.trim() !== "" && isWeight(Number(this.number.value));
    this.say(valid ? "" : `A threshold is a number from 0 to ${weight(LARGEST)}. The last one still counts.`);
    if (!valid) return;
    this.typing = true;
    this.view.change({ threshold: { kind: this.kind.value, epsilon: Number(this.number.value) } });
    this.typing = false;
  }

  settle() {
    this.say("");
    this.view.settle();
    this.showAll(this.view.now);
  }

  turn() {
    this.view.set({ threshold: { ...this.view.now.threshold, kind: this.kind.value } });
  }

  choose() {
    const kind = this.bars.value;
    this.view.set({ bars: kind === "model" ? { kind, model: this.model.value } : { kind } });
  }

  say(text) {
    this.number.setAttribute("aria-invalid", String(text !== ""));
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  show(ranking, view, changed) {
    if (FIELDS.some((field) => changed.has(field))) this.showAll(view);
  }

  showAll({ base, threshold, by, bars }) {
    this.base.value = base;
    if (!this.typing) this.number.value = weight(threshold.epsilon);
    this.kind.value = threshold.kind;
    this.by.value = by;
    this.bars.value = bars.kind;
    this.model.hidden = bars.kind !== "model";
    if (bars.model) this.model.value = bars.model;
    this.explain(base, threshold);
  }

  /** What the threshold means, here and among the terms under the ranking. */
  explain(name, { kind, epsilon }) {
    const { label, unit } = this.page.data.metrics.find((metric) => metric.name === name);
    const size =
      kind === "relative" ? `${weight(epsilon)} times the largest value` : `${weight(epsilon)} ${unit}`;
    this.rule.textContent = `${label} differs by more than ${size.trim()}`;
    this.hint.textContent = `Two models count for the exchange rates when their ${this.rule.textContent}.`;
  }
}
