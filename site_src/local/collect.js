// The page for writers: a prompt, a text, the models' answers, the right answer.

import { byId, element, write } from "../assets/base/elements.js";
import { ask, askState, button, counted, focusSoon, named, shownText, trying } from "./api.js";

/**
 * What is collected.
 * @typedef {{ label: string, goal: string, fields: string[], labels: string[], licence: string, reason: boolean, prompts: number,
 *   models: { id: string, label: string }[], fooled: "label" | "f1" | "writer" }} Collection
 */
/** @typedef {{ id: string, text?: string, label?: string, inputs?: Record<string, string> }} Prompt */
/** @typedef {{ model: string, answer?: string, confidence?: number, ms: number, failure?: string,
 *   probabilities?: Record<string, number> }} Answer */
/** @typedef {{ id: string, inputs: Record<string, string>, answers: Answer[] }} Try */
/** @typedef {{ made: number, fooled_by_me: number }} Done */
/** @typedef {Done & { prompt: Prompt | null, left: number, waiting: Try | null }} Turn */

const NAME = "steelyard-writer";
/** @type {Collection} */
const collection = await askState();
let writer = sessionStorage.getItem(NAME) ?? "";
/** @type {string[]} */
let skipped = [];

document.title = collection.label;
write(byId("title"), collection.label);
write(byId("goal"), collection.goal);
write(byId("licence"), `What you write is published under ${collection.licence}.`);
byId("who").hidden = writer !== "";
byId("who").addEventListener("submit", (event) => {
  event.preventDefault();
  writer = byId("name", HTMLInputElement).value;
  trying(async () => {
    await nextTurn();
    sessionStorage.setItem(NAME, writer);
    byId("who").hidden = true;
  });
});
if (writer) trying(nextTurn);

/** Show what comes next for the writer: the try that waits for its right answer, or a prompt. */
async function nextTurn() {
  /** @type {Turn} */
  const turn = await ask("prompt", { writer, skip: skipped });
  say(turn);
  byId("answers").hidden = true;
  byId("writing").hidden = false;
  if (turn.waiting) showAnswers(turn.waiting);
  else if (turn.prompt) showPrompt(turn.prompt, turn.left);
  else showEnd();
}

/** @param {Done} done */
function say(done) {
  const tries = counted(done.made, "try", "tries");
  write(byId("done"), `${writer}: ${tries}, ${done.fooled_by_me} of which fooled a model.`);
}

function showEnd() {
  write(
    byId("step"),
    skipped.length ? "These were all but the ones you skipped" : "You are done. Thank you!",
  );
  const again = button("Go back to those", () => {
    skipped = [];
    trying(nextTurn);
  });
  byId("prompt").replaceChildren(...(skipped.length ? [again] : []));
  byId("text").replaceChildren();
}

/**
 * @param {Prompt} prompt
 * @param {number} left
 */
function showPrompt(prompt, left) {
  write(byId("step"), `Write (${counted(left, "try", "tries")} left here)`);
  const wish = prompt.label ? [element("p", {}, "It shall be: ", element("strong", {}, prompt.label))] : [];
  const text = prompt.text ? shownText({ prompt: prompt.text }) : [];
  byId("prompt").replaceChildren(...text, ...shownText(prompt.inputs ?? {}), ...wish);
  const fields = collection.fields.filter((name) => !(name in (prompt.inputs ?? {})));
  const began = performance.now();
  const send = element("button", { class: "press strong" }, "Ask the models");
  const skip = button("Another prompt", () => {
    skipped.push(prompt.id);
    trying(nextTurn);
  });
  const form = byId("text", HTMLFormElement);
  form.replaceChildren(
    ...fields.flatMap(field),
    element("p", { class: "row" }, send, collection.prompts > 1 ? skip : null),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    trying(async () => {
      const seconds = (performance.now() - began) / 1000;
      const inputs = Object.fromEntries(fields.map((name) => [name, area(name).value]));
      showAnswers(await ask("ask", { writer, prompt: prompt.id, inputs, seconds }));
    });
  };
  focusSoon(area(fields[0]));
}

