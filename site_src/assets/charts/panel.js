// What every chart has around its picture: a sentence on what it shows, remarks, and the numbers.
import { byId, element, find } from "../base/elements.js";

/** @import { ChartTable, MetricData } from "../../types" */

export class Panel {
  /** The panel of the chart that is called `name`. @param {string} name */
  constructor(name) {
    this.element = byId(`chart-${name}`);
    this.frame = find(this.element, ".plot", HTMLElement);
    this.details = find(this.element, ".numbers", HTMLDetailsElement);
    this.finding = find(this.element, ".finding", HTMLElement);
    this.remarks = find(this.element, ".remarks", HTMLElement);
    this.table = find(this.details, ".table-frame", HTMLElement);
    /** @type {(() => ChartTable) | null} */
    this.numbers = null;
    this.details.addEventListener("toggle", () => this.fill());
  }

  /** Pixels across; 0 while the chart's tab is not open. */
  get width() {
    return this.element.clientWidth;
  }

  /**
   * `numbers()` gives the table behind the picture; it is called once somebody looks.
   * @param {string} finding @param {string[]} remarks @param {(() => ChartTable) | null} numbers
   */
  say(finding, remarks, numbers) {
    this.finding.textContent = finding;
    this.remarks.textContent = remarks.filter(Boolean).join(" ");
    this.numbers = numbers;
    this.details.hidden = !numbers;
    this.fill();
  }

  /** A sentence in the place of the picture. @param {string} sentence */
  decline(sentence) {
    this.frame.replaceChildren();
    this.frame.classList.add("bare");
    this.say(sentence, [], null);
  }

  fill() {
    const shown = this.details.open && this.numbers ? [tableOf(this.numbers())] : [];
    this.table.replaceChildren(...shown);
  }
}

/**
 * Let a select offer the metrics of a board.
 * @param {HTMLSelectElement} select @param {MetricData[]} metrics @param {() => void} onChange
 */
export function offerMetrics(select, metrics, onChange) {
  select.append(...metrics.map(({ name, label }) => element("option", { value: name, dir: "auto" }, label)));
  select.addEventListener("change", onChange);
}

/** @param {ChartTable} numbers */
function tableOf({ heads, rows }) {
  const head = heads.map((text, at) =>
    element("th", { scope: "col", dir: "auto", class: at ? "right" : "" }, text),
  );
  return element(
    "table",
    { class: "plain" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows.map(rowOf)),
  );
}

/** @param {(string | number)[]} row */
function rowOf([name, ...cells]) {
  const clamped = element("span", { class: "clamp", dir: "auto" }, String(name));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, clamped),
    ...cells.map((text) => element("td", { class: "right num" }, String(text))),
  );
}
