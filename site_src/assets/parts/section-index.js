// An index of the sections of documentation pages, by lunr, and what a search shows of a section.

/** @import { Lunr, LunrQuery, LunrResult } from "../../types" */
/**
 * A section as MkDocs writes it to its index, or a whole page, whose location has no "#".
 * @typedef {{ location: string, title: string, text: string }} Section
 */
/**
 * A match: the section, its page's title, and where its text matches, as [start, length].
 * @typedef {Section & { page: string | undefined, places: [number, number][] }} Match
 */
/** A piece of a text; `marked` where it matches. @typedef {{ text: string, marked: boolean }} MarkedText */

// What explains a word comes before the tables that hold it.
const REFERENCE = { prefix: "reference/", boost: 0.05 };
const SNIPPET = 180;
// Characters of a text that are shown before its first match.
const BEFORE = 60;
// Longer words may have a letter wrong.
const SHORT = 4;

/** The sections of all pages. MkDocs lists each page whole as well, which would find everything twice. */
export class SectionIndex {
  /** @param {Lunr} lunr @param {Section[]} docs */
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
      for (const section of sections.values()) this.add(section, { boost: boostOf(section) });
    });
  }

  /** Sections with all of the words first, each word whole, begun or nearly right. @param {string} text */
  find(text) {
    const words = this.lunr.tokenizer(text).map(String);
    if (!words.length) return [];
    const results = this.index.query((query) => words.forEach((word) => this.addWord(query, word)));
    return results.flatMap((result) => this.match(result));
  }

  /** @param {LunrQuery} query @param {string} word */
  addWord(query, word) {
    const { TRAILING } = this.lunr.Query.wildcard;
    query.term(word, { boost: 20 });
    query.term(word, { wildcard: TRAILING, usePipeline: false, boost: 5 });
    if (word.length > SHORT) query.term(word, { editDistance: 1 });
  }

  /** @param {LunrResult} result @returns {Match[]} */
  match({ ref, matchData }) {
    const section = this.sections.get(ref);
    if (!section) return [];
    const places = Object.values(matchData.metadata).flatMap((fields) => fields.text?.position ?? []);
    const page = this.pages.get(section.location.split("#")[0]);
    return [{ ...section, page, places: places.sort((left, right) => left[0] - right[0]) }];
  }
}

/** @param {Section} section */
function boostOf({ location }) {
  return location.startsWith(REFERENCE.prefix) ? REFERENCE.boost : 1;
}

/** @param {Section} doc */
function isPage(doc) {
  return !doc.location.includes("#");
}

/** The words around the first place that matches, with every match in sight marked.
 * @param {Pick<Match, "text" | "places">} match */
export function snippet({ text, places }) {
  const from = snippetStart(text, places[0]?.[0] ?? 0);
  const to = snippetEnd(text, from + SNIPPET);
  /** @type {MarkedText[]} */
  const pieces = [plain(from > 0 ? "… " : "")];
  let at = from;
  for (const [start, length] of places) {
    if (start < at || start + length > to) continue;
    pieces.push(plain(text.slice(at, start)), { text: text.slice(start, start + length), marked: true });
    at = start + length;
  }
  pieces.push(plain(text.slice(at, to)), plain(to < text.length ? " …" : ""));
  return pieces.filter((piece) => piece.text);
}

/** @param {string} text @returns {MarkedText} */
function plain(text) {
  return { text, marked: false };
}

/** A little before the match, at the beginning of a word. @param {string} text @param {number} match */
function snippetStart(text, match) {
  if (match < BEFORE) return 0;
  return text.indexOf(" ", match - BEFORE) + 1;
}

/** At the end of a word. @param {string} text @param {number} limit */
function snippetEnd(text, limit) {
  if (text.length <= limit) return text.length;
  return text.lastIndexOf(" ", limit);
}
