// Neural networks in WebAssembly, by onnxruntime-web: on one thread, and never by a program made from a text.
// It runs in the worker beside Python, and in Node.js where copies are compared with their models.

/** @import { NetworkInput, NetworkOutput, NetworkQuestion } from "../../types" */

/** @typedef {{ data: ArrayLike<number> }} Tensor */
/** @typedef {{ outputNames: readonly string[], run(given: Record<string, object>): Promise<Record<string, Tensor>> }} Session */
/**
 * What this uses of onnxruntime-web.
 * @typedef {object} Onnxruntime
 * @property {{ logLevel: string, wasm: { numThreads: number, proxy: boolean, wasmBinary?: ArrayBuffer } }} env
 * @property {{ create(network: Uint8Array, options: object): Promise<Session> }} InferenceSession
 * @property {new (type: string, values: BigInt64Array | Int32Array, shape: number[]) => object} Tensor
 */

const OPTIONS = { executionProviders: ["wasm"] };

export class Networks {
  /** @param {Onnxruntime} runtime @param {ArrayBuffer} wasm its WebAssembly */
  constructor(runtime, wasm) {
    this.runtime = runtime;
    // Nothing is looked for elsewhere, and more threads would need a server that isolates the page.
    Object.assign(runtime.env.wasm, { numThreads: 1, proxy: false, wasmBinary: wasm });
    runtime.env.logLevel = "error";
    /** @type {Map<string, Session>} */
    this.sessions = new Map();
  }

  /** @param {string} model @param {Uint8Array} network */
  async open(model, network) {
    this.sessions.set(model, await this.runtime.InferenceSession.create(network, OPTIONS));
  }

  /**
   * What a model's network makes of each question, in their order; a question that is an error stays one.
   * @param {string} model
   * @param {NetworkQuestion[]} questions
   */
  async outputs(model, questions) {
    const session = this.sessions.get(model);
    if (!session) throw new Error(`the network of ${model} is not open`);
    const found = [];
    for (const question of questions) found.push(await this.output(session, question));
    return found;
  }

  /** @param {Session} session @param {NetworkQuestion} question @returns {Promise<NetworkOutput>} */
  async output(session, question) {
    if (question.error !== undefined) return question;
    const began = performance.now();
    try {
      const given = Object.entries(question.inputs).map(([name, numbers]) => [name, this.tensor(numbers)]);
      const output = await session.run(Object.fromEntries(given));
      const logits = Array.from(output[session.outputNames[0]].data);
      return { logits, ms: question.ms + performance.now() - began };
    } catch (error) {
      return { error: `its network fails: ${error instanceof Error ? error.message : error}` };
    }
  }

  /** One text's numbers as a batch of one. @param {NetworkInput} numbers */
  tensor({ type, values }) {
    const numbers = type === "int64" ? BigInt64Array.from(values, BigInt) : Int32Array.from(values);
    return new this.runtime.Tensor(type, numbers, [1, values.length]);
  }
}
