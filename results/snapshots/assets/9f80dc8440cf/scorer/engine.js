// Python in a worker, which may be slow to load, or never load.
import { text } from "../base/texts.js";

/** @import { HiredWorker, WorkerActions, WorkerFiles, WorkerKind, WorkerReply } from "../../types" */

/** OnBytes of more bytes of a file that have come. @typedef {(bytes: number) => void} OnBytes */
/** @typedef {{ resolve: (result: unknown) => void, reject: (error: Error) => void, onBytes?: OnBytes }} Waiting */

export class Engine {
  /** @param {WorkerFiles} files */
  constructor(files) {
    this.files = files;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.sent = 0;
    /** @type {HiredWorker | null} */
    this.worker = null;
  }

  /**
   * Resolves when questions can be asked and rejects when that has failed; a refused file may leave it waiting for
   * ever. The first engine of a page takes the worker that start.js has started already.
   * @param {OnBytes} [onBytes] called with how many more bytes of Python's files have come
   */
  async start(onBytes) {
    const worker = globalThis.earlyScorer ?? hireScorer(this.files);
    globalThis.earlyScorer = null;
    this.worker = worker;
    worker.onmessage = ({ data }) => this.take(data);
    worker.failed.then((message) => this.fail(message || text("scorer.lost")));
    await this.ask("ready", {}, onBytes);
  }

  /**
   * The worker's answer to a message of this kind; see scorer-worker.js.
   * @template {WorkerKind} Kind
   * @param {Kind} kind
   * @param {WorkerActions[Kind]["details"]} details
   * @param {OnBytes} [onBytes]
   * @returns {Promise<WorkerActions[Kind]["result"]>}
   */
  ask(kind, details, onBytes) {
    const id = ++this.sent;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {
        resolve: (result) => resolve(/** @type {WorkerActions[Kind]["result"]} */ (result)),
        reject,
        onBytes,
      });
      this.worker?.postMessage({ id, kind, ...details });
    });
  }

  /** @param {WorkerReply} reply */
  take({ id, result, error, loaded }) {
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    // Of several files that one piece of work takes, the others may still come when one has failed.
    if (loaded !== undefined) return waiting?.onBytes?.(loaded);
    if (id === undefined || !waiting) return this.fail(error ?? text("scorer.stray"));
    this.waiting.delete(id);
    return error === undefined ? waiting.resolve(result) : waiting.reject(new Error(error));
  }

  /** @param {string} message */
  fail(message) {
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }
}

/** One piece of work at a time, begun at once; while it lasts, only the newest request for more is kept. */
export class Queue {
  /** @param {() => Promise<void>} work */
  constructor(work) {
    this.work = work;
    this.again = false;
    /** @type {Promise<void> | null} */
    this.running = null;
  }

  /** Resolves when no work is left. Work that throws is reported, and what was asked for since still begins. */
  ask() {
    this.again = true;
    // Not begun within this call: work that asks for more must find that it is running.
    this.running ??= Promise.resolve().then(() => this.run());
    return this.running;
  }

  async run() {
    while (this.again) {
      this.again = false;
      await this.work().catch(reportError);
    }
    this.running = null;
  }
}
