// Models that run in the page: Python in a worker of its own, and each model's files once it is asked.
import { element } from "../base/elements.js";
import { Engine } from "./engine.js";

/** @import { ScorerUrls, TriedAnswer, TriedExample, TriedModel, TriedVariants } from "../../types" */

const MODULE = "browser_models.answering";
/** Seconds without Python, a file or an answer after which something is wrong. */
const PATIENCE = { python: 120, file: 120, answer: 30 };

/** Bring the script that may start workers; a page that nobody asks does without. @param {string} address */
export async function bringStarter(address) {
  if ("hireScorer" in globalThis) return;
  const starter = element("script", { src: address });
  const loaded = new Promise((resolve, reject) => {
    starter.onload = resolve;
    starter.onerror = () => reject(new Error("the script that starts Python could not be loaded"));
  });
  document.head.append(starter);
  await loaded;
}

export class Models {
  /** @param {ScorerUrls} urls @param {string} task */
  constructor(urls, task) {
    this.urls = urls;
    this.task = task;
    /** @type {Engine | null} */
    this.engine = null;
    /** Those that can be asked, by id. @type {Set<string>} */
    this.open = new Set();
  }

  /** Start Python, unless it is there. Throws an Error where it does not come. */
  async start() {
    if (this.engine) return;
    const engine = new Engine(this.urls);
    this.engine = engine;
    try {
      await this.within(engine.ready, PATIENCE.python, "Python has not loaded");
      await engine.ask("open", { text: JSON.stringify({ task: this.task }), name: "open_models" });
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** Bring a model's files and open it, unless it is open. @param {TriedModel} model */
  async load({ id, adapter, options, labels, folder, files }) {
    if (this.open.has(id)) return;
    const home = `/copies/${id}`;
    const base = new URL(folder, document.baseURI);
    // By parts, so that a name may hold any character.
    const address = (/** @type {string} */ name) =>
      new URL(name.split("/").map(encodeURIComponent).join("/"), base).href;
    for (const name of files) {
      const putting = this.asked().ask("put", { path: `${home}/${name}`, address: address(name) });
      await this.within(putting, PATIENCE.file, `${name} has not loaded`);
    }
    await this.call("add_json", { model: id, folder: home, adapter, options, labels });
    this.open.add(id);
  }

  /**
   * What a model answers to examples, in their order.
   * @param {string} model
   * @param {TriedExample[]} examples
   */
  async ask(model, examples) {
    return /** @type {TriedAnswer[]} */ (await this.call("ask_json", { model, examples }));
  }

  /** A text under the transformations of the robustness suite. @param {TriedExample} example */
  async variants(example) {
    return /** @type {TriedVariants} */ (await this.call("variants_json", { example }));
  }

  /** The token F1 of an answer and the right one, from 0 to 1. @param {string} answer @param {string} right */
  async tokenF1(answer, right) {
    return /** @type {number} */ (await this.call("token_f1_json", { answer, right }));
  }

  /** End Python, whatever it is doing; it starts anew when it is needed. */
  stop() {
    this.engine?.fail("it was stopped");
    this.engine?.worker?.terminate();
    this.engine = null;
    this.open.clear();
  }

  /** @param {string} name @param {object} details */
  async call(name, details) {
    const asking = this.asked().ask("call", { module: MODULE, name, text: JSON.stringify(details) });
    return JSON.parse(await this.within(asking, PATIENCE.answer, "there is no answer"));
  }

  /** The engine. Throws an Error where Python has been stopped. */
  asked() {
    if (!this.engine) throw new Error("it was stopped");
    return this.engine;
  }

  /**
   * The outcome of work, which ends Python where it takes too long.
   * @template Outcome
   * @param {Promise<Outcome>} work
   * @param {number} seconds
   * @param {string} what
   */
  async within(work, seconds, what) {
    /** @type {number | undefined} */
    let late;
    const waiting = new Promise((_, reject) => {
      late = setTimeout(() => {
        this.stop();
        reject(new Error(`${what} after ${seconds} seconds`));
      }, seconds * 1000);
    });
    try {
      return /** @type {Outcome} */ (await Promise.race([waiting, work]));
    } finally {
      clearTimeout(late);
    }
  }
}
