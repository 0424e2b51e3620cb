// The page's side of the scorer: a worker that may be slow to come, or never come.
export class Scorer {
  /** Starts to load at once. `ready` resolves when the board can be ranked and rejects when it
   * cannot; a refused file may leave it waiting for ever. */
  constructor({ runtime, scorer, board }) {
    this.waiting = new Map();
    this.sent = 0;
    this.ready = this.start(runtime, scorer, board);
  }

  /** The ranking under weights {metrics, datasets}. */
  async rank(weights) {
    return JSON.parse(await this.ask("rank", { text: JSON.stringify(weights) }));
  }

  /** Put another board in the place of the present one; it is JSON text, which Python reads as it stands. */
  open(text) {
    return this.ask("open", { text });
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
