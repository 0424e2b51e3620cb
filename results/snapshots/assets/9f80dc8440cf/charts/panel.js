// What every chart has around its picture: a sentence on what it shows, remarks, and the numbers.
import { byId, element, find } from "../base/elements.js";
import { number } from "../base/formats.js";
import { text } from "../base/texts.js";

/** @import { Words } from "../scorer/words.js" */
/** @import { Card, ChartTable, MetricData, Point, Pointable } from "../../types" */
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
    /** Whether a sentence stands in the place of the picture, or nothing yet. */
    this.declined = true;
    this.details.addEventListener("toggle", () => this.fill());
  }

  /** Pixels across; 0 while the chart's tab is not open. */
  get width() {
    return this.element.clientWidth;
  }

  /** `numbers()` gives the table behind the picture; it is called once somebody looks.
   * @param {string} finding @param {string[]} remarks @param {(() => ChartTable) | null} numbers */
  say(finding, remarks, numbers) {
    this.finding.textContent = finding;
    this.remarks.textContent = remarks.filter(Boolean).join(" ");
    this.numbers = numbers;
    this.details.hidden = !numbers;
    this.fill();
  }

  /**
   * Show a new picture's numbers and how it is read at once; what it shows is said by Python once weights rest.
   * @param {Words} words @param {string} chart as in `ASKS` of evaluator/rank/page_words.py
   * @param {() => object} terms @param {string[]} reading @param {() => ChartTable} numbers
   */
  ask(words, chart, terms, reading, numbers) {
    this.say(this.declined ? "" : this.finding.textContent, reading, numbers);
    this.declined = false;
    words.ask(chart, terms, (/** @type {[string, string]} */ [finding, remark]) => {
      if (this.declined) return;
      this.say(finding, [...reading, remark], numbers);
      this.frame.querySelector("svg[role=img]")?.setAttribute("aria-label", finding);
    });
  }

  /** A sentence in the place of the picture. @param {string} sentence */
  decline(sentence) {
    this.frame.replaceChildren();
    this.frame.classList.add("bare");
    this.declined = true;
    this.say(sentence, [], null);
  }

  fill() {
    const shown = this.details.open && this.numbers ? [tableOf(this.numbers())] : [];
    this.table.replaceChildren(...shown);
  }
}

/** Let a select offer the metrics of a board.
 * @param {HTMLSelectElement} select @param {MetricData[]} metrics @param {() => void} onChange */
export function offerMetrics(select, metrics, onChange) {
  select.append(...metrics.map(({ name, label }) => element("option", { value: name, dir: "auto" }, label)));
  select.addEventListener("change", onChange);
}

