// The lines of a writer's file, as evaluator/rounds/events.py has them, and what follows from them. Pure: what is
// random, the time and the browser's storage are given.

import { wellFormed } from "../base/formats.js";

/** @import { ModelAnswer, Judgement, Prompt, Try } from "./writing.js" */

/** A line that is kept, with what is needed of it to find it again; `fooled` are the models that a judged try fooled.
 * @typedef {{ writer: string, id: string, event: "asked" | "judged", prompt?: string, fooled?: string[], line: string }} KeptLine */
/** A whole number, where another one is a fraction. @typedef {bigint} Whole */
/** @typedef {string | number | boolean | Whole | null | undefined | JsonValue[] | { [key: string]: JsonValue }} JsonValue */

const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Why no file of tries can have this name; empty where it can. As check_name in evaluator/records/errors.py.
 * @param {string} name */
export function nameProblem(name) {
  if (!NAME.test(name)) {
    return `name: ${name} is not made of letters, digits, dots and hyphens; choose another`;
  }
  if (DEVICES.test(name)) return `name: ${name} is a device on Windows; choose another`;
  if (name.endsWith(".")) return `name: ${name} ends in a dot; choose another`;
  return "";
}

/** A moment as lines have it, in UTC. @param {Date} date */
export function moment(date) {
  return date.toISOString().replace(/\.\d+/, "");
}

/**
 * JSON as Python writes it: a space after commas and colons, fractions with a point. What is null is left out.
 * @param {JsonValue} value
 * @returns {string}
 */
export function pythonJson(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return pythonFloat(value);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (value === undefined || value === null || typeof value !== "object") {
    return JSON.stringify(value ?? null);
  }
  const given = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return `{${given.map(([key, inner]) => `${JSON.stringify(key)}: ${pythonJson(inner)}`).join(", ")}}`;
}

/** A number as Python's repr() has a float: both write the fewest digits that name it. @param {number} value */
function pythonFloat(value) {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/**
 * A text that models were asked about, as a line.
 * @param {{ id: string, collection: string, writer: string, prompt: Prompt, named: boolean, inputs: Record<string, string>,
 *   answers: (ModelAnswer & { revision: string })[], seconds: number, at: Date }} asked `named` unless there is one prompt only, without a file
 * @returns {KeptLine}
 */
export function askedLine({ id, collection, writer, prompt, named, inputs, answers, seconds, at }) {
  const line = pythonJson({
    ...{ event: "asked", version: 1n, id, collection, writer },
    prompt: named ? prompt.id : null,
    inputs,
    tags: prompt.tags ?? {},
    answers: answers.map(answerOf),
    seconds: Math.round(seconds * 10) / 10,
    at: moment(at),
  });
  return { writer, id, event: "asked", prompt: prompt.id, line };
}

/** In the order of the fields. @param {ModelAnswer & { revision: string }} given @returns {JsonValue} */
function answerOf({ model, revision, answer, confidence, probabilities, ms, failure }) {
  return { model, revision, answer, confidence, probabilities, ms, failure, place: "browser" };
}

/**
 * The right answer in the writer's eyes, as a line.
 * @param {Judgement} judged
 * @param {string[]} fooled the models that the try fooled, which are not in the line
 * @param {Date} at
 * @returns {KeptLine}
 */
export function judgedLine({ writer, id, answer, fooled: word, reason }, fooled, at) {
  const line = pythonJson({
    ...{ event: "judged", version: 1n, id, answer: wellFormed(answer), fooled: word },
    ...{ reason: wellFormed(reason), at: moment(at) },
  });
  return { writer, id, event: "judged", fooled, line };
}

/** A try as it is kept. @typedef {{ id: string, asked: KeptLine, judged: KeptLine | null }} KeptTry */

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

/** How many tries each prompt has. @param {KeptTry[]} tries */
export function byPrompt(tries) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { asked } of tries) counts.set(asked.prompt ?? "", (counts.get(asked.prompt ?? "") ?? 0) + 1);
  return counts;
}

/**
 * The prompt that a writer gets: one begun, else the next in an order of their own. What others write elsewhere is
 * not known here, so every name begins at another place of the list.
 * @param {Prompt[]} prompts
 * @param {Map<string, number>} mine tries by prompt
 * @param {number} most tries a prompt
 * @param {string[]} skip
 * @param {string} writer
 */
export function nextPrompt(prompts, mine, most, skip, writer) {
  const start = placeOf(writer, prompts.length);
  const own = [...prompts.slice(start), ...prompts.slice(0, start)];
  const left = own.filter(({ id }) => (mine.get(id) ?? 0) < most && !skip.includes(id));
  return left.find(({ id }) => mine.get(id)) ?? left.at(0) ?? null;
}

/** A place from 0 that follows from a name: FNV-1a, 32 bits. @param {string} name @param {number} places */
function placeOf(name, places) {
  let hash = 0x811c9dc5;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % places;
}
