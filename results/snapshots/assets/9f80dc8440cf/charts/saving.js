// The line at a chart that saves it, as SVG or as PNG.
import { drawn, element, find, findAll, findOptional, saveAs, screenReaderText } from "../base/elements.js";
import { text } from "../base/texts.js";
import { context2d, svg, widthOf, WRITING } from "./svg.js";

/** @import { PictureWords } from "../../types" */
/** Pixels of a PNG for one of the page. */
const SCALE = 2;

/** What is saved of a chart: the name of the file without its ending, and what the picture says.
 * @typedef {{ name: string, words: PictureWords }} Saved */

/**
 * A line that saves the picture in `place`; `describe` is asked at that moment.
 * @param {HTMLElement} place
 * @param {string} title of the chart, for those who hear the line alone
 * @param {() => Saved | Promise<Saved>} describe
 */
export function saveLine(place, title, describe) {
  const problem = element("span", { role: "status" });
  /** @param {string} kind @param {(picture: SVGSVGElement) => Blob | Promise<Blob>} write */
  const button = (kind, write) => {
    const rest = screenReaderText(` ${text("saving.of", { title })}`);
    const made = element("button", { type: "button", class: "link" }, kind, rest);
    made.addEventListener("click", async () => {
      const chart = findOptional(place, "svg[role=img], svg[role=group]", SVGSVGElement);
      problem.textContent = chart ? "" : ` ${text("saving.nothing")}`;
      if (!chart) return;
      const { name, words } = await describe();
      saveAs(`${name}.${kind.toLowerCase()}`, await write(standalone(chart, words)));
    });
    return made;
  };
  const asSvg = button("SVG", (picture) => new Blob([fileText(picture)], { type: "image/svg+xml" }));
  const asPng = button("PNG", (picture) => png(painted(picture)));
  return element("p", { class: "save-chart small" }, `${text("saving.save")} `, asSvg, " ", asPng, problem);
}

// A chart as a picture that stands alone: what styles say is written into it, in light colours on white, with a
// heading over it and what it shows under it.

/** What a picture is made of; anything else, such as a link, stays behind. */
const KEPT = "g, path, circle, rect, line, text, title";
/** Attributes that say where something is. */
const GEOMETRY = "x y dx dy cx cy r rx ry x1 y1 x2 y2 width height d transform".split(" ");
/** What is taken from styles, with the value that needs no words. @type {[string, string][]} */
const STYLES = [
  ["fill", "rgb(0, 0, 0)"],
  ["stroke", "none"],
  ["stroke-width", "1px"],
  ["stroke-dasharray", "none"],
  ["stroke-linecap", "butt"],
  ["stroke-linejoin", "miter"],
  ["opacity", "1"],
  ["paint-order", "normal"],
  ["text-anchor", "start"],
  ["font-family", ""],
  ["font-size", ""],
  ["font-weight", "400"],
];
const TEXT_ONLY = ["text-anchor", "font-family", "font-size", "font-weight"];
// Control characters, which no XML file may hold.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** A computed colour: rgb(0, 0, 0), rgba(0, 0, 0, 0.5), and color(srgb 0 0 0 / 0.5) of what is mixed. */
const COLOUR = /^(rgba?|color)\((?:srgb )?([^)]+)\)$/;
const MARGIN = 20;
/** A line of writing, and the heading's, in pixels. */
const LINE = 18;
const TITLE = { size: 17, line: 26, weight: 600 };
const NARROWEST = 480;
export const MARK = "rgb(35, 82, 124)";
const INK = "#1c1f24";
const MUTED = "#5f646d";
const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

/** A picture of its own of a chart on the page, as large as it is drawn there.
 * @param {SVGSVGElement} chart @param {PictureWords} words */
