// How sure the ranks of a page are: at first the sets that the page came with, then those that Python finds for
// each new ranking, once that is on the screen.
import { text } from "../base/texts.js";
import { Queue } from "./engine.js";

/** @import { CertaintyData, RankQuestion, RankSetsData } from "../../types" */
/** @import { Ranking } from "./ranking.js" */
/** @import { Scorer } from "./scorer.js" */

/** On a board of more models than this, only the sets of rows that somebody sees are found, and nobody asks what
 * changes once a model leaves. */
export const MANY = 150;
/** @type {CertaintyData} */
const UNKNOWN = { sets: [], within: null, given: {}, gap: null, words: "", file: null };

/**
 * What is asked of the page: whether Python is there, its newest ranking, the question that this answers, the models
 * whose rows are seen, and `changed`, which is called when there are new sets.
 * @typedef {object} Asks
 * @property {() => boolean} ready
 * @property {() => Ranking} ranking
 * @property {() => RankQuestion} question
 * @property {() => Iterable<number>} seen
 * @property {() => void} changed
 */

export class Certainty {
  /**
   * @param {Scorer} scorer
   * @param {CertaintyData | null} data the island of the page; null where it has none
   * @param {Asks} asks
   */
  constructor(scorer, data, asks) {
    this.scorer = scorer;
    this.first = data ?? UNKNOWN;
    this.asks = asks;
    /** Whether Python can find sets at other weights. */
    this.able = this.first.file !== null;
    /** Whether all sets are models at the newest ranking, whoever sees them. */
    this.whole = false;
    this.queue = new Queue(() => this.update());
    /** The ranking that the sets belong to. */
    this.of = asks.ranking();
    this.found = this.first;
  }

  /** Whether the sets belong to the newest ranking: until then they are out of date. */
  get current() {
    return this.of === this.asks.ranking();
  }

  /** What a reader should know of the sets. */
  get words() {
    return this.found.words;
  }

  /** The sets of all models, null where they are unknown or out of sight; null until those of the newest ranking are
   * found. */
  get setsOfAll() {
    if (!this.current) return null;
    return Array.from({ length: this.of.size }, (_, model) => this.setOf(model) ?? null);
  }

  /** The set of a model: null where it is unknown, undefined where it has not been found yet.
   * @param {number} model */
  setOf(model) {
    return model < this.found.sets.length ? this.found.sets[model] : null;
  }

  /** Which numbers the set of a model takes as exact, in words; empty where none. @param {number} model */
  givenOf(model) {
    return this.found.given[model] ?? "";
  }

  /** The set of a model with every exchange rate off by some factor; undefined where that is the same.
   * @param {number} model */
  withinOf(model) {
    const [found, wide] = [this.setOf(model), this.found.within?.[model]];
    return found && wide && (wide[0] < found[0] || wide[1] > found[1]) ? wide : undefined;
  }

  /** The ranks that models may get on another dataset; null on a board with too few. */
  get elsewhere() {
    return this.found.elsewhere ?? null;
  }

  /** Whether any set is wider so. */
  get thin() {
    return [...this.found.sets.keys()].some((model) => this.withinOf(model));
  }

  /** The models that may be first; none where the leader is alone. @returns {Set<number>} */
  get heat() {
    const first = [...this.found.sets.keys()].filter((model) => this.found.sets[model]?.[0] === 1);
    const alone = first.length === 1 && this.of.rankOf(first[0]) === 1;
    return new Set(alone ? [] : first);
  }

  /** There is a new ranking. At the default weights its sets are known, and without a file they never are.
   * @param {boolean} atDefault */
  follow(atDefault) {
    this.whole = false;
    if (atDefault) this.take(this.first);
    else if (!this.able) this.take(UNKNOWN);
  }

  /** Find what is models and not known; resolves when there is nothing left to find. */
  ask() {
    return this.queue.ask();
  }

  /** Find the sets of all models. */
  complete() {
    this.whole = true;
    return this.ask();
  }

  async update() {
    const ranking = this.asks.ranking();
    const rows = ranking.size > MANY ? this.missing(ranking) : null;
    if (!this.able || !this.asks.ready() || (this.current && !rows?.length)) return;
    await painted();
    if (ranking !== this.asks.ranking()) return;
    const found = await this.sets(rows);
    // Nothing is found where a newer ranking has been asked for, which asks again.
    if (!found || ranking !== this.asks.ranking()) return;
    this.take(rows ? this.merged(ranking, rows, found) : found);
    this.asks.changed();
  }

  /** @param {number[] | null} rows */
  async sets(rows) {
    try {
      return await this.scorer.sets(this.asks.question(), rows);
    } catch (error) {
      this.able = false;
      reportError(error);
      return { ...UNKNOWN, words: text("ranking.unsure") };
    }
  }

  /** The models whose sets are needed and not known. @param {Ranking} ranking */
  missing(ranking) {
    const models = this.whole ? [...ranking.order] : [...this.asks.seen()];
    return this.current ? models.filter((model) => this.setOf(model) === undefined) : models;
  }

  /** What was known at this ranking, with what has been found of some rows.
   * @param {Ranking} ranking @param {number[]} rows @param {RankSetsData} found @returns {RankSetsData} */
  merged(ranking, rows, found) {
    /** @param {RankSetsData["sets"] | null} before @param {RankSetsData["sets"]} after */
    const together = (before, after) => {
      const sets = Array.from({ length: ranking.size }, (_, model) =>
        this.current ? before?.[model] : undefined,
      );
      for (const model of rows) sets[model] = after[model] ?? null;
      return sets;
    };
    const within = found.within && together(this.found.within, found.within);
    return { ...found, sets: together(this.found.sets, found.sets), within };
  }

  /** @param {RankSetsData} found */
  take(found) {
    this.of = this.asks.ranking();
    this.found = { ...found, file: this.first.file };
  }
}

/** The frame at hand has been painted. @returns {Promise<void>} */
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
