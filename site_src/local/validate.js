// The page for validators: a text, and what is right in their eyes; nothing of anybody else's answers.

import { byId, element, write } from "../assets/base/elements.js";
import { text } from "../assets/base/texts.js";
import { answerRow, button, shownText, trying } from "../assets/collect/page-parts.js";
import { ask, askState } from "./api.js";

/** @typedef {{ label: string, fields: string[], labels: string[], question?: string }} ValidatedRound */
/** @typedef {{ id: string, inputs: Record<string, string> }} Item */
/** @typedef {{ item: Item | null, done: number, left: number }} ValidationTurn */

const NAME = "steelyard-validator";
let validator = sessionStorage.getItem(NAME) ?? "";
/** @type {Item | null} */
let last = null;
/** @type {ValidatedRound} */
const collection = await askState();

document.title = text("validate.title", { collection: collection.label });
write(byId("title"), collection.label);
byId("who").hidden = validator !== "";
byId("who").addEventListener("submit", (event) => {
  event.preventDefault();
  validator = byId("name", HTMLInputElement).value;
  trying(async () => {
    await nextItem();
    sessionStorage.setItem(NAME, validator);
    byId("who").hidden = true;
  });
});
if (validator) trying(nextItem);

/** Show the next text. */
async function nextItem() {
  /** @type {ValidationTurn} */
  const turn = await ask("next", { validator });
  write(byId("done"), text("validate.done", { validator, done: turn.done, left: turn.left }));
  if (turn.item) show(turn.item);
  else byId("item").replaceChildren(element("h2", {}, text("collect.end")), ...backRow());
  byId("item").hidden = false;
}

/** @param {Item} item */
function show(item) {
  const reason = element("textarea", { id: "reason", rows: 2, maxlength: 1000, dir: "auto" });
  const send = (/** @type {object} */ response) =>
    trying(async () => {
      await ask("respond", { validator, id: item.id, reason: reason.value, ...response });
      last = item;
      await nextItem();
    });
  const title = element("h2", { tabindex: "-1" }, collection.question ?? text("validate.question"));
  byId("item").replaceChildren(
    title,
    ...shownText(item.inputs),
    element(
      "div",
      { class: "panel" },
      answerRow(collection, (answer) => send({ answer }), "strong"),
      ...marks(send, reason),
    ),
    ...backRow(),
  );
  title.focus();
}

/** @param {(response: object) => void} send @param {HTMLTextAreaElement} reason */
function marks(send, reason) {
  return [
    element("label", { for: "reason" }, text("validate.reason")),
    element("p", { class: "small muted" }, text("validate.reason-hint")),
    reason,
    element(
      "p",
      { class: "row" },
      button(text("validate.unsure"), () => send({ mark: "unsure" })),
      button(text("validate.flag"), () => send({ mark: "flag" })),
    ),
  ];
}

/** The way back to the last text, to answer it again. */
function backRow() {
  const before = last;
  if (before === null) return [];
  const back = button(text("validate.change"), () => {
    last = null;
    show(before);
  });
  return [element("p", { class: "row" }, back)];
}
