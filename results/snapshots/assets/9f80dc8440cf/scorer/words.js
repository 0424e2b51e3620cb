// What a page says in words after a weight has moved. Python makes them, in the page as at build time: parts ask for
// what they show, and once the weights rest all of it is asked in one message.
import { element } from "../base/elements.js";
import { Queue } from "./engine.js";

/** @import { BoardData, RankQuestion, RankedHost } from "../../types" */

/** A text of evaluator/rank/score_sentences.py: strings, and pairs of a kind and a string.
 * @typedef {(string | [kind: string, text: string])[]} Text */
/** What is asked under a name; `take` gets the answer. @typedef {{ terms: () => object, take: (answer: any) => void }} Ask */

/** Milliseconds for which weights rest before somebody reads. */
const REST = 100;

/** Work that waits until it has not been asked for a while. */
export class AfterRest {
  /** @param {() => void} work @param {number} [rest] in milliseconds */
  constructor(work, rest = REST) {
    this.work = work;
    this.rest = rest;
    this.timer = 0;
  }

  ask() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.work, this.rest);
  }
}

export class Words {
  /** @param {RankedHost} page */
  constructor(page) {
    this.page = page;
    /** What is to be asked, by its name. @type {Map<string, Ask>} */
    this.asks = new Map();
    this.queue = new Queue(() => this.update());
    this.rest = new AfterRest(() => this.queue.ask());
  }

  /**
   * Ask for something once the weights rest; of what has the same name the newest is asked.
   * @param {string} name as in `ASKS` of evaluator/rank/page_words.py
   * @param {() => object} terms looked up at that moment
   * @param {(answer: any) => void} take
   */
  ask(name, terms, take) {
    this.asks.set(name, { terms, take });
    if (this.page.ready) this.rest.ask();
  }

  /** What was asked before the scorer was ready is asked now. */
  start() {
    if (this.asks.size) this.rest.ask();
  }

  /** What is said at once, of the ranking that is shown or of another `question`.
   * @template Said @param {string} name @param {object} terms @param {RankQuestion} [question] @returns {Promise<Said>} */
  async now(name, terms, question = this.page.question) {
    const { scorer, data } = this.page;
    return (await scorer.say(question, aboutOf(data), { [name]: terms }))[name];
  }

  async update() {
    const { ranking, scorer, question, data } = this.page;
    const asked = [...this.asks];
    this.asks.clear();
    if (!asked.length) return;
    const terms = asked.map(([name, { terms }]) => [name, terms()]);
    const said = await scorer.say(question, aboutOf(data), Object.fromEntries(terms));
    // What was said of an earlier ranking is asked again, unless its part has done so.
    const outdated = ranking !== this.page.ranking;
    for (const [name, ask] of asked) {
      if (this.asks.has(name)) continue;
      if (outdated) this.asks.set(name, ask);
      else ask.take(said[name]);
    }
    if (this.asks.size) this.rest.ask();
  }
}

/** What the board and its parts are called. @param {BoardData} data */
function aboutOf({ id, title, updated, metrics, datasets, parts_of }) {
  return { id, title, updated, metrics, datasets, ...(parts_of && { parts_of }) };
}

/** A text as what a page is made of. @param {Text} text */
export function piecesOf(text) {
  return text.map((piece) => {
    if (typeof piece === "string") return piece;
    const [kind, words] = piece;
    if (kind === "name") return element("bdi", {}, words);
    return kind === "strong"
      ? element("strong", { dir: "auto" }, words)
      : element("span", { class: kind }, words);
  });
}
