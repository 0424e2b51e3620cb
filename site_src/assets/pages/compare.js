// Two to four models side by side, at the weights of the address, down to the examples on which they differ.
import { Contrast } from "../parts/contrast.js";
import { element } from "../base/elements.js";
import { Examples, fetched } from "../parts/examples.js";
import { isolated, weight } from "../base/formats.js";
import { COMPARED, same } from "../view/fragment.js";
import { Picker } from "../parts/picker.js";
import { Ranking } from "../scorer/ranking.js";
import { Scorer } from "../scorer/scorer.js";
import { View, boardTerms, question, ranksAlike } from "../view/view.js";

// After this long without the scorer the page says that something is wrong.
const PATIENCE = 20_000;
/** Characters of a name within a sentence. */
const NAME = 60;

const island = (id) => JSON.parse(document.getElementById(id).textContent);

class Page {
  constructor() {
    this.data = island("board-data");
    this.own = island("compare-data");
    this.urls = { ...island("board-urls"), ...island("compare-urls") };
    const cells = document.getElementById("board-cells").textContent;
    this.values = { ...JSON.parse(cells).values, ...this.own.shown };
    this.index = new Map(this.data.models.map((model, at) => [model.id, at]));
    this.ranking = Ranking.fromPage(island("board-ranking"));
    this.details = new Map();
    this.view = new View(boardTerms(this.data), {
      onChange: (view, changed) => this.changed(view, changed),
      onMessage: (text) => this.hear(text),
    });
    this.picker = new Picker(this);
    this.contrast = new Contrast(this);
    this.examples = new Examples(this);
    this.place = document.getElementById("comparison");
    this.scorer = new Scorer({ ...this.urls, board: cells });
  }

  start() {
    this.view.start();
    this.started = true;
    this.rebuild();
    this.load();
  }

  /** The models side by side, in the order they were chosen in. */
  get chosen() {
    return this.view.now.chosen.slice(0, COMPARED);
  }

  label(model) {
    return this.data.models[this.index.get(model)].label;
  }

  /** A name within a sentence, where a very long one would hide the rest. */
  short(model) {
    const name = this.label(model);
    return name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name;
  }

  link(model) {
    return `${this.urls.board}models/${model}/`;
  }

  choose(models) {
    this.view.set({ chosen: models });
  }

  // The scorer

  async load() {
    const late = setTimeout(() => this.failed("it has not loaded yet; it may have been blocked"), PATIENCE);
    try {
      await this.scorer.ready;
      this.ready = true;
      showState("ready", ", Python in this page");
      say("problem", "");
      this.rank();
    } catch (error) {
      this.failed(error.message);
    } finally {
      clearTimeout(late);
    }
  }

  failed(reason) {
    showState("not available", "");
    say(
      "problem",
      `The scorer is not available: ${reason}. Ranks and scores below are those at the default weights.`,
    );
  }

  async rank() {
    const asked = this.view.now;
    if (!this.ready || this.allZero(asked) || (this.asked && ranksAlike(this.asked, asked))) return;
    try {
      const ranking = await this.scorer.rank(question(asked));
      if (asked !== this.view.now) return this.rank();
      this.ranking = ranking;
      this.asked = asked;
      this.contrast.show();
    } catch (error) {
      say("problem", `The scorer could not rank these weights: ${error.message}`);
    }
  }

  allZero({ metrics, datasets }) {
    const zero = [metrics, datasets].some((named) => Object.values(named).every((value) => value === 0));
    say(
      "problem",
      zero
        ? "All weights are zero, so there is nothing to rank by. Ranks and scores are those at the default weights."
        : "",
    );
    return zero;
  }

  // What is shown

  changed(view, changed) {
    describe(this.data, view, this.view.defaults);
    for (const id of ["back", "board-link"]) {
      document.getElementById(id).href =
        this.urls.board + (this.view.fragment ? `#${this.view.fragment}` : "");
    }
    if (!this.started) return;
    if (changed.includes("chosen")) this.rebuild();
    this.rank();
  }

  async rebuild() {
    const chosen = this.chosen;
    this.showNotice();
    this.picker.show();
    if (chosen.length < 2) return this.place.replaceChildren(this.invitation());
    this.place.replaceChildren(this.contrast.place, this.examples.place);
    this.contrast.show();
    say("announcer", `Comparing ${chosen.map((model) => isolated(this.short(model))).join(", ")}`);
    const details = await Promise.all(chosen.map((model) => this.detailsOf(model)));
    if (!same(chosen, this.chosen)) return;
    this.contrast.showTags(details);
    this.examples.show(details);
  }

  /** A model's scores by tag and the names of its files; nothing of these where it has no file. */
  detailsOf(model) {
    const name = this.own.details[model];
    if (!name) return { tags: {}, predictions: {} };
    if (!this.details.has(model)) this.details.set(model, fetched(this.urls.predictions + name));
    return this.details.get(model).catch((error) => {
      this.details.delete(model);
      say(
        "problem",
        `What is known of ${isolated(this.short(model))} by tag and by example could not be fetched: ${error.message}`,
      );
      return { tags: {}, predictions: {} };
    });
  }

  /** What stands in the place of a comparison: what this page does, and two models to begin with. */
  invitation() {
    const [chosen] = this.chosen;
    const order = [...this.ranking.order].map((at) => this.data.models[at].id);
    const pair = [...new Set([chosen, ...order].filter((model) => model !== undefined))].slice(0, 2);
    const words =
      "Choose two to four models to see them side by side: ranks and scores, every metric and dataset, parts of the data, and the single examples on which they differ.";
    const alone = chosen === undefined ? words : "Choose at least one more model.";
    const box = element("div", { class: "empty-board" }, element("p", {}, alone));
    if (pair.length < 2) box.append(element("p", { class: "muted" }, "This board has one model only."));
    else {
      const names = pair.map((model) => element("bdi", {}, this.short(model)));
      const button = element(
        "button",
        { type: "button", class: "button offer" },
        element("span", { class: "clamp" }, "Compare ", names[0], " with ", names[1]),
      );
      button.addEventListener("click", () => this.choose(pair));
      box.append(button);
    }
    return box;
  }

  /** Keep what is wrong with an address; the page is shown right after. */
  hear(text) {
    this.heard = text;
    this.showNotice();
  }

  showNotice() {
    const more = this.view.now.chosen.length - this.chosen.length;
    const left = more === 1 ? "one of the link is" : `${more} of the link are`;
    const many = more > 0 ? `At most ${COMPARED} models are compared; ${left} left out.` : "";
    say("notice", [this.heard, many].filter(Boolean).join(" "));
  }
}

function showState(state, detail) {
  const place = document.getElementById("scorer-state");
  place.textContent = state;
  place.dataset.state = state;
  document.getElementById("scorer-detail").textContent = detail;
}

function say(id, text) {
  const place = document.getElementById(id);
  place.textContent = text;
  if (id !== "announcer") place.hidden = !text;
}

/** Say in the head of the page which weights these are. */
function describe(data, view, defaults) {
  const known = [{ label: "default", weights: defaults.metrics }, ...data.presets];
  const match = known.find((candidate) => same(candidate.weights, view.metrics));
  const plain = ["datasets", "base", "threshold", "by"].every((field) => same(view[field], defaults[field]));
  document.getElementById("weights-name").textContent = match && plain ? match.label : "custom";
  document.getElementById("weights-list").textContent =
    `(${Object.values(view.metrics).map(weight).join(" · ")})`;
}

new Page().start();
