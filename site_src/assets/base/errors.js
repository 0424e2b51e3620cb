// What was thrown, in words.

/** The message of what was thrown. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}