/** @param {string} name */
function field(name) {
  const id = `field-${name}`;
  const box = element("textarea", { id, required: true, rows: 3, maxlength: 5000, dir: "auto" });
  return [element("label", { for: id }, named(name)), box];
}

/** @param {string} name */
function area(name) {
  return byId(`field-${name}`, HTMLTextAreaElement);
}

/** What the models answered, and the question what is right. @param {Try} one */
function showAnswers(one) {
  byId("writing").hidden = true;
  const place = byId("answers");
  const list = element("ul", { class: "answers" }, ...one.answers.map(shownAnswer));
  place.replaceChildren(
    element(
      "h2",
      { tabindex: "-1" },
      collection.models.length > 1 ? "The models answer" : "The model answers",
    ),
    ...shownText(one.inputs),
    list,
    rightAnswer(one),
  );
  place.hidden = false;
  place.querySelector("h2")?.focus();
}

/** @param {Answer} answer */
function shownAnswer(answer) {
  const label = collection.models.find(({ id }) => id === answer.model)?.label ?? answer.model;
  const sure = answer.confidence ?? (answer.probabilities && answer.probabilities[answer.answer ?? ""]);
  const how = sure === undefined ? "" : `${Math.round(100 * sure)} % sure`;
  return element(
    "li",
    { "data-model": answer.model },
    element("span", { class: "muted", dir: "auto" }, label),
    element("strong", { dir: "auto" }, answer.answer ?? "no answer"),
    element("span", { class: "muted small" }, answer.failure ?? how),
  );
}

/** What asks for the right answer: a button for each label, or a text. @param {Try} one */
function rightAnswer(one) {
  const reason = element("textarea", { id: "reason", rows: 2, maxlength: 1000, dir: "auto" });
  const word = element("input", { type: "checkbox", id: "fooled" });
  const judge = (/** @type {string} */ answer) =>
    trying(async () => {
      const fooled = collection.fooled === "writer" ? word.checked : null;
      await keep(one, { writer, id: one.id, answer, fooled, reason: reason.value });
    });
  return element(
    "form",
    { class: "panel" },
    ...(collection.reason
      ? [element("label", { for: "reason" }, "Why may a model get this wrong?"), reason]
      : []),
    collection.fooled === "writer"
      ? element("p", { class: "row" }, word, element("label", { for: "fooled" }, "The model was fooled"))
      : null,
    element("h3", {}, "What is the right answer?"),
    ...(collection.labels.length ? labelButtons(judge) : textAnswer(judge)),
  );
}

/** @param {(answer: string) => void} judge */
function labelButtons(judge) {
  return [
    element("p", { class: "row" }, ...collection.labels.map((label) => button(label, () => judge(label)))),
  ];
}

/** @param {(answer: string) => void} judge */
function textAnswer(judge) {
  const box = element("input", {
    id: "right",
    "aria-label": "The right answer",
    maxlength: 5000,
    dir: "auto",
  });
  const none = collection.fields.includes("question") ? [button("It has no answer", () => judge(""))] : [];
  const keepIt = button("Keep", () => {
    if (box.value.trim()) judge(box.value.trim());
    else box.focus();
  });
  return [element("p", { class: "row" }, box, keepIt, ...none)];
}

/**
 * Keep the right answer, and say who was fooled.
 * @param {Try} one
 * @param {object} judged
 */
async function keep(one, judged) {
  /** @type {Done & { fooled: string[] }} */
  const { fooled, ...done } = await ask("judge", judged);
  say(done);
  const place = byId("answers");
  const names = collection.models.filter(({ id }) => fooled.includes(id)).map(({ label }) => label);
  const verdict = names.length ? `You fooled ${names.join(", ")}.` : "Not fooled this time.";
  const next = button("Next", () => trying(nextTurn), "strong");
  place.replaceChildren(
    element("h2", { class: names.length ? "won" : "" }, verdict),
    ...shownText(one.inputs),
    element("p", { class: "row" }, next),
  );
  focusSoon(next);
}
