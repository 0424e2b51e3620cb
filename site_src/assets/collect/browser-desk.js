// The desk of a page without a server: models run in the page, and this browser keeps the tries.
import { reasonOf, sizeWords, wellFormed } from "../base/formats.js";
import { text } from "../base/texts.js";
import { bringStarter, Models } from "../scorer/page-models.js";
import { askedLine, countFor, judgedLine, nameProblem, nextPrompt, shownTry, triesOf } from "./events.js";

/** @import { NetworkFiles, ScorerUrls, TriedModel } from "../../types" */
/** @import { KeptTry } from "./events.js" */
/** @import { Kept } from "./kept.js" */
/** @import { ModelAnswer, AskQuestion, Collection, Desk, Judgement, Prompt, PromptQuestion, Turn, Try } from "./writing.js" */

/** A model in the loop, and the hash of the one that its copy was made of. @typedef {TriedModel & { revision: string }} LoopModel */
/**
 * The island `collect-data`; `size` is what Python takes, in bytes, `threshold` is of the F1 of words, from 0 to 1, and
 * `named` says whether tries name their prompt.
 * @typedef {Omit<Collection, "models"> & { id: string, task: string, models: LoopModel[], size: number, tries: number,
 *   threshold: number, networks: NetworkFiles | null, named: boolean, list: Prompt[], repository: string | null }} CollectData
 */
/** @typedef {ModelAnswer & { revision: string }} LoopAnswer */

/** @implements {Desk} */
export class BrowserDesk {
  /**
   * @param {CollectData} data
   * @param {ScorerUrls} urls
   * @param {Kept} kept
   * @param {string} starter the address of the script that starts Python
   * @param {{ say(text: string): void, changed(): void }} page is told what takes time, and when something was kept
   */
  constructor(data, urls, kept, starter, page) {
    this.data = data;
    this.kept = kept;
    this.starter = starter;
    this.page = page;
    this.models = new Models(urls, data.task, data.networks);
    const key = kept.database.name;
    /** The writer of this browser, kept until somebody says otherwise. */
    this.names = {
      get: () => localStorage.getItem(key) ?? "",
      set: (/** @type {string} */ name) => {
        localStorage.setItem(key, name);
        page.changed();
      },
    };
  }

  /** What the button says that asks the models. */
  asking() {
    const size = this.models.missing(this.data.models) + (this.models.engine ? 0 : this.data.size);
    const values = { count: this.data.models.length, size: sizeWords(size) };
    return text(size ? "collect.load-ask" : "collect.ask", values);
  }

  /** What comes next for a writer. @param {PromptQuestion} question @returns {Promise<Turn>} */
  async prompt({ writer, skip }) {
    const problem = nameProblem(writer);
    if (problem) throw new Error(problem);
    const tries = await this.tries(writer);
    const prompt = nextPrompt(this.data.list, tries, this.data.tries, skip, writer);
    const waiting = tries.findLast(({ judged }) => judged === null);
    return {
      prompt,
      left: prompt ? this.data.tries - countFor(tries, prompt.id) : 0,
      waiting: waiting ? shownTry(waiting) : null,
      ...doneIn(tries),
    };
  }

  /** The models' answers to a text, which are kept before this resolves. @param {AskQuestion} question @returns {Promise<Try>} */
  async ask({ writer, prompt: name, inputs: given, seconds }) {
    const { id: collection, named, list, tries: most } = this.data;
    const prompt = /** @type {Prompt} */ (list.find(({ id }) => id === name));
    const inputs = this.inputsOf(prompt, given);
    const answers = await this.answers(inputs);
    // 32 hexadecimal digits that nobody can guess.
    const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
    const id = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const line = askedLine({
      ...{ id, collection, writer, prompt, named, inputs, answers, seconds },
      at: new Date(),
    });
    await this.kept.add(line, (lines) => {
      const made = countFor(triesOf(lines), name);
      if (made < most) return;
      throw new Error(text("collect.all-made", { made }));
    });
    this.page.changed();
    return shownTry({ id: line.id, asked: line, judged: null });
  }

