// Published files in one folder of the site, each fetched once.

export class Files {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    /** Texts by name. @type {Map<string, Promise<string>>} */
    this.known = new Map();
  }

  /** A file's text. Throws an Error with a message for people. @param {string} name */
  text(name) {
    const known = this.known.get(name);
    if (known) return known;
    const text = fetched(this.folder + name);
    // What could not be fetched is asked for again.
    text.catch(() => this.known.delete(name));
    this.known.set(name, text);
    return text;
  }

  /** What a file of JSON holds. @template Data @param {string} name @returns {Promise<Data>} */
  async json(name) {
    return JSON.parse(await this.text(name));
  }
}

/** @param {string} address */
async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.text();
}
