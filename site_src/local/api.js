// How the local pages talk to the command that opened them. The token is the part of the address after #, which is
// sent to nobody; a reload of the page still knows it.

import { byId, element } from "../assets/base/elements.js";
import { trying } from "../assets/collect/page-parts.js";

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
    throw new Error(byId("problem").dataset.stopped);
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/**
 * What is collected, once the page has its texts. Where the command refuses, the page says why, and nothing more
 * happens on it.
 * @template State
 * @returns {Promise<State>}
 */
export function askState() {
  return new Promise((resolve) => {
    trying(async () => {
      const texts = await ask("texts");
      const island = element(
        "script",
        { type: "application/json", class: "text-island" },
        JSON.stringify(texts),
      );
      document.body.append(island);
      resolve(await ask("state"));
    });
  });
}
