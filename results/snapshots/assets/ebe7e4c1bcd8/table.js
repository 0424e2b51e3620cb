// The table of a board: the rows that the page came with, in the order and with the numbers of a view.
import { Bars, extremes, median } from "./drawing.js";
import { COMPARED } from "./fragment.js";
import { Glide } from "./glide.js";
import { Heads } from "./heads.js";
import { Row, hide, partRow } from "./rows.js";
import { Window } from "./window.js";

const FIELDS = ["ranking", "bars", "sort", "hidden", "pinned", "search", "filters", "chosen"];
/** Pinned rows of a long table stay in sight while it scrolls; more would leave no room for the others. */
const HELD = 3;
/** So many rows of a long table are looked at to see how high a row must be. */
const SAMPLE = 40;

export class Table {
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.frame = document.getElementById("ranking-frame");
    this.body = document.getElementById("rows");
    this.top = document.getElementById("pinned");
    this.people = [...document.querySelectorAll(".ranks .people tr")].map((row) => [...row.querySelectorAll("td.metric")]);
    this.heads = new Heads(page);
    this.opened = new Set();
    this.list = [];
    const long = this.frame.classList.contains("long");
    this.glide = new Glide();
    this.takeRows(long);
    this.listen();
  }

  /** Every model keeps its own row; on a long board most of them wait outside the page. */
  takeRows(long) {
    const found = new Map([...this.body.rows].map((row) => [row.dataset.model, row]));
    this.lines = this.data.models.map(({ id }) => found.get(id));
    this.rows = [];
    this.window = long ? new Window(this.frame) : null;
    if (!long) return;
    for (const row of [...this.body.rows].slice(SAMPLE)) row.remove();
    this.measure();
  }

  row(index) {
    return (this.rows[index] ??= new Row(this.page, index, this.lines[index]));
  }

  listen() {
    this.frame.addEventListener("change", (event) => event.target.closest(".choose") && this.choose(event));
    this.frame.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button?.matches(".pin")) this.pin(modelOf(button));
      if (button?.matches(".opener")) this.open(this.indexOf(modelOf(button)));
    });
    if (!this.window) return;
    this.frame.addEventListener("scroll", () => this.follow(), { passive: true });
    new ResizeObserver(() => this.remeasure()).observe(this.frame);
    for (const [name, whole] of [["beforeprint", true], ["afterprint", false]]) {
      addEventListener(name, () => this.showWhole(whole));
    }
  }

  show(ranking, view, changed) {
    if (!FIELDS.some((field) => changed.has(field))) return;
    this.ranking = ranking;
    this.view = view;
    if (!this.state || changed.has("ranking") || changed.has("bars")) this.state = { ...this.state, ...this.scales() };
    if (changed.has("hidden")) this.hideColumns();
    this.state = { ...this.state, ...this.marks() };
    this.fresh = new Set();
    this.arrange();
    this.heads.show(ranking, view, this.state.named);
  }

  /** What all rows are drawn against. */
  scales() {
    const { ranking } = this;
    const named = ranking.by === "z_score" ? null : this.named();
    return {
      ranking,
      named,
      bars: ranking.by === "z_score" ? null : new Bars(ranking, named && named.index),
      ranges: ranking.values.map(extremes),
    };
  }

  /** Whom the bars are differences from, {index, role}; null where they are whole contributions. */
  named() {
    const { kind, model } = this.view.bars;
    if (kind === "whole") return null;
    if (kind === "leader" && this.ranking.ranked) return { index: this.ranking.order[0], role: "leader" };
    const picked = kind === "model" ? this.indexOf(model) : -1;
    if (picked >= 0 && this.ranking.rankOf(picked) !== null) return { index: picked, role: "picked" };
    return { index: median(this.ranking), role: "median" };
  }

  marks() {
    const { hidden, pinned, chosen } = this.view;
    const places = hidden.map((name) => this.data.metrics.findIndex((metric) => metric.name === name));
    return {
      hidden: new Set(places),
      pinned: new Set(pinned),
      chosen: new Set(chosen),
      full: chosen.length >= COMPARED,
    };
  }

  hideColumns() {
    const { hidden } = this.marks();
    for (const cells of this.people) hide(cells, hidden);
    this.heads.hide(hidden);
    if (this.window) this.later ??= requestAnimationFrame(() => this.remeasure());
  }

  arrange() {
    const { pinned, rest } = this.page.shown.arrange(this.ranking, this.view);
    this.glide.from(this.window ? null : [...this.top.rows, ...this.body.rows]);
    const before = this.places;
    this.list = rest;
    this.places = new Map(rest.map((index, place) => [index, place]));
    this.put(pinned);
    if (this.window) this.glide.places(this.placed, before, this.lines, this.window);
    else this.glide.go();
    document.getElementById("nothing").hidden = pinned.length + rest.length > 0;
  }

  /** Put all rows where they belong; the focus stays where it is, also in a row that is moved. */
  put(pinned) {
    const focused = this.frame.contains(document.activeElement) ? document.activeElement : null;
    this.showPinned(pinned);
    this.render(focused);
    if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  showPinned(pinned) {
    this.top.hidden = !pinned.length;
    put(this.top, pinned.flatMap((index) => this.linesOf(index)));
    pinned.forEach((index, at) => {
      const { line } = this.row(index);
      line.style.top = this.window && at < HELD ? `${this.window.head + at * this.window.row}px` : "";
      line.setAttribute("aria-rowindex", String(at + 2));
    });
    this.above = pinned.length;
  }

  /** Bring into the page the rows to be seen and the focused one, all of them on a board that is not long. */
  render(focused = document.activeElement) {
    if (!this.window || this.whole) {
      put(this.body, this.list.flatMap((index) => this.linesOf(index)));
      return;
    }
    const opened = [...this.opened].flatMap((index) => this.places.get(index) ?? []);
    this.window.hold(this.list.length, opened, Object.keys(this.data.weights.datasets).length, this.above);
    this.placed = this.window.places(this.placeOf(focused)).map((place) => [this.list[place], place]);
    put(this.body, this.window.spaced(this.placed.map(([, place]) => place), (place) => this.linesOf(this.list[place])));
    this.number();
  }

  /** Which row of all a row is, for those who cannot see how long the table is. */
  number() {
    for (const [index, place] of this.placed) {
      this.lines[index].setAttribute("aria-rowindex", String(this.above + place + 2));
    }
    this.body.parentElement.setAttribute("aria-rowcount", String(1 + this.above + this.list.length + this.people.length));
  }

  /** A model's row, up to date, and the lines of its datasets where they are open. */
  linesOf(index) {
    const row = this.row(index);
    if (!this.fresh.has(index)) row.show(this.state);
    this.fresh.add(index);
    return [row.line, ...row.parts.map((part) => part.line)];
  }

  /** The place of the row that an element is in, as a list; empty where it is in none of the list. */
  placeOf(element) {
    const line = element?.closest("tr[data-model]");
    const place = line ? this.places.get(this.indexOf(line.dataset.model)) : undefined;
    return place === undefined ? [] : [place];
  }

  indexOf(id) {
    this.indices ??= new Map(this.data.models.map((model, index) => [model.id, index]));
    return this.indices.get(id) ?? -1;
  }

  choose({ target }) {
    const id = modelOf(target);
    const { chosen } = this.page.view.now;
    this.page.view.set({ chosen: target.checked ? [...chosen, id].slice(0, COMPARED) : chosen.filter((other) => other !== id) });
  }

  pin(id) {
    const { pinned } = this.page.view.now;
    this.page.view.set({ pinned: pinned.includes(id) ? pinned.filter((other) => other !== id) : [...pinned, id] });
  }

  /** Open a model's numbers on each dataset, or close them. */
  open(index) {
    const opening = !this.opened.delete(index);
    if (opening) this.opened.add(index);
    this.cells ??= JSON.parse(document.getElementById("board-cells").textContent).values;
    const parts = opening ? Object.entries(this.data.datasets).map(([id, label]) => this.partRow(index, id, label)) : [];
    this.row(index).open(parts);
    this.fresh.delete(index);
    this.put([...this.state.pinned].map((id) => this.indexOf(id)));
    if (opening && this.window && !this.window.part) this.remeasure();
  }

  partRow(index, dataset, label) {
    return partRow({ metrics: this.data.metrics, cells: this.cells[dataset] }, index, label);
  }

  /** Make all rows as high as the highest of those in the page would be of itself, and tell the window. */
  measure() {
    this.frame.classList.add("measuring");
    const rows = highest(this.body.querySelectorAll("tr[data-model]"));
    const parts = highest(this.body.querySelectorAll(".part"));
    this.frame.classList.remove("measuring");
    this.frame.style.setProperty("--row-height", `${rows}px`);
    this.frame.style.setProperty("--part-height", `${parts}px`);
    this.window.measure(rows, parts, highest([this.frame.querySelector("thead")]));
  }

  follow() {
    this.window.follow();
    this.render();
  }

  remeasure() {
    this.later = undefined;
    if (this.whole || !this.list.length) return;
    this.measure();
    this.render();
  }

  showWhole(whole) {
    this.whole = whole;
    this.render();
  }
}

function modelOf(control) {
  return control.closest("tr").dataset.model;
}

function highest(rows) {
  return Math.ceil(Math.max(0, ...[...rows].map((row) => row.getBoundingClientRect().height)));
}

/** Make these the children of a body, moving as few as possible. */
function put(body, children) {
  const wanted = new Set(children);
  for (const child of [...body.children]) if (!wanted.has(child)) child.remove();
  let next = body.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else body.insertBefore(child, next);
  }
}
