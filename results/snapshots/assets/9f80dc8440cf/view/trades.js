// Trade-offs as numbers: what one unit of the base metric is worth of another metric, in that metric's unit or in per cent
// of itself; as a person types it, and where a slider has it.
import { weight } from "../base/formats.js";

/** @import { BoardView, MetricData, TradeOffer, Trades } from "../../types" */

/** @typedef {{ amount: number, percent: boolean }} Amount */

/** The least and the most that is taken: both are beyond what anybody trades. */
const BOUNDS = [1e-9, 1e15];
/** A slider's steps for a power of ten, and how many powers it reaches to either side of its middle. */
const STEPS = 50;
const POWERS = 2;
export const REACH = STEPS * POWERS;
/** Sizes and times in their smallest unit, so that 100 MB can be typed where a metric is in GB. */
const UNITS = [
  { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
  { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 },
];

/** @param {number} amount */
export function isAmount(amount) {
  return amount >= BOUNDS[0] && amount <= BOUNDS[1];
}

/** @param {number | string} trade @returns {Amount} */
export function partsOf(trade) {
  if (typeof trade === "number") return { amount: trade, percent: false };
  return { amount: Number(trade.replace("%", "")), percent: true };
}

/** A trade-off as questions have it, to six digits. @param {number} amount @param {boolean} percent */
export function tradeOf(amount, percent) {
  return percent ? `${weight(amount)} %` : Number(weight(amount));
}

/** What a box shows of it: "10 %", "0.1 GB", "1 point".
 * @param {number | string} trade @param {Pick<MetricData, "amounts" | "one">} metric */
export function textOf(trade, { amounts, one }) {
  const { amount, percent } = partsOf(trade);
  if (amount === 1 && !percent) return one;
  return `${weight(amount)} ${percent ? "%" : amounts}`.trim();
}

/**
 * What somebody typed: a number, after which "%", the metric's own unit, or another one of sizes or times that it can be
 * converted from. A number alone is of the kind that there was. Null where it is none of these.
 * @param {string} text @param {Pick<MetricData, "unit" | "amounts" | "one">} metric
 * @param {boolean} percent whether the box had per cent before @returns {number | string | null}
 */
export function typed(text, { unit, amounts, one }, percent) {
  const found = /^\s*(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?\s*(\S.*?)?\s*$/i.exec(text);
  if (!found) return null;
  const [, digits, exponent = "0", words = ""] = found;
  const own = [unit, amounts, one.replace(/^1 /, "")].map((name) => name.toLowerCase());
  const wanted = words.toLowerCase();
  const factor = wanted === "%" || !wanted || own.includes(wanted) ? 1 : factorOf(wanted, own[0]);
  const amount = Number(`${digits}e${exponent}`) * factor;
  if (!isAmount(amount)) return null;
  return tradeOf(amount, wanted ? wanted === "%" : percent);
}

/** How many of one unit another one is; NaN for what cannot be converted. @param {string} from @param {string} to */
function factorOf(from, to) {
  const units = UNITS.map((names) => new Map(Object.entries(names))).find((names) => names.has(to));
  return (units?.get(from) ?? NaN) / (units?.get(to) ?? NaN);
}

/** The middle of a slider: what is offered, of the kind that the box has. @param {TradeOffer | undefined} offer @param {boolean} percent */
function middle(offer, percent) {
  return (percent ? (offer?.percent ?? 10) : (offer?.units ?? 1)) || 1;
}

/** Where a slider stands, from -REACH to REACH. @param {number | string} trade @param {TradeOffer | undefined} offer */
export function positionOf(trade, offer) {
  const { amount, percent } = partsOf(trade);
  const at = Math.round(STEPS * Math.log10(amount / middle(offer, percent)));
  return Math.max(-REACH, Math.min(REACH, at));
}

/** What it says there, to two digits. @param {number} position @param {boolean} percent @param {TradeOffer | undefined} offer */
export function atPosition(position, percent, offer) {
  return tradeOf(Number((middle(offer, percent) * 10 ** (position / STEPS)).toPrecision(2)), percent);
}

/** What is offered of a metric, one unit where the board has no rate. @param {TradeOffer | undefined} offer */
export function offered(offer) {
  if (offer?.percent_first && offer.percent !== null) return tradeOf(offer.percent, true);
  return tradeOf(offer?.units ?? 1, false);
}

/** Trade-offs to begin with: what the board's rates make of all metrics with weight, beside the base metric.
 * @param {Record<string, TradeOffer>} offers @param {Pick<BoardView, "metrics" | "base">} view @returns {Trades} */
export function beginning(offers, { metrics, base }) {
  const known = Object.keys(metrics).filter(
    (name) => name !== base && Object.hasOwn(offers, name) && offers[name].units !== null,
  );
  const weighed = known.filter((name) => metrics[name] > 0);
  return Object.fromEntries((weighed.length ? weighed : known).map((name) => [name, offered(offers[name])]));
}
