// "Cite this view": texts that follow the weights, on a snapshot's page of itself, on a live board's of its newest
// snapshot. They are written by evaluator/rank/citations.py.
import { byId, closest, find, findAll, findOptional, islandIfAny } from "../base/elements.js";
import { text } from "../base/texts.js";
import { BOARD_PARTS, encode, same } from "../view/fragment.js";
import { justBefore } from "../view/links.js";
import { question } from "../view/view.js";
import { shownView } from "./sharing.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */

/**
 * The island `citation-data`: what is cited in every view, as `Citation.island` gives it. A live board's has more: where
 * the snapshot's page is, the keys of the parts of a view that this page reads, the view that it shows by itself, whether
 * its numbers are those of the live board, and the name of what says how they vary, null without.
 * @typedef {{ id: string, path?: string, parts?: string, first?: Partial<BoardView>, whole?: boolean, certainty?: string | null }} CitationData
 */
/** The numbers of a snapshot, for Python. @typedef {{ data: object, certainty: object | null }} FrozenData */

/** @implements {Part} */
export class Cite {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.quiet = 0;
    const place = document.getElementById("cite");
    /** A live board without a snapshot has nothing to cite. @type {CitationData | null} */
    this.about = place && islandIfAny("citation-data");
    /** Numbers that are not those of the page, once they are fetched. @type {FrozenData | null} */
    this.frozen = null;
    this.isComing = false;
    this.dialog = place instanceof HTMLDialogElement ? place : null;
    if (!place) return;
    this.texts = new Map(
      findAll(place, "[data-format]", HTMLElement).map((one) => [one.dataset.format ?? "", one]),
    );
    place.addEventListener("click", (event) => this.copy(closest(event, "[data-copies]", HTMLElement)));
    byId("cite-open").addEventListener("click", () => this.open(place));
    // The link to that snapshot leads to it in the view that is shown.
    const newest = findOptional(document, "#newest", HTMLElement);
    const { about } = this;
    if (newest && about) {
      const fragment = () => this.atSnapshot(about, page.view.now).fragment;
      justBefore(newest, () => true, fragment);
    }
    if (this.dialog) byId("cite-close").addEventListener("click", () => this.dialog?.close());
  }

  /** @param {HTMLElement} place */
  open(place) {
    if (this.dialog) {
      this.dialog.showModal();
      return this.show();
    }
    place.scrollIntoView({ block: "start" });
    byId("cite-title").focus({ preventScroll: true });
  }

  /** Whether the newest snapshot has other numbers than the page; costs at other prices are such. */
  get differs() {
    const { path, whole } = this.about ?? {};
    return path !== undefined && !(whole && this.isOwn(this.page.ranked, "prices"));
  }

  /** A snapshot of other numbers is ranked by itself: what is cited is what it says. One that is whole differs by prices
   * only, and has those of the day, as this page has them. */
  async fetchFrozen() {
    const { path, certainty, whole } = this.about ?? {};
    if (!path || this.isComing) return;
    this.isComing = true;
    const { board, certainty: own } = this.page.scorer;
    const varies = whole ? own : certainty && path + certainty;
    try {
      const [data, found] = await Promise.all([
        whole ? JSON.parse(board) : fetchedJson(`${path}snapshot.json`).then((record) => record.data),
        varies ? fetchedJson(varies) : null,
      ]);
      this.frozen = { data, certainty: found };
      this.show();
    } catch {
      this.isComing = false;
      byId("cite-order").textContent = text("cite.unread");
    }
  }

  /** What nobody reads is not asked for; of a snapshot with other numbers nothing is said before they are here. */
  show() {
    const { about } = this;
    if (!about || (this.dialog && !this.dialog.open)) return;
    if (this.differs && !this.frozen) {
      this.fetchFrozen();
      return;
    }
    this.page.words.ask(
      "citation",
      () => this.asked(about),
      (said) => this.write(about, said),
    );
  }

  /** What is cited: the view that the ranking on the page answers, and its address.
   * @param {CitationData} island */
  asked(island) {
    const { path, parts: _, first: __, whole: ___, certainty: ____, ...about } = island;
    const { data, certainty } = this.page;
    const frozen = this.differs ? this.frozen : null;
    const { cited, own, unread, fragment } = this.atSnapshot(island, shownView(this.page));
    const address = new URL(path ?? location.pathname, location.href).href.split("#")[0];
    return {
      about,
      view: cited,
      url: fragment ? `${address}#${fragment}` : address,
      first: own,
      unread,
      question: path === undefined ? null : question(cited, data.models),
      sets: unread.length || frozen ? null : certainty.setsOfAll,
      frozen,
    };
  }

  /** A view as the cited page can show it, without the parts that it does not read; what this page shows by itself, and
   * its fragment there. @param {CitationData} island @param {BoardView} shown */
  atSnapshot({ parts, first }, shown) {
    const { view } = this.page;
    // A snapshot keeps the prices of its day, however new it is.
    const reads = (/** @type {string} */ key) => parts === undefined || (parts.includes(key) && key !== "v");
    const unread = BOARD_PARTS.filter(([key, field]) => !reads(key) && !this.isOwn(shown, field)).map(
      ([, field]) => field,
    );
    const left = Object.fromEntries(unread.map((field) => [field, view.defaults[field]]));
    const own = { ...view.defaults, ...first };
    // A page that reads no trade-offs does not rank by them either.
    const by = unread.includes("trades") && shown.by === "trades" ? own.by : shown.by;
    const cited = { ...shown, ...left, by, ...(by !== "trades" && { trades: own.trades }) };
    return { cited, own, unread, fragment: encode(cited, own, BOARD_PARTS) };
  }

  /** Whether a part of the view is that of the board itself, or plays no part. @param {BoardView} shown @param {keyof BoardView} field */
  isOwn(shown, field) {
    if (field === "trades") return shown.by !== "trades";
    return same(shown[field], this.page.view.defaults[field]);
  }

  /** @param {CitationData} about
   * @param {{ texts: Record<string, string>, weights: string, order: string, url: string, unread: string }} said */
  write({ path }, { texts, weights, order, url, unread }) {
    for (const [format, place] of this.texts ?? []) {
      if (place.textContent !== texts[format]) place.textContent = texts[format];
    }
    if (!path) return;
    byId("cite-weights").textContent = `, ${weights}`;
    byId("cite-unread").hidden = !unread;
    byId("cite-unread").textContent = unread;
    byId("cite-order").textContent = order;
    byId("cite-there", HTMLAnchorElement).href = url;
  }

  /** @param {HTMLElement | null} button */
  async copy(button) {
    const place = this.texts?.get(button?.dataset.copies ?? "");
    if (!place) return;
    try {
      await navigator.clipboard.writeText(place.textContent);
      this.report(text("cite.copied"));
    } catch {
      // Where the clipboard is refused the text is selected, to be copied by hand.
      getSelection()?.selectAllChildren(place);
      this.report(text("cite.selected"));
    }
  }

  /** Say for a moment what has been done. @param {string} outcome */
  report(outcome) {
    find(byId("cite"), "[role=status]", HTMLElement).textContent = outcome;
    clearTimeout(this.quiet);
    if (outcome) this.quiet = setTimeout(() => this.report(""), 3000);
  }
}

/** @param {string} address @returns {Promise<any>} */
async function fetchedJson(address) {
  const response = await fetch(new URL(address, document.baseURI));
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response.json();
}
