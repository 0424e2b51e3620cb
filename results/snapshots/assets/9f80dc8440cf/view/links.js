// Which links carry the view of a page on: those to the pages of its board that show ranks, or lead back to such pages. The
// view goes along in the address, just before somebody follows a link or copies it.

/** What may open a link, or copy its address. */
const BEFORE = ["pointerdown", "focusin", "keydown", "contextmenu"];
/** The pages of a board that take its view, as their addresses go on after that of the board. */
const PAGES =
  /^((models|datasets)\/[^/]+\/(examples\/)?|suites\/[^/]+\/[^/]+\/|difficulty\/[^/]+\/|compare\/|quality\/)?$/;
/** Those of them with a view of their own: the board's stands before it, for the way back. */
const APART = /^difficulty\//;
/** What the view of a board begins with in the address of such a page; see `address.js`. */
const BOARD = "board=";

/**
 * Let links to other pages of a board carry a view on.
 * @param {string} board the address of its page
 * @param {(own: string) => string} fragment what a link gets, by the fragment that it has itself, "" without
 * @param {HTMLElement} [within]
 */
export function carryOn(board, fragment, within = document.documentElement) {
  const home = new URL(board, document.baseURI).href;
  const pageOf = (/** @type {HTMLAnchorElement} */ link) => {
    const [address] = link.href.split("#");
    return address.startsWith(home) ? address.slice(home.length) : null;
  };
  const leadsOn = (/** @type {HTMLAnchorElement} */ link) => {
    const page = pageOf(link);
    const isPage = page !== null && PAGES.test(page) && home + page !== location.href.split("#")[0];
    // Any other fragment is a place on that page.
    return isPage && /^(#(board=)?v1;.*)?$/.test(link.hash);
  };
  justBefore(within, leadsOn, (link) => {
    const own = (link.dataset.own ??= link.hash.slice(1));
    if (!APART.test(pageOf(link) ?? "")) return fragment(own);
    const view = fragment("");
    return [view && BOARD + view, own].filter(Boolean).join("&");
  });
}

/** The view of the board that a page with one of its own was opened from; empty without.
 * @param {string} fragment of that page */
export function boardOf(fragment) {
  return (
    fragment
      .split("&")
      .find((part) => part.startsWith(BOARD))
      ?.slice(BOARD.length) ?? ""
  );
}

/** Give links their fragment just before they are used. @param {HTMLElement} within
 * @param {(link: HTMLAnchorElement) => boolean} which @param {(link: HTMLAnchorElement) => string} fragment */
export function justBefore(within, which, fragment) {
  for (const type of BEFORE) {
    within.addEventListener(
      type,
      ({ target }) => {
        const link = target instanceof Element ? target.closest("a[href]") : null;
        if (link instanceof HTMLAnchorElement && which(link)) link.hash = fragment(link);
      },
      { capture: true },
    );
  }
}

/** A fragment with the parts that a link says itself in the place of its own. @param {string} fragment @param {string} own */
export function together(fragment, own) {
  const key = (/** @type {string} */ part) => part.split("=", 1)[0];
  const [version, ...said] = own.split(";");
  const keys = new Set(said.map(key));
  const kept = fragment.split(";").filter((part) => part !== version && !keys.has(key(part)));
  return own ? [version, ...kept, ...said].join(";") : fragment;
}
