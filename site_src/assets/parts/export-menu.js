// Exporting what is shown: as a file, on the clipboard, as a link or on paper.
import { byId, element, find, screenReaderText } from "../base/elements.js";
import { saveAs } from "../base/saving.js";
import { prepareDrop } from "./drop.js";
import { addressOf, exportTable, fileName, shownView } from "./export-table.js";
import { csv, html, inHtml, json, latex, markdown } from "./exports.js";

/** @import { BoardHost, Part } from "../../types" */
/** @import { ExportTable } from "./exports.js" */

/** @typedef {{ name: string, ending: string, type: string, write: (table: ExportTable) => string }} Format */

/** @type {Format[]} */
const FORMATS = [
  { name: "CSV", ending: "csv", type: "text/csv", write: csv },
  { name: "JSON", ending: "json", type: "application/json", write: json },
  { name: "LaTeX", ending: "tex", type: "application/x-tex", write: latex },
  { name: "Markdown", ending: "md", type: "text/markdown", write: markdown },
];

/** @implements {Part} */
export class ExportMenu {
  /** @param {BoardHost} page */
  constructor(page) {
    this.page = page;
    this.status = byId("export-status");
    this.quiet = 0;
    this.byHand = byId("by-hand");
    this.byHandText = byId("by-hand-text", HTMLTextAreaElement);
    this.menu = byId("export-menu", HTMLDetailsElement);
    byId("copy-link").addEventListener("click", () => this.copy(addressOf(page, page.view.now), "Link"));
    this.fill(byId("export-choices"));
    prepareDrop(this.menu);
  }

  /** @param {HTMLElement} panel */
  fill(panel) {
    panel.append(
      element("p", { class: "muted small" }, "Exactly what is shown: these rows, this order, these columns."),
      ...FORMATS.map((format) => this.line(format)),
    );
    const embed = document.getElementById("embed-link");
    if (embed instanceof HTMLLinkElement) panel.append(this.embedLine(embed.href));
    panel.append(button("Print", " this page", () => print()));
  }

  /** @param {Format} format */
  line(format) {
    const download = button("Download", ` as ${format.name}`, () => this.download(format));
    const copy = button("Copy", ` as ${format.name}`, () => this.copyTable(format));
    return element("div", { class: "export-line" }, element("strong", {}, format.name), download, copy);
  }

  /**
   * The table for a page elsewhere. In a frame it follows the board, but runs no script, so it has the default weights;
   * a view at others is embedded as it is.
   * @param {string} address of the framed table
   */
  embedLine(address) {
    const copy = button("Copy", " the HTML that embeds the table", () => this.embed(address));
    return element("div", { class: "export-line" }, element("strong", {}, "Embed"), copy);
  }

  /** @param {string} address */
  async embed(address) {
    await this.page.certainty.complete();
    const { view, data } = this.page;
    const frame = embedHtml(address, data.title);
    await this.copy(view.fragment ? this.textAs({ write: html }) : frame, "HTML to embed");
  }

  /** Nothing to do: what is exported is read at that moment. */
  show() {}

  /**
   * What is shown in a format.
   * @param {Pick<Format, "write">} format
   */
  textAs({ write }) {
    return write(exportTable(this.page, addressOf(this.page, shownView(this.page))));
  }

  /** @param {Format} format */
  async download(format) {
    await this.page.certainty.complete();
    const name = `${fileName(this.page.data, shownView(this.page).metrics)}.${format.ending}`;
    saveAs(name, new Blob([this.textAs(format)], { type: `${format.type};charset=utf-8` }));
    this.menu.open = false;
    find(this.menu, "summary", HTMLElement).focus();
  }

  /** @param {Format} format */
  async copyTable(format) {
    await this.page.certainty.complete();
    await this.copy(this.textAs(format), format.name);
  }

  /**
   * @param {string} text
   * @param {string} name what the text is
   */
  async copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
      this.byHand.hidden = true;
      this.report(`${name} copied`);
    } catch {
      this.showText(text);
    }
  }

  /**
   * Where the clipboard is refused, show the text itself, selected.
   * @param {string} text
   */
  showText(text) {
    this.menu.open = false;
    this.byHand.hidden = false;
    this.byHandText.value = text;
    this.byHandText.focus();
    this.byHandText.select();
  }

  /**
   * Show for a moment what has been done.
   * @param {string} text
   */
  report(text) {
    this.status.textContent = text;
    this.status.classList.toggle("shown", text !== "");
    clearTimeout(this.quiet);
    if (text) this.quiet = setTimeout(() => this.report(""), 3000);
  }
}

/**
 * @param {string} text
 * @param {string} rest what is read out after the text
 * @param {() => void} press
 */
function button(text, rest, press) {
  const made = element("button", { type: "button", class: "link" }, text, screenReaderText(rest));
  made.addEventListener("click", press);
  return made;
}

/**
 * A frame with the board's table, for a page of somebody else's.
 * @param {string} address
 * @param {string} title
 */
function embedHtml(address, title) {
  return `<iframe src="${inHtml(address)}" title="${inHtml(title)}" width="100%" height="480" loading="lazy"></iframe>`;
}
