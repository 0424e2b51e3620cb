// Prices of models' tokens that somebody has typed, or that a link says, beside those of the day.

/** @import { BoardPrices, Prices } from "../../types" */

/** Whether prices say in part what a model costs of which the day has no prices, so that it has no cost.
 * @param {Prices} prices @param {BoardPrices["day"][string] | undefined} day */
export function isInPart(prices, day) {
  const [sent, , written] = prices;
  return !day && prices.some((price) => price !== null) && (sent === null || written === null);
}

/** What of prices by model changes what models cost, and the models that it says too little of.
 * @param {Record<string, Prices>} prices @param {BoardPrices["day"]} day */
export function effective(prices, day) {
  /** @type {string[]} */
  const inPart = [];
  const kept = Object.entries(prices).filter(([model, given]) => {
    if (isInPart(given, day[model])) inPart.push(model);
    const changes = given.some((price, kind) => price !== null && price !== day[model]?.[kind]);
    return changes && !inPart.includes(model);
  });
  return { prices: Object.fromEntries(kept), inPart };
}
