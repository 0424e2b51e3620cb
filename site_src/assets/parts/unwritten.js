// Rows of the models that a page of many models does not have as HTML, made once somebody comes to them.
import { byId, element, find, islandIfAny } from "../base/elements.js";
import { remark, rowOf } from "./blank-row.js";

/** @import { BoardHost, RowRemarks, UnwrittenData } from "../../types" */

export class Unwritten {
  /**
   * @param {Pick<BoardHost, "data" | "first">} page
   * @param {UnwrittenData} data
   */
  constructor({ data: { models }, first }, data) {
    this.models = models;
    this.folder = data.models;
    this.blank = find(byId("row", HTMLTemplateElement).content, "tr", HTMLTableRowElement);
    // They are the last ones of the default ranking, in its order.
    const unwritten = first.order.subarray(first.size - data.of.length);
    /** What each of them says, by the index of its model. @type {Map<number, RowRemarks>} */
    this.remarks = new Map(Array.from(unwritten, (index, at) => [index, data.remarks[data.of[at]]]));
  }

  /** Those of a page; null where it has all rows. @param {Pick<BoardHost, "data" | "first">} page */
  static of(page) {
    /** @type {UnwrittenData | null} */
    const data = islandIfAny("board-unwritten");
    return data && new Unwritten(page, data);
  }

  /** A new row of a model; null where the page has it as HTML. @param {number} index */
  line(index) {
    const remarks = this.remarks.get(index);
    if (!remarks) return null;
    const model = this.models[index];
    const line = rowOf(this.blank, model, this.folder && `${this.folder}${model.id}/`);
    line.classList.toggle("floored", remarks.floored);
    const origin = find(line, ".origin", HTMLElement);
    const words = remarks.floored
      ? element("span", { class: "origin-words" }, remarks.origin)
      : remarks.origin;
    origin.append(...(remarks.suspect ? [suspect(), " "] : []), words);
    origin.after(...remarks.reasons.map(({ text, kind }) => remark(text, kind)));
    return line;
  }
}

function suspect() {
  return element("span", { class: "few-mark" }, "suspect timing");
}
