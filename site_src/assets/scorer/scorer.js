// What a page asks of Python: rankings, fronts, triangles.
import { Engine } from "./engine.js";
import { Ranking } from "./ranking.js";

export class Scorer {
  /** `ready` resolves when the board can be ranked and rejects when it cannot; see `Engine`. */
  constructor({ runtime, scorer, board }) {
    this.engine = new Engine({ runtime, scorer });
    this.last = null;
    this.ready = this.engine.ready.then(() => this.open(board));
  }

  /** The `Ranking` for {metrics, datasets, base, epsilon, epsilon_kind, by}; a term that is left out is
   * the board's own. Every name that is left out of metrics or datasets weighs nothing. */
  async rank(question) {
    // Another question may be answered meanwhile: what is left out is what was known when this one was asked.
    const known = this.last;
    const answer = await this.engine.ask("rank", {
      text: JSON.stringify(question),
      known: known?.scale ?? 0,
    });
    this.last = new Ranking(answer, known);
    return this.last;
  }

  /** The models that no other beats in two metrics at once, at these dataset weights, best of x first. */
  front(x, y, datasets) {
    return this.engine.ask("front", { text: JSON.stringify({ x, y, datasets }) });
  }

  /** Who wins where as weight moves between three metrics: see `triangle` in evaluator/tradeoffs.py. */
  async triangle(question, metrics, steps) {
    return Int32Array.from(
      await this.engine.ask("triangle", { text: JSON.stringify({ question, metrics, steps }) }),
    );
  }

  /** Put another board in the place of the present one; it is JSON text, which Python reads as it stands. */
  async open(text) {
    await this.engine.ask("open", { text });
    this.last = null;
  }
}
