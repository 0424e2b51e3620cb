// The page for writers: a prompt, a text, the models' answers, the right answer. What keeps the tries and asks the
// models is a desk: the command that opened the page, or this browser.

import { byId, element, write } from "../base/elements.js";
import { text } from "../base/texts.js";
import {
  answerRow,
  button,
  countedTries,
  focusSoon,
  named,
  shownText,
  trying,
  unlessBusy,
} from "./page-parts.js";

/**
 * What is collected.
 * @typedef {{ label: string, goal: string, fields: string[], labels: string[], licence: string, reason: boolean, prompts: number,
 *   models: { id: string, label: string }[] }} Collection
 */
/** @typedef {{ id: string, text?: string, label?: string, inputs?: Record<string, string>,
 *   tags?: Record<string, string> }} Prompt */
/** @typedef {{ model: string, answer?: string | null, confidence?: number | null, ms: number, failure?: string | null,
 *   probabilities?: Record<string, number> | null }} ModelAnswer */
/** @typedef {{ id: string, inputs: Record<string, string>, answers: ModelAnswer[] }} Try */
/** @typedef {{ made: number, fooled_by_me: number }} Done */
/** @typedef {Done & { prompt: Prompt | null, left: number, waiting: Try | null }} Turn */
/** @typedef {{ writer: string, skip: string[] }} PromptQuestion */
/** @typedef {{ writer: string, prompt: string, inputs: Record<string, string>, seconds: number }} AskQuestion */
/** @typedef {{ writer: string, id: string, answer: string, reason: string }} Judgement */
/**
 * Who keeps the tries and asks the models. Each refuses by an Error in words; `asking` is what the button says that
 * asks them, if something must be loaded first.
 * @typedef {{ prompt(question: PromptQuestion): Promise<Turn>, ask(question: AskQuestion): Promise<Try>,
 *   judge(question: Judgement): Promise<Done & { fooled: string[] }>,
 *   names: { get(): string, set(name: string): void }, asking?: () => string }} Desk
 */

export class WritingPage {
  /**
   * Fills #work, and says in #done what was done.
   * @param {Collection} collection
   * @param {Desk} desk
   */
  constructor(collection, desk) {
    this.collection = collection;
    this.desk = desk;
    this.writer = "";
    /** @type {string[]} */
    this.skipped = [];
    this.who = this.whoForm();
    this.step = element("h2", { id: "step" }, text("collect.write"));
    this.prompt = element("div", { id: "prompt" });
    this.text = element("form", { id: "text" });
    this.writing = element(
      "section",
      { id: "writing", "aria-labelledby": "step" },
      this.step,
      this.prompt,
      this.text,
    );
    this.answers = element("section", {
      id: "answers",
      "aria-live": "polite",
      "aria-label": text("collect.answers"),
    });
    this.other = button(text("collect.another-name"), () => unlessBusy(() => this.leave()), "quiet");
    byId("work").append(this.who, this.writing, this.answers);
    byId("done").after(this.other);
  }

  /** Go on where the writer was, or ask for a name. */
  open() {
    this.become("");
    const known = this.desk.names.get();
    return known ? trying(() => this.begin(known)) : Promise.resolve();
  }

  /** Show what is for this writer only; nobody's is shown while the name is not known. @param {string} writer */
  become(writer) {
    this.writer = writer;
    this.who.hidden = writer !== "";
    this.writing.hidden = true;
    this.answers.hidden = true;
    this.other.hidden = writer === "";
    write(byId("done"), "");
  }

  whoForm() {
    const name = element("input", {
      ...{ id: "name", required: true, autocomplete: "off", spellcheck: "false", maxlength: 40 },
      ...{ pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", title: text("collect.name-hint") },
    });
    const form = element(
      "form",
      { class: "panel", id: "who" },
      element("label", { for: "name" }, text("collect.your-name")),
      element("p", { class: "small muted" }, text("collect.name-about")),
      element(
        "p",
        { class: "row" },
        name,
        element("button", { class: "press strong" }, text("collect.start")),
      ),
      element("p", { class: "small muted" }, text("collect.licence", { licence: this.collection.licence })),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      trying(() => this.begin(name.value));
    });
    return form;
  }

  /** @param {string} name */
  async begin(name) {
    const turn = await this.desk.prompt({ writer: name, skip: this.skipped });
    this.become(name);
    this.desk.names.set(name);
    this.showTurn(turn);
  }

  /** Let somebody else write. */
  leave() {
    this.desk.names.set("");
    this.skipped = [];
    this.become("");
    focusSoon(byId("name"));
  }

  /** Show what comes next for the writer. */
  async nextTurn() {
    this.showTurn(await this.desk.prompt({ writer: this.writer, skip: this.skipped }));
  }

  /** The try that waits for its right answer, or a prompt. @param {Turn} turn */
  showTurn(turn) {
    this.say(turn);
    this.answers.hidden = true;
    this.writing.hidden = false;
    if (turn.waiting) this.showAnswers(turn.waiting);
    else if (turn.prompt) this.showPrompt(turn.prompt, turn.left);
    else this.showEnd();
  }