function standalone(chart, { title, lines, legend, marks, foot }) {
  const { content, box, zoom } = inLight(chart);
  const knob = { r: 7, fill: plainColour(MARK).colour, stroke: "#ffffff", "stroke-width": 3 };
  content.append(...marks.map(({ x, y }) => svg("circle", { cx: x, cy: y, ...knob })));
  const [width, tall] = [Math.max(box.width * zoom, NARROWEST), box.height * zoom];
  const head = wrapped(title, (width * WRITING) / TITLE.size, TITLE.weight);
  const below = lines.flatMap((line) => wrapped(line, width));
  const last = foot.flatMap((line) => wrapped(line, width));
  const top = TITLE.line * head.length + LINE * below.length + MARGIN;
  const keys = top + tall + LINE;
  const footTop = keys + LINE * (legend.length ? legend.length + 2 : 1);
  const [x, y] = [MARGIN - box.x * zoom, MARGIN + top - box.y * zoom];
  content.setAttribute("transform", `translate(${x} ${y}) scale(${zoom})`);
  const size = {
    width: Math.ceil(width + 2 * MARGIN),
    height: Math.ceil(footTop + LINE * last.length + 2 * MARGIN),
  };
  const heading = { x: MARGIN, fill: INK, "font-size": TITLE.size, "font-weight": TITLE.weight };
  const written = (/** @type {string[]} */ texts, /** @type {number} */ from) =>
    texts.map((line, at) => svg("text", { x: MARGIN, y: MARGIN + from + LINE * at + 12, fill: MUTED }, line));
  return svg(
    "svg",
    { viewBox: `0 0 ${size.width} ${size.height}`, ...size, "font-family": SANS, "font-size": WRITING },
    drawn("title", {}, title),
    svg("rect", { ...size, fill: "#ffffff" }),
    ...head.map((line, at) =>
      svg("text", { ...heading, y: MARGIN + TITLE.line * at + TITLE.size - 2 }, line),
    ),
    ...written(below, TITLE.line * head.length),
    content,
    ...legend.map((line, at) => legendLine(line, MARGIN + keys + LINE * at)),
    ...written(last, footTop),
  );
}

/** A picture as the text of a file. @param {SVGSVGElement} picture */
function fileText(picture) {
  const written = new XMLSerializer().serializeToString(picture);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${written.replace(UNWRITABLE, "")}\n`;
}

/** The content of a chart with its styles written into it, the box that it fills, and how much larger than in its own
 * units the page shows it. @param {SVGSVGElement} chart */
function inLight(chart) {
  const zoom = Math.max(1, chart.getBoundingClientRect().width / chart.viewBox.baseVal.width);
  const { copy, remove } = lightCopy(chart);
  const { x, y, width, height } = copy.viewBox.baseVal;
  const filled = copy.getBBox();
  const left = Math.min(x, filled.x);
  const upper = Math.min(y, filled.y);
  const right = Math.max(x + width, filled.x + filled.width);
  const lower = Math.max(y + height, filled.y + filled.height);
  const content = svg("g", {}, ...[...copy.children].flatMap(plain));
  remove();
  return { content, zoom, box: { x: left, y: upper, width: right - left, height: lower - upper } };
}

/**
 * A copy beside an element, where the same styles hold, in light colours. Nothing is painted if it is removed at once.
 * @template {HTMLElement | SVGSVGElement} Kind
 * @param {Kind} element
 */
function lightCopy(element) {
  const copy = /** @type {Kind} */ (element.cloneNode(true));
  const place = document.createElement("div");
  place.className = "light-picture";
  place.append(copy);
  element.after(place);
  return { copy, remove: () => place.remove() };
}

/** An element without anything that is not in the file, and what is in it; nothing for what nobody sees.
 * @param {Element} element @returns {Element[]} */
function plain(element) {
  if (!element.matches(KEPT)) return [];
  if (element.localName === "title") return [drawn("title", {}, element.textContent)];
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return [];
  const made = document.createElementNS(element.namespaceURI, element.localName);
  for (const name of GEOMETRY) {
    const value = element.getAttribute(name);
    if (value !== null) made.setAttribute(name, value);
  }
  const isGroup = made.localName === "g";
  for (const [name, usual] of STYLES) {
    const value = style.getPropertyValue(name);
    // A group passes its opacity on to all at once; everything else is said by what is in it.
    if (value === usual || (isGroup && name !== "opacity")) continue;
    if (made.localName !== "text" && TEXT_ONLY.includes(name)) continue;
    const isColour = name === "fill" || name === "stroke";
    const { colour, opacity } = isColour ? plainColour(value) : { colour: value, opacity: 1 };
    made.setAttribute(name, colour);
    if (opacity !== 1) made.setAttribute(`${name}-opacity`, String(opacity));
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) made.append(child.data);
    else if (child instanceof Element) made.append(...plain(child));
  }
  return [made];
}

/** A colour as computed styles have it, or none, as every program reads it. @param {string} value */
function plainColour(value) {
  if (value === "none") return { colour: value, opacity: 1 };
  const [, kind, list] = COLOUR.exec(value) ?? [];
  if (!list) throw new Error(`${value} is no colour that a picture can have`);
  const [red, green, blue, opacity = 1] = list.split(/[ ,/]+/).map((part) => Number(part) || 0);
  const full = kind === "color" ? 255 : 1;
  const hex = [red, green, blue].map((part) =>
    Math.round(part * full)
      .toString(16)
      .padStart(2, "0"),
  );
  return { colour: `#${hex.join("")}`, opacity };
}

