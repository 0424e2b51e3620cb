// What a page asks of Python: rankings, fronts, triangles.
import { Engine } from "./engine.js";
import { Ranking } from "./ranking.js";

/** @import { CertaintyData, LeadData, LeavingData, RankQuestion, RankSetsData, ScorerUrls, Weights } from "../../types" */

export class Scorer {
  /**
   * `ready` resolves when the board can be ranked and rejects when it cannot; see `Engine`. A board is JSON
   * text, which goes to Python unparsed; `certainty` is the address of what says how sure its ranks are.
   * @param {ScorerUrls & { board: string, certainty?: CertaintyData["file"] }} files
   */
  constructor({ runtime, scorer, board, certainty = null }) {
    this.certainty = certainty;
    /** Python knows how values vary. @type {Promise<void> | null} */
    this.varied = null;
    this.engine = new Engine({ runtime, scorer });
    /** @type {Ranking | null} */
    this.last = null;
    this.ready = this.engine.ready.then(() => this.open(board));
  }

  /**
   * The ranking for a question; a term that is left out is the board's own. Every name that is left out of
   * metrics or datasets weighs nothing. One that is `beside` the page's own ends nothing that is found step by step.
   * @param {Partial<RankQuestion>} question
   * @param {{ beside?: boolean }} [options]
   */
  async rank(question, { beside = false } = {}) {
    // Another question may be answered meanwhile: what is left out is what was known when this one was asked.
    const known = this.last;
    const details = { text: JSON.stringify(question), known: known?.scale ?? 0, beside };
    const ranking = Ranking.fromAnswer(await this.engine.ask("rank", details), known);
    this.last = ranking;
    return ranking;
  }

  /**
   * The models that no other beats in two metrics at once, at these dataset weights, best of x first.
   * @param {string} x
   * @param {string} y
   * @param {Weights} datasets
   */
  front(x, y, datasets) {
    return this.engine.ask("front", { text: JSON.stringify({ x, y, datasets }) });
  }

  /**
   * Who wins where as weight moves between three metrics: see `triangle` in evaluator/rank/tradeoffs.py; null where a
   * ranking was asked for meanwhile.
   * @param {RankQuestion} question
   * @param {string[]} metrics
   * @param {number} steps
   */
  async triangle(question, metrics, steps) {
    const text = JSON.stringify({ question, metrics, steps });
    const winners = await this.engine.ask("triangle", { text });
    return winners && Int32Array.from(winners);
  }

  /**
   * The rank sets under a question, of all models or of some `rows`; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question
   * @param {number[] | null} rows
   */
  async sets(question, rows) {
    const found = await this.steps("rank.rank_answers", "open_sweep", { question, rows });
    return /** @type {RankSetsData | null} */ (found);
  }

  /**
   * What would put a model first; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question
   * @param {string} model
   */
  async lead(question, model) {
    return /** @type {LeadData | null} */ (await this.steps("rank.what_if", "open_lead", { question, model }));
  }

  /**
   * Who changes place once a model leaves; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question
   */
  async leaving(question) {
    return /** @type {LeavingData | null} */ (await this.steps("rank.what_if", "open_leaving", { question }));
  }

  /**
   * 1 where the leader is certain, by point of `triangle`, 0 elsewhere; null where a ranking was asked for meanwhile.
   * @param {RankQuestion} question
   * @param {string[]} metrics
   * @param {number} steps
   */
  async certain(question, metrics, steps) {
    const found = await this.steps("rank.what_if", "open_certain", { question, metrics, steps });
    return /** @type {number[] | null} */ (found);
  }

  /**
   * What Python finds step by step, between other questions.
   * @param {string} module
   * @param {string} name
   * @param {object} asked
   */
  async steps(module, name, asked) {
    await this.vary();
    return this.engine.ask("steps", { module, name, text: JSON.stringify(asked) });
  }

  /**
   * Whether the first of two models is really above the second.
   * @param {RankQuestion} question
   * @param {[string, string]} models
   */
  async compare(question, models) {
    await this.vary();
    return this.engine.ask("compare", { text: JSON.stringify({ question, models }) });
  }

  /** Let Python know how values vary, once somebody asks for what follows from it. */
  vary() {
    const address = this.certainty && new URL(this.certainty, document.baseURI).href;
    return (this.varied ??= this.engine.ask("vary", { address }));
  }

  /**
   * Put another board in the place of the present one.
   * @param {string} text
   */
  async open(text) {
    await this.engine.ask("open", { text });
    this.last = null;
    this.varied = null;
  }
}
