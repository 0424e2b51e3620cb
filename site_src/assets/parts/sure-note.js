// What a reader should know of the rank sets: who is in a dead heat, which gaps can be told, what is unknown.
import { byId, write } from "../base/elements.js";

/** @import { BoardHost, BoardView, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */

/** @implements {Part} */
export class SureNote {
  /** @param {BoardHost} page */
  constructor({ certainty }) {
    this.certainty = certainty;
    this.place = byId("sure-words");
  }

  /** @param {Ranking} _ranking @param {BoardView} _view @param {Set<string>} changed */
  show(_ranking, _view, changed) {
    if (!changed.has("ranking") && !changed.has("sets")) return;
    const { current, words } = this.certainty;
    this.place.classList.toggle("old", !current);
    if (current && words) write(this.place, words);
  }
}
