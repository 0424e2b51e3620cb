// The page on which models are asked. Nothing is loaded before a visitor asks, and nothing of a text leaves the page.
import { changedWords } from "../base/changed-words.js";
import { byId, element, findAll, island } from "../base/elements.js";
import { reasonOf, sizeWords, wellFormed } from "../base/formats.js";
import { text } from "../base/texts.js";
import { TryRow } from "../parts/try-answers.js";
import { marked, showVariants } from "../parts/try-variants.js";
import { bringStarter, Models } from "../scorer/page-models.js";
import { showMessage } from "./page.js";

/** @import { ScorerUrls, TriedExample, TryData } from "../../types" */

class TryPage {
  constructor() {
    /** @type {TryData} */
    this.data = island("try-data");
    /** @type {ScorerUrls} */
    this.urls = island("board-urls");
    this.models = new Models(this.urls, this.data.task, this.data.networks);
    this.rows = this.data.models.map((model) => new TryRow(model));
    this.fields = this.data.fields.map((name) => byId(`text-${name}`, HTMLTextAreaElement));
    /** The text that was asked about last. @type {TriedExample | null} */
    this.example = null;
    this.submit = byId("submit", HTMLButtonElement);
    this.listen();
    this.fill();
    this.showSize();
  }

  listen() {
    byId("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run(() => this.ask());
    });
    byId("ask").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        byId("ask", HTMLFormElement).requestSubmit();
      }
    });
    byId("perturb").addEventListener("click", () => {
      if (byId("ask", HTMLFormElement).reportValidity()) this.run(() => this.perturb());
    });
    byId("share").addEventListener("click", () => this.share());
    byId("stop").addEventListener("click", () => this.models.stop());
    for (const row of this.rows) row.box.addEventListener("change", () => this.showSize());
    addEventListener("hashchange", () => this.fill());
  }

  /** The texts as they are now. @returns {TriedExample} */
  get texts() {
    return Object.fromEntries(this.fields.map((field) => [field.name, wellFormed(field.value)]));
  }

  /** Work that nothing else may disturb; what goes wrong is said. @param {() => Promise<void>} work */
  async run(work) {
    this.busy(true);
    showMessage("problem", "");
    try {
      await work();
    } catch (error) {
      this.say("");
      showMessage("problem", text("try.failed", { reason: reasonOf(error) }));
    } finally {
      this.busy(false);
      this.showSize();
    }
  }

  /** @param {boolean} busy */
  busy(busy) {
    for (const button of findAll(byId("ask"), "button", HTMLButtonElement)) button.disabled = busy;
    byId("stop", HTMLButtonElement).disabled = false;
    byId("stop").hidden = !busy;
  }

  /** Ask the chosen models about the texts, and show who changed the answer. */
  async ask() {
    const example = this.texts;
    byId("variants").hidden = true;
    const rows = await this.loadChosen();
    this.showChanges(example);
    this.example = example;
    const flipped = [];
    for (const row of rows) {
      this.say(text("models.asking", { model: row.model.label }));
      const [answer] = await this.models.ask(row.model, [example]);
      if (row.take(answer)) flipped.push(row.model.label);
    }
    const values = { count: rows.length, names: flipped.join(", ") };
    this.say(text(flipped.length ? "try.asked-changed" : "try.asked", values));
  }

  /** Python and the models that are to be asked; one that cannot be loaded says so in its row. */
  async loadChosen() {
    if (!this.models.engine) {
      this.say(text("models.loading", { name: "Python", size: sizeWords(this.data.size) }));
      await bringStarter(this.submit.dataset.starter ?? "");
      await this.models.start();
    }
    const loaded = [];
    for (const row of this.rows.filter((row) => row.isChosen)) {
      if (await this.load(row)) loaded.push(row);
    }
    return loaded;
  }

  /** Says how much of something has come, now and whenever more has come. @param {string} name @param {number} all bytes */
  progress(name, all) {
    let come = 0;
    const onBytes = (/** @type {number} */ bytes) => {
      come += bytes;
      this.say(text("try.loading", { name, come: sizeWords(come), all: sizeWords(all) }));
    };
    if (all) onBytes(0);
    return onBytes;
  }

  /** @param {TryRow} row */
  async load(row) {
    const { model } = row;
    const onBytes = this.progress(model.label, this.models.missing([model]));
    try {
      await this.models.load(model, onBytes);
      return true;
    } catch (error) {
      if (!this.models.engine) throw error;
      row.take({ error: reasonOf(error) });
      return false;
    }
  }

  /** Show the suites' variants of the texts, which are asked about first. */
  async perturb() {
    const isAsked = this.example && JSON.stringify(this.example) === JSON.stringify(this.texts);
    if (!isAsked || !this.models.engine) await this.ask();
    const example = this.texts;
    await this.loadMisspellings();
    const found = await this.models.variants(example);
    const columns = [];
    for (const row of this.rows.filter(({ model, isChosen }) => isChosen && this.models.open.has(model.id))) {
      this.say(text("try.asking", { model: row.model.label, count: found.variants.length }));
      const answers = await this.models.ask(
        row.model,
        found.variants.map((variant) => variant.example),
      );
      columns.push({ model: row.model, last: row.last, answers });
      row.survive(found.variants.map(({ suite, name }, place) => ({ suite, name, answer: answers[place] })));
    }
    showVariants(example, found, columns);
    this.say(text("try.variants", { count: found.variants.length }));
  }

  /** The list of misspellings; where it cannot be loaded, the variants that need it say so. */
  async loadMisspellings() {
    const { misspellings } = this.data;
    if (!misspellings) return;
    const onBytes = this.progress(text("models.list"), this.listSize);
    try {
      await this.models.loadMisspellings(misspellings, onBytes);
    } catch (error) {
      if (!this.models.engine) throw error;
    }
  }

  /** Mark what is another word than in the text that was asked about before. @param {TriedExample} example */
  showChanges(example) {
    const place = byId("changes");
    const before = this.example;
    const changed = this.data.fields.filter((field) => before !== null && before[field] !== example[field]);
    place.hidden = changed.length === 0;
    const fields = changed.map((field) =>
      element("span", { dir: "auto" }, ...marked(changedWords(before?.[field] ?? "", example[field])), "\n"),
    );
    place.replaceChildren(element("span", { class: "muted small" }, text("try.changed")), ...fields);
  }

  /** Put the texts into the address, and into the clipboard where that is allowed. */
  async share() {
    history.replaceState(null, "", `#${new URLSearchParams(this.texts)}`);
    try {
      await navigator.clipboard.writeText(location.href);
      this.say(text("try.shared"));
    } catch {
      this.say(text("try.in-address"));
    }
  }

  /** Take the texts of a link. */
  fill() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const field of this.fields) {
      const shared = given.get(field.name);
      if (shared !== null) field.value = shared.slice(0, field.maxLength);
    }
  }

  /** The bytes of the list of misspellings where it has not come. */
  get listSize() {
    const { misspellings } = this.data;
    return !misspellings || this.models.hasMisspellings ? 0 : misspellings.size;
  }

  /** Say on the button who is asked, and beside it what is loaded first. */
  showSize() {
    const chosen = this.rows.filter((row) => row.isChosen).map(({ model }) => model);
    const python = this.models.engine ? 0 : this.data.size;
    const size = python + this.models.missing(chosen);
    const isAll = chosen.length === this.rows.length;
    this.submit.textContent = isAll ? text("try.ask-all") : text("try.ask", { count: chosen.length });
    byId("loads").textContent = loadWords(size, this.listSize);
    this.submit.disabled = chosen.length === 0 || !byId("stop").hidden;
  }

  /** @param {string} words */
  say(words) {
    byId("status").textContent = words;
  }
}

/** What is loaded before an answer, and before variants; empty where everything is there.
 * @param {number} size @param {number} more for variants, both in bytes */
function loadWords(size, more) {
  const values = { size: sizeWords(size), list: sizeWords(more) };
  if (!size) return more ? text("try.loads-list", values) : "";
  return text(more ? "try.loads-both" : "try.loads", values);
}

// From a file no worker can load anything.
if (location.protocol === "file:") {
  byId("file-note").hidden = false;
  byId("ask").hidden = true;
} else new TryPage();
