// The ranking with its sentences and tables, made again with every answer.
import { byId, element, find, screenReaderText } from "../base/elements.js";
import { MISSING, rankSetText, number, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { emptyWhisker, endsOf, showWhisker } from "./rows.js";

/**
 * @import { Answer, AnswerRow, DifficultyHost, DifficultySourceData, ModelNoise, Noise } from "../../types"
 */
/** @import { Interval, SplitOutline } from "../../types" */

export class HardRanking {
  /** @param {DifficultyHost} page */
  constructor(page) {
    this.page = page;
    this.body = byId("rows");
    this.splits = find(byId("splits-table"), "tbody", HTMLElement);
    this.splitsFrame = find(document, ".splits-frame", HTMLElement);
    /** @type {Map<string, DifficultyRow>} */
    this.rows = new Map();
    /** The newest noise, which keeps its place while it is computed anew. */
    this.known = page.data.noise;
  }

  /** @param {Answer} answer @param {Noise | null} noise null while it is being computed */
  show(answer, noise) {
    const { source } = this.page;
    byId("metric-name").textContent = source.label;
    byId("value-head").textContent = source.label;
    this.showRows(answer, noise, source);
    this.showSplits(answer);
    list("counts", answer.models.length ? [...answer.counts, ...answer.notes] : [text("hard.nobody")]);
    for (const id of ["leads", "certainty-words"]) byId(id).classList.toggle("old", !noise);
    if (noise) {
      byId("leads").textContent = noise.lead;
      byId("certainty-words").textContent = noise.heat;
    }
    list("sentences", noise ? noise.sentences : [text("hard.finding")]);
  }

  /** @param {Answer} answer @param {Noise | null} noise @param {DifficultySourceData} source */
  showRows(answer, noise, source) {
    this.known = noise ?? this.known;
    const ranked = answer.models.filter(({ rank }) => rank !== null).length;
    const shown = answer.models.map((numbers) =>
      this.row(numbers.model).show(
        numbers,
        answer.words.ties[numbers.model],
        this.known?.models[numbers.model],
        source,
        ranked,
      ),
    );
    this.body.classList.toggle("old", !noise);
    const level = Object.values(noise?.models ?? {}).filter((one) => one?.set?.[0] === 1).length > 1;
    for (const { model } of answer.models) {
      this.row(model).line.classList.toggle("heat", level && noise?.models[model]?.set?.[0] === 1);
    }
    // Lines that stay where they are keep the focus of a link in them.
    const { children } = this.body;
    if (shown.length !== children.length || shown.some((row, at) => row !== children[at])) {
      this.body.replaceChildren(...shown);
    }
  }

  /** The line of a model, made when it is first shown. @param {string} model */
  row(model) {
    const row = this.rows.get(model) ?? new DifficultyRow(this.page, model);
    this.rows.set(model, row);
    return row;
  }

  /** @param {string} model */
  forget(model) {
    this.rows.delete(model);
  }

  /** @param {Answer} answer */
  showSplits(answer) {
    const splits = answer.splits ?? [];
    byId("splits-note").textContent = answer.words.note;
    this.splitsFrame.hidden = !splits.length;
    this.splits.replaceChildren(
      ...splits.map((split, at) =>
        splitLine(answer.words.splits[at].name, split, answer.words.splits[at].right),
      ),
    );
  }
}

/** @param {string} name @param {SplitOutline} split @param {number | null} right the mean share of right answers */
function splitLine(name, split, right) {
  const cells = [
    number(split.low, 3),
    number(split.high, 3),
    number(split.examples, 0),
    weight(split.weight),
    number(right, 1),
  ];
  return element(
    "tr",
    {},
    element("th", { scope: "row", class: "num" }, name),
    ...cells.map((shown) => element("td", { class: "right num" }, shown)),
  );
}

/** One model's line. */
class DifficultyRow {
  /** @param {DifficultyHost} page @param {string} model */
  constructor(page, model) {
    this.rank = cell("rank");
    this.place = element("span", { class: "place" });
    this.held = emptyWhisker();
    this.rank.append(this.place, this.held);
    this.value = cell("right num");
    this.ties = cell("right num", text("hard.ties"));
    this.baseline = cell("right num", text("hard.baseline"));
    this.scored = cell("right num", text("hard.scored"));
    this.accuracy = cell("right num", text("hard.accuracy"));
    this.moved = cell("right moved", text("hard.moved"));
    this.head = heading(page, model);
    this.sharing = element("span", { class: "few-mark" }, text("hard.encoder"));
    const numbers = [this.value, this.ties, this.baseline, this.scored, this.accuracy, this.moved];
    this.line = element("tr", { role: "row", "data-model": model }, this.rank, this.head, ...numbers);
  }

  /** @param {AnswerRow} numbers @param {string} ties what their order does @param {ModelNoise | undefined} noise @param {DifficultySourceData} source
   * @param {number} ranked how many models have a rank */
  show(numbers, ties, noise, { label, shares_encoder: sharing }, ranked) {
    if (sharing.includes(numbers.model)) this.head.append(this.sharing);
    else this.sharing.remove();
    this.place.replaceChildren(...(numbers.rank === null ? missing() : [String(numbers.rank)]));
    this.showHeld(numbers.rank, noise?.set, ranked);
    this.value.dataset.label = label;
    this.value.replaceChildren(
      element("strong", {}, number(numbers.value)),
      element("small", { class: "interval" }, rangeText(noise?.value ?? [null, null])),
    );
    this.ties.textContent = ties;
    this.baseline.textContent = number(numbers.baseline);
    this.scored.textContent = number(numbers.accuracy_scored);
    this.accuracy.textContent = number(numbers.accuracy);
    this.moved.replaceChildren(...places(numbers, noise?.verdict));
    return this.line;
  }

  /** The ranks that the model may hold: old until they have been found anew.
   * @param {number | null} rank @param {Interval | null | undefined} found @param {number} ranked */
  showHeld(rank, found, ranked) {
    this.held.hidden = rank === null;
    this.held.classList.toggle("old", !found);
    if (rank !== null && found) showWhisker(this.held, rankSetText(found), endsOf(found, rank, ranked));
  }
}

/** @param {string} className @param {string | null} [label] */
function cell(className, label = null) {
  return element("td", { role: "cell", class: className, "data-label": label });
}

/** @param {DifficultyHost} page @param {string} model */
function heading(page, model) {
  const own = page.own?.model === model;
  const name = page.label(model);
  return element(
    "th",
    { scope: "row", role: "rowheader", class: "model" },
    own
      ? element("span", { class: "name", dir: "auto" }, name)
      : element("a", { href: page.link(model), dir: "auto" }, name),
    own ? element("span", { class: "few-mark" }, text("hard.own")) : null,
  );
}

/** @param {[number | null, number | null]} range */
function rangeText([low, high]) {
  return low === null || high === null
    ? ""
    : text("charts.range", { low: number(low, 1), high: number(high, 1) });
}

/** How many places a model has moved, and whether that is more than chance.
 * @param {AnswerRow} numbers @param {string | undefined} verdict where it is known */
function places({ rank, accuracy_rank: before }, verdict) {
  if (rank === null || before === null) return missing();
  const moved = before - rank;
  if (moved === 0) return [element("span", { class: "stay" }, text("hard.unmoved"))];
  const [way, arrow] = moved > 0 ? ["up", "▲"] : ["down", "▼"];
  const places = element(
    "span",
    { class: way },
    element("span", { "aria-hidden": "true" }, arrow),
    ` ${Math.abs(moved)}`,
    screenReaderText(` ${text(`hard.${way}`)}`),
  );
  return [places, element("small", {}, verdict ?? "…")];
}

function missing() {
  return [element("span", { "aria-hidden": "true" }, MISSING), screenReaderText(text("rows.missing"))];
}

/** @param {string} id @param {string[]} sentences */
function list(id, sentences) {
  byId(id).replaceChildren(...sentences.map((sentence) => element("li", { dir: "auto" }, sentence)));
}
