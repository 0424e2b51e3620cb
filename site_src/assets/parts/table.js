// The table of a board: the rows that the page came with, in the order and with the numbers of a view.
import { AfterPaint } from "../base/afterpaint.js";
import { Bars, extremes, median } from "../charts/drawing.js";
import { COMPARED } from "../view/fragment.js";
import { Glide } from "./row-animation.js";
import { Heads } from "./table-header.js";
import { Entry, Row, hide, partRow } from "./rows.js";
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
    this.people = [...document.querySelectorAll(".ranks .people tr")].map((row) => [
      ...row.querySelectorAll("td.metric"),
    ]);
    this.heads = new Heads(page);
    this.opened = new Set();
    this.list = [];
    this.state = {};
    const long = this.frame.classList.contains("long");
    this.takeRows(long);
    this.rest = new AfterPaint(() => this.render());
    this.glide = new Glide(this.window);
    this.listen();
  }

  /** Any row can show any model; on a long board most rows wait outside the page. */
  takeRows(long) {
    this.unused = [...this.body.rows].reverse();
    this.lines = new Map(this.unused.map((line) => [line.dataset.model, line]));
    this.entries = [];
    this.rows = new Map();
    this.spare = [];
    this.window = long ? new Window(this.frame) : null;
    if (!long) return;
    this.widen([]);
    for (const line of [...this.body.rows].slice(SAMPLE)) line.remove();
    this.measure();
  }

  entry(index) {
    return (this.entries[index] ??= new Entry(index, this.lines.get(this.data.models[index].id)));
  }

  /** A row for a new place. The model that it came with is noted before another moves in. */
  free() {
    if (this.spare.length) return this.spare.pop();
    const line = this.unused.pop();
    this.entry(this.indexOf(line.dataset.model));
    return new Row(this.page, line);
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
    for (const [name, whole] of [
      ["beforeprint", true],
      ["afterprint", false],
    ]) {
      addEventListener(name, () => this.showWhole(whole));
    }
  }

  show(ranking, view, changed) {
    if (!FIELDS.some((field) => changed.has(field))) return;
    this.ranking = ranking;
    this.view = view;
    if (!this.state.ranking || changed.has("ranking") || changed.has("bars")) {
      this.state = { ...this.state, ...this.scales() };
    }
    if (changed.has("hidden")) this.hideColumns();
    this.state = { ...this.state, ...this.marks() };
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
    this.widen(hidden);
    if (this.window) this.later ??= requestAnimationFrame(() => this.remeasure());
  }

  /** Tell the style sheet how many columns a long table has. */
  widen(hidden) {
    this.frame.style.setProperty("--columns", this.data.metrics.length - [...hidden].length);
  }

  arrange() {
    const { pinned, rest } = this.page.shown.arrange(this.ranking, this.view);
    this.glide.from(this.rows);
    this.list = rest;
    this.pinned = pinned;
    this.places = new Map(rest.map((index, place) => [index, place]));
    this.put();
    this.glide.go(this.rows);
    document.getElementById("nothing").hidden = pinned.length + rest.length > 0;
  }

  /** Let the rows show what belongs there, at first those in sight; the focus goes with the model that has it. */
  put() {
    const held = this.focused();
    this.render(held, true);
    if (held) this.focus(held);
    if (this.window) this.rest.ask();
  }

  /** The model in whose row the focus is, and on which of its controls; null elsewhere. */
  focused() {
    for (const { index, controls } of this.rows.values()) {
      const at = controls.indexOf(document.activeElement);
      if (at >= 0) return { index, at };
    }
    return null;
  }

  focus({ index, at }) {
    const row = [...this.rows.values()].find((candidate) => candidate.index === index);
    if (!row) document.activeElement.blur();
    else if (row.controls[at] !== document.activeElement) row.controls[at].focus({ preventScroll: true });
  }

  /** Bring into the page the rows to be seen and the focused one, all of them on a board that is not long. */
  render(held = this.focused(), first = false) {
    const windowed = this.window && !this.whole;
    const places = windowed ? this.seen(held) : [...this.list.keys()];
    // Pinned rows have the places before the first.
    const above = this.pinned.map((_, at) => at - this.pinned.length);
    this.seat([...above, ...places]);
    const now = windowed && first ? this.window.inSight(places) : places;
    for (const place of [...above, ...now, ...this.placeOf(held)]) this.showAt(place);
    this.top.hidden = !above.length;
    put(
      this.top,
      above.flatMap((place) => this.linesAt(place)),
    );
    put(
      this.body,
      windowed
        ? this.window.spaced(places, (place) => this.linesAt(place))
        : places.flatMap((place) => this.linesAt(place)),
    );
    const all = 1 + above.length + this.list.length + this.people.length;
    if (this.window) this.body.parentElement.setAttribute("aria-rowcount", String(all));
  }

  /** The places in sight, and that of the model that has the focus. */
  seen(held) {
    const opened = [...this.opened].flatMap((index) => this.places.get(index) ?? []);
    this.window.hold(
      this.list.length,
      opened,
      Object.keys(this.data.weights.datasets).length,
      this.pinned.length,
    );
    return this.window.places(this.placeOf(held));
  }

  /** The place of the model that has the focus, as a list; empty where it is in none of the list. */
  placeOf(held) {
    const place = held ? this.places.get(held.index) : undefined;
    return place === undefined ? [] : [place];
  }

  /** A row for every place: it stays there as long as the place is wanted, whichever model it shows. */
  seat(places) {
    const wanted = new Set(places);
    for (const [place, row] of [...this.rows]) {
      if (wanted.has(place)) continue;
      // Out of the page at once, so that no other row has to make way, which would take the focus from it.
      row.line.remove();
      this.spare.push(row);
      this.rows.delete(place);
    }
    for (const place of places) if (!this.rows.has(place)) this.rows.set(place, this.free());
  }

  /** Bring the row of a place up to date. */
  showAt(place) {
    const row = this.rows.get(place);
    const nth = place + this.pinned.length;
    row.show(this.entryAt(place), this.state);
    row.showOpened();
    if (!this.window) return;
    row.number(nth + 2);
    row.hold(place < 0 && nth < HELD ? this.window.head + nth * this.window.row : null);
  }

  entryAt(place) {
    return this.entry(place < 0 ? this.pinned[place + this.pinned.length] : this.list[place]);
  }

  /** The row of a place, and the lines of its model's datasets where they are open. */
  linesAt(place) {
    return [this.rows.get(place).line, ...this.entryAt(place).parts.map((part) => part.line)];
  }

  indexOf(id) {
    this.indices ??= new Map(this.data.models.map((model, index) => [model.id, index]));
    return this.indices.get(id) ?? -1;
  }

  choose({ target }) {
    const id = modelOf(target);
    const { chosen } = this.page.view.now;
    this.page.view.set({
      chosen: target.checked ? [...chosen, id].slice(0, COMPARED) : chosen.filter((other) => other !== id),
    });
  }

  pin(id) {
    const { pinned } = this.page.view.now;
    this.page.view.set({
      pinned: pinned.includes(id) ? pinned.filter((other) => other !== id) : [...pinned, id],
    });
  }

  /** Open a model's numbers on each dataset, or close them. */
  open(index) {
    const opening = !this.opened.delete(index);
    if (opening) this.opened.add(index);
    this.cells ??= JSON.parse(document.getElementById("board-cells").textContent).values;
    const parts = opening
      ? Object.entries(this.data.datasets).map(([id, label]) => this.partRow(index, id, label))
      : [];
    this.entry(index).parts = parts;
    this.put();
    if (opening && this.window && !this.window.part) this.remeasure();
  }

  partRow(index, dataset, label) {
    const part = partRow({ metrics: this.data.metrics, cells: this.cells[dataset] }, index, label);
    hide(part.metrics, this.state.hidden);
    return part;
  }

  /** Make all rows as high as the highest of those in the page would be of itself, and tell the window. */
  measure() {
    this.frame.classList.add("measuring");
    const rows = highest(this.body.querySelectorAll(".line"));
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
