// Rows glide from where they were to where they are, unless motion is unwanted.
const MOVE = { duration: 250, easing: "ease-out" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Glide {
  /** Remember where these rows are, null for none of them. */
  from(rows) {
    const wanted = rows && !still.matches;
    this.before = new Map(wanted ? rows.map((row) => [row, row.getBoundingClientRect().top]) : []);
  }

  /** Let the remembered rows that are on the screen glide. */
  go() {
    for (const [row, before] of this.before) {
      if (!row.isConnected) continue;
      const top = row.getBoundingClientRect().top;
      if (Math.min(top, before) < innerHeight && Math.max(top, before) > 0) move(row, before - top);
    }
  }

  /**
   * The same for the rows of a window, without asking where anything is: `placed` says which models are at
   * which places now, `before` where each was. None glides from further away than the window is high.
   */
  places(placed, before, lines, window) {
    if (still.matches || !before) return;
    for (const [index, place] of placed) {
      const from = before.get(index);
      if (from === undefined || from === place) continue;
      const distance = window.top(from) - window.top(place);
      move(lines[index], Math.max(-window.height, Math.min(window.height, distance)));
    }
  }
}

function move(row, distance) {
  if (distance !== 0) row.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], MOVE);
}
