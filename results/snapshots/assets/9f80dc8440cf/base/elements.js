// Elements from names, attributes and children, and those that a page came with. Text stays text, whatever it
// holds.

/** @typedef {Record<string, string | number | boolean | null>} Attributes */
/** @typedef {Node | string | number | null} Child */

/**
 * A class of elements, as `HTMLInputElement` is one.
 * @template {Element} Kind
 * @typedef {{ new (): Kind, prototype: Kind, readonly name: string }} ElementClass
 */

/**
 * An element. Attributes that are null or false are left out, and so are children that are null.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/**
 * @template {Element} Kind
 * @param {Kind} node
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {Kind}
 */
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== false) node.setAttribute(key, String(value));
  }
  for (const child of children) {
    if (child !== null) node.append(typeof child === "number" ? String(child) : child);
  }
  return node;
}

/**
 * A table in a frame that scrolls where it is too wide, also by keyboard.
 * @param {string} label
 * @param {string} className
 * @param {HTMLTableRowElement} head
 * @param {HTMLTableSectionElement[]} bodies
 */
export function framed(label, className, head, ...bodies) {
  const table = element("table", { class: `plain ${className}` }, element("thead", {}, head), ...bodies);
  return element("div", { class: "table-frame", tabindex: "0", role: "group", "aria-label": label }, table);
}

/** A text that is read out and not seen. @param {string} text */
export function screenReaderText(text) {
  return element("span", { class: "sr" }, text);
}

/** A text that is cut to its first lines where it is long; it keeps its own direction. @param {string} text */
export function clamped(text, className = "clamp") {
  return element("span", { class: className, dir: "auto" }, text);
}

/**
 * Write a text into a place. The same text again costs nothing, and new letters in an old text are laid out
 * faster than a new text.
 * @param {Element} place
 * @param {string} text
 */
export function write(place, text) {
  const [only] = place.childNodes;
  if (place.childNodes.length !== 1 || !(only instanceof Text)) place.textContent = text;
  else if (only.data !== text) only.data = text;
}

/** Make these the children of an element, moving few: one that goes up or down leaves the others where they are. The one
 * with the focus gives way to none, as it would lose the focus.
 * @param {Element} body @param {Element[]} children */
export function putChildren(body, children) {
  const kept = new Set(children);
  for (const child of [...body.children]) if (!kept.has(child)) child.remove();
  let next = body.firstElementChild;
  for (const child of children) {
    if (next && next.nextElementSibling === child && !next.contains(document.activeElement)) {
      next.remove();
      next = child;
    }
    if (child === next) next = next.nextElementSibling;
    else body.insertBefore(child, next);
  }
}

// What a page came with. A script that does not find what it needs stops with an Error that names it, and
// types are checked where an element is looked up, so that nobody has to believe anything further on.

/**
 * The element with an id.
 * @overload
 * @param {string} id
 * @returns {HTMLElement}
 */
/**
 * @template {Element} Kind
 * @overload
 * @param {string} id
 * @param {ElementClass<Kind>} kind
 * @returns {Kind}
 */
/** @param {string} id @param {ElementClass<Element>} [kind] */
export function byId(id, kind = HTMLElement) {
  return typed(document.getElementById(id), `#${id}`, kind);
}

/**
 * The first element that a selector matches.
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {ElementClass<Kind>} kind
 */
export function find(root, selector, kind) {
  return typed(root.querySelector(selector), selector, kind);
}

/**
 * The first element that a selector matches; null where there is none.
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {ElementClass<Kind>} kind
 */
export function findOptional(root, selector, kind) {
  const match = root.querySelector(selector);
  return match && typed(match, selector, kind);
}

/**
 * All elements that a selector matches, in the order of the page.
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {ElementClass<Kind>} kind
 */
export function findAll(root, selector, kind) {
  return [...root.querySelectorAll(selector)].map((match) => typed(match, selector, kind));
}

/**
 * The element around the target of an event, or the target itself, that a selector matches; null without any.
 * @template {Element} Kind
 * @param {Event} event
 * @param {string} selector
 * @param {ElementClass<Kind>} kind
 */
export function closest({ target }, selector, kind) {
  const match = target instanceof Element ? target.closest(selector) : null;
  return match && typed(match, selector, kind);
}

/**
 * Which of these values a select has.
 * @template {string} Value
 * @param {HTMLSelectElement} select
 * @param {Value[]} values
 */
export function selected(select, values) {
  const value = values.find((candidate) => candidate === select.value);
  if (value === undefined) throw new Error(`#${select.id} has an unknown value: ${select.value}`);
  return value;
}

/**
 * @template {Element} Kind
 * @param {Element | null} match
 * @param {string} selector
 * @param {ElementClass<Kind>} kind
 * @returns {Kind}
 */
function typed(match, selector, kind) {
  if (match === null) throw new Error(`this page has no ${selector}`);
  if (match instanceof kind) return match;
  throw new Error(`${selector} is a ${match.constructor.name}, not a ${kind.name}`);
}

/**
 * The data in a script element of the page. What it holds is for its reader to declare.
 * @template Data
 * @param {string} id
 * @returns {Data}
 */
export function island(id) {
  return JSON.parse(byId(id).textContent);
}

/**
 * The same, of a page that may lack it: null then.
 * @template Data
 * @param {string} id
 * @returns {Data | null}
 */
export function islandIfAny(id) {
  return document.getElementById(id) ? island(id) : null;
}

/** Give the visitor what a page makes as a file. @param {string} name of the file @param {Blob} content */
export function saveAs(name, content) {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  // The browser reads the address after the click is over.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
