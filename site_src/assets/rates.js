// The exchange rates panel, what a unit is worth, and the notes under the ranking.
import { isolated, percent, significant } from "./formats.js";

export class Rates {
  constructor({ metrics, labels, base }) {
    this.metrics = metrics;
    this.labels = labels;
    this.base = metrics.find((metric) => metric.name === base);
    this.lines = new Map([...document.querySelectorAll(".rates li")].map((line) => [line.dataset.metric, line]));
  }

  show(ranking, weights) {
    const worths = new Map(this.metrics.map(({ name }) => [name, this.worth(ranking.exchange_rates[name], name, weights)]));
    for (const metric of this.metrics) this.showLine(metric, ranking.exchange_rates[metric.name], worths.get(metric.name));
    document.getElementById("worth").textContent = this.sentence(worths);
    showNotes(ranking.notes);
  }

  /** What one unit of a metric is worth in units of the base metric; null where that has no answer. */
  worth({ rate }, name, weights) {
    const base = weights[this.base.name];
    return rate && base ? weights[name] / (rate * base) : null;
  }

  showLine({ name }, rate, worth) {
    const line = this.lines.get(name);
    line.querySelector(".rate").textContent = significant(rate.rate);
    if (name === this.base.name) return;
    line.querySelector(".worth").textContent = worth === null ? "" : `each worth ${significant(worth)} ${this.base.amounts}`;
    const drives = line.querySelector(".drives");
    drives.classList.toggle("flagged", rate.note !== null);
    drives.textContent = this.drives(rate);
  }

  drives({ largest_pair: pair, largest_share: share, note }) {
    if (!pair) return note ?? "";
    return `${percent(share, 0)} from ${isolated(this.labels[pair[0]])} and ${isolated(this.labels[pair[1]])}`;
  }

  sentence(worths) {
    const costs = this.metrics.filter(({ name, cost }) => cost && worths.get(name) !== null);
    if (!costs.length) return "";
    const parts = costs.map(
      ({ name, label, one }) =>
        `${one} of ${label} is worth ${significant(worths.get(name))} ${this.base.amounts} of ${this.base.label}`,
    );
    return `At these weights ${parts.join("; ")}.`;
  }
}

function showNotes(notes) {
  const items = notes.map((note) => {
    const item = document.createElement("li");
    item.dir = "auto";
    item.textContent = note;
    return item;
  });
  document.getElementById("notes-list").replaceChildren(...items);
  document.getElementById("notes").hidden = !items.length;
}
