// The table of a board: its rows in the order and with the numbers of a view.
import { byId, closest, find, findAll, island, putChildren } from "../base/elements.js";
import { Bars, extremes, median } from "../charts/drawing.js";
import { compared } from "../scorer/ranking.js";
import { COMPARED } from "../view/fragment.js";
import { RowKeys } from "./row-keys.js";
import { Row, RowAnimation, hide, partRow } from "./rows.js";
import { TableHeader } from "./table-header.js";
import { Window } from "./window.js";

/** @import { BoardHost, BoardView, CellsData } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { RowState } from "./rows.js" */

const FIELDS = [
  "ranking",
  "sets",
  "bars",
  "sort",
  "hidden",
  "pinned",
  "search",
  "filters",
  "limits",
  "chosen",
];
/** Pinned rows of a long table stay in sight while its others scroll; more would leave no room for these. */
const HELD = 3;
/** How many rows of a long table are measured to learn how high a row must be. */
const SAMPLE = 40;

/** Whom the bars are differences from: its index, and why.
 * @typedef {{ index: number, role: "leader" | "median" | "picked" }} Reference */
/** A control of a model's row that has the focus. @typedef {{ index: number, at: number }} Focus */

export class Table {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.ranking = page.ranking;
    this.view = page.view.now;
    this.frame = byId("ranking-frame");
    this.body = byId("rows", HTMLTableSectionElement);
    this.top = byId("pinned", HTMLTableSectionElement);
    this.people = findAll(document, ".ranks .people tr", HTMLTableRowElement).map((row) =>
      findAll(row, "td.metric", HTMLTableCellElement),
    );
    this.header = new TableHeader(page);
    this.indices = new Map(this.data.models.map((model, index) => [model.id, index]));
    /** Indices of the models whose numbers on each dataset are open. @type {Set<number>} */
    this.opened = new Set();
    /** The models below the pinned ones, by place. @type {number[]} */
    this.list = [];
    /** @type {number[]} */
    this.pinned = [];
    /** Whether every row is in the page, as paper needs it. */
    this.whole = false;
    // Every model has a row of its own; on a long board most rows wait outside the page.
    this.lines = new Map([...this.body.rows].map((line) => [line.dataset.model, line]));
    /** Rows that have been shown, by the index of their model. @type {Row[]} */
    this.made = [];
    /** Rows in the page, in its order. @type {Row[]} */
    this.rows = [];
    this.window = this.frame.classList.contains("long") ? new Window(this.frame) : null;
    if (this.window) this.shorten(this.window);
    /** What all rows show beside their own model. @type {RowState} */
    this.state = this.stateNow();
    /** Every model's numbers on each dataset, once a row has been opened. @type {CellsData | null} */
    this.cells = null;
    /** What models cost in opened rows, at other prices than the day's. */
    this.costs = page.scorer.costs;
    this.animation = new RowAnimation();
    this.keys = new RowKeys(this);
    this.frame.addEventListener("change", (event) => {
      const box = closest(event, ".choose input", HTMLInputElement);
      if (box) this.choose(box);
    });
    this.frame.addEventListener("click", (event) => {
      const button = closest(event, "button", HTMLButtonElement);
      if (button?.matches(".pin")) this.pin(modelOf(button));
      if (button?.matches(".opener")) this.open(this.indexOf(modelOf(button)));
    });
  }

  /** Let only rows in sight be in the page, and lead past them: all are many screens. @param {Window} window */
  shorten(window) {
    this.widen([]);
    for (const line of [...this.body.rows].slice(SAMPLE)) line.remove();
    byId("past-rows").addEventListener("click", (event) => {
      // As a place in the address it would take the place of the view.
      event.preventDefault();
      const next = byId("after-rows");
      next.scrollIntoView();
      next.focus({ preventScroll: true });
    });
    this.measure(window);
    addEventListener("scroll", () => this.follow(window), { passive: true });
    addEventListener("resize", () => this.remeasure());
    // The head is lower where metrics have no weights, and as wide as the table.
    new ResizeObserver(() => this.remeasure()).observe(find(this.frame, "thead", HTMLElement));
    // What comes and goes above the table moves it.
    new ResizeObserver(() => this.follow(window)).observe(document.body);
    const density = new MutationObserver(() => this.remeasure());
    density.observe(document.documentElement, { attributeFilter: ["data-rows"] });
    for (const [type, whole] of /** @type {const} */ ([
      ["beforeprint", true],
      ["afterprint", false],
    ])) {
      addEventListener(type, () => {
        this.whole = whole;
        this.render();
      });
    }
  }

  /** A model's row. @param {number} index */
  row(index) {
    if (this.made[index]) return this.made[index];
    const line = this.lines.get(this.data.models[index].id);
    if (!line) throw new Error(`the table has no row of ${this.data.models[index].id}`);
    return (this.made[index] = new Row(this.page, index, line));
  }

  /** @param {Ranking} ranking @param {BoardView} view @param {Set<string>} changed */
  show(ranking, view, changed) {
    if (!FIELDS.some((field) => changed.has(field))) return;
    this.ranking = ranking;
    this.view = view;
    this.state = this.stateNow();
    if (changed.has("hidden")) this.hideColumns();
    const { costs } = this.page.scorer;
    if (this.cells && costs !== this.costs) {
      for (const index of this.opened) this.row(index).parts = this.partsOf(index, this.cells);
    }
    this.costs = costs;
    // Sets of another ranking are seen to be out of date until the new ones are there.
    this.frame.classList.toggle("old-sets", !this.state.held.current);
    this.frame.setAttribute("aria-busy", String(!this.state.held.current));
    this.arrange();
    this.header.show(ranking, view, this.state.reference);
  }

  /** The models whose rows are in the page. */
  get models() {
    return this.rows.map((row) => row.index);
  }

  /** What all rows show, and what they are drawn against. @returns {RowState} */
  stateNow() {
    const { ranking, view, data } = this;
    const { certainty } = this.page;
    const plain = ranking.by === "z_score";
    const reference = plain ? null : this.reference();
    const of = certainty.setOf.bind(certainty);
    const within = certainty.withinOf.bind(certainty);
    const given = certainty.givenOf.bind(certainty);
    const known = ranking.order.some((model) => of(model) !== null);
    return {
      ranking,
      reference,
      bars: plain ? null : new Bars(ranking, reference && reference.index),
      ranges: compared(ranking, data.metrics).map(extremes),
      hidden: new Set(view.hidden.map((name) => data.metrics.findIndex((metric) => metric.name === name))),
      pinned: new Set(view.pinned),
      chosen: new Set(view.chosen),
      outside: this.page.shown.outside(ranking, view),
      held: {
        current: certainty.current,
        heat: certainty.heat,
        of,
        given,
        within,
        known,
        elsewhere: certainty.elsewhere?.sets ?? [],
      },
      full: view.chosen.length >= COMPARED,
      alike: ranking.ranksModelsOf(this.page.first),
    };
  }

  /** Whom the bars are differences from; null where they are whole contributions. @returns {Reference | null} */
  reference() {
    const { kind, model } = this.view.bars;
    if (kind === "whole") return null;
    if (kind === "leader" && this.ranking.ranked) return { index: this.ranking.order[0], role: "leader" };
    const picked = kind === "model" ? this.indexOf(model) : -1;
    if (picked >= 0 && this.ranking.rankOf(picked) !== null) return { index: picked, role: "picked" };
    return { index: median(this.ranking), role: "median" };
  }

  hideColumns() {
    const { hidden } = this.state;
    for (const cells of this.people) hide(cells, hidden);
    this.header.hide(hidden);
    this.widen(hidden);
    requestAnimationFrame(() => this.remeasure());
  }

  /** Set how many columns a long table has, for the style sheet. @param {Iterable<number>} hidden */
  widen(hidden) {
    const shown = this.data.metrics.length - [...hidden].length;
    this.frame.style.setProperty("--columns", String(shown));
  }

  arrange() {
    const { pinned, rest } = this.page.shown.arrange(this.ranking, this.view);
    this.animation.remember(this.rows);
    this.list = rest;
    this.pinned = pinned;
    this.put();
    this.animation.start(this.rows);
    byId("nothing").hidden = pinned.length + rest.length > 0;
    this.page.certainty.ask();
  }

  /** Let the rows show what belongs there; the focus goes with the model that has it, if its row was moved. */
  put() {
    const focus = this.focused();
    this.render(focus);
    if (!focus) return;
    const control = this.row(focus.index).controls[focus.at];
    if (control !== document.activeElement) control?.focus({ preventScroll: true });
  }

  /** The model in whose row the focus is, and on which of its controls. @returns {Focus | null} */
  focused() {
    for (const { index, controls } of this.rows) {
      const at = controls.findIndex((control) => control !== null && control === document.activeElement);
      if (at >= 0) return { index, at };
    }
    return null;
  }

  /** Give a control the focus, and bring its row into sight. @param {Focus} focus */
  go(focus) {
    this.render(focus);
    const row = this.row(focus.index);
    row.control(focus.at).focus({ preventScroll: true });
    row.line.scrollIntoView({ block: "nearest" });
  }

  /** Bring into the page the rows to be seen and the focused one, all of them on a board that is not long.
   * @param {Focus | null} focus */
  render(focus = this.focused()) {
    const window = this.whole ? null : this.window;
    const places = window ? this.seen(window, focus) : [...this.list.keys()];
    const pinned = this.pinned.map((index) => this.row(index));
    const rows = new Map(places.map((place) => [place, this.row(this.list[place])]));
    this.rows = [...pinned, ...rows.values()];
    for (const row of this.rows) row.show(this.state);
    this.top.hidden = !pinned.length;
    const linesAt = (/** @type {number} */ place) => linesOf(/** @type {Row} */ (rows.get(place)));
    putChildren(this.top, pinned.flatMap(linesOf));
    putChildren(this.body, window ? window.spaced(places, linesAt) : places.flatMap(linesAt));
    if (this.window) this.place(this.window, pinned, rows);
    this.keys.show();
  }

  /** Where rows of a long table are: which of all, for those who cannot see how many there are, and the first pinned ones
   * below the frame's edge. @param {Window} window @param {Row[]} pinned @param {Map<number, Row>} rows by place */
  place({ head, row: height }, pinned, rows) {
    const heads = findAll(this.frame, "thead tr:not([hidden])", HTMLElement).length;
    const count = heads + pinned.length + this.list.length + this.people.length;
    find(this.frame, "table", HTMLTableElement).setAttribute("aria-rowcount", String(count));
    pinned.forEach(({ line }, at) => {
      line.setAttribute("aria-rowindex", String(heads + at + 1));
      line.style.top = at < HELD ? `${head + at * height}px` : "";
    });
    for (const [place, { line }] of rows) {
      line.setAttribute("aria-rowindex", String(heads + pinned.length + place + 1));
      line.style.top = "";
    }
  }

  /** The places in sight, and that of the model that has the focus. @param {Window} window @param {Focus | null} focus */
  seen(window, focus) {
    const opened = [...this.opened].map((index) => this.list.indexOf(index)).filter((place) => place >= 0);
    const datasets = Object.keys(this.data.weights.datasets).length;
    window.hold(this.list.length, opened, datasets, this.pinned.length);
    const place = focus ? this.list.indexOf(focus.index) : -1;
    return window.places(place < 0 ? [] : [place]);
  }

  /** A model's index; -1 where the board does not have it. @param {string | undefined} id */
  indexOf(id) {
    return this.indices.get(id ?? "") ?? -1;
  }

  /** @param {HTMLInputElement} box */
  choose(box) {
    const id = modelOf(box);
    const { chosen } = this.page.view.now;
    const others = chosen.filter((other) => other !== id);
    this.page.view.set({ chosen: box.checked ? [...others, id].slice(0, COMPARED) : others });
  }

  /** @param {string} id */
  pin(id) {
    const { pinned } = this.page.view.now;
    const others = pinned.filter((other) => other !== id);
    this.page.view.set({ pinned: pinned.includes(id) ? others : [...others, id] });
  }

  /** Open a model's numbers on each dataset, or close them. @param {number} index */
  open(index) {
    const opening = !this.opened.delete(index);
    if (opening) this.opened.add(index);
    this.cells ??= /** @type {CellsData} */ (island("board-cells"));
    this.row(index).parts = opening ? this.partsOf(index, this.cells) : [];
    // A row shows again what it is asked to only in a new state.
    this.state = { ...this.state };
    this.put();
    if (opening && this.window && !this.window.part) this.remeasure();
  }

  /** @param {number} index @param {CellsData} cells */
  partsOf(index, { values }) {
    const { scorer } = this.page;
    return Object.entries(this.data.datasets).map(([id, label]) =>
      partRow({ metrics: this.data.metrics, cells: scorer.cellsAt(id, values[id]) }, index, label),
    );
  }

  /** Make all rows as high as the highest of those in the page needs to be, and inform the window.
   * @param {Window} window */
  measure(window) {
    this.frame.classList.add("measuring");
    const rows = highest(findAll(this.body, ".line", HTMLElement));
    const parts = highest(findAll(this.body, ".part", HTMLElement));
    this.frame.classList.remove("measuring");
    this.frame.style.setProperty("--row-height", `${rows}px`);
    this.frame.style.setProperty("--part-height", `${parts}px`);
    window.measure(rows, parts, highest([find(this.frame, "thead", HTMLElement)]));
  }

  /** @param {Window} window */
  follow(window) {
    window.follow();
    this.render();
    this.page.certainty.ask();
  }

  remeasure() {
    if (!this.window || this.whole || !this.list.length) return;
    this.measure(this.window);
    this.render();
  }
}

/** A row, and the lines of its model's datasets where they are open. @param {Row} row @returns {HTMLElement[]} */
function linesOf({ line, parts }) {
  return [line, ...parts.map((part) => part.line)];
}

/** The id of the model in whose row a control is. @param {Element} control */
function modelOf(control) {
  return /** @type {HTMLTableRowElement} */ (control.closest("tr")).dataset.model ?? "";
}

/** @param {HTMLElement[]} rows */
function highest(rows) {
  return Math.ceil(Math.max(0, ...rows.map((row) => row.getBoundingClientRect().height)));
}
