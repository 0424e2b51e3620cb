// A visitor's own predictions: read on this page, ranked among the others, never sent anywhere.
import { element } from "../base/elements.js";

/** The id of the visitor's model: no model of a board can be called this. */
export const OWN = ".own";
/** Larger files are no predictions for one dataset. */
const LARGEST = 50e6;

const byId = (id) => document.getElementById(id);

export class OwnPredictions {
  constructor(page) {
    this.page = page;
    this.zone = byId("own-zone");
    this.input = byId("own-file");
    this.input.addEventListener("change", () => this.take(this.input.files));
    byId("own-remove").addEventListener("click", () => this.remove());
    this.prepareZone();
  }

  /** A file may be dropped on the zone; anywhere else a dropped file would replace the page. */
  prepareZone() {
    for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
    this.zone.addEventListener("dragover", () => this.zone.classList.add("over"));
    this.zone.addEventListener("dragleave", () => this.zone.classList.remove("over"));
    this.zone.addEventListener("drop", (event) => {
      this.zone.classList.remove("over");
      this.take(event.dataTransfer.files);
    });
  }

  async take([file]) {
    if (!file) return;
    this.problem("");
    this.say([`Reading ${file.name} …`]);
    try {
      if (file.size > LARGEST) {
        throw new Error("it is larger than 50 MB, which predictions for one dataset are not");
      }
      const own = { model: OWN, text: await file.text(), name: file.name };
      this.told(file.name, await this.page.addOwn(own));
    } catch (error) {
      this.say([]);
      this.problem(`${file.name} cannot be ranked: ${error.message}`);
    } finally {
      // The same file, mended, can be chosen again.
      this.input.value = "";
    }
  }

  told(name, { examples, answered, notes }) {
    this.say([`${name}: answers to ${answered} of ${examples} samples.`, ...notes]);
    byId("own-remove").hidden = false;
  }

  async remove() {
    await this.page.removeOwn();
    this.say([]);
    byId("own-remove").hidden = true;
    this.input.focus();
  }

  say(sentences) {
    byId("own-said").replaceChildren(
      ...sentences.map((sentence) => element("p", { class: "hint", dir: "auto" }, sentence)),
    );
  }

  problem(text) {
    byId("own-problem").textContent = text;
    byId("own-problem").hidden = !text;
  }
}
