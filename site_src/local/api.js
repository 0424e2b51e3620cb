// How the local pages talk to the command that opened them. The token is the part of the address after #, which is
// sent to nobody; a reload of the page still knows it.

import { byId, element, write } from "../assets/base/elements.js";
import { reasonOf } from "../assets/base/errors.js";

const KEPT = "steelyard-token";

/** The token of the address, which is then without it. */
function readToken() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEPT) ?? "";
}

const token = readToken();

/**
 * What the command answers to a question. Throws an Error in its words if it refuses.
 * @template Answer
 * @param {string} path
 * @param {object} [question]
 * @returns {Promise<Answer>}
 */
export async function ask(path, question = {}) {
  const response = await fetch(`/api/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Steelyard-Token": token },
    body: JSON.stringify(question),
  }).catch(() => {
    throw new Error(
      "The command that opened this page has stopped. Start it again, and open the address it prints.",
    );
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

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

/**
 * What is collected. Where the command refuses, the page says why, and nothing more happens on it.
 * @template State
 * @returns {Promise<State>}
 */
export function askState() {
  return new Promise((resolve) => {
    trying(async () => resolve(await ask("state")));
  });
}

/**
 * A button.
 * @param {string} text
 * @param {() => void} pressed
 * @param {string} [look]
 */
export function button(text, pressed, look = "") {
  const made = element("button", { type: "button", class: `press ${look}` }, element("bdi", {}, text));
  made.addEventListener("click", pressed);
  return made;
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
  return entries.map(([name, text]) =>
    element(
      "div",
      { class: "given" },
      entries.length > 1 ? element("h3", {}, named(name)) : null,
      element("p", { dir: "auto", class: "quoted" }, text),
    ),
  );
}

/** The name of a field as a title. @param {string} name */
export function named(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/** "3 tries", "1 try". @param {number} count @param {string} one @param {string} many */
export function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}
