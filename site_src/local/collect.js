// The page for writers whose models run on this machine: the command that opened it keeps what they write.

import { byId, write } from "../assets/base/elements.js";
import { WritingPage } from "../assets/collect/writing.js";
import { ask, askState } from "./api.js";

/** @import { Collection, Desk } from "../assets/collect/writing.js" */

const NAME = "steelyard-writer";
/** @type {Desk} */
const desk = {
  prompt: (question) => ask("prompt", question),
  ask: (question) => ask("ask", question),
  judge: (question) => ask("judge", question),
  names: { get: () => sessionStorage.getItem(NAME) ?? "", set: (name) => sessionStorage.setItem(NAME, name) },
};

/** @type {Collection} */
const collection = await askState();
document.title = collection.label;
write(byId("title"), collection.label);
write(byId("goal"), collection.goal);
new WritingPage(collection, desk).open();
