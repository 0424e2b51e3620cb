// Charts that follow no weights: each is drawn from a table that the page has, into a place of the right size, so that
// nothing moves, and saved. Lines go from column to column: ranks from snapshot to snapshot, a metric from round to round.
import { byId, find, findAll } from "../base/elements.js";
import { number, signed } from "../base/formats.js";
import { Bars, corners, emptyBar } from "./drawing.js";
import { saveLine } from "./saving.js";
import { Axis, fitted, label, linesAcross, path, svg } from "./svg.js";

/** @import { Point } from "../../types" */
/**
 * A row of the table: NaN where a number is missing, `ends` of its interval where there is one.
 * @typedef {{ name: string, kind: string, values: number[], ends: ([number, number] | null)[], scores: number[] }} Line
 * @typedef {{ texts: string[][], lines: Line[] }} Lines
 */

/** Room for dates above, for names at the right; a row's height, and what a date is wide. */
const RANKS = { left: 40, top: 44, names: 264, row: 22, date: 76 };
/** The ground of numbers; the first and the last column stand within it. */
const NUMBERS = { left: 64, top: 32, right: 456, bottom: 284, first: 128, last: 432, names: 196 };
/** Only so many lines have names, so many pixels apart. */
const NAMED = 12;
const LEADING = 15;
const DOT = 3.5;

/** Draw every picture that names a table as its `data-lines`. */
function drawLines() {
  for (const place of findAll(document, "svg[data-lines]", SVGSVGElement)) {
    const table = byId(place.dataset.lines ?? "", HTMLTableElement);
    const read = { texts: headsOf(table), lines: linesOf(table) };
    place.replaceChildren(
      ...(place.classList.contains("history") ? ranks(place, read) : numbers(place, read)),
    );
  }
}

/** What is written at each column. @param {HTMLTableElement} table @returns {string[][]} */
function headsOf(table) {
  return findAll(table, "thead th[data-texts]", HTMLElement).map((head) =>
    JSON.parse(head.dataset.texts ?? "[]"),
  );
}

/** @param {HTMLTableElement} table @returns {Line[]} */
function linesOf(table) {
  return findAll(table, "tbody tr", HTMLTableRowElement).map((row) => {
    const cells = findAll(row, "td", HTMLTableCellElement).map(({ dataset }) => dataset);
    return {
      name: find(row, "bdi", HTMLElement).textContent,
      kind: row.className,
      values: cells.map(({ value }) => parseFloat(value ?? "")),
      ends: cells.map(({ low, high }) => (low && high ? [Number(low), Number(high)] : null)),
      scores: cells.map(({ score }) => parseFloat(score ?? "")),
    };
  });
}

/** Each column has its models one under the other, in the order of their ranks.
 * @param {SVGSVGElement} place @param {Lines} read */
function ranks(place, { texts, lines }) {
  const { left, top, names, row, date } = RANKS;
  const { width, height } = place.viewBox.baseVal;
  const step = texts.length > 1 ? (width - names - 16 - left) / (texts.length - 1) : 0;
  const every = Math.ceil(date / (step || date));
  const x = (/** @type {number} */ at) => left + step * at;
  const rules = texts.flatMap((words, at) => [
    svg("path", { class: "rule", d: `M${x(at)} 36V${height - row / 2}` }),
    ...words
      .filter(() => (texts.length - 1 - at) % every === 0)
      .map((text, line) => svg("text", { class: "tick", x: x(at), y: 12 + 16 * line }, text)),
  ]);
  const slots = texts.map((_, at) => {
    const ranked = lines.filter(({ values }) => !Number.isNaN(values[at]));
    return ranked.sort((one, other) => one.values[at] - other.values[at]);
  });
  const drawn = lines.flatMap((line) => {
    const points = slots.map((found, at) => {
      const slot = found.indexOf(line);
      return slot < 0 ? null : /** @type {Point} */ ([x(at), top + row * (slot + 0.5)]);
    });
    const last = points.findLast((point) => point !== null);
    if (!last) return [];
    const rank = line.values[line.values.length - 1];
    const name = Number.isNaN(rank)
      ? line.name
      : `${rank} ${line.name}  ${number(line.scores[line.scores.length - 1], 2)}`;
    const slot = Math.round((last[1] - top) / row - 0.5);
    const style = slot === 0 ? "top first" : slot < 3 ? "top" : "";
    const text = svg("text", { x: last[0] + 12, y: last[1] + 4 }, fitted(name, names - 8));
    return [{ slot, group: group(style, line.name, points, text) }];
  });
  // The first ones last, above all others.
  const groups = drawn.sort((one, other) => other.slot - one.slot).map((one) => one.group);
  return [svg("g", { "text-anchor": "middle" }, ...rules), ...groups];
}

/** Numbers on an axis, with names at the right where there is room.
 * @param {SVGSVGElement} place @param {Lines} read */