  /** Keep the right answer to a try, and say which models it fooled. @param {Judgement} judgement */
  async judge(judgement) {
    const { writer, id } = judgement;
    const one = (await this.tries(writer)).find((known) => known.id === id);
    if (!one) throw new Error(text("collect.no-try"));
    const fooled = await this.fooledBy(one, judgement.answer);
    await this.kept.add(judgedLine(judgement, fooled, new Date()), (lines) => {
      if (!lines.some((line) => line.id === id)) throw new Error(text("collect.no-try"));
    });
    this.page.changed();
    return { fooled, ...doneIn(await this.tries(writer)) };
  }

  /** @param {string} writer */
  async tries(writer) {
    return triesOf(await this.kept.lines(writer));
  }

  /** All fields of the task: what the prompt gives, and what was written.
   * @param {Prompt} prompt @param {Record<string, string>} given */
  inputsOf(prompt, given) {
    const whole = this.data.fields.map((name) => {
      const written = prompt.inputs?.[name] ?? wellFormed(given[name] ?? "").trim();
      if (!written) throw new Error(text("collect.empty", { name }));
      return [name, written];
    });
    return /** @type {Record<string, string>} */ (Object.fromEntries(whole));
  }

  /** Every model's answer; nothing is kept where one cannot be loaded. @param {Record<string, string>} inputs */
  async answers(inputs) {
    /** @type {LoopAnswer[]} */
    const found = [];
    for (const model of this.data.models) {
      await this.load(model);
      this.page.say(text("models.asking", { model: model.label }));
      found.push(await this.answer(model, inputs));
    }
    this.page.say("");
    return found;
  }

  /** @param {LoopModel} model */
  async load(model) {
    try {
      await this.start();
      const missing = this.models.missing([model]);
      if (missing) {
        this.page.say(text("models.loading", { name: model.label, size: sizeWords(missing) }));
      }
      await this.models.load(model, () => {});
    } catch (error) {
      this.page.say("");
      const values = { name: model.label, reason: reasonOf(error) };
      throw new Error(text("collect.unloaded", values), { cause: error });
    }
  }

  async start() {
    if (this.models.engine) return;
    this.page.say(text("models.loading", { name: "Python", size: sizeWords(this.data.size) }));
    await bringStarter(this.starter);
    await this.models.start();
  }

  /** What a model answers, or how it failed. @param {LoopModel} model @param {Record<string, string>} inputs @returns {Promise<LoopAnswer>} */
  async answer(model, inputs) {
    const { id, revision } = model;
    const began = performance.now();
    const failed = (/** @type {string} */ failure) => ({
      ...{ model: id, revision, ms: performance.now() - began, failure: wellFormed(failure) },
    });
    try {
      const [given] = await this.models.ask(model, [inputs]);
      if (given.error !== undefined) return failed(given.error);
      const { answer, confidence, probabilities, ms } = given;
      return { model: id, revision, answer: wellFormed(answer), confidence, probabilities, ms };
    } catch (error) {
      return failed(reasonOf(error));
    }
  }

  /** The models that a try fooled; see `Collection.fooled` in evaluator/rounds/collection.py.
   * @param {KeptTry} one @param {string} right */
  async fooledBy(one, right) {
    const fooled = [];
    for (const { model, answer } of shownTry(one).answers) {
      if (await this.isWrong(answer ?? null, right)) fooled.push(model);
    }
    return fooled;
  }

  /** A model that failed was not fooled. @param {string | null} answer @param {string} right */
  async isWrong(answer, right) {
    if (answer === null) return false;
    if (this.data.labels.length) return answer !== right;
    await this.start();
    this.page.say("");
    return (await this.models.tokenF1(answer, right)) < this.data.threshold;
  }
}

/** How many tries are judged, and how many of them fooled a model. @param {KeptTry[]} tries */
function doneIn(tries) {
  const judged = tries.filter((one) => one.judged !== null);
  return { made: judged.length, fooled_by_me: judged.filter((one) => one.judged?.fooled?.length).length };
}
