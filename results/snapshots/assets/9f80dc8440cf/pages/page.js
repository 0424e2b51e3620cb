// What every page with a scorer does: it shows a view, asks Python about it, and says how that goes.
import { byId, closest, findOptional } from "../base/elements.js";
import { reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Queue } from "../scorer/engine.js";

addEventListener("click", (event) => {
  const message = closest(event, ".messages button", HTMLElement)?.parentElement;
  if (message) message.hidden = true;
});

/** After this many milliseconds without the scorer, or any more of it, the page says that something is wrong. */
const PATIENCE = 20_000;
/** Screen readers get the outcome once the view has not changed for this many milliseconds. */
const REST = 400;

/** @import { OnBytes } from "../scorer/engine.js" */

/**
 * What a page asks Python, and what it does with the answers.
 * @template View, Answer
 * @typedef {object} Questions
 * @property {() => View} now the newest view
 * @property {(view: View) => boolean} asksAnew whether a view has another answer than the one shown
 * @property {(view: View) => Promise<Answer>} ask Python's answer to a view
 * @property {(view: View, answer: Answer) => void} take shows an answer
 * @property {(view: View, reason: string) => string} refuse says that Python could not answer a view
 */

/**
 * A page's dialogue with Python: it waits for it, asks about the newest view, and hands over the answers.
 * @template View, Answer
 */
export class Dialogue {
  /** @param {Questions<View, Answer>} questions */
  constructor(questions) {
    this.questions = questions;
    /** Whether Python is ready for questions. */
    this.ready = false;
    this.queue = new Queue(() => this.update());
  }

  /** Load Python, then ask it about the view.
   * @param {(onBytes: OnBytes) => Promise<unknown>} load @param {() => void} [begin] what to do first
   * @param {OnBytes} [onBytes] */
  async load(load, begin = () => {}, onBytes = () => {}) {
    showState("loading");
    let late = 0;
    const wait = () => {
      clearTimeout(late);
      late = setTimeout(() => this.fail(text("scorer.late")), PATIENCE);
    };
    wait();
    try {
      await load((bytes) => {
        wait();
        onBytes(bytes);
      });
    } catch (error) {
      return this.fail(reasonOf(error));
    } finally {
      clearTimeout(late);
    }
    this.ready = true;
    showState("ready");
    showMessage("problem", "");
    begin();
    return this.ask();
  }

  /** Ask about the newest view; resolves when there is nothing left to ask. */
  ask() {
    return this.queue.ask();
  }

  /** @param {string} reason why there is no Python */
  fail(reason) {
    showState("missing");
    showMessage("problem", text("scorer.unavailable", { reason }));
  }

  /** Bring the page up to the newest view. */
  async update() {
    const { now, asksAnew, ask, take, refuse } = this.questions;
    const view = now();
    if (!this.ready || !asksAnew(view)) return;
    let answer;
    try {
      answer = await ask(view);
    } catch (error) {
      showMessage("problem", refuse(view, reasonOf(error)));
      return;
    }
    showMessage("problem", "");
    take(view, answer);
  }
}

/**
 * Draw every part. An error in one is shown and reported, and the others are still drawn.
 * @template Part
 * @param {Iterable<Part>} parts
 * @param {(part: Part) => void} draw
 */
export function drawAll(parts, draw) {
  for (const part of parts) {
    try {
      draw(part);
    } catch (error) {
      showMessage("problem", text("scorer.undrawn", { reason: reasonOf(error) }));
      reportError(error);
    }
  }
}

/** Announces to those who cannot see the page who leads now, once the view stops changing. */
export class Announcer {
  constructor() {
    this.resting = 0;
  }

  /** @param {string} words */
  announce(words) {
    this.cancel();
    this.resting = setTimeout(() => {
      byId("announcer").textContent = words;
    }, REST);
  }

  /** Cancel what is no longer shown. */
  cancel() {
    clearTimeout(this.resting);
  }
}

/** @param {"asleep" | "loading" | "ready" | "missing"} state */
export function showState(state) {
  const place = byId("scorer-state");
  place.textContent = text(`scorer.${state}`);
  place.dataset.state = state;
  if (state !== "loading") byId("scorer-detail").textContent = "";
}

/** Show a message; an empty one takes away the one before. On pages with a ranking it lies above the page, which does not
 * move, until it is closed.
 * @param {"notice" | "problem"} id @param {string} message */
export function showMessage(id, message) {
  const place = byId(id);
  wordsOf(place).textContent = message;
  place.hidden = !message;
}

/** The text that is shown now. @param {"notice" | "problem"} id */
export function messageIn(id) {
  return wordsOf(byId(id)).textContent;
}

/** @param {HTMLElement} place */
function wordsOf(place) {
  return findOptional(place, ".message", HTMLElement) ?? place;
}
