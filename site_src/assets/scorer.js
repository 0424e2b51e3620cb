// The page's side of the scorer: a worker that may be slow to come, or never come.
import { Ranking } from "./ranking.js";

export class Scorer {
  /** Starts to load at once. `ready` resolves when the board can be ranked and rejects when it
   * cannot; a refused file may leave it waiting for ever. */
  constructor({ runtime, scorer, board }) {
    this.waiting = new Map();
    this.sent = 0;
    this.last = null;
    this.ready = this.start(runtime, scorer, board);
  }

  /** The `Ranking` for {metrics, datasets, base, epsilon, epsilon_kind, by}; a term that is left out is
   * the board's own. Every name that is left out of metrics or datasets weighs nothing. */
  async rank(question) {
    // Another question may be answered meanwhile: what is left out is what was known when this one was asked.
    const known = this.last;
    const answer = await this.ask("rank", { text: JSON.stringify(question), known: known?.scale ?? 0 });
    this.last = new Ranking(answer, known);
    return this.last;
  }

  /** The models that no other beats in two metrics at once, at these dataset weights, best of x first. */
  front(x, y, datasets) {
    return this.ask("front", { text: JSON.stringify({ x, y, datasets }) });
  }

  /** Who wins where as weight moves between three metrics: see `triangle` in evaluator/tradeoffs.py. */
  async triangle(question, metrics, steps) {
    return Int32Array.from(await this.ask("triangle", { text: JSON.stringify({ question, metrics, steps }) }));
  }

  /** Put another board in the place of the present one; it is JSON text, which Python reads as it stands. */
  async open(text) {
    await this.ask("open", { text });
    this.last = null;
  }

  async start(runtime, scorer, board) {
    this.worker = this.hire();
    await this.ask("load", { runtime: absolute(runtime), scorer: absolute(scorer) });
    await this.open(board);
  }

  // A page's policy binds a blob's worker, but not one that is fetched from the same origin.
  hire() {
    const address = new URL("scorer-worker.js", import.meta.url).href;
    const blob = new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" });
    const worker = new Worker(URL.createObjectURL(blob), { type: "module" });
    worker.onmessage = ({ data }) => this.answer(data);
    worker.onerror = (event) => this.fail(event.message || "the scorer's files could not be loaded");
    return worker;
  }

  ask(kind, details) {
    const id = ++this.sent;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, kind, ...details });
    });
  }

  answer({ id, result, error }) {
    if (id === undefined) return this.fail(error);
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    return error === undefined ? resolve(result) : reject(new Error(error));
  }

  fail(message) {
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }
}

function absolute(address) {
  return new URL(address, document.baseURI).href;
}
