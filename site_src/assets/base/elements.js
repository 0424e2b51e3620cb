// Elements from names, attributes and children; text stays text, whatever it holds.

/** @typedef {Record<string, string | number | boolean | null>} Attributes */

/**
 * An element. Attributes that are null or false are left out; children are nodes or texts.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {(Node | string | null)[]} children
 */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {(Node | string | null)[]} children
 */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/**
 * @template {Element} Kind
 * @param {Kind} node @param {Attributes} attributes @param {(Node | string | null)[]} children
 */
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== false) node.setAttribute(key, String(value));
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

/** The element of a page that has this id. @param {string} id */
export function byId(id) {
  const place = document.getElementById(id);
  if (!place) throw new Error(`the page has no element “${id}”`);
  return place;
}

/**
 * The first element within another that a selector finds.
 * @template {Element} Kind
 * @param {ParentNode} root @param {string} selector @param {new () => Kind} Class
 */
export function find(root, selector, Class) {
  const place = root.querySelector(selector);
  if (!(place instanceof Class)) throw new Error(`there is no ${Class.name} “${selector}”`);
  return place;
}
