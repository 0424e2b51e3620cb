// The exchange rates panel, what a unit is worth, and the notes under the ranking.
import { AfterPaint } from "../base/afterpaint.js";
import { isolated, percent, significant } from "../base/formats.js";

export class Rates {
  constructor(page) {
    this.page = page;
    this.metrics = page.data.metrics;
    this.labels = new Map(page.data.models.map(({ id, label }) => [id, label]));
    this.later = new AfterPaint(() => this.showRates());
    this.lines = new Map(
      [...document.querySelectorAll(".rates li")].map((line) => [line.dataset.metric, line]),
    );
  }

  show(ranking, view, changed) {
    if (changed.has("ranking")) this.later.ask();
  }

  showRates() {
    const { rates, notes } = this.page.ranking;
    const { metrics: weights, base: name } = this.page.ranked;
    const base = this.metrics.find((metric) => metric.name === name);
    const worths = new Map(
      this.metrics.map((metric) => [metric.name, worth(metric.name, base.name, rates, weights)]),
    );
    say("base-one", base.one);
    say("base-label", base.label);
    for (const metric of this.metrics) {
      this.showLine(metric, rates[metric.name], worths.get(metric.name), base);
    }
    say("worth", sentence(this.metrics, worths, base));
    showNotes(notes);
  }

  showLine(metric, rate, worth, base) {
    const line = this.lines.get(metric.name);
    const own = metric === base;
    const part = (name) => line.querySelector(`.${name}`);
    write(part("rate"), significant(rate.rate));
    write(part("rate-unit"), own ? "base" : metric.amounts);
    write(part("worth"), own || worth === null ? "" : `each worth ${significant(worth)} ${base.amounts}`);
    write(part("drives"), this.drives(rate));
    part("drives").classList.toggle("flagged", rate.note !== null);
  }

  drives({ largest_pair: pair, largest_share: share, note }) {
    if (!pair) return note ?? "";
    return `${percent(share, 0)} from ${isolated(this.labels.get(pair[0]))} and ${isolated(this.labels.get(pair[1]))}`;
  }
}

/** What one unit of a metric is worth in units of the base metric; null where that has no answer. */
function worth(name, base, rates, weights) {
  const { rate } = rates[name];
  return rate && weights[base] ? weights[name] / (rate * weights[base]) : null;
}

function sentence(metrics, worths, base) {
  const costs = metrics.filter(({ name, cost }) => cost && name !== base.name && worths.get(name));
  const parts = costs.map(
    ({ name, label, one }) =>
      `${one} of ${label} is worth ${significant(worths.get(name))} ${base.amounts} of ${base.label}`,
  );
  return parts.length ? `At these weights ${parts.join("; ")}.` : "";
}

function showNotes(notes) {
  const list = document.getElementById("notes-list");
  const present = [...list.children].map((item) => item.textContent);
  if (present.length === notes.length && notes.every((note, index) => note === present[index])) return;
  list.replaceChildren(...notes.map(noted));
  document.getElementById("notes").hidden = !notes.length;
}

function noted(note) {
  const item = document.createElement("li");
  item.dir = "auto";
  item.textContent = note;
  return item;
}

function say(id, text) {
  write(document.getElementById(id), text);
}

/** Text that stays the same is not written, so that nothing is laid out again for it. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
