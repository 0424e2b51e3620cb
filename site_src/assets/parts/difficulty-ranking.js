// The ranking and all that is said of it in words and tables, made anew with every answer.
import { meanRight, splitName, splitsNote } from "./difficulty-words.js";
import { element, screenReaderText } from "../base/elements.js";
import { MISSING, number, weight } from "../base/formats.js";

const byId = (id) => document.getElementById(id);

export class HardRanking {
  constructor(page) {
    this.page = page;
    this.body = byId("rows");
    this.rows = new Map();
  }

  show(answer, noise) {
    const { source } = this.page;
    byId("metric-name").textContent = source.label;
    byId("value-head").textContent = source.label;
    this.showRows(answer, noise, source);
    this.showSplits(answer);
    list("counts", answer.models.length ? [...answer.counts, ...answer.notes] : ["No model is chosen."]);
    list("sentences", noise ? noise.sentences : ["Resampling …"]);
  }

  showRows(answer, noise, source) {
    const shown = answer.models.map((numbers) =>
      this.row(numbers).show(numbers, noise?.models[numbers.model], source),
    );
    // Lines that stay where they are keep the focus of a link in them.
    const { children } = this.body;
    if (shown.length !== children.length || shown.some((row, at) => row !== children[at])) {
      this.body.replaceChildren(...shown);
    }
  }

  row({ model }) {
    if (!this.rows.has(model)) this.rows.set(model, new Row(this.page, model));
    return this.rows.get(model);
  }

  forget(model) {
    this.rows.delete(model);
  }

  showSplits(answer) {
    const splits = answer.splits ?? [];
    byId("splits-note").textContent = splitsNote(answer, this.page.state);
    document.querySelector(".splits-frame").hidden = !splits.length;
    const lines = splits.map((split, at) => {
      const cells = [
        number(split.low, 3),
        number(split.high, 3),
        number(split.examples, 0),
        weight(split.weight),
        number(meanRight(answer.models, at), 1),
      ];
      return element(
        "tr",
        {},
        element("th", { scope: "row", class: "num" }, splitName(at, splits.length)),
        ...cells.map((text) => element("td", { class: "right num" }, text)),
      );
    });
    byId("splits-table").tBodies[0].replaceChildren(...lines);
  }
}

/** One model's line. */
class Row {
  constructor(page, model) {
    const cell = (className, label = null) =>
      element("td", { role: "cell", class: className, "data-label": label });
    this.place = cell("place");
    this.value = cell("right num");
    this.ties = cell("right num", "Order of ties");
    this.baseline = cell("right num", "Baseline");
    this.scored = cell("right num", "Accuracy, these samples");
    this.accuracy = cell("right num", "Accuracy, all samples");
    this.moved = cell("right moved", "Moved");
    this.head = heading(page, model);
    this.encoderMark = element("span", { class: "few-mark" }, "built on this encoder");
    this.line = element(
      "tr",
      { role: "row", "data-model": model },
      this.place,
      this.head,
      this.value,
      this.ties,
      this.baseline,
      this.scored,
      this.accuracy,
      this.moved,
    );
  }

  show(numbers, noise, { label, shares_encoder: sharing }) {
    if (sharing.includes(numbers.model)) this.head.append(this.encoderMark);
    else this.encoderMark.remove();
    this.place.replaceChildren(...(numbers.rank === null ? missing() : [String(numbers.rank)]));
    this.value.dataset.label = label;
    this.value.replaceChildren(
      element("strong", {}, number(numbers.value)),
      element("small", { class: "interval" }, between(noise?.value ?? [null, null])),
    );
    this.ties.textContent =
      numbers.lowest === numbers.highest
        ? numbers.lowest === null
          ? "not known"
          : "the same"
        : between([numbers.lowest, numbers.highest]);
    this.baseline.textContent = number(numbers.baseline);
    this.scored.textContent = number(numbers.accuracy_scored);
    this.accuracy.textContent = number(numbers.accuracy);
    this.moved.replaceChildren(...places(numbers, noise));
    return this.line;
  }
}

function heading(page, model) {
  const name = page.own?.model === model;
  const link = name
    ? element("span", { class: "name", dir: "auto" }, page.label(model))
    : element("a", { href: page.link(model), dir: "auto" }, page.label(model));
  return element(
    "th",
    { scope: "row", role: "rowheader", class: "model" },
    link,
    name ? element("span", { class: "few-mark" }, "your file") : null,
  );
}

function between([low, high]) {
  return low === null || high === null ? "" : `${number(low, 1)} to ${number(high, 1)}`;
}

/** How many places a model has moved, and whether that is more than chance. */
function places({ rank, accuracy_rank: before }, noise) {
  if (rank === null || before === null) return missing();
  const moved = before - rank;
  if (moved === 0) return [element("span", { class: "stay" }, "no")];
  const [className, arrow, word] = moved > 0 ? ["up", "▲", "up"] : ["down", "▼", "down"];
  const said = element(
    "span",
    { class: className },
    element("span", { "aria-hidden": "true" }, arrow),
    ` ${Math.abs(moved)}`,
    screenReaderText(` ${word}`),
  );
  const [low, high] = noise?.moved ?? [0, 0];
  const chance = low <= 0 && high >= 0 ? "within noise" : "more than noise";
  return [said, element("small", {}, noise ? chance : "…")];
}

function missing() {
  return [element("span", { "aria-hidden": "true" }, MISSING), screenReaderText("missing")];
}

function list(id, sentences) {
  byId(id).replaceChildren(...sentences.map((sentence) => element("li", { dir: "auto" }, sentence)));
}