/** Which colour stands for what. @param {PictureWords["legend"][number]} line @param {number} y */
function legendLine({ colour, hatched, text: words }, y) {
  const frame = { x: MARGIN, y, width: 12, height: 12, rx: 2 };
  const lines = [3, 6, 9].map((step) => `M${MARGIN} ${y + step}h12`).join("");
  return svg(
    "g",
    {},
    svg(
      "rect",
      hatched ? { ...frame, fill: "#ffffff", stroke: MUTED } : { ...frame, fill: plainColour(colour).colour },
    ),
    ...(hatched ? [svg("path", { d: lines, stroke: INK })] : []),
    svg("text", { x: MARGIN + 20, y: y + 10, fill: INK }, words),
  );
}

/** A text in lines of so many pixels: broken between words, and within one that is longer than a line.
 * @param {string} words @param {number} width @param {number} [weight] */
function wrapped(words, width, weight) {
  const fits = (/** @type {string} */ line) => widthOf(line, weight) <= width;
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of words.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = "";
    for (const letter of word) {
      if (!fits(line + letter) && line) {
        lines.push(line);
        line = "";
      }
      line += letter;
    }
  }
  return line ? [...lines, line] : lines;
}

/** The colours of a list on the page, as the legend of a picture. @param {HTMLElement} list
 * @returns {PictureWords["legend"]} */
export function legendOf(list) {
  const { copy, remove } = lightCopy(list);
  const lines = findAll(copy, "li", HTMLElement).map((line) => {
    const key = find(line, ".tone", HTMLElement);
    const others = [...line.children].filter((child) => child !== key);
    const colour = getComputedStyle(key).backgroundColor;
    const words = others.map((child) => child.textContent.trim()).join("  ");
    return { colour, hatched: key.classList.contains("unsure"), text: words };
  });
  remove();
  return lines;
}

// A picture that stands alone, painted on a canvas. The site's policy lets no page load a picture that it made
// itself, which is how browsers turn SVG into PNG; charts are made of a few shapes, so these are painted one by one.

/** @param {SVGSVGElement} picture made by `standalone` */
function painted(picture) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(numberOf(picture, "width") * SCALE);
  canvas.height = Math.round(numberOf(picture, "height") * SCALE);
  const context = context2d(canvas);
  context.scale(SCALE, SCALE);
  const writing = { size: numberOf(picture, "font-size"), family: picture.getAttribute("font-family") ?? "" };
  for (const child of picture.children) paint(context, child, writing);
  return canvas;
}

/** A canvas as the content of a file. @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
function png(canvas) {
  return new Promise((resolve, reject) => {
    const made = (/** @type {Blob | null} */ blob) =>
      blob ? resolve(blob) : reject(new Error(text("saving.too-large")));
    canvas.toBlob(made, "image/png");
  });
}

/** @param {CanvasRenderingContext2D} context @param {Element} element
 * @param {{ size: number, family: string }} writing what texts inherit */
