// The weights of the metrics and of the datasets: sliders, those over the columns too, numbers, shares and locks; weights
// that the board's owner has named; undo, redo and reset; and on small screens the sheet that all of it is in.
import { makeOneStop } from "../base/controls.js";
import { byId, closest, find, findAll, findOptional, write } from "../base/elements.js";
import { percent, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { LARGEST, isWeight, same } from "../view/fragment.js";
import { canMove, evened, moved, room, share } from "../view/shares.js";

/** @import { BoardHost, BoardView, Idle, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/**
 * Weights of one kind: the form that has them, and the fields of the view with the weights and the locks.
 * @typedef {object} Kind
 * @property {string} form
 * @property {"metrics" | "datasets"} field
 * @property {"lockedMetrics" | "lockedDatasets"} locks
 */

/** What one weight is set by. Groups of one weight have no locks. @typedef {ReturnType<typeof controlIn>} Control */

/** @type {Kind[]} */
const KINDS = [
  { form: "metric-weights", field: "metrics", locks: "lockedMetrics" },
  { form: "dataset-weights", field: "datasets", locks: "lockedDatasets" },
];

/** @implements {Part} */
export class WeightControls {
  /** @param {Pick<BoardHost, "view" | "ranking">} page */
  constructor({ view, ranking }) {
    // Where there is one dataset, there is nothing to weigh.
    const kinds = KINDS.filter(({ form }) => byId(form).querySelector(".control"));
    this.groups = kinds.map((kind) => new Group(view, kind, ranking.idle));
  }

  /** @param {Ranking} ranking @param {BoardView} _view @param {Set<string>} changed */
  show(ranking, _view, changed) {
    for (const group of this.groups) {
      group.idle = ranking.idle[group.field];
      if (["ranking", group.field, group.locks].some((one) => changed.has(one))) group.show();
    }
  }
}

/** The weights of one kind: moved together where some are locked. */
class Group {
  /** @param {BoardHost["view"]} view @param {Kind} kind @param {Idle} idle */
  constructor(view, { form, field, locks }, idle) {
    this.view = view;
    this.idle = idle[field];
    this.field = field;
    this.locks = locks;
    this.form = byId(form);
    this.problem = findOptional(this.form, ".weight-problem", HTMLElement);
    /** What has the sliders over the columns. */
    this.heads = field === "metrics" ? document.getElementById("column-weights") : null;
    this.controls = findAll(this.form, ".control", HTMLElement).map((place) => controlIn(place, this.heads));
    this.even = findOptional(this.form, ".even", HTMLButtonElement);
    /** The input that somebody moves. @type {HTMLInputElement | null} */
    this.typing = null;
    /** Movements begin here, so that a weight squeezed to nothing comes back. */
    this.before = this.weights;
    /** The weight that moves, until its input settles; and those that the last one left at zero. */
    this.moving = "";
    /** @type {string[]} */
    this.emptied = [];
    for (const control of this.controls) {
      for (const input of [...control.sliders, control.number]) {
        input.addEventListener("input", () => this.move(control, input));
        input.addEventListener("change", () => this.settle());
      }
      control.lock?.addEventListener("click", () => {
        const others = this.locked.filter((other) => other !== control.name);
        const locked = this.locked.includes(control.name) ? others : [...others, control.name];
        view.set({ [locks]: locked });
      });
    }
    this.even?.addEventListener("click", () => view.set({ [field]: evened(this.weights, this.locked) }));
    this.show();
  }

  get weights() {
    return this.view.now[this.field];
  }

  get locked() {
    return this.view.now[this.locks];
  }

  /** Take an input's value; where it is not a weight, show a message and keep the last one.
   * @param {Control} control @param {HTMLInputElement} input */
  move(control, input) {
    const value = input.value.trim() === "" ? NaN : Number(input.value);
    // A slider simply stops there; a line of text would push it away from under the hand.
    if (input === control.number) this.showProblem(control, this.problemWith(value));
    if (!isWeight(value)) return;
    this.typing = input;
    this.moving = control.name;
    this.view.change({ [this.field]: moved(this.before, control.name, value, this.locked) });
    this.typing = null;
  }

  /** @param {number} value */
  problemWith(value) {
    if (!isWeight(value)) return text("weights.no-weight", { largest: weight(LARGEST) });
    const left = room(this.before, this.locked);
    return value > left * (1 + 1e-9) ? text("weights.locked", { left: weight(left) }) : "";
  }

  /** @param {Control} control @param {string} words */
  showProblem({ number }, words) {
    number.setAttribute("aria-invalid", String(words !== ""));
    if (!this.problem) return;
    this.problem.textContent = words;
    this.problem.hidden = !words;
  }

  settle() {
    const { before, weights } = this;
    const emptied = Object.keys(weights).filter(
      (name) => name !== this.moving && before[name] > 0 && weights[name] === 0,
    );
    for (const control of this.controls) this.showProblem(control, "");
    this.moving = "";
    this.view.settle();
    this.show();
    this.nameEmptied(emptied);
  }

  /** Say which weights a movement left at zero, as locked ones keep their share; over the columns too, as the panel may
   * be out of sight. @param {string[]} emptied */
  nameEmptied(emptied) {
    this.emptied = emptied;
    const labels = this.controls.filter(({ name }) => emptied.includes(name)).map(({ label }) => label);
    const words = labels.length ? text("weights.emptied", { names: labels.join(", ") }) : "";
    const over = this.heads && find(this.heads, ".weight-problem", HTMLElement);
    for (const place of [this.problem, over]) {
      if (!place) continue;
      place.textContent = words;
      place.hidden = !words;
    }
  }

  /** Show all weights, shares and locks; the input that somebody moves stays as it is. */
  show() {
    if (!this.moving) this.before = this.weights;
    if (this.emptied.some((name) => this.weights[name] > 0)) this.nameEmptied([]);
    for (const { name, sliders, number, output, over, lock } of this.controls) {
      const value = this.weights[name];
      const part = percent(share(this.weights, name, this.idle));
      const disabled = !canMove(this.weights, name, this.locked);
      if (this.typing !== number) put(number, weight(value));
      for (const slider of sliders) {
        put(slider, String(value));
        slider.style.setProperty("--fill", `${(100 * Number(slider.value)) / Number(slider.max)}%`);
        slider.setAttribute("aria-valuetext", text("weights.share", { weight: weight(value), share: part }));
        slider.disabled = disabled;
      }
      write(output, part);
      // A column has no room for more digits.
      if (over) write(over, weight(Number(value.toFixed(2))));
      lock?.setAttribute("aria-pressed", String(this.locked.includes(name)));
      number.disabled = disabled;
    }
    if (this.even) this.even.disabled = this.locked.length === this.controls.length;
  }
}

/** What is in the panel, and over the column where there is one. @param {HTMLElement} place
 * @param {HTMLElement | null} heads */
function controlIn(place, heads) {
  const { name = "" } = place.dataset;
  const head = heads && find(heads, `[data-name="${CSS.escape(name)}"]`, HTMLElement);
  const slider = (/** @type {HTMLElement} */ within) => find(within, ".slider", HTMLInputElement);
  return {
    name,
    label: find(place, "label", HTMLElement).textContent.trim(),
    sliders: head ? [slider(place), slider(head)] : [slider(place)],
    number: find(place, ".number", HTMLInputElement),
    output: find(place, ".share", HTMLElement),
    over: head && find(head, ".num", HTMLElement),
    lock: findOptional(place, ".lock", HTMLElement),
  };
}

/** @param {HTMLInputElement} input @param {string} value */
function put(input, value) {
  if (input.value !== value) input.value = value;
}

/** Weights that have a name, the default ones among them. @implements {Part} */
export class Presets {
  /** @param {BoardHost} page */
  constructor({ data, view }) {
    const known = new Map(data.presets.map(({ name, weights }) => [name, weights]));
    this.buttons = findAll(document, ".preset[data-preset]", HTMLElement).map((button) => ({
      button,
      weights: known.get(button.dataset.preset ?? "") ?? view.defaults.metrics,
    }));
    makeOneStop(this.buttons.map(({ button }) => button));
    for (const { button, weights } of this.buttons) {
      button.addEventListener("click", () => view.set({ metrics: weights, lockedMetrics: [] }));
    }
  }

  /** @param {Ranking} _ranking @param {BoardView} view @param {Set<string>} changed */
  show(_ranking, view, changed) {
    if (!changed.has("metrics")) return;
    for (const { button, weights } of this.buttons) {
      button.setAttribute("aria-pressed", String(same(weights, view.metrics)));
    }
  }
}

/** Where these keys take back what was typed. */
export const TYPING = "input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]";

/** Undo, redo and reset, by buttons and by the keys that people know for it. They take back everything that an address
 * says. @implements {Part} */
export class Steps {
  /** @param {Pick<BoardHost, "view">} page */
  constructor({ view }) {
    this.view = view;
    this.undo = byId("undo");
    this.redo = byId("redo");
    this.undo.addEventListener("click", () => view.undo());
    this.redo.addEventListener("click", () => view.redo());
    // The weights' own reset takes back everything that a ranking depends on, and the locks.
    const { metrics, datasets, lockedMetrics, lockedDatasets, base, threshold, rate, by, trades, prices } =
      view.defaults;
    const terms = { base, threshold, rate, by, trades, prices };
    const reset = { metrics, datasets, lockedMetrics, lockedDatasets, ...terms };
    const button = byId("reset");
    button.addEventListener("click", () => view.set(reset));
    makeOneStop([this.undo, this.redo, button]);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Called on every change, and when a change has become a step. Buttons are not `disabled`, which would take the focus
   * away from somebody who presses one again and again. */
  show() {
    this.undo.setAttribute("aria-disabled", String(!this.view.canUndo));
    this.redo.setAttribute("aria-disabled", String(!this.view.canRedo));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const letter = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || closest(event, TYPING, HTMLElement)) return;
    if (letter !== "z" && !(letter === "y" && event.ctrlKey)) return;
    event.preventDefault();
    if (letter === "y" || event.shiftKey) this.view.redo();
    else this.view.undo();
  }
}

/** Make the buttons of the sheet work, in which the weights are on small screens. */
export function prepareSheet() {
  const opener = byId("sheet-open");
  const closer = byId("sheet-close");
  const sheet = byId("sheet");
  // The one undo is among the tools above the table, which an open sheet scrolls out of sight.
  const steps = findOptional(document, ".steps", HTMLElement);
  const home = steps?.nextElementSibling;
  const show = (/** @type {boolean} */ open) => {
    document.documentElement.classList.toggle("sheet-is-open", open);
    opener.setAttribute("aria-expanded", String(open));
    if (steps && open) find(sheet, ".sheet-head", HTMLElement).after(steps);
    else if (steps) home?.before(steps);
  };
  const close = () => {
    show(false);
    opener.focus({ preventScroll: true });
  };
  opener.addEventListener("click", () => {
    show(true);
    find(document, ".table-frame", HTMLElement).scrollIntoView({ block: "start" });
    closer.focus({ preventScroll: true });
  });
  closer.addEventListener("click", close);
  // The difficulty page has no weights of metrics.
  document.getElementById("skip-to-weights")?.addEventListener("click", (event) => {
    event.preventDefault();
    if (opener.checkVisibility()) show(true);
    const form = byId("metric-weights").hidden ? "trades" : "metric-weights";
    const [number] = findAll(byId(form), ".number", HTMLInputElement).filter((input) =>
      input.checkVisibility(),
    );
    number?.focus();
  });
  sheet.addEventListener("keydown", (event) => event.key === "Escape" && close());
  // Beside the table the end of a high panel is in sight once the page is scrolled; its beginning is where the page's is.
  sheet.addEventListener("focusin", ({ target }) => {
    const above = target instanceof Element && target.getBoundingClientRect().top < 0;
    if (above && getComputedStyle(find(document, ".side", HTMLElement)).position === "sticky") scrollTo(0, 0);
  });
}
