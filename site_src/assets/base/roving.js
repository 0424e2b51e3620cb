// Controls that belong together are one stop of the Tab key: arrow keys go from one to the next.

/** @type {Record<string, (at: number, count: number) => number>} */
const STEPS = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Make controls one stop, at first the first of them. @param {HTMLElement[]} controls */
export function makeOneStop(controls) {
  stopAt(controls, 0);
  controls.forEach((control, at) => {
    control.addEventListener("focus", () => stopAt(controls, at));
    control.addEventListener("keydown", (event) => {
      const step = plainKey(event) && STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      controls[step(at, controls.length)].focus();
    });
  });
}

/** @param {HTMLElement[]} controls @param {number} stop */
function stopAt(controls, stop) {
  controls.forEach((control, at) => (control.tabIndex = at === stop ? 0 : -1));
}

/** Whether a key is pressed by itself. @param {KeyboardEvent} event */
export function plainKey({ altKey, ctrlKey, metaKey, shiftKey }) {
  return !(altKey || ctrlKey || metaKey || shiftKey);
}
