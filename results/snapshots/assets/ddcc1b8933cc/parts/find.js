// Finding models: a search, filters with the values that this board's models have, and columns; and the models that are
// chosen to be compared.
import { prepareDrop, remember } from "../base/controls.js";
import { byId, element } from "../base/elements.js";
import { isolated, weight } from "../base/formats.js";
import { metricNamed } from "../base/models.js";
import { COMPARED, same } from "../view/fragment.js";
import { limited } from "../view/limits.js";
import { SIZES, facts, narrowed } from "../view/shown.js";
import { Limits } from "./limits.js";

/** @import { BoardHost, BoardView, FilterKind, FilterTerm, LimitTerm, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** A value that models have, and how many have it. @typedef {[value: string, count: number]} Value */
/** @typedef {{ box: HTMLInputElement, filter: FilterTerm }} FilterBox */
/** @typedef {{ box: HTMLInputElement, name: string }} ColumnBox */

/** Kinds of filters in the order in which they are offered. @type {FilterKind[]} */
const ORDER = ["tag", "size", "licence", "provenance"];
const KINDS = { tag: "Tag", size: "Size", licence: "Licence", provenance: "Provenance" };
const UNSTATED = "not stated";
/** How high rows are: a line for the name and one under it, or all of it. */
const DENSITIES = { compact: "Compact", roomy: "Roomy, with all remarks" };
const FIELDS = ["ranking", "ready", "search", "filters", "limits", "among", "hidden", "pinned"];

/** @implements {Part} */
export class Find {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.search = byId("search", HTMLInputElement);
    this.status = byId("found");
    this.chips = byId("chips");
    /** What there are chips of. @type {(FilterTerm | LimitTerm)[] | null} */
    this.chipped = null;
    /** What was counted last. */
    this.counted = "";
    this.bar = new CompareBar(page);
    this.limits = new Limits(page, byId("limit-choices"));
    this.among = byId("among", HTMLInputElement);
    this.amongLine = byId("among-line");
    this.filters = this.fillFilters(byId("filter-choices"));
    this.columns = this.fillColumns(byId("column-choices"));
    this.listen();
    this.show(page.ranking, page.view.now, new Set(FIELDS));
  }

  listen() {
    const { view } = this.page;
    this.search.addEventListener("input", () => view.change({ search: this.search.value }));
    this.search.addEventListener("change", () => view.settle());
    byId("show-all").addEventListener("click", () => this.clear());
    this.among.addEventListener("change", () => view.set({ among: this.among.checked ? "left" : "all" }));
    for (const id of ["filter-menu", "limit-menu", "column-menu"]) prepareDrop(byId(id, HTMLDetailsElement));
  }

  clear() {
    this.page.view.set({ search: "", filters: [], limits: [] });
    this.search.focus();
  }

  /**
   * A group for each kind in which the models differ.
   * @param {HTMLElement} panel
   */
  fillFilters(panel) {
    const boxes = ORDER.flatMap((kind) => {
      const values = this.values(kind);
      return values.length > 1 ? this.fillGroup(panel, kind, values) : [];
    });
    if (!boxes.length) {
      panel.append(hint("These models do not differ in tags, size, licence or provenance."));
    }
    return boxes;
  }

  /**
   * What models have of a kind, in the order in which people look for it.
   * @param {FilterKind} kind
   * @returns {Value[]}
   */
  values(kind) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const value of this.data.models.flatMap((model) => facts(kind, model))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const sizes = SIZES.map(([value]) => value);
    const place = (/** @type {Value} */ [value]) => (value === "" ? Infinity : sizes.indexOf(value));
    return [...counts].sort((a, b) => place(a) - place(b) || a[0].localeCompare(b[0], "en"));
  }

  /**
   * @param {HTMLElement} panel
   * @param {FilterKind} kind
   * @param {Value[]} values
   * @returns {FilterBox[]}
   */
  fillGroup(panel, kind, values) {
    const choices = values.map(([value, count]) => {
      const filter = { kind, value };
      return { ...choice(wordsOf(filter), (on) => this.toggle(filter, on), count), filter };
    });
    panel.append(group(KINDS[kind], choices));
    return choices;
  }

  /**
   * @param {FilterTerm} filter
   * @param {boolean} on
   */
  toggle(filter, on) {
    const others = this.page.view.now.filters.filter((other) => !same(other, filter));
    this.page.view.set({ filters: on ? [...others, filter] : others });
  }

  /**
   * @param {HTMLElement} panel
   * @returns {ColumnBox[]}
   */
  fillColumns(panel) {
    const choices = this.data.metrics.map(({ name, label }) => ({
      ...choice(label, (on) => this.showColumn(name, on)),
      name,
    }));
    panel.append(group("Columns", choices), hint("A hidden column keeps its weight."), densityChoices());
    return choices;
  }

  /**
   * @param {string} name
   * @param {boolean} on
   */
  showColumn(name, on) {
    const { hidden } = this.page.view.now;
    const names = this.data.metrics.map((metric) => metric.name);
    this.page.view.set({ hidden: names.filter((other) => (other === name ? !on : hidden.includes(other))) });
  }

  /**
   * @param {Ranking} ranking
   * @param {BoardView} view
   * @param {Set<string>} changed
   */
  show(ranking, view, changed) {
    this.bar.show(view);
    if (!FIELDS.some((field) => changed.has(field))) return;
    if (this.search !== document.activeElement) this.search.value = view.search;
    for (const { box, filter } of this.filters) {
      box.checked = view.filters.some((other) => same(other, filter));
    }
    for (const { box, name } of this.columns) box.checked = !view.hidden.includes(name);
    this.limits.show(ranking, view);
    this.showChips(view);
    this.showAmong(view);
    this.showCount(ranking, view);
  }

  /** @param {BoardView} view */
  showChips({ filters, limits }) {
    const chipped = [...filters, ...limits];
    if (same(chipped, this.chipped)) return;
    this.chipped = chipped;
    const chips = [
      ...filters.map((filter) => this.filterChip(filter)),
      ...limits.map((limit) => this.limitChip(limit)),
    ];
    this.chips.replaceChildren(...chips.map((chip) => element("li", {}, chip)));
  }

  /** @param {FilterTerm} filter */
  filterChip(filter) {
    return this.chip(`${KINDS[filter.kind]}: ${wordsOf(filter)}`, () => this.toggle(filter, false));
  }

  /** @param {LimitTerm} limit */
  limitChip(limit) {
    const { view } = this.page;
    const { label, unit } = metricNamed(this.data.metrics, limit.metric);
    const words = `${label} at ${limit.bound} ${weight(limit.value)}${unit && ` ${unit}`}`;
    return this.chip(words, () =>
      view.set({ limits: limited(view.now.limits, limit.metric, limit.bound, null) }),
    );
  }

  /**
   * @param {string} text
   * @param {() => void} remove
   */
  chip(text, remove) {
    const button = element(
      "button",
      { type: "button", class: "chip", "aria-label": `Remove ${text}` },
      element("span", { class: "chip-text", dir: "auto" }, text),
    );
    button.addEventListener("click", () => {
      remove();
      (this.chips.querySelector("button") ?? this.search).focus();
    });
    return button;
  }

  /**
   * The switch to rank among some is offered where something leaves only some.
   * @param {BoardView} view
   */
  showAmong({ filters, limits, among }) {
    this.among.checked = among === "left";
    this.amongLine.hidden = among === "all" && !filters.length && !limits.length;
  }

  /**
   * How many models are left, counted at once; Python says it in a sentence.
   * @param {Ranking} ranking
   * @param {BoardView} view
   */
  showCount(ranking, view) {
    const { shown, words } = this.page;
    const any = narrowed(view) || view.among === "left";
    const count = shown.count(ranking, view);
    const key = JSON.stringify([any, count, view.limits, view.among]);
    if (key !== this.counted) this.status.textContent = any ? `${count} / ${shown.models.length}` : "";
    this.counted = key;
    if (!any) return;
    const { limits, among } = view;
    const left = shown.matches(ranking, { ...view, search: "" }).filter(Boolean).length;
    words.ask(
      "found",
      () => ({ limits, among, shown: count, left }),
      (said) => {
        if (this.counted === key) this.status.textContent = said;
      },
    );
  }
}

