// Chosen models side by side: rank and score, metrics, datasets, tags. All differences are against the first.
import { drawn, element, framed, screenReaderText } from "../base/elements.js";
import { MISSING, number, signed, weight } from "../base/formats.js";

/** Under so many examples a few answers more or less move a score by many points. */
const FEW = 30;
/** Parts of the data that are shown before somebody asks for all. */
const FIRST = 12;
/** A bar's own coordinates; its middle is the first model. */
const WIDTH = 120;

export class Contrast {
  constructor(page) {
    this.page = page;
    this.scores = element("section", { "aria-labelledby": "scores-title" });
    this.datasets = element("section", { "aria-labelledby": "datasets-title" });
    this.tags = element("section", { "aria-labelledby": "tags-title" });
    this.place = element("div", {}, this.scores, this.datasets, this.tags);
  }

  /** Hide scores by tag, which are of other models than those chosen now. */
  hideTags() {
    this.tags.hidden = true;
  }

  /** Show what the ranking and the board's cells say of the chosen models. Nothing of their tags depends on it. */
  show(_ranking, _view, changed) {
    if (!changed.has("ranking") && !changed.has("chosen")) return;
    this.models = this.page.chosen;
    if (this.models.length < 2) return;
    this.at = this.models.map((model) => this.page.at(model));
    this.showScores();
    this.showDatasets();
  }

  // Rank, score, metrics

