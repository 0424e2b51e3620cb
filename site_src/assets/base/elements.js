// Elements from names, attributes and children; text stays text, whatever it holds.

/** An element. Attributes that are null or false are left out; children are nodes or texts. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for SVG. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** A table in a frame that scrolls where it is too wide, also by keyboard. */
export function framed(label, className, head, ...bodies) {
  const table = element("table", { class: `plain ${className}` }, element("thead", {}, head), ...bodies);
  return element("div", { class: "table-frame", tabindex: "0", role: "group", "aria-label": label }, table);
}

/** A text in a sentence that somebody reads out, not seen. */
export function heard(text) {
  return element("span", { class: "sr" }, text);
}

/** Let a place say a text. The same text again costs nothing, and new letters in an old text are laid out
 * faster than a new text. */
export function write(place, text) {
  const [only] = place.childNodes;
  if (place.childNodes.length !== 1 || only.nodeType !== Node.TEXT_NODE) place.textContent = text;
  else if (only.data !== text) only.data = text;
}
