// Models that run in the page: Python in a worker of its own, and each model's files once it is asked.
import { element } from "../base/elements.js";
import { text } from "../base/texts.js";
import { Engine } from "./engine.js";

/** @import { ListFile, NetworkFiles, NetworkOptions, ScorerUrls, TriedAnswer, TriedExample, TriedModel, TriedVariants, WorkerActions } from "../../types" */
/** @import { OnBytes } from "./engine.js" */

const MODULE = "tryit.answering";
/** The adapter of models that Python does not run, and their files. */
const ENCODER = "encoder";
const NETWORK = "model/model.onnx";
const TOKENIZER = "model/tokenizer.json";
/** Seconds without Python, any of a file or an answer after which something is wrong. */
const PATIENCE = { python: 120, file: 120, answer: 30 };

/** Bring the script that may start workers; a page that nobody asks does without. @param {string} address */
export async function bringStarter(address) {
  if ("hireScorer" in globalThis) return;
  const starter = element("script", { src: address });
  const loaded = new Promise((resolve, reject) => {
    starter.onload = resolve;
    starter.onerror = () => reject(new Error(text("models.starter")));
  });
  document.head.append(starter);
  await loaded;
}

export class Models {
  /** @param {ScorerUrls} urls @param {string} task @param {NetworkFiles | null} networks */
  constructor(urls, task, networks) {
    this.urls = urls;
    this.task = task;
    this.networks = networks;
    /** @type {Engine | null} */
    this.engine = null;
    /** Those that can be asked, by id. @type {Set<string>} */
    this.open = new Set();
    this.hasNetworks = false;
    this.hasMisspellings = false;
  }

  /** Start Python, unless it is there. Throws an Error where it does not come. */
  async start() {
    if (this.engine) return;
    const engine = new Engine(this.urls);
    this.engine = engine;
    try {
      await this.within(() => engine.start(), PATIENCE.python, "models.no-python");
      await engine.ask("open", { text: JSON.stringify({ task: this.task }), name: "open_models" });
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** The bytes of what models still need beside Python. @param {TriedModel[]} models */
  missing(models) {
    const closed = models.filter(({ id }) => !this.open.has(id));
    const needsNetworks = !this.hasNetworks && closed.some(({ adapter }) => adapter === ENCODER);
    const networks = needsNetworks ? (this.networks?.size ?? 0) : 0;
    return closed.reduce((sum, { size }) => sum + size, networks);
  }

  /** Bring a model's files and open it, unless it is open. @param {TriedModel} model @param {OnBytes} onBytes */
  async load(model, onBytes) {
    const { id, adapter, options, labels, folder, files } = model;
    if (this.open.has(id)) return;
    const home = `/copies/${id}`;
    const base = new URL(folder, document.baseURI);
    // By parts, so that a name may hold any character.
    const address = (/** @type {string} */ name) =>
      new URL(name.split("/").map(encodeURIComponent).join("/"), base).href;
    if (adapter === ENCODER) {
      await this.openNetwork(model, address(NETWORK), address(TOKENIZER), onBytes);
    } else {
      for (const name of files) {
        await this.fetchFile("put", { path: `${home}/${name}`, address: address(name) }, name, onBytes);
      }
      await this.call("add_json", { model: id, folder: home, adapter, options, labels });
    }
    this.open.add(id);
  }

  /** @param {TriedModel} model @param {string} network @param {string} tokenizer @param {OnBytes} onBytes */
  async openNetwork({ id, options, labels }, network, tokenizer, onBytes) {
    if (!this.networks) throw new Error("this page has nothing that runs networks");
    const absolute = (/** @type {string} */ path) => new URL(path, document.baseURI).href;
    const { script, wasm, tokenizers, size } = this.networks;
    const files = { script: absolute(script), wasm: absolute(wasm), tokenizers: absolute(tokenizers), size };
    const details = {
      model: id,
      network,
      tokenizer,
      options: /** @type {NetworkOptions} */ (options),
      labels,
      files,
    };
    await this.fetchFile("network", details, NETWORK, onBytes);
    this.hasNetworks = true;
  }

  /**
   * Have the worker fetch what it needs for a piece of work.
   * @template {"put" | "network"} Kind
   * @param {Kind} kind
   * @param {WorkerActions[Kind]["details"]} details
   * @param {string} name
   * @param {OnBytes} onBytes
   */
  async fetchFile(kind, details, name, onBytes) {
    const asking = (/** @type {() => void} */ alive) =>
      this.running().ask(kind, details, (bytes) => {
        alive();
        onBytes(bytes);
      });
    await this.within(asking, PATIENCE.file, "models.no-file", name);
  }

  /** What a model answers to examples, in their order.
   * @param {TriedModel} model @param {TriedExample[]} examples @returns {Promise<TriedAnswer[]>} */
  async ask({ id, adapter }, examples) {
    if (adapter !== ENCODER) return this.call("ask_json", { model: id, examples });
    const asking = () => this.running().ask("answers", { model: id, examples });
    const answers = await this.within(asking, PATIENCE.answer, "models.no-answer");
    return answers.map((answer) =>
      answer.error === undefined ? answer : { error: text("models.network", { reason: answer.error }) },
    );
  }

  /** Bring the list that variants need, unless it is there. @param {ListFile} list @param {OnBytes} onBytes */
  async loadMisspellings({ path, address }, onBytes) {
    if (this.hasMisspellings) return;
    const file = { path: `evaluator/${path}`, address: new URL(address, document.baseURI).href };
    await this.fetchFile("put", file, text("models.list"), onBytes);
    this.hasMisspellings = true;
  }

  /** A text under the transformations of the suites. @param {TriedExample} example */
  async variants(example) {
    return /** @type {TriedVariants} */ (await this.call("variants_json", { example }));
  }

  /** The token F1 of an answer and the right one, from 0 to 1. @param {string} answer @param {string} right */
  async tokenF1(answer, right) {
    return /** @type {number} */ (await this.call("token_f1_json", { answer, right }));
  }

  /** End Python, whatever it is doing; it starts anew when it is needed. */
  stop() {
    this.engine?.fail(text("models.stopped"));
    this.engine?.worker?.terminate();
    this.engine = null;
    this.open.clear();
    this.hasNetworks = false;
    this.hasMisspellings = false;
  }

  /** @param {string} name @param {object} details */
  async call(name, details) {
    const asking = () => this.running().ask("call", { module: MODULE, name, text: JSON.stringify(details) });
    return JSON.parse(await this.within(asking, PATIENCE.answer, "models.no-answer"));
  }

  /** The engine. Throws an Error where Python has been stopped. */
  running() {
    if (!this.engine) throw new Error(text("models.stopped"));
    return this.engine;
  }

  /**
   * The outcome of work, which ends Python where it takes too long since it was last `alive`.
   * @template Outcome
   * @param {(alive: () => void) => Promise<Outcome>} work
   * @param {number} seconds
   * @param {string} late the name of what is said then
   * @param {string} [name] of what is waited for
   */
  async within(work, seconds, late, name = "") {
    /** @type {number | undefined} */
    let timer;
    let alive = () => {};
    const waiting = new Promise((_, reject) => {
      alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          this.stop();
          reject(new Error(text(late, { name, seconds })));
        }, seconds * 1000);
      };
    });
    alive();
    try {
      return /** @type {Outcome} */ (await Promise.race([waiting, work(alive)]));
    } finally {
      clearTimeout(timer);
    }
  }
}
