// The lines of a writer's file, as evaluator/rounds/events.py has them, and what follows from them. Pure: what is
// random, the time and the browser's storage are given.

import { wellFormed } from "../base/formats.js";
import { text } from "../base/texts.js";

/** @import { ModelAnswer, Judgement, Prompt, Try } from "./writing.js" */

/** A line that is kept, with what is needed of it to find it again; `fooled` are the models that a judged try fooled.
 * @typedef {{ writer: string, id: string, event: "asked" | "judged", prompt?: string, fooled?: string[], line: string }} KeptLine */
/** A try as it is kept. @typedef {{ id: string, asked: KeptLine, judged: KeptLine | null }} KeptTry */

/** A made-up name that a file can have on every system: Windows has no file named after a device. */
const NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?$/i;

/** Why no file of tries can have this name; empty where it can. As `name_problem` in Python. @param {string} name */
export function nameProblem(name) {
  if (NAME.test(name)) return "";
  return text("collect.name", { name });
}

/** A moment as lines have it, in UTC. @param {Date} date */
function moment(date) {
  return date.toISOString().replace(/\.\d+/, "");
}

/**
 * A text that models were asked about, as a line.
 * @param {{ id: string, collection: string, writer: string, prompt: Prompt, named: boolean, inputs: Record<string, string>,
 *   answers: (ModelAnswer & { revision: string })[], seconds: number, at: Date }} asked `named` unless there is one prompt only, without a file
 * @returns {KeptLine}
 */
export function askedLine({ prompt, named, answers, seconds, at, ...asked }) {
  const line = JSON.stringify({
    ...{ event: "asked", version: 1, ...asked },
    prompt: named ? prompt.id : null,
    tags: prompt.tags ?? {},
    answers: answers.map((answer) => ({ ...answer, place: "browser" })),
    seconds: Math.round(seconds * 10) / 10,
    at: moment(at),
  });
  return { writer: asked.writer, id: asked.id, event: "asked", prompt: prompt.id, line };
}

/**
 * The right answer in the writer's eyes, as a line.
 * @param {Judgement} judged
 * @param {string[]} fooled the models that the try fooled, which are not in the line
 * @param {Date} at
 * @returns {KeptLine}
 */
export function judgedLine({ writer, id, answer, reason }, fooled, at) {
  const line = JSON.stringify({
    ...{ event: "judged", version: 1, id, at: moment(at) },
    ...{ answer: wellFormed(answer), reason: wellFormed(reason) },
  });
  return { writer, id, event: "judged", fooled, line };
}

/** The tries that lines tell of, in their order; the last that was said of one counts.
 * @param {KeptLine[]} lines @returns {KeptTry[]} */
export function triesOf(lines) {
  /** @type {Map<string, KeptTry>} */
  const tries = new Map();
  for (const line of lines) {
    const known = tries.get(line.id);
    if (line.event === "asked") tries.set(line.id, { id: line.id, asked: line, judged: null });
    else if (known) known.judged = line;
  }
  return [...tries.values()];
}

/** What the page shows of a try. @param {KeptTry} one @returns {Try} */
export function shownTry({ asked }) {
  const { id, inputs, answers } = JSON.parse(asked.line);
  return { id, inputs, answers };
}

/** How many tries there are for a prompt. @param {KeptTry[]} tries @param {string} prompt */
export function countFor(tries, prompt) {
  return tries.filter(({ asked }) => asked.prompt === prompt).length;
}

/**
 * The prompt that a writer gets: one begun, else the next in an order of their own. What others write elsewhere is
 * not known here, so every name begins at another place of the list.
 * @param {Prompt[]} prompts
 * @param {KeptTry[]} tries the writer's
 * @param {number} most tries a prompt
 * @param {string[]} skip
 * @param {string} writer
 */
export function nextPrompt(prompts, tries, most, skip, writer) {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5;
  for (const char of writer) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  const start = (hash >>> 0) % prompts.length;
  const own = [...prompts.slice(start), ...prompts.slice(0, start)];
  const left = own.filter(({ id }) => countFor(tries, id) < most && !skip.includes(id));
  return left.find(({ id }) => countFor(tries, id)) ?? left.at(0) ?? null;
}
