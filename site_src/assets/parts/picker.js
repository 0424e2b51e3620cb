// Choosing the models to compare: a text box that suggests, and a list that can be changed.
import { byId, element, find } from "../base/elements.js";
import { isolated } from "../base/formats.js";
import { text } from "../base/texts.js";
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
    this.status.textContent = full ? text("picker.full", { most: COMPARED }) : "";
  }

  /** Choose the model that a text names; else say why none is chosen. @param {string} typed */
  add(typed) {
    const matches = this.matches(typed);
    const problem = this.problemWith(typed, matches);
    this.status.textContent = problem;
    if (problem) return;
    this.input.value = "";
    this.page.choose([...this.page.chosen, matches[0].id]);
  }

  /** @param {string} typed @param {{ id: string }[]} matches */
  problemWith(typed, matches) {
    if (!typed) return text("picker.empty");
    if (matches.length === 0) return text("picker.unknown", { name: isolated(typed) });
    if (matches.length > 1) {
      return text("picker.several", { number: matches.length, name: isolated(typed) });
    }
    const [{ id }] = matches;
    return this.page.chosen.includes(id)
      ? text("picker.chosen", { name: isolated(this.page.short(id)) })
      : "";
  }

  /** The model of that id or name; else all whose name or id holds the text. @param {string} typed */
  matches(typed) {
    const small = typed.toLowerCase();
    const byId = this.models.filter(({ id }) => id === typed);
    if (byId.length) return byId;
    const byLabel = this.models.filter(({ label }) => label.toLowerCase() === small);
    if (byLabel.length) return byLabel;
    return this.models.filter(
      ({ id, label }) => id.toLowerCase().includes(small) || label.toLowerCase().includes(small),
    );
  }
}
