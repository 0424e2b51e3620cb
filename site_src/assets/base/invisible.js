// The one rule for characters that nobody sees: the same as evaluator/records/invisible.py, which says what it is.
export const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

/**
 * A text on one line, with one space in place of every run of spaces and invisible characters.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(INVISIBLE, " ").replace(/\s+/gu, " ").trim();
}
