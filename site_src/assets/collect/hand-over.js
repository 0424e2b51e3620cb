// What a writer does with what this browser keeps: export it as a file, send it as an issue, forget it. Nothing leaves
// the browser before one of these is pressed.
import { byId, element, saveAs, write } from "../base/elements.js";
import { text } from "../base/texts.js";
import { Queue } from "../scorer/engine.js";
import { triesOf } from "./events.js";
import { button, countedTries, trying, unlessBusy } from "./page-parts.js";

/** @import { CollectData } from "./browser-desk.js" */
/** @import { KeptTry } from "./events.js" */
/** @import { Kept } from "./kept.js" */

/** GitHub refuses addresses of 8,192 bytes and more; some are left for what it adds when somebody logs in. */
export const LONGEST = 7_500;

export class HandOver {
  /**
   * Fills #kept.
   * @param {CollectData} data
   * @param {Kept} kept
   * @param {{ writer: string, leave(): void }} page
   */
  constructor(data, kept, page) {
    this.data = data;
    this.kept = kept;
    this.page = page;
    this.showing = new Queue(() => this.showNow());
    this.place = byId("kept");
    this.summary = element("p", { id: "kept-summary" });
    this.fit = element("p", { class: "small muted", id: "kept-fit" });
    this.export = button(text("kept.export"), () => trying(() => this.save()));
    this.issue = element("a", {
      ...{ class: "press", target: "_blank", rel: "noreferrer", id: "kept-issue" },
    });
    this.issue.addEventListener("click", () => this.hand());
    this.forget = button(text("kept.forget"), () => this.confirm(true));
    this.sure = this.confirmation();
    const row = element("p", { class: "row" }, this.export, this.issue, this.forget);
    this.place.append(this.summary, row, this.sure, this.fit);
    /** The tries that the link would hand over. @type {string[]} */
    this.offered = [];
    // Another tab may have written.
    addEventListener("focus", () => this.show());
  }

  confirmation() {
    const really = button(text("kept.delete"), () => unlessBusy(() => trying(() => this.forgetAll())));
    const keep = button(text("kept.undeleted"), () => this.confirm(false));
    return element(
      "div",
      { role: "alert", hidden: true },
      element("p", {}, text("kept.deletes")),
      element("p", { class: "row" }, really, keep),
    );
  }

  /** @param {boolean} asked */
  confirm(asked) {
    this.sure.hidden = !asked;
    this.forget.hidden = asked;
  }

  /** Say what is kept, and offer it; resolves when that is the newest. */
  show() {
    return this.showing.ask();
  }

  async showNow() {
    const { writer } = this.page;
    const lines = await this.kept.lines(writer);
    const tries = triesOf(lines);
    this.place.hidden = (await this.kept.count()) === 0;
    write(this.summary, summaryOf(writer, tries));
    this.export.hidden = lines.length === 0;
    await this.offer(tries.filter(({ judged }) => judged !== null));
  }

  /** Make the link to an issue with the tries that were not handed over yet. @param {KeptTry[]} tries */
  async offer(tries) {
    const handed = await this.kept.handed();
    const left = tries.filter(({ id }) => !handed.has(id));
    const { repository, id } = this.data;
    const found = repository === null ? null : issueOf(repository, id, this.page.writer, left);
    this.offered = found?.ids ?? [];
    this.issue.hidden = found === null;
    if (found) this.issue.href = found.address;
    else this.issue.removeAttribute("href");
    write(this.issue, text("kept.send", { tries: countedTries(this.offered.length) }));
    write(
      this.fit,
      repository === null ? "" : fitOf(tries.length - left.length, left.length, this.offered.length),
    );
  }

  async save() {
    const lines = (await this.kept.lines(this.page.writer)).map(({ line }) => `${line}\n`);
    saveAs(`${this.page.writer}.jsonl`, new Blob(lines, { type: "application/jsonl" }));
  }

  /** The link was followed; the next one has what did not fit. */
  async hand() {
    await this.kept.hand(this.offered);
    await this.show();
  }

  async forgetAll() {
    await this.kept.forget();
    this.confirm(false);
    this.page.leave();
    await this.show();
  }
}

/** @param {string} writer @param {KeptTry[]} tries */
function summaryOf(writer, tries) {
  const open = tries.filter(({ judged }) => judged === null).length;
  if (!writer) return text("kept.all");
  return text(open ? "kept.open" : "kept.of", { count: tries.length, writer, open });
}

/** What is said of tries and issues. @param {number} handed @param {number} left @param {number} fitting */
function fitOf(handed, left, fitting) {
  const sentences = handed ? [text("kept.handed", { tries: countedTries(handed) })] : [];
  if (left !== fitting) {
    const values = { fitting, tries: countedTries(left) };
    sentences.push(text(fitting ? "kept.room" : "kept.too-long", values));
  }
  return sentences.join(" ");
}

/**
 * The address of a new issue with as many judged tries, in their order, as fit into one; null where none does. The
 * program that reads it is `steelyard collect receive`.
 * @param {string} repository its page on GitHub
 * @param {string} collection
 * @param {string} writer
 * @param {KeptTry[]} tries
 * @returns {{ address: string, ids: string[] } | null}
 */
export function issueOf(repository, collection, writer, tries) {
  /** @type {KeptTry[]} */
  const taken = [];
  let best = null;
  for (const one of tries) {
    const address = addressOf(repository, collection, writer, [...taken, one]);
    if (address.length <= LONGEST) {
      taken.push(one);
      best = { address, ids: taken.map(({ id }) => id) };
    }
  }
  return best;
}

/**
 * @param {string} repository
 * @param {string} collection
 * @param {string} writer
 * @param {KeptTry[]} tries
 */
function addressOf(repository, collection, writer, tries) {
  const lines = tries.flatMap(({ asked, judged }) => (judged ? [asked.line, judged.line] : [asked.line]));
  const words = text("kept.issue", { writer, collection });
  // A line begins with a brace, so that none of them can end the fence.
  const body = `${words}\n\n\`\`\`jsonl\n${lines.join("\n")}\n\`\`\`\n`;
  return `${repository}/issues/new?${new URLSearchParams({ title: text("kept.issue-title", { writer, collection }), body })}`;
}
