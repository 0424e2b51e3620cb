// What is shown, to take away: as a file, on the clipboard, as a link or on paper.
import { prepareDrop } from "./drop.js";
import { element } from "../base/elements.js";
import * as exports from "./exports.js";
import { weight } from "../base/formats.js";
import { visible } from "../base/invisible.js";
import { encode } from "../view/fragment.js";

const FORMATS = [
  ["CSV", "csv", "text/csv"],
  ["JSON", "json", "application/json"],
  ["LaTeX", "tex", "application/x-tex"],
  ["Markdown", "md", "text/markdown"],
];
const WRITERS = { csv: exports.csv, json: exports.json, tex: exports.latex, md: exports.markdown };
const LONGEST_NAME = 120;

export class ExportMenu {
  constructor(page) {
    this.page = page;
    this.data = page.data;
    this.status = document.getElementById("taken");
    this.hand = document.getElementById("by-hand");
    this.text = document.getElementById("by-hand-text");
    document
      .getElementById("copy-link")
      .addEventListener("click", () => this.copy(this.address(this.page.view.now), "Link"));
    this.fill(document.getElementById("take-choices"));
    this.menu = document.getElementById("take-menu");
    prepareDrop(this.menu);
  }

  fill(panel) {
    panel.append(
      element("p", { class: "muted small" }, "Exactly what is shown: these rows, this order, these columns."),
    );
    for (const [name, ending, type] of FORMATS) {
      const download = button("Download", ` as ${name}`, () => this.download(ending, type));
      const copy = button("Copy", ` as ${name}`, () => this.copy(this.written(ending), name));
      panel.append(element("div", { class: "take" }, element("strong", {}, name), download, copy));
    }
    if (document.getElementById("embed-link")) panel.append(this.embedding());
    panel.append(button("Print", " this page", () => print()));
  }

  /** The table for a page elsewhere: as it is at the default weights, since it runs no script. */
  embedding() {
    const copy = button("Copy", " the HTML that embeds the table", () =>
      this.copy(embedded(this.data.title), "HTML to embed"),
    );
    return element("div", { class: "take" }, element("strong", {}, "Embed"), copy);
  }

  /** Nothing to do: what is taken away is read when it is taken. */
  show() {}

  written(ending) {
    return WRITERS[ending](sheet(this.page, this.address(shownView(this.page))));
  }

  address(view) {
    const fragment = encode(view, this.page.view.defaults);
    return location.href.split("#")[0] + (fragment ? `#${fragment}` : "");
  }

  download(ending, type) {
    const address = URL.createObjectURL(new Blob([this.written(ending)], { type: `${type};charset=utf-8` }));
    element("a", { href: address, download: `${fileName(this.page)}.${ending}` }).click();
    // The browser reads the address after the click is over.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    this.menu.open = false;
    this.menu.querySelector("summary").focus();
  }

  async copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
      this.hand.hidden = true;
      this.say(`${name} copied`);
    } catch {
      this.offer(text);
    }
  }

  /** Where the clipboard is refused, the text itself, selected. */
  offer(text) {
    this.menu.open = false;
    this.hand.hidden = false;
    this.text.value = text;
    this.text.focus();
    this.text.select();
  }

  say(text) {
    this.status.textContent = text;
    this.status.classList.add("said");
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      this.status.classList.remove("said");
      this.status.textContent = "";
    }, 3000);
  }
}

function button(text, rest, press) {
  const made = element(
    "button",
    { type: "button", class: "link" },
    text,
    element("span", { class: "sr" }, rest),
  );
  made.addEventListener("click", press);
  return made;
}

/** The view as it stands on the page: what it is ranked by is what the ranking on the page was made with. */
function shownView({ view, ranked }) {
  const { metrics, datasets, base, threshold, by } = ranked;
  return { ...view.now, metrics, datasets, base, threshold, by };
}

/** Board, time and weights, so that a file says by its name what it holds. */
function fileName(page) {
  const { metrics } = shownView(page);
  const weights = Object.entries(metrics)
    .map(([name, value]) => `${name}${weight(value)}`)
    .join("-");
  const time = (page.data.updated ?? "").replace(/[^0-9TZ]/g, "");
  return `${page.data.id}_${time}_${weights}`.slice(0, LONGEST_NAME);
}

