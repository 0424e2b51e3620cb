// What pages share that show a board's ranking: its data, its view, the scorer, and the weights in their head.
import { byId, island, islandIfAny, write } from "../base/elements.js";
import { isolated, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Certainty } from "../scorer/certainty.js";
import { Ranking } from "../scorer/ranking.js";
import { Scorer } from "../scorer/scorer.js";
import { Words } from "../scorer/words.js";
import { same } from "../view/fragment.js";
import { textOf } from "../view/trades.js";
import { View, boardTerms, question, ranksAlike } from "../view/view.js";
import { Dialogue, drawAll, messageIn, showMessage } from "./page.js";

/** @import { BoardData, BoardView, CertaintyData, Part, RankingData, ScorerUrls } from "../../types" */

/**
 * A page with a board's ranking. `ranking` is the newest one, at first the default ranking that the page
 * came with; `ranked` is the view that it answers, which `view.now` may be ahead of.
 */
export class RankedPage {
  /** @param {{ addressed?: boolean }} [options] whether the page's address is that of its view */
  constructor({ addressed = true } = {}) {
    /** @type {BoardData} */
    this.data = island("board-data");
    /** @type {ScorerUrls} */
    this.urls = island("board-urls");
    /** The board's cells as JSON text, which goes to Python unparsed. */
    this.cells = byId("board-cells").textContent;
    /** @type {RankingData} */
    const first = island("board-ranking");
    this.first = Ranking.fromPage(first);
    this.ranking = this.first;
    this.view = new View(boardTerms(this.data), {
      onChange: (view, changed) => this.changed(view, changed),
      onMessage: (text) => this.showNotice(text),
      addressed,
    });
    this.ranked = this.view.defaults;
    this.offers = this.data.offers ?? {};
    /** What the page is made of. @type {Part[]} */
    this.parts = [];
    /** @type {CertaintyData | null} */
    const known = islandIfAny("board-certainty");
    const { prices } = this.data;
    this.scorer = new Scorer({ ...this.urls, board: this.cells, certainty: known?.file, prices });
    this.words = new Words(this);
    this.certainty = new Certainty(this.scorer, known, {
      ranking: () => this.ranking,
      question: () => this.question,
      seen: () => this.seen(),
      changed: () => this.show(["sets"]),
    });
    this.dialogue = new Dialogue({
      now: () => this.view.now,
      asksAnew: (view) => !isAllZero(view) && (this.ranking === this.first || !ranksAlike(this.ranked, view)),
      ask: (view) => this.scorer.rank(question(view, this.data.models), view.prices),
      take: (view, ranking) => this.take(view, ranking),
      refuse: (_, reason) => text("scorer.refused", { reason }),
    });
  }

  /** The question that the ranking answers. */
  get question() {
    return question(this.ranked, this.data.models);
  }

  /** Whether the scorer is ready for questions. */
  get ready() {
    return this.dialogue.ready;
  }

  /** Show the page in a new view. @param {BoardView} view @param {string[]} changed its changed fields */
  changed(view, changed) {
    this.describeWeights(view);
    this.mentionZeros();
    this.show(changed);
    this.dialogue.ask();
  }

  /** Begin to talk to the scorer. */
  load() {
    return this.dialogue.load(this.scorer.ready, () => {
      this.mentionZeros();
      this.show(["ready"]);
      this.words.start();
    });
  }

  /** @param {BoardView} view @param {Ranking} ranking */
  take(view, ranking) {
    this.ranking = ranking;
    this.ranked = view;
    // Some sentences of the page are true of some ways to rank only.
    byId("main").dataset.by = ranking.by;
    this.certainty.follow(ranksAlike(view, this.view.defaults));
    this.mentionZeros();
    this.show(["ranking"]);
    this.certainty.ask();
  }

  /** The models whose rank sets somebody sees, of a board with too many for all. @returns {Iterable<number>} */
  seen() {
    return this.ranking.order;
  }

  /** Show a message where the newest view leaves nothing to rank by; another message stays where it does not. */
  mentionZeros() {
    const zeros = text("scorer.zeros");
    if (isAllZero(this.view.now)) showMessage("problem", zeros);
    else if (messageIn("problem") === zeros) showMessage("problem", "");
  }

  /** Draw what depends on the changed fields of the view, on the ranking, or on whether the scorer is ready.
   * @param {string[]} changed */
  show(changed) {
    drawAll(this.parts, (part) => part.show(this.ranking, this.view.now, new Set(changed)));
  }

  /** Say what is wrong with an address. @param {string} text */
  showNotice(text) {
    showMessage("notice", text);
  }

  /** Say in the head of the page which weights these are. @param {BoardView} view */
  describeWeights(view) {
    const { defaults } = this.view;
    const known = [{ label: text("scorer.default"), weights: defaults.metrics }, ...this.data.presets];
    const match = known.find(({ weights }) => same(weights, view.metrics));
    /** @type {(keyof BoardView)[]} */
    const others = ["datasets", "base", "threshold", "rate", "by", "prices"];
    const plain = others.every((field) => same(view[field], defaults[field]));
    if (view.by === "trades") return this.describeTrades(view);
    write(byId("weights-name"), match && plain ? match.label : text("scorer.custom"));
    write(byId("weights-list"), `(${Object.values(view.metrics).map(weight).join(" · ")})`);
  }

  /** Say which trade-offs these are, in the place of weights. @param {BoardView} view */
  describeTrades(view) {
    const own = ranksAlike(view, this.view.defaults);
    const listed = this.data.metrics.flatMap((metric) => {
      const trade = metric.name === view.base ? undefined : view.trades[metric.name];
      return trade === undefined ? [] : [`${textOf(trade, metric)} ${isolated(metric.label)}`];
    });
    write(byId("weights-name"), text(own ? "scorer.default" : "scorer.trades"));
    write(byId("weights-list"), listed.length ? `(${listed.join(" · ")})` : "");
  }
}

/** What may open a link, or copy its address. */
const BEFORE = ["pointerdown", "focusin", "keydown", "contextmenu"];
/** Pages that show ranks at other weights than the default ones. */
const PAGES =
  "a[href]:is([href*='models/'], [href*='datasets/'], [href*='compare/']):not([href*='#'], [href*=':'])";

/** Let links from a board to its other pages lead to them at the weights shown: the view goes along in the address.
 * @param {() => string} fragment @param {HTMLElement} [within] */
export function keepViewInLinks(fragment, within = document.documentElement) {
  for (const type of BEFORE) {
    within.addEventListener(
      type,
      ({ target }) => {
        const link = target instanceof Element ? target.closest("a") : null;
        if (!link || !(link.matches(PAGES) || link.dataset.withView)) return;
        link.dataset.withView = "yes";
        link.hash = fragment();
      },
      { capture: true },
    );
  }
}

/** Whether a view leaves nothing to rank by. @param {BoardView} view */
function isAllZero({ metrics, datasets, by }) {
  // By trade-offs no metric has a weight.
  return (by === "trades" ? [datasets] : [metrics, datasets]).some((weights) =>
    Object.values(weights).every((value) => value === 0),
  );
}
