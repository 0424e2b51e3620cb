// What pages share that show a board's ranking: its data, its view, the scorer, and the weights in their head.
import { byId, closest, element, island, islandIfAny, write } from "../base/elements.js";
import { isolated, sizeWords, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { Certainty } from "../scorer/certainty.js";
import { keepForNextVisit } from "../scorer/offline.js";
import { Ranking } from "../scorer/ranking.js";
import { Scorer } from "../scorer/scorer.js";
import { Words } from "../scorer/words.js";
import { same } from "../view/fragment.js";
import { carryOn } from "../view/links.js";
import { textOf } from "../view/trades.js";
import { View, boardTerms, question, ranksAlike, spelledOut, withOwn } from "../view/view.js";
import { Dialogue, drawAll, messageIn, showMessage, showState } from "./page.js";

/** @import { BoardData, BoardView, CertaintyData, Part, RankingData, ScorerUrls } from "../../types" */

/** What a visitor uses who wants something of the scorer. */
const CONTROLS = "main :is(button, input, select, summary, [role=tab], [role=slider])";
/** A line about more weights than these is too long to read. */
const NAMED = 3;

/**
 * A page with a board's ranking. `ranking` is the newest one, at first the default ranking that the page
 * came with; `ranked` is the view that it answers, which `view.now` may be ahead of.
 */
export class RankedPage {
  /** @param {{ shared?: boolean }} [options] whether the page's address says something else too, which stays there */
  constructor({ shared = false } = {}) {
    /** @type {BoardData} */
    this.data = island("board-data");
    /** @type {ScorerUrls} */
    this.urls = island("board-urls");
    /** The board's cells as JSON text, which goes to Python unparsed. */
    this.cells = byId("board-cells").textContent;
    /** What the page came with. @type {RankingData} */
    this.come = island("board-ranking");
    this.first = Ranking.fromPage(this.come);
    this.ranking = this.first;
    /** Whether the ranking is Python's answer. */
    this.isAnswer = false;
    /** The bytes of Python that have come. */
    this.bytes = 0;
    /** Why the page waits for no answer any more; empty while it does. */
    this.failed = "";
    /** Loads Python where it sleeps. */
    this.wake = () => {};
    /** The line above the rows that says what they wait for. @type {HTMLElement | null} */
    this.line = null;
    this.view = new View(boardTerms(this.data), {
      onChange: (view, changed) => this.changed(view, changed),
      onMessage: (text) => this.showNotice(text),
      shared,
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
      ready: () => this.ready,
      ranking: () => this.ranking,
      question: () => this.question,
      seen: () => this.seen(),
      changed: () => this.show(["sets"]),
    });
    this.dialogue = new Dialogue({
      now: () => this.view.now,
      asksAnew: (view) => !isAllZero(view) && !(this.isAnswer && this.isOf(view)),
      ask: (view) => this.scorer.rank(question(view, this.data.models), view.prices),
      take: (view, ranking) => {
        this.isAnswer = true;
        this.take(view, ranking);
      },
      refuse: (_, reason) => {
        this.fail();
        return text("scorer.refused", { reason });
      },
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

  /** Whether the ranking that is shown answers a view. @param {BoardView} view */
  isOf(view) {
    return ranksAlike(this.ranked, view);
  }

  /** Show the page in a new view. @param {BoardView} view @param {string[]} changed its changed fields */
  changed(view, changed) {
    this.describeWeights(view);
    this.mentionZeros();
    this.show(changed);
    if (this.isAnswer) this.dialogue.ask();
    else this.await(view);
  }

  /** Until there is an answer: show the ranking of a view that the page came with, else say that it is on its way.
   * @param {BoardView} view */
  await(view) {
    const known = this.isOf(view) ? null : this.rankingIn(view);
    if (known) this.take(view, known);
    this.showAwaited();
    if (!this.isOf(view)) this.wake();
    this.dialogue.ask();
  }

  /** The ranking of a view that the page came with: of the default one, or of a preset; null of any other.
   * @param {BoardView} view */
  rankingIn(view) {
    const { defaults } = this.view;
    if (ranksAlike(view, defaults)) return this.first;
    const known = Object.entries(this.come.presets ?? {}).find(([name]) => {
      const preset = this.data.presets.find((one) => one.name === name);
      return preset && ranksAlike(view, { ...defaults, metrics: preset.weights });
    });
    return known ? Ranking.fromPage({ ...this.come, ...known[1] }) : null;
  }

  /** Begin to talk to the scorer: at once, or where the browser saves data once somebody needs an answer. */
  async load() {
    if (navigator.connection?.saveData && this.isOf(this.view.now)) {
      showState("asleep");
      await this.woken();
    }
    await this.dialogue.load(
      (onBytes) => this.scorer.start(onBytes),
      () => {
        this.mentionZeros();
        this.show(["ready"]);
        this.words.start();
        // A board in one file has all in itself.
        if (this.urls.size) keepForNextVisit(this.scorer, this.urls.runtime);
      },
      (bytes) => {
        this.bytes += bytes;
        this.showAwaited();
      },
    );
    if (!this.ready) this.fail();
  }

  fail() {
    this.failed = text("ranking.not-re-ranked");
    this.showAwaited();
  }

  /** Resolves when somebody uses a control, or wants another ranking. @returns {Promise<void>} */
  woken() {
    return new Promise((resolve) => {
      this.wake = resolve;
      for (const type of ["pointerdown", "focusin"]) {
        addEventListener(type, (event) => closest(event, CONTROLS, HTMLElement) && resolve(), {
          passive: true,
        });
      }
    });
  }

  /** Rows and words of another view than the newest are pale, and a line says what the page waits for, or that it does so
   * no longer. */
  showAwaited() {
    const { now, defaults } = this.view;
    const late = !this.isAnswer && !this.isOf(now) && !isAllZero(now);
    const plain = ranksAlike(now, defaults);
    const main = byId("main");
    document.documentElement.classList.remove("unread-view");
    main.classList.toggle("rows-late", late);
    main.classList.toggle("words-late", !this.isAnswer && !plain);
    if (this.isAnswer) return this.line?.remove();
    const come = this.bytes && !this.failed ? this.comeWords() : "";
    // That the default ranking stands below, with which the page came, is true of no other view.
    if (!this.ready && (come || !plain)) write(byId("scorer-detail"), come && ` ${come}`);
    if (!late) return this.line?.remove();
    this.line ??= element("p", { class: "late-line" }, element("span", {}));
    document.getElementById("ranking-frame")?.before(this.line);
    const awaited = text("ranking.re-ranking", { weights: this.awaitedWeights(now) });
    const words = this.failed || (come ? `${awaited}: ${come}` : awaited);
    write(/** @type {HTMLElement} */ (this.line.firstElementChild), words);
  }

  /** How much of Python has come; empty where nobody knows how much it is. */
  comeWords() {
    const { size, bytes } = this.urls;
    if (!size || !bytes) return "";
    const come = size * Math.min(1, this.bytes / bytes);
    return text("ranking.come", { come: sizeWords(come), all: sizeWords(size) });
  }

  /** What a view weighs otherwise than the board. @param {BoardView} view */
  awaitedWeights({ metrics, by }) {
    const { defaults } = this.view;
    const moved = this.data.metrics.filter(({ name }) => metrics[name] !== defaults.metrics[name]);
    if (by === "trades" || !moved.length || moved.length > NAMED) return text("ranking.settings");
    return moved.map(({ name, label }) => `${isolated(label)} ${weight(metrics[name])}`).join(", ");
  }

  /** @param {BoardView} view @param {Ranking} ranking */
  take(view, ranking) {
    this.ranking = ranking;
    this.ranked = view;
    // Some sentences of the page are true of some ways to rank only.
    byId("main").dataset.by = ranking.by;
    this.certainty.follow(ranksAlike(view, this.view.defaults));
    this.showAwaited();
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
    const zeros = text("ranking.zeros");
    if (isAllZero(this.view.now)) showMessage("problem", zeros);
    else if (messageIn("problem") === zeros) showMessage("problem", "");
  }

  /** Draw what depends on the changed fields of the view, on the ranking, or on whether the scorer is ready.
   * @param {string[]} changed */
  show(changed) {
    drawAll(this.parts, (part) => part.show(this.ranking, this.view.now, new Set(changed)));
  }

  /** Let links to other pages of the board lead to them in the view that is shown. @param {HTMLElement} [within] */
  carryView(within) {
    const { home, frozen } = this.urls;
    const { view } = this;
    if (home) carryOn(home, (own) => (frozen ? spelledOut(view) : withOwn(view, own)), within);
  }

  /** Say what is wrong with an address. @param {string} text */
  showNotice(text) {
    showMessage("notice", text);
  }

  /** Say in the head of the page which weights these are. @param {BoardView} view */
  describeWeights(view) {
    const { defaults } = this.view;
    const known = [{ label: text("ranking.default"), weights: defaults.metrics }, ...this.data.presets];
    const match = known.find(({ weights }) => same(weights, view.metrics));
    /** @type {(keyof BoardView)[]} */
    const others = ["datasets", "base", "threshold", "rate", "by", "prices"];
    const plain = others.every((field) => same(view[field], defaults[field]));
    if (view.by === "trades") return this.describeTrades(view);
    write(byId("weights-name"), match && plain ? match.label : text("ranking.custom"));
    write(byId("weights-list"), `(${Object.values(view.metrics).map(weight).join(" · ")})`);
  }

  /** Say which trade-offs these are, in the place of weights. @param {BoardView} view */
  describeTrades(view) {
    const own = ranksAlike(view, this.view.defaults);
    const listed = this.data.metrics.flatMap((metric) => {
      const trade = metric.name === view.base ? undefined : view.trades[metric.name];
      return trade === undefined ? [] : [`${textOf(trade, metric)} ${isolated(metric.label)}`];
    });
    write(byId("weights-name"), text(own ? "ranking.default" : "ranking.trades"));
    write(byId("weights-list"), listed.length ? `(${listed.join(" · ")})` : "");
  }
}

/** Whether a view leaves nothing to rank by. @param {BoardView} view */
function isAllZero({ metrics, datasets, by }) {
  // By trade-offs no metric has a weight.
  return (by === "trades" ? [datasets] : [metrics, datasets]).some((weights) =>
    Object.values(weights).every((value) => value === 0),
  );
}