function paint(context, element, writing) {
  context.save();
  context.globalAlpha *= numberOf(element, "opacity", 1);
  const moves = (element.getAttribute("transform") ?? "").matchAll(/(translate|scale)\(([^)]*)\)/g);
  for (const [, kind, numbers] of moves) {
    const [x, y = x] = numbers.split(/[ ,]+/).map(Number);
    if (kind === "scale") context.scale(x, y);
    else context.translate(x, y);
  }
  if (element.localName === "g") for (const child of element.children) paint(context, child, writing);
  else if (element.localName === "text") paintText(context, element, writing);
  else if (element.localName !== "title") {
    const shape = shapeOf(element);
    fill(context, element, () => context.fill(shape));
    stroke(context, element, () => context.stroke(shape));
  }
  context.restore();
}

/** The outline of a shape. @param {Element} element */
function shapeOf(element) {
  const at = (/** @type {string} */ name) => numberOf(element, name);
  const shape = new Path2D(element.getAttribute("d") ?? "");
  if (element.localName === "circle") shape.arc(at("cx"), at("cy"), at("r"), 0, 2 * Math.PI);
  if (element.localName === "rect") shape.roundRect(at("x"), at("y"), at("width"), at("height"), at("rx"));
  if (element.localName === "line") {
    shape.moveTo(at("x1"), at("y1"));
    shape.lineTo(at("x2"), at("y2"));
  }
  return shape;
}

/** @type {Record<string, CanvasTextAlign>} */
const ALIGNED = { start: "left", middle: "center", end: "right" };

/** @param {CanvasRenderingContext2D} context @param {Element} element @param {{ size: number, family: string }} writing */
function paintText(context, element, writing) {
  const words = [...element.childNodes].map((child) => (child instanceof Text ? child.data : "")).join("");
  const [x, y] = [numberOf(element, "x"), numberOf(element, "y")];
  const weight = element.getAttribute("font-weight") ?? "400";
  const family = element.getAttribute("font-family") ?? writing.family;
  context.font = `${weight} ${numberOf(element, "font-size", writing.size)}px ${family}`;
  context.textAlign = ALIGNED[element.getAttribute("text-anchor") ?? "start"];
  // A halo lies under the letters.
  stroke(context, element, () => context.strokeText(words, x, y));
  fill(context, element, () => context.fillText(words, x, y));
}

/** @param {CanvasRenderingContext2D} context @param {Element} element @param {() => void} paintIt */
function fill(context, element, paintIt) {
  const colour = element.getAttribute("fill") ?? "#000000";
  if (colour === "none") return;
  context.fillStyle = colour;
  atOpacity(context, numberOf(element, "fill-opacity", 1), paintIt);
}

/** @param {CanvasRenderingContext2D} context @param {Element} element @param {() => void} paintIt */
function stroke(context, element, paintIt) {
  const colour = element.getAttribute("stroke") ?? "none";
  const width = numberOf(element, "stroke-width", 1);
  if (colour === "none" || !width) return;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineCap = /** @type {CanvasLineCap} */ (element.getAttribute("stroke-linecap") ?? "butt");
  context.lineJoin = /** @type {CanvasLineJoin} */ (element.getAttribute("stroke-linejoin") ?? "miter");
  context.miterLimit = 4;
  context.setLineDash((element.getAttribute("stroke-dasharray") ?? "").match(/[\d.]+/g)?.map(Number) ?? []);
  atOpacity(context, numberOf(element, "stroke-opacity", 1), paintIt);
}

/** @param {CanvasRenderingContext2D} context @param {number} opacity @param {() => void} paintIt */
function atOpacity(context, opacity, paintIt) {
  const before = context.globalAlpha;
  context.globalAlpha = before * opacity;
  paintIt();
  context.globalAlpha = before;
}

/** A length, with or without its unit. @param {Element} element @param {string} name @param {number} [usual] */
function numberOf(element, name, usual = 0) {
  const value = parseFloat(element.getAttribute(name) ?? "");
  return Number.isFinite(value) ? value : usual;
}