  /** @param {Done} done */
  say(done) {
    const values = { writer: this.writer, tries: countedTries(done.made), fooled: done.fooled_by_me };
    write(byId("done"), text("collect.done", values));
  }

  showEnd() {
    write(this.step, text(this.skipped.length ? "collect.all-skipped" : "collect.end"));
    const again = button(text("collect.back"), () => {
      this.skipped = [];
      trying(() => this.nextTurn());
    });
    this.prompt.replaceChildren(...(this.skipped.length ? [again] : []));
    this.text.replaceChildren();
  }

  /**
   * @param {Prompt} prompt
   * @param {number} left
   */
  showPrompt(prompt, left) {
    write(this.step, text("collect.write-left", { tries: countedTries(left) }));
    const wish = prompt.label
      ? [element("p", {}, text("collect.wish"), element("strong", { dir: "auto" }, prompt.label))]
      : [];
    const given = prompt.text ? shownText({ prompt: prompt.text }) : [];
    this.prompt.replaceChildren(...given, ...shownText(prompt.inputs ?? {}), ...wish);
    const fields = this.collection.fields.filter((name) => !(name in (prompt.inputs ?? {})));
    const began = performance.now();
    const skip = button(text("collect.another-prompt"), () => {
      this.skipped.push(prompt.id);
      trying(() => this.nextTurn());
    });
    this.text.replaceChildren(
      ...fields.flatMap(field),
      element("p", { class: "row" }, this.askButton(), this.collection.prompts > 1 ? skip : null),
    );
    this.text.onsubmit = (event) => {
      event.preventDefault();
      const seconds = (performance.now() - began) / 1000;
      const inputs = Object.fromEntries(fields.map((name) => [name, area(name).value]));
      trying(async () => {
        this.showAnswers(await this.desk.ask({ writer: this.writer, prompt: prompt.id, inputs, seconds }));
      });
    };
    focusSoon(area(fields[0]));
  }

  askButton() {
    return element(
      "button",
      { class: "press strong" },
      this.desk.asking?.() ?? text("collect.ask", { count: this.collection.models.length }),
    );
  }

  /** What the models answered, and the question what is right. @param {Try} one */
  showAnswers(one) {
    this.writing.hidden = true;
    const title = text("collect.they-answer", { count: this.collection.models.length });
    const heading = element("h2", { tabindex: "-1" }, title);
    const list = element(
      "ul",
      { class: "answers" },
      ...one.answers.map((answer) => this.shownAnswer(answer)),
    );
    this.answers.replaceChildren(heading, ...shownText(one.inputs), list, this.rightAnswer(one));
    this.answers.hidden = false;
    heading.focus();
  }

  /** @param {ModelAnswer} answer */
  shownAnswer(answer) {
    const label = this.collection.models.find(({ id }) => id === answer.model)?.label ?? answer.model;
    const sure = answer.confidence ?? answer.probabilities?.[answer.answer ?? ""];
    const how = sure === undefined ? "" : text("collect.sure", { percent: Math.round(100 * sure) });
    return element(
      "li",
      { "data-model": answer.model },
      element("span", { class: "muted", dir: "auto" }, label),
      element("strong", { dir: "auto" }, answer.answer ?? text("collect.no-answer")),
      element("span", { class: "muted small" }, answer.failure ?? how),
    );
  }

  /** What asks for the right answer: a button for each label, or a text. @param {Try} one */
  rightAnswer(one) {
    const reason = element("textarea", { id: "reason", rows: 2, maxlength: 1000, dir: "auto" });
    const judge = (/** @type {string} */ answer) =>
      trying(() => this.keep(one, { writer: this.writer, id: one.id, answer, reason: reason.value }));
    const why = [element("label", { for: "reason" }, text("collect.why")), reason];
    const form = element(
      "form",
      { class: "panel" },
      ...(this.collection.reason ? why : []),
      element("h3", {}, text("collect.what-right")),
      answerRow(this.collection, judge),
    );
    // A single text field would send the form on Enter, which a page without a server cannot take.
    form.addEventListener("submit", (event) => event.preventDefault());
    return form;
  }

  /**
   * Keep the right answer, and say who was fooled.
   * @param {Try} one
   * @param {Judgement} judged
   */
  async keep(one, judged) {
    const { fooled, ...done } = await this.desk.judge(judged);
    this.say(done);
    const names = this.collection.models.filter(({ id }) => fooled.includes(id)).map(({ label }) => label);
    const verdict = names.length
      ? text("collect.fooled", { names: names.join(", ") })
      : text("collect.not-fooled");
    const next = button(text("collect.next"), () => trying(() => this.nextTurn()), "strong");
    this.answers.replaceChildren(
      element("h2", { class: names.length ? "won" : "" }, verdict),
      ...shownText(one.inputs),
      element("p", { class: "row" }, next),
    );
    focusSoon(next);
  }
}

/** @param {string} name */
function field(name) {
  const id = `field-${name}`;
  const box = element("textarea", { id, required: true, rows: 3, maxlength: 5000, dir: "auto" });
  return [element("label", { for: id }, named(name)), box];
}

/** @param {string} name */
function area(name) {
  return byId(`field-${name}`, HTMLTextAreaElement);
}