function numbers(place, { texts, lines }) {
  const { left, top, right, bottom, first, last, names } = NUMBERS;
  const known = lines.flatMap(({ values, ends }) => [...values, ...ends.flatMap((pair) => pair ?? [])]);
  const axis = new Axis(known, bottom, top, { gap: 48 });
  const x = (/** @type {number} */ at) =>
    texts.length > 1 ? first + ((last - first) * at) / (texts.length - 1) : (first + last) / 2;
  const { axis: title, better } = place.dataset;
  const heads = texts.flatMap((words, at) =>
    words.map((text, line) => {
      const style = line ? "place-tag" : "";
      return label(
        text,
        { class: style, "text-anchor": "middle", x: x(at), y: bottom + 20 + 16 * line },
        150,
      );
    }),
  );
  const points = lines.map(({ values }) =>
    values.map((value, at) => (Number.isNaN(value) ? null : /** @type {Point} */ ([x(at), axis.at(value)]))),
  );
  const heights = apart(lines, points);
  return [
    ...linesAcross(axis, left, right),
    svg("text", { class: "axis-title", x: 0, y: 16 }, fitted(title ?? "", right - left)),
    svg("text", { class: "better", x: right, y: 16, "text-anchor": "end" }, `better ${better}`),
    ...heads,
    ...lines.map((line, at) => {
      const y = heights.get(line);
      const text = y === undefined ? [] : [label(line.name, { x: right + 12, y: y + 4 }, names)];
      const bars = line.ends.flatMap((pair, column) =>
        pair
          ? [
              estimate(
                x(column),
                pair.map((end) => axis.at(end)),
              ),
            ]
          : [],
      );
      return group(`round-line ${line.kind}`, line.name, points[at], ...text, ...bars);
    }),
  ];
}

/** The heights of names, apart and in the order of the ends of their lines; people come first.
 * @param {Line[]} lines @param {(Point | null)[][]} points */
function apart(lines, points) {
  const ends = lines.flatMap((line, at) => {
    const end = points[at].findLast((point) => point !== null);
    return end ? [{ line, y: end[1], people: line.kind.includes("people") }] : [];
  });
  const named = [...ends.filter(({ people }) => people), ...ends.filter(({ people }) => !people)].slice(
    0,
    NAMED,
  );
  let lowest = NUMBERS.top - LEADING;
  const placed = named
    .sort((one, other) => one.y - other.y)
    .map(({ line, y }) => /** @type {const} */ ([line, (lowest = Math.max(y, lowest + LEADING))]));
  const over = Math.max(0, lowest - NUMBERS.bottom);
  return new Map(placed.map(([line, y]) => [line, y - over]));
}

/** @param {string} style @param {string} name @param {(Point | null)[]} points @param {Element[]} rest */
function group(style, name, points, ...rest) {
  const people = style.includes("people");
  const dots = points.flatMap((point) => {
    if (!point) return [];
    const [cx, cy] = point;
    if (people) return [svg("path", { class: "diamond", d: `M${cx} ${cy - 5}l5 5l-5 5l-5 -5z` })];
    return [svg("circle", { class: "dot", cx, cy, r: DOT })];
  });
  return svg(
    "g",
    { class: style },
    svg("title", {}, name),
    svg("path", { d: path(points) }),
    ...dots,
    ...rest,
  );
}

/** How sure an estimate of people is. @param {number} x @param {number[]} ends */
function estimate(x, [low, high]) {
  return svg("path", { class: "estimate", d: `M${x} ${high}V${low}M${x - 4} ${high}h8M${x - 4} ${low}h8` });
}

/** Draw the differences that a table of the page has. @param {HTMLElement} place its `data-of` is the table's id */
export function drawScoreBar(place) {
  const cells = findAll(byId(place.dataset.of ?? ""), "[data-difference]", HTMLElement);
  const parts = cells.map(({ dataset }) => Number(dataset.difference));
  const one = {
    order: Uint32Array.of(0),
    ranked: 1,
    contributions: parts.map((part) => Float64Array.of(part)),
  };
  const { origin, segments } = new Bars(one, null).of(0);
  const bar = emptyBar(cells.map(({ dataset }) => Number(dataset.colour)));
  segments.forEach((segment, at) => bar.children[at].setAttribute("points", corners(segment)));
  for (const end of ["x1", "x2"]) bar.lastElementChild?.setAttribute(end, origin.toFixed(2));
  const words = cells.map(({ dataset }, at) => `${dataset.metric} ${signed(parts[at])}`);
  bar.setAttribute("aria-label", words.join(", "));
  place.querySelector("svg")?.remove();
  place.prepend(bar);
}

/** What the picture of a chart says. @typedef {{ title: string, lines: string[], foot: string[] }} FigureWords */

/** Characters of a file's name without its ending. */
const LONGEST_NAME = 120;

/**
 * Give every chart of a page, each in a `figure`, a line that saves it. `describe` says of one what its picture says.
 * @param {string} figures selects them
 * @param {(figure: HTMLElement) => FigureWords} describe
 */
export function saveFigures(figures, describe) {
  for (const figure of findAll(document, figures, HTMLElement)) {
    figure.append(saveLine(figure, describe(figure).title, () => saved(describe(figure))));
  }
}

/** @param {FigureWords} words */
function saved(words) {
  const page = find(document, "h1", HTMLElement).textContent;
  const name = `${page} ${words.title}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  return { name: name.slice(0, LONGEST_NAME), words: { ...words, legend: [], marks: [] } };
}

drawLines();
findAll(document, ".wide-bar", HTMLElement).forEach(drawScoreBar);
// What their pictures say is written beside each of them.
saveFigures("figure[data-title]", ({ dataset }) => ({
  title: dataset.title ?? "",
  lines: [dataset.about ?? ""],
  foot: [location.href.split("#")[0] + (dataset.place ? `#${dataset.place}` : "")],
}));
