// Exporting what is shown: as a file, on the clipboard, on paper, and its charts as pictures. Tables are written by
// evaluator/rank/exports.py.
import { prepareDrop } from "../base/controls.js";
import { byId, element, find, findAll, findOptional, saveAs, screenReaderText } from "../base/elements.js";
import { moment, weight } from "../base/formats.js";
import { text } from "../base/texts.js";
import { legendOf, MARK, saveLine } from "../charts/saving.js";
import { addressOf, copyText, ownAddress, shownView } from "./sharing.js";

/** @import { BoardData, BoardHost, Part, RankedHost, Weights } from "../../types" */

/** @typedef {{ name: string, ending: string, type: string }} Format */

/** @type {Format[]} */
const FORMATS = [
  { name: "CSV", ending: "csv", type: "text/csv" },
  { name: "JSON", ending: "json", type: "application/json" },
  { name: "LaTeX", ending: "tex", type: "application/x-tex" },
  { name: "Markdown", ending: "md", type: "text/markdown" },
];
/** Characters of a file's name without its ending. */
const LONGEST_NAME = 120;

/** Board, time and weights, so that a file's name describes what it holds. @param {BoardData} data @param {Weights} metrics */
function fileName({ id, updated }, metrics) {
  const weights = Object.entries(metrics).map(([name, value]) => `${name}${weight(value)}`);
  const time = (updated ?? "").replace(/[^0-9TZ]/g, "");
  return `${id}_${time}_${weights.join("-")}`.slice(0, LONGEST_NAME);
}

/** @implements {Part} */
export class ExportMenu {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.menu = byId("export-menu", HTMLDetailsElement);
    byId("copy-link").addEventListener("click", () =>
      copyText(addressOf(page, page.view.now, ownAddress()), text("export.link")),
    );
    const lines = FORMATS.map((format) => {
      const { name, ending } = format;
      const rest = text("export.as", { name });
      const copy = async () => copyText(await this.text(ending), name);
      return line(
        name,
        button("export.download", rest, () => this.download(format)),
        button("export.copy", rest, copy),
      );
    });
    const embed = document.getElementById("embed-link");
    if (embed instanceof HTMLLinkElement) {
      const copy = button("export.copy", text("export.embeds"), () => this.embed(embed.href));
      lines.push(line(text("export.embed"), copy));
    }
    byId("export-choices").append(
      element("p", { class: "muted small" }, text("export.exactly")),
      ...lines,
      button("export.print", text("export.this-page"), () => print()),
    );
    prepareDrop(this.menu);
  }

  /** Nothing to do: what is exported is read at that moment. */
  show() {}

  /** What is shown, in a format. @param {string} format @returns {Promise<string>} */
  async text(format) {
    const { page } = this;
    await page.certainty.complete();
    const { certainty, data, ranking, words } = page;
    const view = shownView(page);
    const { pinned, rest, outside } = page.shown.arrange(ranking, view);
    const models = [...pinned, ...rest].filter((model) => !outside.has(model));
    const sets = models.map((model) => certainty.setOf(model) ?? null);
    return words.now("export", {
      format,
      view,
      models,
      certainty: { ...certainty.found, sets },
      provenance: models.map((model) => data.models[model].provenance),
      address: addressOf(page, view),
    });
  }

  /** @param {Format} format */
  async download({ ending, type }) {
    const name = `${fileName(this.page.data, shownView(this.page).metrics)}.${ending}`;
    saveAs(name, new Blob([await this.text(ending)], { type: `${type};charset=utf-8` }));
    this.menu.open = false;
    find(this.menu, "summary", HTMLElement).focus();
  }

  /** The table for a page elsewhere. In a frame it follows the board, but runs no script, so it has the default weights;
   * a view at others is embedded as it is. @param {string} address of the framed table */
  async embed(address) {
    const { view, words } = this.page;
    const html = view.fragment ? await this.text("html") : await words.now("frame", { address });
    await copyText(html, text("export.html"));
  }
}

/** @param {string} name @param {HTMLElement[]} buttons */
function line(name, ...buttons) {
  return element("div", { class: "export-line" }, element("strong", {}, name), ...buttons);
}

/** @param {string} name of its text @param {string} rest what is read out after that @param {() => void} press */
function button(name, rest, press) {
  const made = element("button", { type: "button", class: "link" }, text(name), screenReaderText(` ${rest}`));
  made.addEventListener("click", press);
  return made;
}

/** The charts of a board: each picture says of which board, when, at which weights and where it is from.
 * @implements {Part} */
export class SaveCharts {
  /** @param {BoardHost} page */
  constructor(page) {
    for (const panel of findAll(byId("tradeoffs"), ".chart", HTMLElement)) {
      const title = byId(panel.getAttribute("aria-labelledby") ?? "").textContent.trim();
      const describe = () => savedChart(page, panel, title, addressOf(page, shownView(page)));
      panel.append(saveLine(panel, title, describe));
    }
    const rounds = findOptional(document, ".rounds", HTMLElement);
    if (!rounds) return;
    // The rounds of a task, which no weight changes.
    const title = text("export.rounds");
    const describe = () => {
      const finding = find(rounds, ".finding", HTMLElement).textContent;
      const foot = [text("export.no-weight"), addressOf(page, page.view.defaults)];
      const words = { title, lines: [origin(page), finding], legend: [], marks: [], foot };
      return { name: `${fileName(page.data, {})}rounds`, words };
    };
    rounds.append(saveLine(rounds, title, describe));
  }

  /** Nothing to do: a picture is made at the moment it is saved. */
  show() {}
}

/** A chart that follows the weights of a page, as it is saved.
 * @param {Pick<RankedHost, "data" | "view" | "ranked" | "words">} page @param {HTMLElement} panel @param {string} title
 * @param {string} address of the board in this view */
export async function savedChart(page, panel, title, address) {
  const view = shownView(page);
  /** @type {string} */
  const terms = await page.words.now("terms", { view });
  const wins = findOptional(panel, ".wins", HTMLElement);
  return {
    name: `${fileName(page.data, view.metrics)}_${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`,
    words: {
      title,
      lines: [origin(page), find(panel, ".finding", HTMLElement).textContent],
      ...(wins ? winners(panel, wins) : { legend: [], marks: [] }),
      foot: [terms, address],
    },
  };
}

/** Board and time. @param {Pick<RankedHost, "data">} page */
function origin({ data: { title, updated } }) {
  return text(updated ? "saving.origin" : "saving.origin-timeless", {
    title,
    time: updated ? moment(updated) : "",
  });
}

/** The colours of the winners, and the knob that shows the visitor's weights. @param {HTMLElement} panel
 * @param {HTMLElement} wins */
function winners(panel, wins) {
  const knob = findOptional(panel, ".knob", HTMLElement);
  const chart = findOptional(panel, "svg[role=img]", SVGSVGElement);
  if (!knob || !chart) return { legend: legendOf(wins), marks: [] };
  const zoom = chart.getBoundingClientRect().width / chart.viewBox.baseVal.width;
  const place = { x: parseFloat(knob.style.left) / zoom, y: parseFloat(knob.style.top) / zoom };
  const key = { colour: MARK, hatched: false, text: text("saving.these-weights") };
  return { legend: [...legendOf(wins), key], marks: [place] };
}
