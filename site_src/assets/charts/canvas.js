// A picture that stands alone, painted on a canvas. The site's policy lets no page load a picture that it made
// itself, which is how browsers turn SVG into PNG; charts are made of a few shapes, so these are painted one by one.
import { context2d } from "./svg.js";

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
export function png(canvas) {
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
