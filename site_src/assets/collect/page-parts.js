// What the pages for writers and validators are made of.

import { byId, element, write } from "../base/elements.js";
import { reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";

/**
 * Do something that may fail; the page says how. Nothing can be pressed meanwhile.
 * @param {() => Promise<void>} work
 */
export async function trying(work) {
  const problem = byId("problem");
  const main = byId("work", HTMLFieldSetElement);
  main.disabled = true;
  try {
    await work();
    problem.hidden = true;
  } catch (error) {
    write(problem, reasonOf(error));
    problem.hidden = false;
  } finally {
    main.disabled = false;
  }
}

/** Do something at once, but not while models are being asked: what they answer belongs to who asked.
 * @param {() => void} work */
export function unlessBusy(work) {
  if (!byId("work", HTMLFieldSetElement).disabled) work();
}

/**
 * A button.
 * @param {string} words
 * @param {() => void} pressed
 * @param {string} [look]
 */
export function button(words, pressed, look = "") {
  const made = element("button", { type: "button", class: `press ${look}` }, element("bdi", {}, words));
  made.addEventListener("click", pressed);
  return made;
}

/**
 * What asks for an answer: a button for each label, or a box for a text; a question may have no answer.
 * @param {{ labels: string[], fields: string[] }} collection
 * @param {(answer: string) => void} send
 * @param {string} [look] of the buttons of labels
 */
export function answerRow({ labels, fields }, send, look) {
  if (labels.length) {
    const buttons = labels.map((label) => button(label, () => send(label), look));
    return element("p", { class: "row" }, ...buttons);
  }
  const box = element("input", {
    ...{ id: "right", "aria-label": text("collect.right"), maxlength: 5000, dir: "auto" },
  });
  const keep = button(text("collect.keep"), () => {
    if (box.value.trim()) send(box.value.trim());
    else box.focus();
  });
  const none = fields.includes("question") ? button(text("collect.no-right"), () => send("")) : null;
  return element("p", { class: "row" }, box, keep, none);
}

/** Give something the focus once the work is done: what is disabled cannot take it. @param {HTMLElement} target */
export function focusSoon(target) {
  setTimeout(() => target.focus());
}

/**
 * The fields of a text, each under its name; a single one needs none.
 * @param {Record<string, string>} inputs
 */
export function shownText(inputs) {
  const entries = Object.entries(inputs);
  return entries.map(([name, value]) =>
    element(
      "div",
      { class: "given" },
      entries.length > 1 ? element("h3", {}, named(name)) : null,
      element("p", { dir: "auto", class: "quoted" }, value),
    ),
  );
}

/** The name of a field as a title. @param {string} name */
export function named(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/** "3 tries", "1 try". @param {number} count */
export function countedTries(count) {
  return text("collect.tries", { count });
}
