// "What would put X first?": the smallest change of one weight, and under how many weightings X leads.
import { AfterRest } from "../base/afterrest.js";
import { element } from "../base/elements.js";
import { percent, weight } from "../base/formats.js";
import { metricNamed, shortened } from "../base/models.js";
import { released } from "../base/press.js";
import { Queue } from "../scorer/engine.js";
import { explained } from "./why.js";

/** @import { BoardHost, BoardView, LeadData, Part } from "../../types" */
/** @import { Ranking } from "../scorer/ranking.js" */
/** What a paragraph is made of. @typedef {(string | Node)[]} Words */

const FIELDS = ["ranking", "why", "ready"];

/** @implements {Part} */
export class Lead {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.title = element("summary");
    this.words = element("div", { role: "status" });
    this.details = element("details", { id: "lead" });
    this.details.append(this.title, this.words);
    // A board without any ranked model has nothing to explain.
    document.querySelector(".why-frame")?.after(this.details);
    this.queue = new Queue(() => this.update());
    this.rest = new AfterRest(() => this.queue.ask());
    // Nothing is asked for what nobody reads.
    this.details.addEventListener("toggle", () => this.queue.ask());
  }

  /** @param {Ranking} _ranking @param {BoardView} _view @param {Set<string>} changed */
  show(_ranking, _view, changed) {
    const model = explained(this.page);
    if (model === null || !FIELDS.some((field) => changed.has(field))) return;
    this.entitle(model);
    this.words.setAttribute("aria-busy", "true");
    this.rest.ask();
  }

  async update() {
    const { ranking, ranked, ready, certainty, scorer, data } = this.page;
    const model = explained(this.page);
    if (!ready || model === null || !this.details.open) return;
    // The sets of all models come first.
    await certainty.ask();
    if (ranking !== this.page.ranking) return;
    const found = await scorer.lead(this.page.question, data.models[model].id);
    await released();
    if (!found || ranking !== this.page.ranking || model !== explained(this.page)) return;
    const words = [this.changed(found, ranked), this.shares(found)];
    this.words.replaceChildren(...words.map((parts) => element("p", {}, ...parts)));
    this.words.setAttribute("aria-busy", "false");
  }

  /** Say what is asked of a model, unless that is what stands there. @param {number} model */
  entitle(model) {
    const name = this.name(model);
    const leads = this.page.ranking.rankOf(model) === 1;
    const words = leads ? ["What would end the lead of ", name, "?"] : ["What would put ", name, " first?"];
    const heading = element("summary", {}, ...words);
    if (!this.title.isEqualNode(heading)) this.title.replaceChildren(...heading.childNodes);
  }

  /** @param {number} model */
  name(model) {
    return element("bdi", {}, shortened(this.page.data.models[model].label));
  }

  /** The change of one weight, which a press makes. @param {LeadData} found @param {BoardView} ranked @returns {Words} */
  changed({ leads, floored, change }, ranked) {
    if (floored && !change) {
      return ["No weight: it is no better than a constant answer, so it is ranked last."];
    }
    if (!change) return [leads ? "No weight of one metric does." : "No weight of one metric alone does."];
    const { metric, leader } = change;
    const { label } = metricNamed(this.page.data.metrics, metric);
    const before = weight(ranked.metrics[metric] ?? 0);
    const made = element("button", { type: "button", class: "link" }, "Set it");
    made.addEventListener("click", () => this.weigh(metric, change.weight));
    const then = leads ? ["; then ", this.name(leader), " leads"] : [];
    return [
      element("strong", {}, element("bdi", {}, label), ` at ${weight(change.weight)} instead of ${before}`),
      ...then,
      ". ",
      made,
    ];
  }

  /** @param {string} metric @param {number} to */
  weigh(metric, to) {
    const { view } = this.page;
    view.change({ metrics: { ...view.now.metrics, [metric]: to } });
    view.settle();
  }

  /** Of all ways to weigh the metrics, those under which the model leads. @param {LeadData} found @returns {Words} */
  shares({ weighed, share, level }) {
    if (weighed < 2 || share === null) return [];
    const led = share ? `it leads in ${part(share)}` : "it never leads";
    const heat = share === 1 ? "" : dead(level, share > 0);
    return [`Of all ways to weigh these ${weighed} metrics, ${led}${heat}.`];
  }
}

/** In what part of all weightings a model is in a dead heat with another leader.
 * @param {number | null} level @param {boolean} leads whether it leads in others */
function dead(level, leads) {
  if (level === null) return "; how often it is in a dead heat with the leader is unknown";
  if (level === 0) return ", and is never in a dead heat with another leader";
  return `, and is in a dead heat with the leader in ${part(level)}${leads ? " more" : ""}`;
}

/** A part of all weightings, of which a small one does not become 0, nor a large one all. @param {number} share */
function part(share) {
  if (share < 0.01) return "under 1 %";
  return share > 0.99 && share < 1 ? "over 99 %" : percent(share, 0);
}
