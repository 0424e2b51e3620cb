// What stands behind "#" in the address of a page, which is its view. Some pages keep something else there, with "&" between
// the two: on the first page what boards are searched for, #q=bert&v1;m=perf:4, and on that of what is hard in a dataset the
// view of the board that it was opened from, #board=v1;m=perf:4&v1;s=continuous

/** A view begins with the version of its format; nothing else does. */
const VIEW = /^v\d+(;|$)/;

/** The fragment of the page's address; null where that is a place on the page, such as the one the skip link leads to,
 * which says nothing about a view. */
export function fragmentNow() {
  const fragment = location.hash.slice(1);
  return fragment && document.getElementById(fragment) ? null : fragment;
}

/** The two parts of a fragment, each "" where there is none. @param {string} fragment */
export function partsOf(fragment) {
  const parts = fragment.split("&");
  const isView = (/** @type {string} */ part) => VIEW.test(part);
  return { rest: parts.filter((part) => !isView(part)).join("&"), view: parts.find(isView) ?? "" };
}

/** The fragment of a view and of what else there is. @param {{ rest: string, view: string }} parts */
export function joined({ rest, view }) {
  return [rest, view].filter(Boolean).join("&");
}

/** Put a fragment into the page's address; the back button takes back what is no `correction`.
 * @param {string} fragment @param {boolean} [correction] */
export function putAddress(fragment, correction = false) {
  const address = fragment ? `#${fragment}` : location.pathname + location.search;
  if (correction) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}