/** What is shown as a sheet (see exports.js). */
function sheet(page, address) {
  const { data, ranking } = page;
  const view = shownView(page);
  const { pinned, rest } = page.shown.arrange(ranking, view);
  const columns = columnsOf(data, ranking, view);
  const indices = [...pinned, ...rest];
  return {
    title: data.title,
    updated: data.updated,
    address,
    terms: terms(data, view),
    columns,
    rows: indices.map((index) => row(data.models[index], index, ranking, columns)),
    whole: whole(page, view, address, columns, indices),
  };
}

function columnsOf(data, ranking, view) {
  const base = data.metrics.find(({ name }) => name === view.base);
  const score = { label: "Dynascore", unit: base.unit, decimals: 2, values: ranking.scores };
  const z = { label: "Mean z-score", unit: "", decimals: 2, values: ranking.zScores };
  const metrics = data.metrics.map((metric, at) => ({ ...metric, values: ranking.values[at] }));
  return [
    ...(ranking.by === "z_score" ? [z] : []),
    score,
    ...metrics.filter(({ name }) => !view.hidden.includes(name)),
  ];
}

function row({ id, label }, index, ranking, columns) {
  return {
    rank: ranking.rankOf(index),
    id,
    label,
    numbers: columns.map(({ values, decimals }) => digits(values[index], decimals)),
  };
}

function digits(value, decimals) {
  return Number.isNaN(value) ? null : value.toFixed(decimals);
}

/** A frame with the board's table, for a page of somebody else's. */
function embedded(title) {
  const { href } = document.getElementById("embed-link");
  return `<iframe src="${inAttribute(href)}" title="${inAttribute(title)}" width="100%" height="480" loading="lazy"></iframe>`;
}

function inAttribute(text) {
  return visible(text)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Under which terms the numbers hold, [name, text]. */
function terms(data, view) {
  const weighed = (named, labels) =>
    Object.entries(named)
      .map(([name, value]) => `${labels.get(name)} ${weight(value)}`)
      .join(", ");
  const metrics = new Map(data.metrics.map(({ name, label }) => [name, label]));
  const { kind, epsilon } = view.threshold;
  return [
    ["Ranked by", view.by === "z_score" ? "mean z-score" : "Dynascore"],
    ["Weights of metrics", weighed(view.metrics, metrics)],
    ["Weights of datasets", weighed(view.datasets, new Map(Object.entries(data.datasets)))],
    ["Base metric", metrics.get(view.base)],
    ["Threshold", `${epsilon}, ${kind}`],
    ...shownBy(view),
  ];
}

function shownBy({ search, filters }) {
  const found = search.trim() ? [["Searched for", search.trim()]] : [];
  const kept = filters.length
    ? [["Filtered by", filters.map(({ kind, value }) => `${kind} ${value || "not stated"}`).join(", ")]]
    : [];
  return [...found, ...kept];
}

/** Everything in full precision. */
function whole({ data, ranking }, view, address, columns, indices) {
  const { metrics, datasets, base, threshold, by, sort, search, filters, pinned, hidden } = view;
  const named = (columns, index) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, exact(values[index])]));
  const parts = data.metrics.map(({ name }, at) => ({ name, values: ranking.contributions[at] }));
  return {
    board: { id: data.id, title: data.title },
    results_of: data.updated,
    address,
    warning: exports.WARNING,
    ranked_by: by,
    weights: { metrics, datasets },
    base,
    threshold,
    shown: { sort, search, filters, pinned, hidden },
    columns: columns
      .filter(({ name }) => name)
      .map(({ name, label, unit, cost }) => ({ name, label, unit, less_is_better: cost })),
    models: indices.map((index) => ({
      rank: ranking.rankOf(index),
      model: data.models[index].id,
      label: data.models[index].label,
      provenance: data.models[index].provenance,
      dynascore: exact(ranking.scores[index]),
      ...(ranking.by === "z_score" ? { mean_z_score: exact(ranking.zScores[index]) } : {}),
      values: named(
        columns.filter(({ name }) => name),
        index,
      ),
      contributions: named(parts, index),
    })),
  };
}

function exact(value) {
  return Number.isNaN(value) ? null : value;
}
