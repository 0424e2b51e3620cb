// The files that a board in one file holds, deflated and in base 64, for scripts that would fetch them from a server.

/** What browsers want to be told of a file, by its ending. @type {Record<string, string>} */
const TYPES = { mjs: "text/javascript", wasm: "application/wasm" };

/** The file that an address names last, as if it had been fetched.
 * @param {Record<string, string>} files by name @param {string} address */
export function fileAt(files, address) {
  const name = address.split("/").at(-1) ?? "";
  if (!Object.hasOwn(files, name)) return new Response(null, { status: 404 });
  const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  const bytes = new Blob([bytesOf(files[name])]).stream();
  return new Response(bytes.pipeThrough(new DecompressionStream("deflate")), {
    headers: { "content-type": type },
  });
}

/** @param {string} text in base 64 */
function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
