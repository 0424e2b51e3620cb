// What a page asks of Python: rankings, what follows from them, and their words.
import { Engine } from "./engine.js";
import { Ranking } from "./ranking.js";

/** @import { OnBytes } from "./engine.js" */
/** @import { BoardPrices, CellsData, CertaintyData, LeaderData, LeavingData, Prices, RankQuestion, RankSetsData, ScorerUrls, Weights } from "../../types" */

/** What makes words. */
const WORDS = "rank.page_words";

export class Scorer {
  /**
   * A board is JSON text, which goes to Python unparsed; `certainty` is the address of what says how sure its ranks are;
   * `prices` are those of the day.
   * @param {ScorerUrls & { board: string, certainty?: CertaintyData["file"], prices?: BoardPrices }} files
   */
  constructor({ runtime, scorer, lean, board, certainty = null, prices }) {
    this.certainty = certainty;
    this.board = board;
    this.day = prices;
    /** What Python takes to rank at other prices, as JSON; null at those of the day. @type {string | null} */
    this.priced = null;
    /** What models cost at these prices, by dataset; null at those of the day. @type {Record<string, (number | null)[]> | null} */
    this.costs = null;
    /** Python has the newest board. @type {Promise<void>} */
    this.opened = Promise.resolve();
    /** Python knows how values vary. @type {Promise<void> | null} */
    this.varied = null;
    this.engine = new Engine({ runtime, scorer, lean });
    /** @type {Ranking | null} */
    this.last = null;
  }

  /** Start Python; resolves when the board can be ranked and rejects when it cannot, see `Engine`.
   * @param {OnBytes} [onBytes] called with how many more bytes of Python's files have come */
  async start(onBytes) {
    await this.engine.start(onBytes);
    await this.open(this.board);
  }

  /**
   * The ranking for a question; a term that is left out is the board's own. Every name that is left out of
   * metrics or datasets weighs nothing. `prices` are those that are other than the day's.
   * @param {Partial<RankQuestion>} question @param {Record<string, Prices>} [prices]
   */
  async rank(question, prices = {}) {
    const priced = Object.keys(prices).length ? JSON.stringify({ ...this.day, prices }) : null;
    if (priced !== this.priced) await this.price(priced);
    // Another question may be answered meanwhile: what is left out is what was known when this one was asked.
    const known = this.last;
    const details = { text: JSON.stringify(question), known: known?.scale ?? 0 };
    const ranking = Ranking.fromAnswer(await this.engine.ask("rank", details), known);
    this.last = ranking;
    return ranking;
  }

  /** The models that no other beats in two metrics at once, at these dataset weights, best of x first.
   * @param {string} x @param {string} y @param {Weights} datasets @param {number[]} without models to leave out
   * @returns {Promise<number[]>} */
  front(x, y, datasets, without) {
    return this.call("rank.tradeoffs", "front_json", { x, y, datasets, without });
  }

  /**
   * Who wins where as weight moves between three metrics: see `triangle` in evaluator/rank/tradeoffs.py; null where a
   * ranking was asked for meanwhile.
   * @param {RankQuestion} question @param {string[]} metrics @param {number} steps
   */
  async triangle(question, metrics, steps) {
    const text = JSON.stringify({ question, metrics, steps });
    const asked = { module: "rank.tradeoffs", name: "open_triangle", text, board: true };
    const winners = /** @type {number[] | null} */ (await this.engine.ask("steps", asked));
    return winners && Int32Array.from(winners);
  }

  /**
   * Who wins where as two trade-offs change: see `WhoWinsByTrades` in evaluator/rank/tradeoffs.py; null where a ranking
   * was asked for meanwhile.
   * @param {RankQuestion} question @param {string[]} metrics @param {(number | string)[][]} amounts
   */
  async winnersByTrades(question, metrics, amounts) {
    const text = JSON.stringify({ question, metrics, amounts });
    const asked = { module: "rank.tradeoffs", name: "open_winners_by_trades", text, board: true };
    const winners = /** @type {number[] | null} */ (await this.engine.ask("steps", asked));
    return winners && Int32Array.from(winners);
  }

  /** The rank sets under a question, of all models or of some `rows`; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question @param {number[] | null} rows @returns {Promise<RankSetsData | null>} */
  sets(question, rows) {
    return this.steps("rank.rank_answers", "open_sweep", { question, rows });
  }

