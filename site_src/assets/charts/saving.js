// The line at a chart that saves it, as SVG or as PNG.
import { drawn, element, find, findAll, findOptional, saveAs, screenReaderText } from "../base/elements.js";
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
  const chart = () => findOptional(place, "svg[role=img], svg[role=group]", SVGSVGElement);
  const problem = element("span", { role: "status" });
  /** @param {string} kind @param {(picture: SVGSVGElement) => Promise<Blob>} write */
  const button = (kind, write) => {
    const made = element("button", { type: "button", class: "link" }, kind, screenReaderText(` of ${title}`));
    made.addEventListener("click", async () => {
      const drawn = chart();
      problem.textContent = drawn ? "" : " There is no picture yet.";
      if (!drawn) return;
      const { name, words } = await describe();
      saveAs(`${name}.${kind.toLowerCase()}`, await write(standalone(drawn, words)));
    });
    return made;
  };
  const asSvg = async (/** @type {SVGSVGElement} */ picture) => {
    return new Blob([fileText(picture)], { type: "image/svg+xml" });
  };
  const asPng = (/** @type {SVGSVGElement} */ picture) => png(painted(picture, SCALE));
  return element(
    "p",
    { class: "save-chart small" },
    "Save this chart: ",
    button("SVG", asSvg),
    " ",
    button("PNG", asPng),
    problem,
  );
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
const TITLE = { size: 17, line: 26 };
const NARROWEST = 480;
export const MARK = "rgb(35, 82, 124)";
const INK = "#1c1f24";
const MUTED = "#5f646d";
const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

/** A picture of its own of a chart on the page, as large as it is drawn there.
 * @param {SVGSVGElement} chart @param {PictureWords} words */
function standalone(chart, words) {
  const { content, box, zoom } = inLight(chart);
  content.append(...words.marks.map(markAt));
  const [width, tall] = [Math.max(box.width * zoom, NARROWEST), box.height * zoom];
  const head = [...written(words.title, 0, width, { ...TITLE, weight: 600, fill: INK })];
  const below = words.lines.flatMap((line) => wrapped(line, width));
  const top = TITLE.line * head.length + LINE * below.length + MARGIN;
  const [x, y] = [MARGIN - box.x * zoom, MARGIN + top - box.y * zoom];
  content.setAttribute("transform", `translate(${x} ${y}) scale(${zoom})`);
  const key = legend(words.legend, MARGIN + top + tall + LINE);
  const footTop = top + tall + LINE * (words.legend.length + (words.legend.length ? 1 : 0)) + 2 * LINE;
  const foot = words.foot.flatMap((line) => wrapped(line, width));
  const height = footTop + LINE * foot.length + 2 * MARGIN;
  return page(width + 2 * MARGIN, height, words.title, [
    ...head,
    ...textLines(below, TITLE.line * head.length),
    content,
    ...key,
    ...textLines(foot, footTop),
  ]);
}

