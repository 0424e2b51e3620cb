// Finding models: a search, filters with the values that this board's models have, and columns; and the models that are
// chosen to be compared.
import { prepareDrop, remember } from "../base/controls.js";
import { byId, element } from "../base/elements.js";
import { isolated, number, weight } from "../base/formats.js";
import { metricNamed } from "../base/models.js";
import { text } from "../base/texts.js";
import { COMPARED, same } from "../view/fragment.js";
import { limited } from "../view/limits.js";
import { EFFORTS, SIZES, facts, narrowed } from "../view/shown.js";
import { Limits } from "./limits.js";

/** @import { BoardHost, BoardView, FilterKind, FilterTerm, LimitTerm, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** Kinds of filters in the order in which they are offered. @type {FilterKind[]} */
const KINDS = ["tag", "size", "effort", "budget", "context", "licence", "provenance"];
/** How high rows are: a line for the name and one under it, or all of it. */
const DENSITIES = ["compact", "roomy"];
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
    /** What was counted last. */
    this.counted = "";
    this.bar = new CompareBar(page);
    this.limits = new Limits(page, byId("limit-menu", HTMLDetailsElement), byId("limit-choices"));
    this.among = byId("among", HTMLInputElement);
    this.amongLine = byId("among-line");
    this.filters = this.fillFilters(byId("filter-choices"));
    this.columns = this.data.metrics.map(({ name, label }) => ({
      ...choice(label, (on) => this.showColumn(name, on)),
      name,
    }));
    byId("column-choices").append(
      group(text("find.columns"), this.columns),
      hint("find.columns-hint"),
      densityChoices(),
    );
    const { view } = page;
    this.search.addEventListener("input", () => view.change({ search: this.search.value }));
    this.search.addEventListener("change", () => view.settle());
    byId("show-all").addEventListener("click", () => {
      view.set({ search: "", filters: [], limits: [] });
      this.search.focus();
    });
    this.among.addEventListener("change", () => view.set({ among: this.among.checked ? "left" : "all" }));
    for (const id of ["filter-menu", "limit-menu", "column-menu"]) prepareDrop(byId(id, HTMLDetailsElement));
    this.show(page.ranking, view.now, new Set(FIELDS));
  }

  /** A group for each kind in which the models differ. @param {HTMLElement} panel */
  fillFilters(panel) {
    const boxes = KINDS.flatMap((kind) => {
      const values = this.values(kind);
      if (values.length < 2) return [];
      const choices = values.map(([value, count]) => {
        const filter = { kind, value };
        return { ...choice(wordsOf(filter), (on) => this.toggle(filter, on), count), filter };
      });
      panel.append(group(text(`find.${kind}`), choices));
      return choices;
    });
    if (!boxes.length) panel.append(hint("find.alike"));
    return boxes;
  }

  /** What models have of a kind, and how many have it, in the order in which people look for it. @param {FilterKind} kind */
  values(kind) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const value of this.data.models.flatMap((model) => facts(kind, model))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const known = kind === "effort" ? EFFORTS : SIZES.map(([value]) => value);
    const place = (/** @type {string} */ value) => (value === "" ? Infinity : known.indexOf(value));
    const { compare } = new Intl.Collator("en", { numeric: true });
    return [...counts].sort(([a], [b]) => place(a) - place(b) || compare(a, b));
  }

  /** @param {FilterTerm} filter @param {boolean} on */
  toggle(filter, on) {
    const others = this.page.view.now.filters.filter((other) => !same(other, filter));
    this.page.view.set({ filters: on ? [...others, filter] : others });
  }

  /** @param {string} name @param {boolean} on */
  showColumn(name, on) {
    const { hidden } = this.page.view.now;
    const names = this.data.metrics.map((metric) => metric.name);
    this.page.view.set({ hidden: names.filter((other) => (other === name ? !on : hidden.includes(other))) });
  }

  /** @param {Ranking} ranking @param {BoardView} view @param {Set<string>} changed */
  show(ranking, view, changed) {
    this.bar.show(view);
    if (!FIELDS.some((field) => changed.has(field))) return;
    if (this.search !== document.activeElement) this.search.value = view.search;
    for (const { box, filter } of this.filters) {
      box.checked = view.filters.some((other) => same(other, filter));
    }
    for (const { box, name } of this.columns) box.checked = !view.hidden.includes(name);
    this.limits.show(ranking, view);
    if (changed.has("filters") || changed.has("limits")) this.showChips(view);
    // The switch to rank among some is offered where something leaves only some.
    this.among.checked = view.among === "left";
    this.amongLine.hidden = view.among === "all" && !view.filters.length && !view.limits.length;
    this.showCount(ranking, view);
  }

  /** @param {BoardView} view */
  showChips({ filters, limits }) {
    const chips = [
      ...filters.map((filter) => {
        const words = { kind: text(`find.${filter.kind}`), value: wordsOf(filter) };
        return this.chip(text("find.filter", words), () => this.toggle(filter, false));
      }),
      ...limits.map((limit) => this.limitChip(limit)),
    ];
    this.chips.replaceChildren(...chips.map((chip) => element("li", {}, chip)));
  }

  /** @param {LimitTerm} limit */
  limitChip({ metric, bound, value }) {
    const { view } = this.page;
    const { label, unit } = metricNamed(this.data.metrics, metric);
    const amount = unit ? `${weight(value)} ${unit}` : weight(value);
    return this.chip(text(`find.at-${bound}`, { label, amount }), () =>
      view.set({ limits: limited(view.now.limits, metric, bound, null) }),
    );
  }

  /** @param {string} words @param {() => void} remove */
  chip(words, remove) {
    const button = element(
      "button",
      { type: "button", class: "chip", "aria-label": text("find.remove", { words }) },
      element("span", { class: "chip-text", dir: "auto" }, words),
    );
    button.addEventListener("click", () => {
      remove();
      (this.chips.querySelector("button") ?? this.search).focus();
    });
    return button;
  }

  /** How many models are left, counted at once; Python says it in a sentence. @param {Ranking} ranking @param {BoardView} view */
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
      () => ({ limits, among, shown: count, left, filtered: shown.filtered(view) }),
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
    const one = chosen.length < 2 ? "find.chosen-one" : "find.chosen";
    this.names.textContent = text(chosen.length === COMPARED ? "find.chosen-all" : one, { names });
    this.link.hidden = chosen.length < 2;
    this.link.textContent = text("find.compare", { count: chosen.length });
  }
}

