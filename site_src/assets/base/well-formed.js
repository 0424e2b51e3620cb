/** What a file can hold of a text: half of a pair of surrogates is no character. @param {string} text */
export function wellFormed(text) {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