/** A picture as the text of a file. @param {SVGSVGElement} picture */
function fileText(picture) {
  const text = new XMLSerializer().serializeToString(picture);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replace(UNWRITABLE, "")}\n`;
}

/** What the page shows over a chart. @param {PictureWords["marks"][0]} mark */
function markAt({ x, y }) {
  return svg("circle", {
    cx: x,
    cy: y,
    r: 7,
    fill: inWords(MARK).colour,
    stroke: "#ffffff",
    "stroke-width": 3,
  });
}

/** @param {number} width @param {number} height @param {string} title @param {Node[]} children */
function page(width, height, title, children) {
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  return svg(
    "svg",
    { viewBox: `0 0 ${size.width} ${size.height}`, ...size, "font-family": SANS, "font-size": WRITING },
    drawn("title", {}, title),
    svg("rect", { ...size, fill: "#ffffff" }),
    ...children,
  );
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
  setStyle(made, style);
  for (const child of element.childNodes) {
    if (child instanceof Text) made.append(child.data);
    else if (child instanceof Element) made.append(...plain(child));
  }
  return [made];
}

/** @param {Element} made @param {CSSStyleDeclaration} style */
function setStyle(made, style) {
  const isGroup = made.localName === "g";
  const isText = made.localName === "text";
  for (const [name, usual] of STYLES) {
    const value = style.getPropertyValue(name);
    // A group passes its opacity on to all at once; everything else is said by what is in it.
    if (value === usual || (isGroup && name !== "opacity") || (!isText && TEXT_ONLY.includes(name))) continue;
    if (name === "fill" || name === "stroke") setColour(made, name, value);
    else made.setAttribute(name, value);
  }
}

/** The colour of a fill or a stroke in the words of every program. @param {Element} made @param {string} name
 * @param {string} value */
function setColour(made, name, value) {
  const { colour, opacity } = inWords(value);
  made.setAttribute(name, colour);
  if (opacity !== 1) made.setAttribute(`${name}-opacity`, String(opacity));
}

/** A colour as computed styles have it, or none. @param {string} value */
function inWords(value) {
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

/** Which colour stands for what, a line each. @param {PictureWords["legend"]} lines @param {number} top */
function legend(lines, top) {
  return lines.map(({ colour, hatched, text }, at) => {
    const y = top + LINE * at;
    const { colour: fill } = inWords(colour);
    const frame = { x: MARGIN, y, width: 12, height: 12, rx: 2 };
    return svg(
      "g",
      {},
      svg("rect", hatched ? { ...frame, fill: "#ffffff", stroke: MUTED } : { ...frame, fill }),
      ...(hatched ? [svg("path", { d: hatch(MARGIN, y), stroke: INK })] : []),
      svg("text", { x: MARGIN + 20, y: y + 10, fill: INK }, text),
    );
  });
}

/** @param {number} x @param {number} y */
function hatch(x, y) {
  return [3, 6, 9].map((step) => `M${x} ${y + step}h12`).join("");
}

/** @param {string[]} lines @param {number} top */
function textLines(lines, top) {
  return lines.map((line, at) => {
    return svg("text", { x: MARGIN, y: MARGIN + top + LINE * at + 12, fill: MUTED }, line);
  });
}

/**
 * A text in lines of a larger size.
 * @param {string} text @param {number} top @param {number} width
 * @param {{ size: number, line: number, weight: number, fill: string }} look
 */
function written(text, top, width, { size, line, weight, fill }) {
  return wrapped(text, (width * WRITING) / size, weight).map((part, at) => {
    const place = { x: MARGIN, y: MARGIN + top + line * at + size - 2 };
    return svg("text", { ...place, fill, "font-size": size, "font-weight": weight }, part);
  });
}

/**
 * A text in lines of so many pixels: broken between words, and within one that is longer than a line.
 * @param {string} text @param {number} width @param {number} [weight]
 */
function wrapped(text, width, weight) {
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => pieces(one, width, weight))) {
    const longer = line ? `${line} ${word}` : word;
    if (widthOf(longer, weight) <= width) line = longer;
    else {
      if (line) lines.push(line);
      line = word;
    }
  }
  return line ? [...lines, line] : lines;
}

/** A word in parts that fit a line. @param {string} word @param {number} width @param {number} [weight] */
function pieces(word, width, weight) {
  /** @type {string[]} */
  const found = [""];
  if (widthOf(word, weight) <= width) return [word];
  for (const letter of word) {
    const last = found.length - 1;
    if (widthOf(found[last] + letter, weight) <= width) found[last] += letter;
    else found.push(letter);
  }
  return found;
}

/** The colours of a list on the page, as the legend of a picture. @param {HTMLElement} list
 * @returns {PictureWords["legend"]} */
export function legendOf(list) {
  const { copy, remove } = lightCopy(list);
  const lines = findAll(copy, "li", HTMLElement).map((line) => {
    const key = find(line, ".tone", HTMLElement);
    const texts = [...line.children]
      .filter((child) => child !== key)
      .map((child) => child.textContent.trim());
    const colour = getComputedStyle(key).backgroundColor;
    return { colour, hatched: key.classList.contains("unsure"), text: texts.join("  ") };
  });
  remove();
  return lines;
}

// A picture that stands alone, painted on a canvas. The site's policy lets no page load a picture that it made
// itself, which is how browsers turn SVG into PNG; charts are made of a few shapes, so these are painted one by one.

/** What an element inherits. @typedef {{ size: number, family: string }} Writing */

/**
 * @param {SVGSVGElement} picture made by `standalone`
 * @param {number} scale pixels of the canvas for one of the picture
 */
export function painted(picture, scale) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(numberOf(picture, "width") * scale);
  canvas.height = Math.round(numberOf(picture, "height") * scale);
  const context = context2d(canvas);
  context.scale(scale, scale);
  const writing = { size: numberOf(picture, "font-size"), family: picture.getAttribute("font-family") ?? "" };
  for (const child of picture.children) paint(context, child, writing);
  return canvas;
}

/** A canvas as the content of a file. @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
function png(canvas) {
  return new Promise((resolve, reject) => {
    const made = (/** @type {Blob | null} */ blob) =>
      blob ? resolve(blob) : reject(new Error("this browser cannot write a picture of that size"));
    canvas.toBlob(made, "image/png");
  });
}

/** @param {CanvasRenderingContext2D} context @param {Element} element @param {Writing} writing */
function paint(context, element, writing) {
  context.save();
  context.globalAlpha *= numberOf(element, "opacity", 1);
  move(context, element);
  if (element.localName === "g") for (const child of element.children) paint(context, child, writing);
  else if (element.localName === "text") write(context, element, writing);
  else if (element.localName !== "title") draw(context, element);
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {Element} element */
function move(context, element) {
  const steps = (element.getAttribute("transform") ?? "").matchAll(/(translate|scale)\(([^)]*)\)/g);
  for (const [, kind, numbers] of steps) {
    const [x, y = x] = numbers.split(/[ ,]+/).map(Number);
    if (kind === "scale") context.scale(x, y);
    else context.translate(x, y);
  }
}

/** @param {CanvasRenderingContext2D} context @param {Element} element */
function draw(context, element) {
  const shape = shapeOf(element);
  fill(context, element, () => context.fill(shape));
  stroke(context, element, () => context.stroke(shape));
}

/** The outline of a shape. @param {Element} element */
function shapeOf(element) {
  const [x, y] = [numberOf(element, "x"), numberOf(element, "y")];
  const shape = new Path2D(element.getAttribute("d") ?? "");
  if (element.localName === "circle") {
    shape.arc(numberOf(element, "cx"), numberOf(element, "cy"), numberOf(element, "r"), 0, 2 * Math.PI);
  } else if (element.localName === "rect") {
    shape.roundRect(x, y, numberOf(element, "width"), numberOf(element, "height"), numberOf(element, "rx"));
  } else if (element.localName === "line") {
    shape.moveTo(numberOf(element, "x1"), numberOf(element, "y1"));
    shape.lineTo(numberOf(element, "x2"), numberOf(element, "y2"));
  }
  return shape;
}

/** @param {CanvasRenderingContext2D} context @param {Element} element @param {Writing} writing */
function write(context, element, writing) {
  const text = [...element.childNodes].map((child) => (child instanceof Text ? child.data : "")).join("");
  const [x, y] = [numberOf(element, "x"), numberOf(element, "y")];
  const weight = element.getAttribute("font-weight") ?? "400";
  const family = element.getAttribute("font-family") ?? writing.family;
  context.font = `${weight} ${numberOf(element, "font-size", writing.size)}px ${family}`;
  context.textAlign = aligned(element.getAttribute("text-anchor"));
  // A halo lies under the letters.
  stroke(context, element, () => context.strokeText(text, x, y));
  fill(context, element, () => context.fillText(text, x, y));
}

/** @param {string | null} anchor @returns {CanvasTextAlign} */
function aligned(anchor) {
  if (anchor === "middle") return "center";
  return anchor === "end" ? "right" : "left";
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