/** A box to tick, with its text and a count of its models.
 * @param {string} words @param {(on: boolean) => void} turn @param {number | null} count */
function choice(words, turn, count = null) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => turn(box.checked));
  const said = element("span", { class: "choice-text", dir: "auto" }, words);
  const models = count === null ? null : element("span", { class: "muted num" }, count);
  return { box, label: element("label", { class: "choice" }, box, said, models) };
}

/** @param {string} title @param {{ label: HTMLLabelElement }[]} choices */
function group(title, choices) {
  return element("fieldset", {}, element("legend", {}, title), ...choices.map(({ label }) => label));
}

/** @param {string} name of its text */
function hint(name) {
  return element("p", { class: "muted small" }, text(name));
}

/** @param {FilterTerm} filter */
function wordsOf({ kind, value }) {
  if (value === "") return text("find.unstated");
  // An address may name anything.
  const known = kind === "size" && SIZES.some(([size]) => size === value);
  const isTokens = (kind === "budget" || kind === "context") && /^\d{1,15}$/.test(value);
  if (isTokens) return text("find.tokens", { count: number(Number(value), 0) });
  return known ? text(`find.size-${value}`) : value;
}

/** Two choices of how high rows are, of which the present one is marked. */
function densityChoices() {
  const root = document.documentElement;
  const now = root.dataset.rows ?? "compact";
  const choices = DENSITIES.map((name) => {
    const box = element("input", { type: "radio", name: "rows" });
    box.checked = name === now;
    box.addEventListener("change", () => {
      if (name === "roomy") root.dataset.rows = name;
      else delete root.dataset.rows;
      remember("rows", name === "roomy" ? name : null);
    });
    const words = element("span", { class: "choice-text" }, text(`find.${name}`));
    return { label: element("label", { class: "choice" }, box, words) };
  });
  return group(text("find.rows"), choices);
}