  showScores() {
    const { data, view } = this.page;
    const focused = document.activeElement?.dataset?.act;
    const metrics = data.metrics.map((metric, index) => this.metricRow(metric, index));
    const body = element("tbody", {}, this.rankRow(), this.scoreRow(), ...metrics);
    const custom = this.page.ready ? "at these weights" : "at the default weights";
    this.scores.replaceChildren(
      element("h2", { id: "scores-title" }, "Scores"),
      element(
        "p",
        { class: "muted small" },
        `Ranks, Dynascores and what each metric adds to them ${custom}. Differences and bars are against the first model: lifted to the right, lowered to the left.`,
      ),
      framed("Scores", "contrast", this.head("Score", true), body),
    );
    if (view.now.by === "z_score") {
      this.scores.append(
        element(
          "p",
          { class: "muted small" },
          "The link ranks by mean z-score; the Dynascore is shown beside it.",
        ),
      );
    }
    if (focused) {
      this.scores.querySelector(`[data-act="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
  }

  /** The names of the models; with buttons to put one first or take it away. */
  head(title, buttons = false) {
    const cells = this.models.map((model, place) =>
      element(
        "th",
        { scope: "col", class: "right" },
        this.name(model),
        buttons ? this.buttons(model, place) : null,
      ),
    );
    return element("tr", {}, element("th", { scope: "col" }, title), ...cells);
  }

  name(model) {
    return element("a", { class: "clamp", dir: "auto", href: this.page.link(model) }, this.page.label(model));
  }

  buttons(model, place) {
    const rest = this.models.filter((other) => other !== model);
    const first = place > 0 ? this.button(`first ${model}`, "Put first", model, [model, ...rest]) : null;
    return element("span", { class: "acts" }, first, this.button(`remove ${model}`, "Remove", model, rest));
  }

  button(act, text, model, chosen) {
    const button = element(
      "button",
      { type: "button", class: "act", "data-act": act, "aria-label": `${text}: ${this.page.short(model)}` },
      text,
    );
    button.addEventListener("click", () => this.page.choose(chosen));
    return button;
  }

  rankRow() {
    const { ranking, data } = this.page;
    const cells = this.at.map((at) => {
      const rank = ranking.rankOf(at);
      return cell(
        rank === null
          ? element("span", { class: "muted" }, "not ranked")
          : element("strong", { class: "place" }, String(rank)),
      );
    });
    return element(
      "tr",
      {},
      rowHead("Rank", `of ${ranking.ranked} ranked, ${data.models.length} in all`),
      ...cells,
    );
  }

  scoreRow() {
    const values = this.at.map((at) => known(this.page.ranking.scores[at]));
    const cells = values.map((value, place) =>
      cell(
        element("strong", { class: "num" }, number(value)),
        place ? difference(value, values[0], 2, false) : null,
      ),
    );
    return element("tr", {}, rowHead("Dynascore", ""), ...cells);
  }

  metricRow(metric, index) {
    const { ranking, own, view } = this.page;
    const values = this.at.map((at) => known(ranking.values[index][at]));
    const share = view.now.metrics[metric.name];
    const added = this.at.map((at) => (share ? known(ranking.contributions[index][at]) : null));
    const scale = this.scale();
    const cells = values.map((value, place) =>
      cell(
        figure(value, metric.decimals),
        place ? difference(value, values[0], metric.decimals, metric.cost) : null,
        this.adds(added[place], place ? (added[0] ?? 0) : null, scale, own.columns[index].colour),
      ),
    );
    const facts = [own.columns[index].unit, metric.cost ? "less is better" : "", `weight ${weight(share)}`];
    return element(
      "tr",
      {},
      rowHead(metric.label, facts.filter(Boolean).join(", "), own.columns[index].colour),
      ...cells,
    );
  }

  /** The largest difference of a contribution from the first model's. */
  scale() {
    const { contributions } = this.page.ranking;
    const all = this.page.data.metrics.flatMap((_, index) =>
      this.at.map((at) =>
        Math.abs((known(contributions[index][at]) ?? 0) - (known(contributions[index][this.at[0]]) ?? 0)),
      ),
    );
    return Math.max(...all, 1e-12);
  }

  adds(value, first, scale, colour) {
    if (value === null) return null;
    const text = element("span", { class: "adds" }, `adds ${number(value)}`);
    return first === null
      ? text
      : element("span", { class: `with-bar m${colour}` }, text, bar(value - first, scale));
  }

  // Datasets

  showDatasets() {
    const { own } = this.page;
    this.datasets.hidden = own.datasets.length < 2;
    if (this.datasets.hidden) return;
    const bodies = own.datasets
      .map((dataset) => this.datasetBody(dataset))
      .filter((body) => body.rows.length > 1);
    this.datasets.replaceChildren(
      element("h2", { id: "datasets-title" }, "By dataset"),
      framed("By dataset", "contrast by-dataset", this.head("Metric"), ...bodies),
    );
  }

  datasetBody(dataset) {
    const { data, own, addresses, view } = this.page;
    const ranks = dataset.ranks
      ? `weight ${weight(view.now.datasets[dataset.id] ?? 0)}`
      : "shown, not ranked";
    const name = element(
      "a",
      { class: "clamp", dir: "auto", href: `${addresses.board}datasets/${dataset.id}/` },
      dataset.label,
    );
    const title = element(
      "th",
      { scope: "rowgroup", colspan: this.models.length + 1 },
      name,
      " ",
      element("small", {}, ranks),
    );
    const rows = data.metrics.map((metric, index) => {
      const values = this.at.map((at) => this.page.values[dataset.id][metric.name][at]);
      if (values.every((value) => value === null)) return null;
      return this.valueRow(
        rowHead(metric.label, own.columns[index].unit, own.columns[index].colour),
        values,
        metric,
      );
    });
    return element("tbody", {}, element("tr", { class: "group" }, title), ...rows);
  }

  valueRow(head, values, { decimals, cost }) {
    const cells = values.map((value, place) =>
      cell(figure(value, decimals), place ? difference(value, values[0], decimals, cost) : null),
    );
    return element("tr", {}, head, ...cells);
  }

  // Tags

  /** Scores on parts of the datasets, those that set the models apart most first. */
  showDetails(details) {
    const parts = this.page.own.datasets.flatMap((dataset) => this.partsOf(dataset, details));
    this.tags.hidden = !parts.length;
    if (!parts.length) return;
    parts.sort((left, right) => right.spread - left.spread);
    const rows = parts.map((part) => this.partRow(part));
    for (const row of rows.slice(FIRST)) row.hidden = true;
    this.tags.replaceChildren(
      element("h2", { id: "tags-title" }, "By tag"),
      element(
        "p",
        { class: "muted small" },
        `Scores on the examples that carry a tag; those that set these models apart most come first. Under ${FEW} examples, marked few, a few answers move a score by many points.`,
      ),
      framed("By tag", "contrast by-tag", this.head("Part of the data"), element("tbody", {}, ...rows)),
    );
    if (rows.length > FIRST) this.tags.append(showAll(rows));
  }

  partsOf(dataset, details) {
    const tables = details.map(({ tags }) => tags[dataset.id] ?? {});
    const names = new Set(tables.flatMap((tags) => Object.keys(tags)));
    return [...names].flatMap((tag) => {
      const scored = tables.map((tags) => (Object.hasOwn(tags, tag) ? tags[tag] : {}));
      const metric = this.metricOf(scored);
      const values = new Set(scored.flatMap((found) => Object.keys(found)));
      return [...values]
        .map((value) => this.part(dataset, tag, value, scored, metric))
        .filter((part) => part !== null);
    });
  }

  /** The base metric where the tag is scored by it, else the first that it is scored by. */
  metricOf(scored) {
    const names = [
      ...new Set(
        scored.flatMap((found) => Object.values(found).flatMap(([, scores]) => Object.keys(scores))),
      ),
    ];
    const name = names.includes(this.page.data.base) ? this.page.data.base : names[0];
    return (
      this.page.data.metrics.find((metric) => metric.name === name) ?? {
        name,
        label: name,
        decimals: 3,
        cost: false,
      }
    );
  }

  part(dataset, tag, value, scored, metric) {
    const found = scored.map((table) => (Object.hasOwn(table, value) ? table[value] : null));
    const numbers = found.map((entry) => entry?.[1][metric.name] ?? null);
    const given = numbers.filter((score) => score !== null);
    if (given.length < 2) return null;
    const examples = found.find((entry) => entry !== null)[0];
    return {
      dataset,
      tag,
      value,
      metric,
      numbers,
      examples,
      spread: Math.max(...given) - Math.min(...given),
    };
  }

  partRow({ dataset, tag, value, metric, numbers, examples }) {
    const several = this.page.own.datasets.length > 1 ? [element("bdi", {}, dataset.label), ", "] : [];
    const about = element(
      "small",
      { class: "clamp" },
      ...several,
      element("bdi", {}, tag),
      `, ${examples} example${examples === 1 ? "" : "s"}`,
      examples < FEW ? element("span", { class: "few-mark" }, "few") : null,
      ", ",
      element("bdi", {}, metric.label),
    );
    const head = element(
      "th",
      { scope: "row" },
      element("span", { class: "clamp", dir: "auto" }, value),
      about,
    );
    return this.valueRow(head, numbers, metric);
  }
}

function rowHead(label, unit, colour = null) {
  const name = element("span", { class: "clamp", dir: "auto" }, label);
  const swatch =
    colour === null ? null : element("span", { class: `swatch m${colour}`, "aria-hidden": "true" });
  return element(
    "th",
    { scope: "row" },
    element("span", { class: "named" }, swatch, name),
    element("small", { class: "clamp", dir: "auto" }, unit),
  );
}

// With spaces between, for those who hear or copy a cell.
function cell(...children) {
  const parts = children.filter((child) => child !== null).flatMap((child) => [child, " "]);
  return element("td", { class: "right" }, ...parts);
}

/** A number, or a dash that is read out as missing. */
function figure(value, decimals) {
  if (value === null) {
    return element(
      "span",
      { class: "num" },
      element("span", { "aria-hidden": "true" }, MISSING),
      screenReaderText("missing"),
    );
  }
  return element("span", { class: "num" }, number(value, decimals));
}

/** A number of the ranking, null where it has none. */
function known(value) {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** How far a value is from the first model's, and whether that is better. */
function difference(value, first, decimals, cost) {
  if (value === null || first === null) return element("span", { class: "difference" });
  const text = signed(value - first, decimals);
  const better = cost ? first > value : value > first;
  const kind =
    Number(value.toFixed(decimals)) === Number(first.toFixed(decimals)) ? "" : better ? "better" : "worse";
  return element(
    "span",
    { class: `difference ${kind}` },
    kind ? text : "same",
    kind ? screenReaderText(` ${kind}`) : null,
  );
}

function bar(size, scale) {
  const middle = WIDTH / 2;
  const width = (Math.abs(size) / scale) * middle;
  return drawn(
    "svg",
    {
      class: "bar",
      viewBox: `0 0 ${WIDTH} 8`,
      role: "img",
      preserveAspectRatio: "none",
      "aria-label": `${signed(size)} to the score`,
    },
    drawn("rect", {
      x: (size < 0 ? middle - width : middle).toFixed(2),
      y: "1",
      width: width.toFixed(2),
      height: "6",
    }),
    drawn("line", { x1: middle, y1: "0", x2: middle, y2: "8" }),
  );
}

function showAll(rows) {
  const button = element("button", { type: "button", class: "button more" }, `Show all ${rows.length}`);
  button.addEventListener("click", () => {
    for (const row of rows) row.hidden = false;
    rows[FIRST].tabIndex = -1;
    rows[FIRST].focus();
    button.remove();
  });
  return button;
}
