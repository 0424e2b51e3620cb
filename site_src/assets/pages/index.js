// The index: which boards have the words that a visitor types, and which models have them in their names.
import { byId, element, find, findAll, findOptional, island } from "../base/elements.js";
import { counted } from "../base/formats.js";
import { searchable } from "../base/models.js";

/** The island `index-data`: the position of a model's board, its id, its label and its rank there.
 * @typedef {[board: number, id: string, label: string, rank: number | null]} ModelEntry */

const SHOWN = 12;

const form = byId("finder");
const input = byId("find", HTMLInputElement);
const task = findOptional(document, "#task", HTMLSelectElement);
const status = byId("finder-status");
const modelSection = byId("found");
const modelList = byId("found-models");
const none = byId("none");

class BoardCard {
  /** @param {HTMLElement} card */
  constructor(card) {
    this.element = card;
    this.title = find(card, "h3 a", HTMLAnchorElement).textContent;
    this.task = card.dataset.task ?? "";
    /** The address of the board's models. */
    this.models = new URL(card.dataset.models ?? "", location.href);
    // Names of leaders are left to the search for models.
    const parts = findAll(card, ".card-head, .legend, .about", HTMLElement);
    this.text = searchable(parts.map((part) => part.textContent).join(" "));
  }

  /** @param {string[]} words */
  has(words) {
    return words.every((word) => this.text.includes(word));
  }
}

class Model {
  /** @param {ModelEntry} entry @param {BoardCard[]} cards */
  constructor([board, id, label, rank], cards) {
    this.card = cards[board];
    this.rank = rank;
    this.label = label;
    this.address = new URL(`${encodeURIComponent(id)}/`, this.card.models);
    this.text = searchable(`${label} ${id}`);
  }

  /** @param {string[]} words */
  has(words) {
    return words.every((word) => this.text.includes(word));
  }

  row() {
    const rank = this.rank === null ? "not ranked on " : `rank ${this.rank} on `;
    const board = element("bdi", {}, this.card.title);
    return element(
      "li",
      {},
      element("a", { href: this.address.href, dir: "auto" }, this.label),
      element("span", { class: "muted small" }, rank, board),
    );
  }
}

const cards = findAll(byId("boards"), ":scope > li", HTMLElement).map((card) => new BoardCard(card));
/** @type {{ models: ModelEntry[] }} */
const data = island("index-data");
const models = data.models.map((entry) => new Model(entry, cards));

/** The words that are typed. */
function typedWords() {
  return searchable(input.value).split(/\s+/).filter(Boolean);
}

/** @param {BoardCard} card */
function inTask(card) {
  return !task?.value || card.task === task.value;
}

/**
 * The models of that name; those whose name begins with the first word come first.
 * @param {string[]} words
 */
function modelsNamed(words) {
  if (!words.length) return [];
  const named = models.filter((model) => inTask(model.card) && model.has(words));
  return named.sort((left, right) => left.text.indexOf(words[0]) - right.text.indexOf(words[0]));
}

function filter() {
  const words = typedWords();
  const named = modelsNamed(words);
  const holders = new Set(named.map((model) => model.card));
  const shown = cards.filter((card) => inTask(card) && (card.has(words) || holders.has(card)));
  for (const card of cards) card.element.hidden = !shown.includes(card);
  listModels(named);
  none.hidden = shown.length > 0;
  const parts = [counted(shown.length, "board"), ...(words.length ? [modelCount(named.length)] : [])];
  status.textContent = words.length || task?.value ? `${parts.join(" and ")}.` : "";
}

// The search is kept in the address, so that it can be come back to and shared.
function keep() {
  const parts = Object.entries({ q: input.value.trim(), task: task?.value ?? "" });
  const fragment = new URLSearchParams(parts.filter(([, value]) => value)).toString();
  if (fragment !== location.hash.slice(1)) {
    history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  }
}

function read() {
  const fragment = location.hash.slice(1);
  // A place on the page, such as the one the skip link leads to, says nothing about the search.
  if (fragment && document.getElementById(fragment)) return;
  const parts = new URLSearchParams(fragment);
  input.value = parts.get("q") ?? "";
  if (task) task.value = parts.get("task") ?? "";
  // A task that no board has chooses nothing at all.
  if (task?.selectedIndex === -1) task.value = "";
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

/** @param {number} count */
function modelCount(count) {
  const text = counted(count, "model");
  return count > SHOWN ? `${text}, of which ${SHOWN} are listed` : text;
}

function showAll() {
  input.value = "";
  if (task) task.value = "";
  changed();
  input.focus();
}

input.addEventListener("input", changed);
task?.addEventListener("change", changed);
byId("show-all").addEventListener("click", showAll);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("keydown", (event) => {
  if (event.key === "Escape") showAll();
});
addEventListener("hashchange", read);
read();
