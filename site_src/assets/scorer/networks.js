// Neural classifiers of texts, in WebAssembly on one thread, and never by a program made from a text: the library
// tokenizers numbers a text, and onnxruntime-web runs the network. It runs in the worker beside Python, and in Node.js
// where copies are compared with their models.

/** @import { NetworkOptions, TriedAnswer, TriedExample } from "../../types" */

/** @typedef {{ data: ArrayLike<number> }} Tensor */
/** @typedef {{ outputNames: readonly string[], run(given: Record<string, object>): Promise<Record<string, Tensor>> }} Session */
/**
 * What this uses of onnxruntime-web.
 * @typedef {object} Onnxruntime
 * @property {{ logLevel: string, wasm: { numThreads: number, proxy: boolean, wasmBinary?: ArrayBuffer } }} env
 * @property {{ create(network: Uint8Array, options: object): Promise<Session> }} InferenceSession
 * @property {new (type: string, values: BigInt64Array | Int32Array, shape: number[]) => object} Tensor
 */
/** @typedef {{ tokens: string[], tokens_pair?: string[] | null, token_type_ids?: number[] }} Processed */
/**
 * What this uses of @huggingface/tokenizers.
 * @typedef {object} Tokenizer
 * @property {(text: string) => string[]} tokenize without special tokens
 * @property {(token: string) => number | undefined} token_to_id
 * @property {{ unk_token_id?: number }} model
 * @property {{ post_process(first: string[], second: string[] | null, special: boolean): Processed } | null} post_processor
 */
/** @typedef {{ Tokenizer: new (spec: object, config: object) => Tokenizer }} Tokenizers */
/** @typedef {{ session: Session, tokenizer: Tokenizer, options: NetworkOptions, labels: string[] }} OpenNetwork */

/** Numbers of a text's tokens, by what a network's inputs take. @typedef {Record<"ids" | "type_ids" | "attention_mask", number[]>} Encoded */

const OPTIONS = { executionProviders: ["wasm"] };

export class Networks {
  /** @param {Onnxruntime} runtime @param {ArrayBuffer} wasm its WebAssembly @param {Tokenizers} tokenizers */
  constructor(runtime, wasm, tokenizers) {
    this.runtime = runtime;
    this.tokenizers = tokenizers;
    // Nothing is looked for elsewhere, and more threads would need a server that isolates the page.
    Object.assign(runtime.env.wasm, { numThreads: 1, proxy: false, wasmBinary: wasm });
    runtime.env.logLevel = "error";
    /** @type {Map<string, OpenNetwork>} */
    this.open = new Map();
  }

  /**
   * Open a model: its network, the text of its tokenizer.json, and what both are told.
   * @param {string} model
   * @param {Uint8Array} network
   * @param {string} tokenizer
   * @param {NetworkOptions} options
   * @param {string[]} labels
   */
  async add(model, network, tokenizer, options, labels) {
    const session = await this.runtime.InferenceSession.create(network, OPTIONS);
    const opened = new this.tokenizers.Tokenizer(JSON.parse(tokenizer), {});
    this.open.set(model, { session, tokenizer: opened, options, labels });
  }

  /**
   * What a model answers to examples, in their order; one that fails says why, and the next is asked anyway.
   * @param {string} model
   * @param {TriedExample[]} examples
   */
  async answers(model, examples) {
    const opened = this.open.get(model);
    if (!opened) throw new Error(`the network of ${model} is not open`);
    const found = [];
    for (const example of examples) found.push(await this.answer(opened, example));
    return found;
  }

  /** @param {OpenNetwork} opened @param {TriedExample} example @returns {Promise<TriedAnswer>} */
  async answer({ session, tokenizer, options, labels }, example) {
    const began = performance.now();
    try {
      // An empty second text is none, as for the adapters transformers and onnx.
      const [first, ...more] = options.fields.map((field) => example[field]);
      const numbers = encoded(tokenizer, [first, ...more.filter(Boolean)], options.most);
      const given = options.inputs.map(({ name, of, type }) => [name, this.tensor(type, numbers[of])]);
      const output = await session.run(Object.fromEntries(given));
      const shares = softmax(Array.from(output[session.outputNames[0]].data));
      // A label that no class stands for has the probability 0; of two that are level the first is the answer.
      const probabilities = labels.map((label) => shares[options.classes.indexOf(label)] ?? 0);
      const confidence = Math.max(...probabilities);
      return {
        answer: labels[probabilities.indexOf(confidence)],
        confidence,
        probabilities: Object.fromEntries(labels.map((label, place) => [label, probabilities[place]])),
        ms: performance.now() - began,
      };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** One text's numbers as a batch of one. @param {"int64" | "int32"} type @param {number[]} values */
  tensor(type, values) {
    const numbers = type === "int64" ? BigInt64Array.from(values, BigInt) : Int32Array.from(values);
    return new this.runtime.Tensor(type, numbers, [1, values.length]);
  }
}

/**
 * One or two texts as numbers of at most so many tokens. The library itself cuts nothing.
 * @param {Tokenizer} tokenizer
 * @param {string[]} texts
 * @param {number} most
 * @returns {Encoded}
 */
function encoded(tokenizer, texts, most) {
  const process = (/** @type {string[]} */ first, /** @type {string[] | null} */ second) =>
    tokenizer.post_processor?.post_process(first, second, true) ?? { tokens: first, tokens_pair: second };
  const special = process([], texts.length > 1 ? [] : null).tokens.length;
  const [first, second = null] = truncated(
    texts.map((text) => tokenizer.tokenize(text)),
    most - special,
  );
  const { tokens, tokens_pair, token_type_ids } = process(first, second);
  const pair = tokens_pair ?? [];
  return {
    ids: [...tokens, ...pair].map(
      (token) => tokenizer.token_to_id(token) ?? tokenizer.model.unk_token_id ?? 0,
    ),
    type_ids: token_type_ids ?? [...tokens.map(() => 0), ...pair.map(() => 1)],
    attention_mask: [...tokens, ...pair].map(() => 1),
  };
}

/**
 * One or two texts cut at their ends to `room` tokens together, as `SequenceClassifier` of evaluator/measure/models
 * says: of two only the first is cut. Where the second alone leaves no room the longer one is cut first, and both to
 * half if that is not enough.
 * @param {string[][]} texts
 * @param {number} room
 */
function truncated([first, second], room) {
  if (!second) return [first.slice(0, room)];
  if (first.length + second.length <= room) return [first, second];
  if (second.length < room) return [first.slice(0, room - second.length), second];
  const shorter = Math.min(first.length, second.length);
  const half = Math.floor(room / 2);
  const [less, more] = shorter <= half ? [shorter, room - shorter] : [half, room - half];
  return first.length > second.length
    ? [first.slice(0, more), second.slice(0, less)]
    : [first.slice(0, less), second.slice(0, more)];
}

/** Shares of 1 in proportion to the exponentials of numbers. @param {number[]} logits */
function softmax(logits) {
  const top = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - top));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
