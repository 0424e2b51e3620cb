// The index: which boards have what a visitor types or chooses, and which models have it in their names.
import { byId, element, find, findAll, island } from "../base/elements.js";
import { text, textAround } from "../base/texts.js";
import { searchable } from "../base/models.js";
import { fragmentNow, joined, partsOf, putAddress } from "../view/address.js";

/** The island `index-data`: the position of a model's board, its id, its label and its rank there.
 * @typedef {[board: number, id: string, label: string, rank: number | null]} ModelEntry */

const SHOWN = 12;
const LEADER = 2;
/** The board to try starts when the page has been idle, but no later than this many milliseconds after it has loaded. */
const PATIENCE = 3000;

const form = byId("finder", HTMLFormElement);
const input = byId("find", HTMLInputElement);
const status = byId("finder-status");
const modelSection = byId("found");
const modelList = byId("found-models");
const none = byId("none");

class BoardRow {
  /** @param {HTMLTableRowElement} row */
  constructor(row) {
    this.element = row;
    const cells = findAll(row, "th, td", HTMLTableCellElement);
    this.cells = cells;
    this.title = find(row, "th a", HTMLAnchorElement).textContent;
    /** The address of the board's models. */
    this.models = new URL(row.dataset.models ?? "", location.href);
    // Names of leaders are left to the search for models.
    const texts = cells.filter((_, at) => at !== LEADER).map((cell) => cell.textContent);
    this.text = searchable([...texts, row.dataset.words ?? ""].join(" "));
    /** What it has of that which boards are chosen by, by the name of the field. @type {Record<string, string[]>} */
    this.holds = {
      task: (row.dataset.task ?? "").split(" "),
      numbers: (row.dataset.numbers ?? "").split(" "),
      metrics: findAll(row, ".metrics bdi", HTMLElement).map(({ dataset }) => (dataset.metric ?? "").trim()),
    };
  }

  /** Whether it has all that is chosen. @param {string[][]} choices fields and their values */
  passes(choices) {
    return choices.every(([field, value]) => this.holds[field].includes(value));
  }

  /** What a column sorts it by. @param {number} column */
  keyOf(column) {
    return this.cells[column].dataset.sort ?? searchable(this.cells[column].textContent.trim());
  }

  /** @param {string[]} words */
  has(words) {
    return words.every((word) => this.text.includes(word));
  }
}

class Model {
  /** @param {ModelEntry} entry @param {BoardRow[]} rows */
  constructor([board, id, label, rank], rows) {
    this.board = rows[board];
    this.rank = rank;
    this.label = label;
    this.address = new URL(`${encodeURIComponent(id)}/`, this.board.models);
    this.text = searchable(`${label} ${id}`);
  }

  /** @param {string[]} words */
  has(words) {
    return words.every((word) => this.text.includes(word));
  }

  row() {
    const board = element("bdi", {}, this.board.title);
    const place =
      this.rank === null
        ? textAround("finder.unranked", { board })
        : textAround("finder.rank", { rank: element("span", {}, String(this.rank)), board });
    return element(
      "li",
      {},
      element("a", { href: this.address.href, dir: "auto" }, this.label),
      element("span", { class: "muted small" }, ...place),
    );
  }
}

const rows = findAll(document, ".boards .listed", HTMLTableRowElement).map((row) => new BoardRow(row));
/** @type {{ models: ModelEntry[] }} */
const data = island("index-data");
const models = data.models.map((entry) => new Model(entry, rows));

/** What is typed and chosen, as the address has it: a field that asks for nothing is left out. */
function asked() {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
  return new URLSearchParams(fields.filter(([, value]) => value));
}

/** The models of that name on some of the boards; those whose name begins with the first word come first.
 * @param {string[]} words @param {Set<BoardRow>} boards */
function modelsNamed(words, boards) {
  if (!words.length) return [];
  const named = models.filter((model) => boards.has(model.board) && model.has(words));
  return named.sort((left, right) => left.text.indexOf(words[0]) - right.text.indexOf(words[0]));
}

