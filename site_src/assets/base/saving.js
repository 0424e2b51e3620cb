// What a page makes, as a file of the visitor's.
import { element } from "./elements.js";

/**
 * @param {string} name of the file
 * @param {Blob} content
 */
export function saveAs(name, content) {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  // The browser reads the address after the click is over.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
