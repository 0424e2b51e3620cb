// Choosing the models to compare: a text box that suggests, and a list that can be changed.
import { byId, element, find } from "../base/elements.js";
import { isolated } from "../base/formats.js";
import { COMPARED } from "../view/fragment.js";

/** @import { CompareHost } from "../../types" */

// A suggestion is cut where nobody would read on.
const SHOWN = 80;

export class Picker {
  /** @param {CompareHost} page */
  constructor(page) {
    this.page = page;
    this.models = page.data.models;
    this.form = byId("picker");
    this.input = byId("model", HTMLInputElement);
    this.status = byId("picker-status");
    this.fill();
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.add(this.input.value.trim());
    });
  }

  /** Suggest every model: its id, which is what is typed, and its name. */
  fill() {
    const options = this.models.map(({ id, label }) =>
      element("option", { value: id, label: label.slice(0, SHOWN) }),
    );
    byId("models").replaceChildren(...options);
  }

  show() {
    const full = this.page.chosen.length >= COMPARED;
    this.input.disabled = full;
    find(this.form, "button", HTMLButtonElement).disabled = full;
    this.status.textContent = full ? `${COMPARED} models are the most; remove one to add another.` : "";
  }

  /** Choose the model that a text names; else say why none is chosen. @param {string} text */
  add(text) {
    const matches = this.matches(text);
    const problem = this.problemWith(text, matches);
    this.status.textContent = problem;
    if (problem) return;
    this.input.value = "";
    this.page.choose([...this.page.chosen, matches[0].id]);
  }

  /** @param {string} text @param {{ id: string }[]} matches */
  problemWith(text, matches) {
    if (!text) return "Type a model's name.";
    if (matches.length === 0) return `No model of this board is called ${isolated(text)}.`;
    if (matches.length > 1) return `${matches.length} models fit ${isolated(text)}; type more of the name.`;
    const [{ id }] = matches;
    return this.page.chosen.includes(id) ? `${isolated(this.page.short(id))} is there already.` : "";
  }

  /** The model of that id or name; else all whose name or id holds the text. @param {string} text */
  matches(text) {
    const small = text.toLowerCase();
    const byId = this.models.filter(({ id }) => id === text);
    if (byId.length) return byId;
    const byLabel = this.models.filter(({ label }) => label.toLowerCase() === small);
    if (byLabel.length) return byLabel;
    return this.models.filter(
      ({ id, label }) => id.toLowerCase().includes(small) || label.toLowerCase().includes(small),
    );
  }
}
