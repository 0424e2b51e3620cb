// The samples in the worker's Python: fetched files go in once, questions after that.
import { Engine } from "./engine.js";

export class Samples {
  /** `ready` resolves when Python can be asked and rejects when it cannot; see `Engine`. */
  constructor(urls, data) {
    this.predictions = urls.predictions;
    this.data = data;
    this.engine = new Engine(urls);
    this.ready = this.engine.ready;
    this.files = new Map();
    this.held = new Set();
  }

  /** The examples' record: {ids, labels, gold}. */
  examples() {
    return this.file(this.data.examples).then(JSON.parse);
  }

  /** Make Python hold the answers of these models, beside those it holds. Returns whether any were new. */
  async hold(models) {
    const missing = models.filter((model) => !this.held.has(model));
    if (!missing.length) return false;
    const wanted = this.data.models.filter(({ id }) => this.held.has(id) || missing.includes(id));
    await this.open(wanted);
    for (const { id } of wanted) this.held.add(id);
    if (this.own) await this.call("add_json", this.own, "own_predictions");
    return true;
  }

  async open(models) {
    const sources = this.data.sources.filter(({ file }) => file);
    const [examples, difficulties, answers] = await Promise.all([
      this.file(this.data.examples),
      this.all(sources),
      this.all(models),
    ]);
    // The files are JSON already, and only Python reads what is in them.
    const said = models.map(({ id }, at) => `${JSON.stringify(id)}:${answers[at]}`);
    const labels = JSON.stringify(Object.fromEntries(models.map(({ id, label }) => [id, label])));
    const text = `{"examples":${examples},"difficulties":[${difficulties}],"predictions":{${said}},"labels":${labels}}`;
    await this.engine.ask("open", { name: "open_samples", text });
  }

  all(items) {
    return Promise.all(items.map(({ file }) => this.file(file)));
  }

  /** The text of a published file. Throws an Error with a message for people. */
  file(name) {
    if (!this.files.has(name)) {
      const text = fetchedText(this.predictions + name);
      text.catch(() => this.files.delete(name));
      this.files.set(name, text);
    }
    return this.files.get(name);
  }

  answer(question) {
    return this.call("answer_json", question);
  }

  /** What drawings show of each sample. */
  points(question) {
    return this.call("points_json", question);
  }

  /** How far each number may be chance. */
  noise(question) {
    return this.call("noise_json", { question });
  }

  /** Take a visitor's own answers, the text of a file, as those of a model. */
  async add(own) {
    const said = await this.call("add_json", own, "own_predictions");
    this.own = own;
    return said;
  }

  async remove({ model }) {
    this.own = null;
    await this.call("remove_json", { model });
  }

  async call(name, details, module = "difficulty") {
    return JSON.parse(await this.engine.ask("call", { module, name, text: JSON.stringify(details) }));
  }
}

async function fetchedText(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.text();
}