/** @param {ChartTable} numbers */
function tableOf({ heads, rows }) {
  const head = heads.map((title, at) =>
    element("th", { scope: "col", dir: "auto", class: at ? "right" : "" }, title),
  );
  const body = rows.map(([name, ...cells]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("span", { class: "clamp", dir: "auto" }, String(name))),
      ...cells.map((cell) => element("td", { class: "right num" }, String(cell))),
    ),
  );
  return element(
    "table",
    { class: "plain" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
}

// Pointing at the marks of a chart, by mouse, finger or keys, and the card that says what is pointed at.

const BACK = ["ArrowLeft", "ArrowUp"];
const ON = ["ArrowRight", "ArrowDown"];

/**
 * Points at the marks of `chart`, whose picture is in `frame`.
 * @template {number | string} Mark
 */
export class Pointer {
  /** @param {HTMLElement} frame @param {Pointable<Mark>} chart */
  constructor(frame, chart) {
    this.frame = frame;
    this.chart = chart;
    /** @type {Mark | null} */
    this.mark = null;
    /** @type {SVGSVGElement | null} */
    this.picture = null;
    /** Where the mouse rests that came before there was a picture to point at. @type {MouseEvent | null} */
    this.early = null;
    this.tip = element("div", { class: "tip", role: "status", hidden: "" });
    frame.addEventListener("pointermove", (event) => this.follow(event));
    frame.addEventListener("pointerleave", () => this.leave());
    frame.addEventListener("click", (event) => this.press(event));
    frame.addEventListener("keydown", (event) => this.walk(event));
    frame.addEventListener("focusout", () => this.point(null));
  }

  /**
   * Put a new picture into the frame; what is pointed at stays so, if it is still there.
   * A mouse that was there before the first picture points at what has come under it.
   * @param {SVGSVGElement} picture
   */
  hold(picture) {
    const { early } = this;
    this.picture = picture;
    this.early = null;
    this.frame.replaceChildren(picture, this.tip);
    if (early) this.follow(early);
    else this.point(this.mark !== null && this.chart.along().includes(this.mark) ? this.mark : null);
  }

  /** @param {MouseEvent} event */
  follow(event) {
    if (!this.picture) {
      this.early = event;
      return;
    }
    const place = this.place(event);
    this.point(this.chart.nearest(...place), place);
  }

  leave() {
    this.early = null;
    this.point(null);
  }

  /** Pixels of the screen for one of the picture's own. */
  get zoom() {
    if (!this.picture) return 1;
    return this.picture.getBoundingClientRect().width / this.picture.viewBox.baseVal.width;
  }

  /** Where an event is, in the picture's own coordinates. @param {MouseEvent} event @returns {Point} */
  place({ clientX, clientY }) {
    const { left, top } = (this.picture ?? this.frame).getBoundingClientRect();
    return [(clientX - left) / this.zoom, (clientY - top) / this.zoom];
  }

  /** @param {MouseEvent} event */
  press(event) {
    this.follow(event);
    if (this.mark !== null) this.chart.choose?.(this.mark);
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = this.chart.along();
    const to = this.next(event.key, marks);
    if (to === undefined) return;
    event.preventDefault();
    this.point(to);
  }

  /** The mark that a key leads to, null for none; undefined for a key that leads nowhere.
   * @param {string} key @param {Mark[]} marks @returns {Mark | null | undefined} */
  next(key, marks) {
    if (key === "Escape") return null;
    if (key === "Home") return marks[0];
    if (key === "End") return marks.at(-1);
    if (key === "Enter" && this.mark !== null) this.chart.choose?.(this.mark);
    const step = ON.includes(key) ? 1 : BACK.includes(key) ? -1 : 0;
    if (!step || !marks.length) return undefined;
    if (this.mark === null) return this.chart.start();
    return marks[Math.min(marks.length - 1, Math.max(0, marks.indexOf(this.mark) + step))];
  }

  /** @param {Mark | null} mark @param {Point | null} [place] */
  point(mark, place = null) {
    this.mark = mark;
    this.chart.light(mark);
    this.tip.hidden = mark === null;
    if (mark !== null) this.show(this.chart.card(mark, place));
  }

  /** @param {Card} card */
  show({ x, y, title, lines }) {
    const name = element("strong", { dir: "auto" }, title);
    this.tip.replaceChildren(name, ...lines.map((line) => element("span", {}, line)));
    const [across, down] = [x * this.zoom, y * this.zoom];
    const room = this.frame.clientWidth - this.tip.offsetWidth;
    const left = across + 12 > room ? across - this.tip.offsetWidth - 12 : across + 12;
    this.tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
    this.tip.style.top = `${Math.max(0, down - this.tip.offsetHeight - 8)}px`;
  }
}

// Words and numbers that charts share.

/** Names in a sentence: "a, b and c". @param {string[]} names */
export function listed(names) {
  const last = names[names.length - 1];
  return names.length > 1
    ? text("charts.and", { names: names.slice(0, -1).join(", "), last })
    : names.join("");
}

/** A number of a metric as the table shows it; a dash where it is missing (NaN). @param {number} value @param {number} decimals */
export function numberOrDash(value, decimals) {
  return number(Number.isNaN(value) ? null : value, decimals);
}

/** A metric and a number of it, as a line of a card. @param {MetricData} metric @param {number} value */
export function metricLine({ label, unit, decimals }, value) {
  return `${label} ${numberOrDash(value, decimals)}${unit && !Number.isNaN(value) ? ` ${unit}` : ""}`;
}

/** A rank as a line of a card. @param {number | null} rank */
export function rankLine(rank) {
  return rank === null ? text("charts.unranked") : text("charts.rank", { rank });
}
