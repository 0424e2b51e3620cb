// What this browser remembers for a visitor, of this site only; early.js brings it back before the first paint.

/** @param {"theme" | "rows"} what @param {string | null} choice null for the usual one */
export function remember(what, choice) {
  try {
    if (choice === null) localStorage.removeItem(`steelyard-${what}`);
    else localStorage.setItem(`steelyard-${what}`, choice);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
