// Two to four models side by side, at the weights of the address, down to the examples on which they differ.
import { byId, element, island } from "../base/elements.js";
import { Files } from "../base/files.js";
import { isolated, reasonOf } from "../base/formats.js";
import { shortened } from "../base/models.js";
import { text, textAround } from "../base/texts.js";
import { Contrast } from "../parts/contrast.js";
import { Examples } from "../parts/examples.js";
import { Picker } from "../parts/picker.js";
import { COMPARED, same } from "../view/fragment.js";
import { drawAll, showMessage } from "./page.js";
import { RankedPage } from "./ranked.js";

/** @import { CompareData, BoardUrls, ModelDetails, BoardView } from "../../types" */

/** @type {ModelDetails} */
const NOTHING = { tags: {}, predictions: {} };

class ComparePage extends RankedPage {
  constructor() {
    super();
    /** @type {CompareData} */
    this.own = island("compare-data");
    /** @type {BoardUrls} */
    const urls = island("compare-urls");
    this.addresses = urls;
    /** Cells by dataset and metric, of datasets that are not ranked by too. */
    this.values = { ...JSON.parse(this.cells).values, ...this.own.shown };
    this.index = new Map(this.data.models.map((model, at) => [model.id, at]));
    this.details = new Files(urls.predictions);
    this.picker = new Picker(this);
    this.contrast = new Contrast(this);
    this.parts = [this.contrast];
    this.examples = new Examples(this);
    this.place = byId("comparison");
    this.addressProblem = "";
    this.started = false;
  }

  start() {
    this.carryView();
    this.view.start();
    this.started = true;
    this.rebuild();
    this.show(["chosen"]);
    this.load();
  }

  /** The models side by side, in the order they were chosen in. */
  get chosen() {
    return this.view.now.chosen.slice(0, COMPARED);
  }

  /** @param {string} model */
  label(model) {
    return this.data.models[this.at(model)].label;
  }

  /** A model's place among those of the board. @param {string} model */
  at(model) {
    return /** @type {number} */ (this.index.get(model));
  }

  /** A name within a sentence, where a very long one would hide the rest. @param {string} model */
  short(model) {
    return shortened(this.label(model));
  }

  /** @param {string} model */
  link(model) {
    return `${this.addresses.board}models/${model}/`;
  }

  /** @param {string[]} models */
  choose(models) {
    this.view.set({ chosen: models });
  }

  // What is shown

  /** @param {BoardView} view @param {string[]} changed */
  changed(view, changed) {
    if (this.started && changed.includes("chosen")) this.rebuild();
    super.changed(view, changed);
  }

  async rebuild() {
    const { chosen } = this;
    this.showNotice(this.addressProblem);
    this.picker.show();
    if (chosen.length < 2) return this.place.replaceChildren(this.invitation());
    this.place.replaceChildren(this.contrast.place, this.examples.place);
    this.contrast.hideTags();
    const names = chosen.map((model) => isolated(this.short(model))).join(", ");
    byId("announcer").textContent = text("compare.comparing", { names });
    const details = await Promise.all(chosen.map((model) => this.detailsOf(model)));
    if (!same(chosen, this.chosen)) return;
    drawAll([this.contrast, this.examples], (part) => part.showDetails(details));
  }

  /** A model's scores by tag and the names of its files; nothing of these where it has no file.
   * @param {string} model @returns {Promise<ModelDetails>} */
  async detailsOf(model) {
    const name = this.own.details[model];
    if (!name) return NOTHING;
    try {
      return await this.details.json(name);
    } catch (error) {
      const values = { name: isolated(this.short(model)), reason: reasonOf(error) };
      showMessage("problem", text("compare.unfetched", values));
      return NOTHING;
    }
  }

  /** Shown in place of a comparison: what this page does, and two models to begin with. */
  invitation() {
    const [first] = this.chosen;
    const words = text(first === undefined ? "compare.invitation" : "compare.one-more");
    const box = element("div", { class: "empty-board" }, element("p", {}, words));
    const ranked = [...this.ranking.order].map((at) => this.data.models[at].id);
    const pair = [...new Set([first, ...ranked].filter((model) => model !== undefined))].slice(0, 2);
    const single = () => element("p", { class: "muted" }, text("compare.single"));
    box.append(pair.length < 2 ? single() : this.offer(pair));
    return box;
  }

  /** A button that compares two models. @param {string[]} pair */
  offer(pair) {
    const [first, second] = pair.map((model) => element("bdi", {}, this.short(model)));
    const words = element("span", { class: "clamp" }, ...textAround("compare.offer", { first, second }));
    const button = element("button", { type: "button", class: "button offer" }, words);
    button.addEventListener("click", () => this.choose(pair));
    return button;
  }

  /** Say what is wrong with an address, and how many of its models are left out. @param {string} problem */
  showNotice(problem) {
    this.addressProblem = problem;
    const more = this.view.now.chosen.length - this.chosen.length;
    const many = more > 0 ? text("compare.most", { most: COMPARED, count: more }) : "";
    super.showNotice([problem, many].filter(Boolean).join(" "));
  }
}

new ComparePage().start();