function filter() {
  const words = searchable(input.value).split(/\s+/).filter(Boolean);
  const choices = [...asked()].filter(([field]) => field !== input.name);
  const passing = new Set(rows.filter((row) => row.passes(choices)));
  const named = modelsNamed(words, passing);
  const holders = new Set(named.map((model) => model.board));
  const shown = [...passing].filter((row) => row.has(words) || holders.has(row));
  for (const row of rows) row.element.hidden = !shown.includes(row);
  for (const heading of findAll(document, ".boards .group", HTMLTableRowElement)) {
    const listed = findAll(heading.parentElement ?? heading, ".listed", HTMLTableRowElement);
    heading.hidden = listed.every((row) => row.hidden);
  }
  listModels(named);
  none.hidden = shown.length > 0;
  const narrowed = words.length > 0 || choices.length > 0;
  status.textContent = narrowed ? countWords(shown.length, words.length ? named.length : null) : "";
}

// The search is kept in the address, beside the view of the board to try, so that it can be come back to and shared.
function keep() {
  const rest = asked().toString();
  const { rest: before, view } = partsOf(fragmentNow() ?? "");
  if (rest !== before) putAddress(joined({ rest, view }), true);
}

function read() {
  const fragment = fragmentNow();
  if (fragment === null) return;
  const wanted = new URLSearchParams(partsOf(fragment).rest);
  input.value = wanted.get(input.name) ?? "";
  for (const select of findAll(form, "select", HTMLSelectElement)) {
    select.value = wanted.get(select.name) ?? "";
    // What no board has chooses nothing at all.
    if (select.selectedIndex === -1) select.value = "";
  }
  for (const box of findAll(form, "[type=checkbox]", HTMLInputElement)) {
    box.checked = wanted.getAll(box.name).includes(box.value);
  }
  filter();
}

function changed() {
  filter();
  keep();
}

/** @param {Model[]} named */
function listModels(named) {
  modelSection.hidden = !named.length;
  modelList.replaceChildren(...named.slice(0, SHOWN).map((model) => model.row()));
}

/** How many boards are shown, and how many models have the name that was typed.
 * @param {number} shown @param {number | null} named */
function countWords(shown, named) {
  const boards = text("finder.boards", { count: shown });
  if (named === null) return `${boards}.`;
  const models = text(named > SHOWN ? "finder.more-models" : "finder.models", { count: named, most: SHOWN });
  return text("finder.found", { boards, models });
}

function showAll() {
  form.reset();
  changed();
  input.focus();
}

form.addEventListener("input", changed);
byId("show-boards").addEventListener("click", showAll);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("keydown", (event) => {
  if (event.key === "Escape") showAll();
});
addEventListener("hashchange", read);
read();

/** Let the heads of the table sort it: one press in order, the next the other way round. */
function prepareSorting() {
  const heads = findAll(document, ".boards thead th", HTMLTableCellElement);
  heads.forEach((head, column) => {
    const name = find(head, ".head", HTMLElement);
    const button = element("button", { type: "button", class: "sort" }, name.textContent);
    name.replaceWith(button);
    button.addEventListener("click", () => sort(heads, column));
  });
}

/** @param {HTMLTableCellElement[]} heads @param {number} column */
function sort(heads, column) {
  const down = heads[column].getAttribute("aria-sort") === "ascending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const sorted = [...rows].sort((left, right) => compare(left.keyOf(column), right.keyOf(column)));
  // Each stays under its heading.
  for (const row of down ? sorted.reverse() : sorted) row.element.parentElement?.append(row.element);
}

/** @param {string} left @param {string} right */
function compare(left, right) {
  return left.localeCompare(right, "en", { numeric: true });
}

/** Start the board to try, once: when the page is idle, or as soon as somebody touches it; at once where the address has a
 * view of it. @param {HTMLElement} live */
function prepareLive(live) {
  const start = once(async () => {
    const starter = element("script", { src: live.dataset.starter ?? "" });
    starter.addEventListener("load", async () => (await import("./live.js")).startLive());
    document.head.append(starter);
  });
  for (const type of ["pointerdown", "focusin"]) live.addEventListener(type, start);
  const idle = () =>
    "requestIdleCallback" in window
      ? requestIdleCallback(start, { timeout: PATIENCE })
      : setTimeout(start, PATIENCE);
  if (partsOf(fragmentNow() ?? "").view) return start();
  if (navigator.connection?.saveData) return;
  if (document.readyState === "complete") idle();
  else addEventListener("load", idle);
}

/** @param {() => void} work */
function once(work) {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

prepareSorting();
const live = document.getElementById("live");
if (live) prepareLive(live);
