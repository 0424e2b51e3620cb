// What a browser keeps of a collection: lines that are only ever added, each on disk before anybody is told so.
//
// The place is IndexedDB, whose transactions are whole or not at all, also after a power cut, and one after another,
// also from two tabs.
import { text } from "../base/texts.js";

/** @import { KeptLine } from "./events.js" */

const LINES = "lines";
const HANDED = "handed";
const WRITER = "writer";

export class Kept {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
    // Another version of this page may change what is kept only when this one lets go.
    database.onversionchange = () => database.close();
  }

  /** What is kept under a name. Throws an Error where the browser keeps nothing. @param {string} name */
  static async open(name) {
    try {
      const opening = indexedDB.open(name, 1);
      opening.onupgradeneeded = () => {
        const lines = opening.result.createObjectStore(LINES, { autoIncrement: true });
        lines.createIndex(WRITER, WRITER);
        opening.result.createObjectStore(HANDED);
      };
      return new Kept(await answered(opening));
    } catch {
      throw new Error(text("kept.nowhere"));
    }
  }

  /** A writer's lines, in the order in which they were added. @param {string} writer */
  async lines(writer) {
    const store = this.database.transaction(LINES).objectStore(LINES);
    return /** @type {KeptLine[]} */ (await answered(store.index(WRITER).getAll(writer)));
  }

  /** How many lines are kept, of all writers. @returns {Promise<number>} */
  count() {
    return answered(this.database.transaction(LINES).objectStore(LINES).count());
  }

  /**
   * Add a line; resolves when it is on disk. Nobody else adds one between the check, which may throw, and that.
   * @param {KeptLine} line
   * @param {(lines: KeptLine[]) => void} check is given the writer's lines
   */
  async add(line, check) {
    const adding = this.database.transaction(LINES, "readwrite", { durability: "strict" });
    const done = finished(adding);
    done.catch(() => {});
    const store = adding.objectStore(LINES);
    try {
      check(await answered(store.index(WRITER).getAll(line.writer)));
      store.add(line);
    } catch (error) {
      adding.abort();
      throw error;
    }
    await done;
  }

  /** The ids of tries that were handed over as issues. @returns {Promise<Set<string>>} */
  async handed() {
    const keys = await answered(this.database.transaction(HANDED).objectStore(HANDED).getAllKeys());
    return new Set(keys.map(String));
  }

  /** @param {string[]} ids */
  async hand(ids) {
    const noting = this.database.transaction(HANDED, "readwrite");
    for (const id of ids) noting.objectStore(HANDED).put(true, id);
    await finished(noting);
  }

  /** Forget everything, of all writers. */
  async forget() {
    const clearing = this.database.transaction([LINES, HANDED], "readwrite", { durability: "strict" });
    clearing.objectStore(LINES).clear();
    clearing.objectStore(HANDED).clear();
    await finished(clearing);
  }
}

/**
 * What a request comes to.
 * @template Result
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves when a transaction is on disk. @param {IDBTransaction} work @returns {Promise<void>} */
function finished(work) {
  return new Promise((resolve, reject) => {
    work.oncomplete = () => resolve();
    work.onabort = () => reject(new Error(reasonFor(work.error)));
  });
}

/** @param {DOMException | null} error */
function reasonFor(error) {
  if (error?.name === "QuotaExceededError") return text("kept.full");
  return text("kept.not-kept", { reason: error?.message ?? text("models.stopped") });
}
