// A visitor's own predictions: read on this page, ranked among the others, never sent anywhere.
import { reasonOf } from "../base/formats.js";
import { byId, element } from "../base/elements.js";
import { text } from "../base/texts.js";

/** @import { DifficultyHost, OwnSummary } from "../../types" */

/** The id of the visitor's model: no model of a board can be called this. */
const OWN = ".own";
/** Larger files are no predictions for one dataset. */
const LARGEST = 50e6;

export class OwnPredictions {
  /** @param {DifficultyHost} page */
  constructor(page) {
    this.page = page;
    this.zone = byId("own-zone");
    this.input = byId("own-file", HTMLInputElement);
    this.removal = byId("own-remove");
    this.input.addEventListener("change", () => this.take(this.input.files));
    this.removal.addEventListener("click", () => this.remove());
    this.prepareZone();
  }

  /** A file may be dropped on the zone; anywhere else a dropped file would replace the page. */
  prepareZone() {
    for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
    this.zone.addEventListener("dragover", () => this.zone.classList.add("over"));
    this.zone.addEventListener("dragleave", () => this.zone.classList.remove("over"));
    this.zone.addEventListener("drop", (event) => {
      this.zone.classList.remove("over");
      this.take(event.dataTransfer?.files);
    });
  }

  /** Rank the first of some files. @param {FileList | null | undefined} files */
  async take(files) {
    const file = files?.[0];
    if (!file) return;
    showProblem("");
    showSentences([text("own.reading", { name: file.name })]);
    try {
      this.showOutcome(file.name, await this.add(file));
    } catch (error) {
      showSentences([]);
      showProblem(text("own.refused", { name: file.name, reason: reasonOf(error) }));
    } finally {
      // The same file, corrected, can be chosen again.
      this.input.value = "";
    }
  }

  /** @param {File} file */
  async add(file) {
    if (file.size > LARGEST) throw new Error(text("own.large"));
    return this.page.addOwn({ model: OWN, text: await file.text(), name: file.name });
  }

  /** @param {string} name @param {OwnSummary} summary */
  showOutcome(name, { examples, answered, notes }) {
    showSentences([text("own.answers", { name, answered, examples }), ...notes]);
    this.removal.hidden = false;
  }

  async remove() {
    await this.page.removeOwn();
    showSentences([]);
    this.removal.hidden = true;
    this.input.focus();
  }
}

/** @param {string[]} sentences */
function showSentences(sentences) {
  byId("own-status").replaceChildren(
    ...sentences.map((sentence) => element("p", { class: "hint", dir: "auto" }, sentence)),
  );
}

/** @param {string} problem */
function showProblem(problem) {
  const place = byId("own-problem");
  place.textContent = problem;
  place.hidden = !problem;
}
