// How many models search, filters and limits leave, and among whom the ranks are: counted, so that none is lost.
import { counted } from "../base/formats.js";
import { limitsSentence } from "../view/limits.js";
import { narrowed } from "../view/shown.js";

/** @import { BoardView, MetricData } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** @import { Shown } from "../view/shown.js" */

/**
 * The sentences over the table; empty where all models are shown and ranked.
 * @param {Shown} shown
 * @param {MetricData[]} metrics
 * @param {Ranking} ranking
 * @param {BoardView} view
 */
export function foundWords(shown, metrics, ranking, view) {
  if (!narrowed(view) && view.among === "all") return "";
  const total = shown.models.length;
  const count = shown.count(ranking, view);
  if (!view.limits.length) return `${count} of ${total} models. ${ranks(shown, ranking, view)}`;
  const within = [...ranking.order].filter(shown.within(ranking.values, view.limits)).length;
  const what = `${within} of ${counted(total, "model")} ${limitsSentence(view.limits, metrics)}`;
  const others = count === within ? "" : `, and ${count} ${count === 1 ? "is" : "are"} shown`;
  return `${[what + others, ...unknown(metrics, ranking, view)].join(". ")}. ${ranks(shown, ranking, view)}`;
}

/**
 * How many models have no number for a limited metric, and so are left out.
 * @param {MetricData[]} metrics
 * @param {Ranking} ranking
 * @param {BoardView} view
 */
function unknown(metrics, { values, order }, { limits }) {
  const columns = limits.map(({ metric }) => values[metrics.findIndex(({ name }) => name === metric)]);
  const count = order.filter((model) => columns.some((column) => Number.isNaN(column[model]))).length;
  if (!count) return [];
  return [`${count} of the others ${count === 1 ? "has" : "have"} no number for what is limited`];
}

/**
 * Among whom models are ranked; limits alone change nobody's score.
 * @param {Shown} shown
 * @param {Ranking} ranking
 * @param {BoardView} view
 */
function ranks(shown, ranking, view) {
  if (view.among === "all") {
    const before = view.limits.length ? "Limits change nobody’s score: ranks" : "Ranks";
    return `${before} and exchange rates are among all ${shown.models.length}.`;
  }
  const left = shown.matches(ranking, { ...view, search: "" }).filter(Boolean).length;
  if (!left) return "No model is left to be ranked.";
  return `Ranks, scores and exchange rates are among ${left === 1 ? "this one" : `these ${left}`} alone.`;
}
