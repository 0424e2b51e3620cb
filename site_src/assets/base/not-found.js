// Makes the links of the page for missing addresses lead somewhere. A host shows that page at any depth, and
// nothing in it says where the site begins; so this asks for a file of the site in the folders above. It
// is inline in the page itself, since its own address would be as unknown as the others.

/**
 * The folders above a page, the most likely roots of the site first.
 * @param {string} path of the page, from the host's root
 * @param {string[]} names of the site's own folders
 * @returns {string[]} paths that begin and end with a slash
 */
export function folders(path, names) {
  const parts = path.split("/").slice(1, -1);
  const above = parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}/`);
  const likely = ["/", ...above].filter((folder) => names.includes(path.slice(folder.length).split("/")[0]));
  return [...new Set([...likely.reverse(), ...above.slice(0, 1), "/", ...above])];
}

/** Whether `file`, whose name nothing else has, is in a folder. @param {string} folder @param {string} file */
async function holds(folder, file) {
  const answer = await fetch(`${folder}${file}`);
  await answer.text();
  return answer.ok;
}

/** @param {HTMLElement} links */
async function connect({ dataset }) {
  const all = folders(location.pathname, JSON.parse(dataset.names ?? "[]"));
  for (const folder of all) {
    if (all.length > 1 && !(await holds(folder, dataset.file ?? ""))) continue;
    for (const link of document.querySelectorAll("a[data-path]")) {
      link.setAttribute("href", `${folder}${link.getAttribute("data-path")}`);
    }
    return;
  }
}

const links = globalThis.document?.getElementById("site-links");
if (links) await connect(links);
