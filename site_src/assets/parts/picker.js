// Choosing the models to compare: a text box that suggests, and a list that can be changed.
import { element } from "../base/elements.js";
import { isolated } from "../base/formats.js";
import { COMPARED } from "../view/fragment.js";

// A suggestion is cut where nobody would read on.
const SHOWN = 80;

export class Picker {
  constructor(page) {
    this.page = page;
    this.form = document.getElementById("picker");
    this.input = document.getElementById("model");
    this.said = document.getElementById("picker-said");
    this.fill();
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.add(this.input.value.trim());
    });
  }

  /** Suggest every model: its id, which is what is typed, and its name. */
  fill() {
    const options = this.page.data.models.map(({ id, label }) =>
      element("option", { value: id, label: label.slice(0, SHOWN) }),
    );
    document.getElementById("models").replaceChildren(...options);
  }

  show() {
    const full = this.page.chosen.length >= COMPARED;
    this.input.disabled = full;
    this.form.querySelector("button").disabled = full;
    this.say(full ? `${COMPARED} models are the most; remove one to add another.` : "");
  }

  add(text) {
    if (!text) return this.say("Type a model's name.");
    const found = this.find(text);
    if (found.length === 0) return this.say(`No model of this board is called ${isolated(text)}.`);
    if (found.length > 1) {
      return this.say(`${found.length} models fit ${isolated(text)}; type more of the name.`);
    }
    if (this.page.chosen.includes(found[0].id)) {
      return this.say(`${isolated(this.page.short(found[0].id))} is there already.`);
    }
    this.input.value = "";
    return this.page.choose([...this.page.chosen, found[0].id]);
  }

  /** The model of that id or name; else all whose name or id holds the text. */
  find(text) {
    const wanted = text.toLowerCase();
    const fits = [
      ({ id }) => id === text,
      ({ label }) => label.toLowerCase() === wanted,
      ({ id, label }) => id.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted),
    ];
    const found = fits.map((fit) => this.page.data.models.filter(fit));
    return found.find((models) => models.length) ?? [];
  }

  say(text) {
    this.said.textContent = text;
  }
}
