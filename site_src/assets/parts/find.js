// Finding models: a search, filters with the values that this board's models have, and columns.
import { prepareDrop } from "./drop.js";
import { element } from "../base/elements.js";
import { COMPARED, same } from "../view/fragment.js";
import { isolated } from "../base/formats.js";
import { SIZES, facts, narrowed } from "../view/shown.js";

const KINDS = { tag: "Tag", size: "Size", licence: "Licence", provenance: "Provenance" };
const UNSTATED = "not stated";
const FIELDS = ["search", "filters", "hidden", "pinned"];

export class Find {
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.search = document.getElementById("search");
    this.status = document.getElementById("found");
    this.chips = document.getElementById("chips");
    this.bar = new CompareBar(page);
    this.search.addEventListener("input", () => page.view.change({ search: this.search.value }));
    this.search.addEventListener("change", () => page.view.settle());
    document.getElementById("show-all").addEventListener("click", () => this.clear());
    this.fillFilters(document.getElementById("filter-choices"));
    this.fillColumns(document.getElementById("column-choices"));
    for (const name of ["filter", "column"]) prepareDrop(document.getElementById(`${name}-menu`));
    this.show(page.ranking, page.view.now, new Set(FIELDS));
  }

  clear() {
    this.page.view.set({ search: "", filters: [] });
    this.search.focus();
  }

  /** A group for each kind in which the models differ. */
  fillFilters(panel) {
    const groups = Object.keys(KINDS).map((kind) => [kind, this.values(kind)]);
    this.filters = groups
      .filter(([, values]) => values.length > 1)
      .flatMap(([kind, values]) => this.group(panel, kind, values));
    if (!this.filters.length) {
      panel.append(
        element(
          "p",
          { class: "muted small" },
          "These models do not differ in tags, size, licence or provenance.",
        ),
      );
    }
  }

  /** [value, how many models have it], in the order in which people look for them. */
  values(kind) {
    const counts = new Map();
    for (const model of this.data.models) {
      for (const value of facts(kind, model)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const known = SIZES.map(([value]) => value);
    const place = ([value]) => (value === "" ? Infinity : known.indexOf(value));
    return [...counts].sort((a, b) => place(a) - place(b) || a[0].localeCompare(b[0], "en"));
  }

  group(panel, kind, values) {
    const boxes = values.map(([value, count]) => this.filterBox(kind, value, count));
    panel.append(
      element("fieldset", {}, element("legend", {}, KINDS[kind]), ...boxes.map(({ label }) => label)),
    );
    return boxes;
  }

  filterBox(kind, value, count) {
    const filter = { kind, value };
    const { label, box } = choice(said(filter), count);
    box.addEventListener("change", () => this.toggle(filter, box.checked));
    return { label, box, filter };
  }

  toggle(filter, on) {
    const others = this.page.view.now.filters.filter((other) => !same(other, filter));
    this.page.view.set({ filters: on ? [...others, filter] : others });
  }

  fillColumns(panel) {
    this.columns = this.data.metrics.map(({ name, label }) => {
      const found = choice(label);
      found.box.addEventListener("change", () => this.showColumn(name, found.box.checked));
      return { ...found, name };
    });
    panel.append(
      element("fieldset", {}, element("legend", {}, "Columns"), ...this.columns.map(({ label }) => label)),
    );
    panel.append(element("p", { class: "muted small" }, "A hidden column keeps its weight."));
  }

  showColumn(name, on) {
    const hidden = new Set(this.page.view.now.hidden);
    if (on) hidden.delete(name);
    else hidden.add(name);
    this.page.view.set({
      hidden: this.data.metrics.map((metric) => metric.name).filter((other) => hidden.has(other)),
    });
  }

  show(ranking, view, changed) {
    this.bar.show(view);
    if (!FIELDS.some((field) => changed.has(field))) return;
    if (this.search !== document.activeElement) this.search.value = view.search;
    for (const { box, filter } of this.filters) {
      box.checked = view.filters.some((other) => same(other, filter));
    }
    for (const { box, name } of this.columns) box.checked = !view.hidden.includes(name);
    this.showChips(view);
    this.showCount(view);
  }

  showChips({ filters }) {
    if (same(filters, this.chipped)) return;
    this.chipped = filters;
    this.chips.replaceChildren(...filters.map((filter) => element("li", {}, this.chip(filter))));
  }

  chip(filter) {
    const text = `${KINDS[filter.kind]}: ${said(filter)}`;
    const button = element(
      "button",
      { type: "button", class: "chip", "aria-label": `Remove ${text}` },
      element("span", { class: "chip-text", dir: "auto" }, text),
    );
    button.addEventListener("click", () => {
      this.toggle(filter, false);
      (this.chips.querySelector("button") ?? this.search).focus();
    });
    return button;
  }

  showCount(view) {
    const total = this.data.models.length;
    const count = this.page.shown.count(view);
    const words = narrowed(view)
      ? `${count} of ${total} models. Ranks and exchange rates are among all ${total}.`
      : "";
    if (this.status.textContent !== words) this.status.textContent = words;
  }
}

/** The models that are chosen to be compared, and the way to the page that does. */
class CompareBar {
  constructor(page) {
    this.page = page;
    this.labels = new Map(page.data.models.map((model) => [model.id, model.label]));
    this.bar = document.getElementById("compare-bar");
    this.link = document.getElementById("compare-link");
    this.names = document.getElementById("compare-names");
    document.getElementById("compare-clear").addEventListener("click", () => page.view.set({ chosen: [] }));
  }

  show({ chosen }) {
    this.bar.hidden = !chosen.length;
    if (!chosen.length) return;
    const names = chosen.map((id) => isolated(this.labels.get(id))).join(", ");
    const more =
      chosen.length < 2
        ? ". Choose another to compare it with"
        : chosen.length === COMPARED
          ? ". No more than these fit side by side"
          : "";
    this.names.textContent = names + more;
    this.link.hidden = chosen.length < 2;
    this.link.textContent = `Compare ${chosen.length} models`;
    this.link.href = `compare/#${this.page.view.fragment}`;
  }
}

function choice(text, count) {
  const box = element("input", { type: "checkbox" });
  const words = element("span", { class: "choice-text", dir: "auto" }, text);
  const number = count === undefined ? null : element("span", { class: "muted num" }, String(count));
  return { box, label: element("label", { class: "choice" }, box, words, number) };
}

function said({ kind, value }) {
  if (value === "") return UNSTATED;
  if (kind === "size") return SIZES.find(([known]) => known === value)?.[1] ?? value;
  return value;
}
