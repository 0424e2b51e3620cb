// Search over the method pages: MkDocs's index of their sections, ranked by lunr, both of this site's own.
// They are fetched when somebody first turns to the box.
import { reasonOf } from "../base/formats.js";
import { byId, element, findAll } from "../base/elements.js";
import { text } from "../base/texts.js";
import { SectionIndex, snippet } from "../parts/section-index.js";

/** @import { Lunr } from "../../types" */
/** @import { Match, Section } from "../parts/section-index.js" */

const SHOWN = 8;

const form = byId("docs-search");
const input = byId("docs-query", HTMLInputElement);
const status = byId("docs-status");
const results = byId("docs-results");
const method = new URL(form.dataset.method ?? "", location.href);

/** The index, once somebody needs it. @type {Promise<SectionIndex> | null} */
let index = null;

function loadedIndex() {
  index ??= loadIndex().catch((error) => {
    index = null;
    throw error;
  });
  return index;
}

async function loadIndex() {
  const address = new URL("search/search_index.json", method);
  const [lunr, response] = await Promise.all([loadLunr(), fetch(address)]);
  if (!response.ok) throw new Error(`${address.pathname} answered ${response.status}`);
  /** @type {{ docs: Section[] }} */
  const { docs } = await response.json();
  return new SectionIndex(lunr, docs);
}

/** lunr is no module: it is loaded as the script that it is. @returns {Promise<Lunr>} */
function loadLunr() {
  return new Promise((resolve, reject) => {
    const script = element("script", { src: new URL("search/lunr.js", method).href });
    const fail = () => reject(new Error("lunr.js did not load"));
    script.onload = () => (window.lunr ? resolve(window.lunr) : fail());
    script.onerror = fail;
    document.head.append(script);
  });
}

/** @param {Match[]} matches @param {string} typed */
function show(matches, typed) {
  results.replaceChildren(...matches.slice(0, SHOWN).map(item));
  status.textContent = summary(matches.length, typed);
}

/** @param {number} count @param {string} typed */
function summary(count, typed) {
  if (!typed) return "";
  if (!count) return text("docs.none", { typed });
  return text(count > SHOWN ? "docs.more" : "docs.found", { count, most: SHOWN });
}

/** @param {Match} match */
function item(match) {
  const link = element("a", { href: new URL(match.location, method).href }, match.title);
  const from = match.page === match.title ? [] : [" ", element("span", { class: "from" }, match.page ?? "")];
  const pieces = snippet(match).map((one) => (one.marked ? element("mark", {}, one.text) : one.text));
  return element("li", {}, element("div", {}, link, ...from), element("p", {}, ...pieces));
}

async function search() {
  const typed = input.value.trim();
  try {
    const sections = await loadedIndex();
    // Somebody may have typed on while the index came.
    if (typed === input.value.trim()) show(typed ? sections.find(typed) : [], typed);
  } catch (error) {
    show([], "");
    status.textContent = text("docs.failed", { reason: reasonOf(error) });
  }
}

/** Up and down walk from the box through the results, and back. @param {KeyboardEvent} event */
function walk(event) {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const links = findAll(results, "a", HTMLAnchorElement);
  if (!step || !links.length) return;
  const at = links.findIndex((link) => link === document.activeElement) + step;
  event.preventDefault();
  if (at < 0) input.focus();
  else links[Math.min(at, links.length - 1)].focus();
}

/** @param {KeyboardEvent} event */
function clear(event) {
  if (event.key !== "Escape" || !input.value) return;
  event.preventDefault();
  input.value = "";
  input.focus();
  show([], "");
}

input.addEventListener("focus", () => loadedIndex().catch(() => {}), { once: true });
input.addEventListener("input", search);
form.addEventListener("keydown", walk);
form.addEventListener("keydown", clear);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  findAll(results, "a", HTMLAnchorElement)[0]?.click();
});
if (input.value) search();