/** The models that are chosen to be compared, and the way to the page that does. */
class CompareBar {
  /** @param {BoardHost} page */
  constructor({ data, view }) {
    this.view = view;
    this.labels = new Map(data.models.map((model) => [model.id, model.label]));
    this.bar = byId("compare-bar");
    this.link = byId("compare-link", HTMLAnchorElement);
    this.names = byId("compare-names");
    byId("compare-clear").addEventListener("click", () => view.set({ chosen: [] }));
  }

  /** @param {BoardView} view */
  show({ chosen }) {
    this.bar.hidden = !chosen.length;
    if (!chosen.length) return;
    const names = chosen.map((id) => isolated(this.labels.get(id) ?? id)).join(", ");
    this.names.textContent = names + advice(chosen.length);
    this.link.hidden = chosen.length < 2;
    this.link.textContent = `Compare ${chosen.length} models`;
    this.link.href = `compare/#${this.view.fragment}`;
  }
}

/** @param {number} chosen how many models */
function advice(chosen) {
  if (chosen < 2) return ". Choose another to compare it with";
  return chosen === COMPARED ? ". No more than these fit side by side" : "";
}

/**
 * A box to tick, with its text and a count of its models.
 * @param {string} text
 * @param {(on: boolean) => void} turn
 * @param {number | null} count
 */
function choice(text, turn, count = null) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => turn(box.checked));
  const words = element("span", { class: "choice-text", dir: "auto" }, text);
  const number = count === null ? null : element("span", { class: "muted num" }, count);
  return { box, label: element("label", { class: "choice" }, box, words, number) };
}

/**
 * @param {string} title
 * @param {{ label: HTMLLabelElement }[]} choices
 */
function group(title, choices) {
  return element("fieldset", {}, element("legend", {}, title), ...choices.map(({ label }) => label));
}

/** @param {string} text */
function hint(text) {
  return element("p", { class: "muted small" }, text);
}

/** @param {FilterTerm} filter */
function wordsOf({ kind, value }) {
  if (value === "") return UNSTATED;
  if (kind === "size") return SIZES.find(([known]) => known === value)?.[1] ?? value;
  return value;
}

/** Two choices of how high rows are, of which the present one is marked. */
function densityChoices() {
  const root = document.documentElement;
  const now = root.dataset.rows ?? "compact";
  const choices = Object.entries(DENSITIES).map(([name, words]) => {
    const box = element("input", { type: "radio", name: "rows" });
    box.checked = name === now;
    box.addEventListener("change", () => {
      if (name === "roomy") root.dataset.rows = name;
      else delete root.dataset.rows;
      remember("rows", name === "roomy" ? name : null);
    });
    return element("label", { class: "choice" }, box, element("span", { class: "choice-text" }, words));
  });
  return element("fieldset", {}, element("legend", {}, "Rows"), ...choices);
}
