// "Cite this view" on the page of a snapshot: texts that follow the weights. The same as generator/views/citation.py.
import { weight } from "../base/formats.js";
import { visible } from "../base/invisible.js";

const SIGNS = {
  "\\": "backslash",
  "{": "braceleft",
  "}": "braceright",
  "^": "asciicircum",
  "~": "asciitilde",
  "<": "less",
  ">": "greater",
  "|": "bar",
  '"': "quotedbl",
};
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const LONGEST = 300;

export class Cite {
  constructor(page) {
    this.panel = document.getElementById("cite");
    if (!this.panel) return;
    this.page = page;
    this.about = JSON.parse(document.getElementById("citation-data").textContent);
    this.texts = new Map(
      [...this.panel.querySelectorAll("[data-format]")].map((place) => [place.dataset.format, place]),
    );
    this.status = this.panel.querySelector("[role=status]");
    this.panel.addEventListener("click", ({ target }) => this.copy(target.closest("[data-copies]")));
  }

  show() {
    if (!this.panel || this.waiting) return;
    // Other parts of the page come first; a citation is read once the weights rest.
    this.waiting = setTimeout(() => this.write(), 200);
  }

  write() {
    this.waiting = 0;
    const said = citation(this.about, this.page);
    for (const [format, place] of this.texts) {
      const text = FORMATS[format](said);
      if (place.textContent !== text) place.textContent = text;
    }
  }

  async copy(button) {
    if (!button) return;
    const place = this.texts.get(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(place.textContent);
      this.status.textContent = "Copied";
    } catch {
      // Where the clipboard is refused the text is selected, to be copied by hand.
      getSelection().selectAllChildren(place);
      this.status.textContent = "Selected: this browser does not let the page copy";
    }
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => (this.status.textContent = ""), 3000);
  }
}

/** What is cited: the view that the ranking on the page answers, and its address. */
function citation(about, { data, ranked, view }) {
  const metrics = weighed(data.metrics.map(({ name, label }) => [label, ranked.metrics[name]]));
  const datasets = weighed(Object.entries(data.datasets).map(([id, label]) => [label, ranked.datasets[id]]));
  const moment = `${about.created.slice(0, 10)} ${about.created.slice(11, 19)} UTC`;
  const scores = ranked.by === "z_score" ? "Mean z-scores" : "Dynascores";
  const models = `${about.models} model${about.models === 1 ? "" : "s"}`;
  const fragment = view.fragment;
  return {
    ...about,
    url: location.href.split("#")[0] + (fragment ? `#${fragment}` : ""),
    title: `${about.board}: snapshot of ${moment}`,
    sentence:
      `${scores} of ${models} on ${listed(datasets, datasets.length > 1)} at metric weights ${listed(metrics, true)}:` +
      ` ${about.board}, snapshot ${about.id}, frozen ${moment}.`,
  };
}

const FORMATS = {
  sentence: ({ sentence, url }) => `${sentence} ${url}`,
  apa: ({ publisher, created, board, id, url }) => {
    const [year, month, day] = created.slice(0, 10).split("-").map(Number);
    return `${publisher}. (${year}, ${MONTHS[month - 1]} ${day}). ${board} (Snapshot ${id}) [Leaderboard]. ${url}`;
  },
  bibtex,
  ris,
  cff,
};

function bibtex({ id, created, publisher, title, sentence, url }) {
  const fields = [
    ["author", `{${tex(publisher)}}`],
    ["title", `{${tex(title)}}`],
    ["year", created.slice(0, 4)],
    ["month", String(Number(created.slice(5, 7)))],
    ["howpublished", "Leaderboard snapshot"],
    ["version", id],
    ["note", tex(sentence)],
    ["url", url],
  ];
  const lines = fields.map(([name, value]) => `  ${name} = {${value}},\n`).join("");
  return `@misc{steelyard-${id.toLowerCase()},\n${lines}}\n`;
}

function ris({ id, created, publisher, title, sentence, url }) {
  const date = created.slice(0, 10).replaceAll("-", "/");
  const fields = [
    ["TY", "DATA"],
    ["AU", publisher],
    ["TI", title],
    ["PY", created.slice(0, 4)],
    ["DA", date],
    ["ET", id],
    ["PB", publisher],
    ["N1", sentence],
    ["UR", url],
    ["ER", ""],
  ];
  return fields.map(([name, value]) => `${name}  - ${value}\n`).join("");
}

function cff({ id, created, publisher, title, sentence, url }) {
  const lines = [
    "cff-version: 1.2.0",
    "type: dataset",
    `message: ${JSON.stringify("Cite this snapshot with its datasets, its weights and its time.")}`,
    `title: ${JSON.stringify(title)}`,
    "authors:",
    `  - name: ${JSON.stringify(publisher)}`,
    `abstract: ${JSON.stringify(sentence)}`,
    `version: ${JSON.stringify(id)}`,
    `date-released: ${JSON.stringify(created.slice(0, 10))}`,
    ...(url.startsWith("https://") ? [`url: ${JSON.stringify(url)}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** [name, weight] of what weighs anything. */
function weighed(named) {
  return named.filter(([, value]) => value > 0).map(([label, value]) => [plain(label), weight(value)]);
}

function listed(named, withWeights) {
  const items = named.map(([name, value]) => (withWeights ? `${name} (${value})` : name));
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items.at(-1)}` : items.join("");
}

function plain(text) {
  const line = [...visible(text)];
  return line.length <= LONGEST ? line.join("") : `${line.slice(0, LONGEST - 1).join("")}…`;
}

function tex(text) {
  return text.replace(/[\\{}^~<>|"$&#%_]/g, (sign) => (SIGNS[sign] ? `\\text${SIGNS[sign]}{}` : `\\${sign}`));
}