  /** What would put a model first; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question @param {string} model @returns {Promise<LeaderData | null>} */
  firstPlace(question, model) {
    return this.steps("rank.what_if", "open_first_place", { question, model });
  }

  /** Who changes place once a model leaves; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question @returns {Promise<LeavingData | null>} */
  leaving(question) {
    return this.steps("rank.what_if", "open_leaving", { question });
  }

  /**
   * 1 where the leader is certain, by point of `triangle`, 0 elsewhere; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question @param {string[]} metrics @param {number} steps @returns {Promise<number[] | null>}
   */
  certain(question, metrics, steps) {
    return this.steps("rank.what_if", "open_certain", { question, metrics, steps });
  }

  /** The same by point of `winnersByTrades`.
   * @param {RankQuestion} question @param {string[]} metrics @param {(number | string)[][]} amounts
   * @returns {Promise<number[] | null>} */
  certainByTrades(question, metrics, amounts) {
    return this.steps("rank.what_if", "open_certain_by_trades", { question, metrics, amounts });
  }

  /**
   * What Python finds step by step, between other questions, of how values vary.
   * @template Found
   * @param {string} module @param {string} name @param {object} asked @returns {Promise<Found>}
   */
  async steps(module, name, asked) {
    await this.vary();
    const found = await this.engine.ask("steps", { module, name, text: JSON.stringify(asked) });
    return /** @type {Found} */ (found);
  }

  /**
   * What a function of Python's says of the board.
   * @template Said
   * @param {string} module @param {string} name @param {object} asked @returns {Promise<Said>}
   */
  async call(module, name, asked) {
    const board = module !== WORDS;
    return JSON.parse(await this.engine.ask("call", { module, name, text: JSON.stringify(asked), board }));
  }

  /**
   * What is asked in words, see evaluator/rank/page_words.py: an answer for each name.
   * @param {RankQuestion} question @param {object} about what the board's parts are called
   * @param {Record<string, object>} asks @returns {Promise<Record<string, any>>}
   */
  say(question, about, asks) {
    return this.call(WORDS, "say", { question, about, asks });
  }

  /** Keep Python's memory for the next visit. */
  keep() {
    return this.engine.ask("keep", {});
  }

  /** Addresses of all that ranking takes, Python included. @returns {Promise<string[]>} */
  async files() {
    const certainty = this.certainty ? [new URL(this.certainty, document.baseURI).href] : [];
    return [...(await this.engine.ask("files", {})), ...certainty];
  }

  /** Let Python know how values vary, once somebody asks for what follows from it. */
  async vary() {
    // Another board may be opened meanwhile, of which that is to be known then.
    for (let asked = null; !asked || asked !== this.varied; await asked) {
      await this.opened;
      asked = this.varied ??= this.engine.ask("vary", this.variation());
    }
  }

  /** The files that say how values vary: at other prices, also the one that says how tokens do. */
  variation() {
    const address = this.certainty && new URL(this.certainty, document.baseURI).href;
    if (!address || !this.priced || !this.day) return { address };
    return { address, tokens: new URL(this.day.file, address).href, priced: this.priced };
  }

  /** Rank at other prices from now on: costs are cells of a board like all others. @param {string | null} priced */
  async price(priced) {
    if (priced === null) return this.open(this.board);
    const text = `{"board":${this.board},"priced":${priced}}`;
    await this.open(text, { module: "rank.prices", name: "open_priced" }, priced);
    this.costs = await this.call("rank.prices", "costs_json", { metric: this.day?.metric });
  }

  /** A dataset's numbers by metric; what models cost is at the prices that are ranked by.
   * @param {string} dataset @param {CellsData["values"][string]} cells */
  cellsAt(dataset, cells) {
    const costs = this.costs?.[dataset];
    return costs && this.day ? { ...cells, [this.day.metric]: costs } : cells;
  }

  /** Put another board in the place of the present one. @param {string} text
   * @param {{ module?: string, name?: string }} [how] @param {string | null} [priced] */
  async open(text, how = {}, priced = null) {
    const before = this.priced;
    this.priced = priced;
    this.varied = null;
    const opened = this.engine.ask("open", { text, ...how });
    // Whoever waits for it asks of the board that there is, also where another could not be opened.
    this.opened = opened.catch(() => {});
    try {
      await opened;
    } catch (error) {
      this.priced = before;
      throw error;
    }
    this.last = null;
    this.costs = null;
  }
}
