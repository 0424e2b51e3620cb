// Search over the method pages: MkDocs's index of their sections, ranked by lunr, both of this site's own.
// They are fetched when somebody first turns to the box.
const SHOWN = 8;
const SNIPPET = 180;
// What explains a word comes before the tables that hold it.
const REFERENCE = { prefix: "reference/", boost: 0.05 };

const form = document.getElementById("docs-search");
const input = document.getElementById("docs-query");
const said = document.getElementById("docs-said");
const results = document.getElementById("docs-results");
const method = new URL(form.dataset.method, location.href);

let index;

function ready() {
  index ??= build().catch((error) => {
    index = undefined;
    throw error;
  });
  return index;
}

async function build() {
  const address = new URL("search/search_index.json", method);
  const [lunr, response] = await Promise.all([loadLunr(), fetch(address)]);
  if (!response.ok) throw new Error(`${address.pathname} answered ${response.status}`);
  const { docs } = await response.json();
  return new SectionIndex(lunr, docs);
}

// lunr is no module: it is loaded as the script that it is.
function loadLunr() {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("search/lunr.js", method);
    script.onload = () => resolve(window.lunr);
    script.onerror = () => reject(new Error("lunr.js did not load"));
    document.head.append(script);
  });
}

/** The sections of all pages. MkDocs lists each page whole as well, which would find everything twice. */
class SectionIndex {
  constructor(lunr, docs) {
    this.lunr = lunr;
    this.pages = new Map(docs.filter(isPage).map((page) => [page.location, page.title]));
    this.sections = new Map(docs.filter((doc) => !isPage(doc)).map((doc) => [doc.location, doc]));
    const { sections } = this;
    this.index = lunr(function () {
      this.ref("location");
      this.field("title", { boost: 8 });
      this.field("text");
      this.metadataWhitelist = ["position"];
      for (const section of sections.values()) this.add(section, { boost: weight(section) });
    });
  }

  /** Sections with all of the words first, each word whole, begun or nearly right. */
  find(text) {
    const words = this.lunr.tokenizer(text).map(String);
    if (!words.length) return [];
    const found = this.index.query((query) => words.forEach((word) => this.ask(query, word)));
    return found.map(({ ref, matchData }) => this.result(this.sections.get(ref), matchData.metadata));
  }

  ask(query, word) {
    query.term(word, { boost: 20 });
    query.term(word, { wildcard: this.lunr.Query.wildcard.TRAILING, usePipeline: false, boost: 5 });
    if (word.length > 4) query.term(word, { editDistance: 1 });
  }

  result(section, metadata) {
    const places = Object.values(metadata).flatMap((fields) => fields.text?.position ?? []);
    const page = this.pages.get(section.location.split("#")[0]);
    return { ...section, page, places: places.sort((left, right) => left[0] - right[0]) };
  }
}

function weight({ location }) {
  return location.startsWith(REFERENCE.prefix) ? REFERENCE.boost : 1;
}

function isPage(doc) {
  return !doc.location.includes("#");
}

function show(found, text) {
  results.replaceChildren(...found.slice(0, SHOWN).map(item));
  said.textContent = summary(found.length, text);
}

function summary(count, text) {
  if (!text) return "";
  if (!count) return `Nothing found for “${text}”.`;
  const sections = `${count} section${count === 1 ? "" : "s"} found`;
  return count > SHOWN ? `${sections}, the best ${SHOWN} are shown.` : `${sections}.`;
}

function item(result) {
  const link = document.createElement("a");
  link.href = new URL(result.location, method);
  link.textContent = result.title;
  const head = document.createElement("div");
  head.append(link);
  if (result.page !== result.title) head.append(" ", labelled("span", "from", result.page));
  const row = document.createElement("li");
  row.append(head, snippet(result));
  return row;
}

function labelled(tag, name, text) {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

/** The words around the first place that matches, with every match in sight marked. */
function snippet({ text, places }) {
  const paragraph = document.createElement("p");
  const from = begin(text, places[0]?.[0] ?? 0);
  const to = end(text, from + SNIPPET);
  let at = from;
  if (from > 0) paragraph.append("… ");
  for (const [start, length] of places) {
    if (start < at || start + length > to) continue;
    paragraph.append(text.slice(at, start), labelled("mark", "", text.slice(start, start + length)));
    at = start + length;
  }
  paragraph.append(text.slice(at, to), to < text.length ? " …" : "");
  return paragraph;
}

// A little before the match, at the beginning of a word.
function begin(text, match) {
  if (match < 60) return 0;
  return text.indexOf(" ", match - 60) + 1;
}

function end(text, limit) {
  if (text.length <= limit) return text.length;
  return text.lastIndexOf(" ", limit);
}

async function search() {
  const text = input.value.trim();
  try {
    const sections = await ready();
    // Somebody may have typed on while the index came.
    if (text === input.value.trim()) show(text ? sections.find(text) : [], text);
  } catch (error) {
    show([], "");
    said.textContent = `The search could not be loaded: ${error.message}. Every page is in the list of method pages.`;
  }
}

// Up and down walk from the box through the results, and back.
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...results.querySelectorAll("a")];
  if (!step || !links.length) return;
  const at = links.indexOf(document.activeElement) + step;
  event.preventDefault();
  if (at < 0) input.focus();
  else links[Math.min(at, links.length - 1)].focus();
}

function clear(event) {
  if (event.key !== "Escape" || !input.value) return;
  event.preventDefault();
  input.value = "";
  input.focus();
  show([], "");
}

input.addEventListener("focus", () => ready().catch(() => {}), { once: true });
input.addEventListener("input", search);
form.addEventListener("keydown", walk);
form.addEventListener("keydown", clear);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
if (input.value) search();
