// Python in a worker, which may be slow to come, or never come.
export class Engine {
  /** `ready` resolves when questions can be asked and rejects when that has failed; a refused file may
   * leave it waiting for ever. */
  constructor(files) {
    this.waiting = new Map();
    this.sent = 0;
    this.ready = this.start(files);
  }

  // The first engine of a page takes the worker that start.js has hired already.
  async start(files) {
    this.worker = globalThis.earlyScorer ?? hireScorer(files);
    globalThis.earlyScorer = null;
    this.worker.onmessage = ({ data }) => this.answer(data);
    this.worker.failed.then((message) => this.fail(message));
    await this.ask("ready", {});
  }

  /** The worker's answer to a message of this kind; see scorer-worker.js. */
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

/** One question at a time, asked at once: the newest one waits for the answer to the last. */
export class Queue {
  constructor(work) {
    this.work = work;
    this.busy = false;
    this.again = false;
  }

  async ask() {
    this.again = this.busy;
    if (this.busy) return;
    this.busy = true;
    await this.work();
    this.busy = false;
    if (this.again) this.ask();
  }
}
