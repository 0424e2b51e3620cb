// The page of a snapshot. It keeps no number twice, so the data that a board's page contains is put together here
// from the snapshot's own record; then the scripts of every board take over.
import { byId, element, find, findAll, island } from "../base/elements.js";
import { MISSING, moment, reasonOf } from "../base/formats.js";
import { text } from "../base/texts.js";
import { shortened } from "../base/models.js";
import { showMessage, showState } from "./page.js";

/** @import { BoardData, CellsData, ModelData, RateData, RankingData, ScorerUrls } from "../../types" */

/**
 * The island `snapshot-data`: addresses, the provenance of most models, and means over
 * datasets where these are not the cells themselves.
 * @typedef {object} SnapshotData
 * @property {string} id
 * @property {string} board
 * @property {string} created
 * @property {string} controls
 * @property {string} scorer
 * @property {ModelData["provenance"]} provenance
 * @property {RankingData["values"] | null} values
 * @property {RankingData["idle"]} idle
 */

/** Where the site keeps Python, and what is to be known of it; see `ScorerUrls`.
 * @typedef {Pick<ScorerUrls, "runtime" | "size" | "bytes" | "lean">} Runtime */
/** Facts of a model that the record does not have; a provenance if it is not the usual one.
 * @typedef {Omit<ModelData, "id" | "label" | "provenance"> & Partial<Pick<ModelData, "provenance">>} Facts */
/** @typedef {Omit<BoardData, "models"> & { models: Facts[] }} SmallBoardData */

/**
 * What is used of ``snapshot.json``; see `Snapshot` in evaluator/records.
 * @typedef {object} SnapshotRecord
 * @property {CellsData & { models: string[], datasets: string[], metrics: { name: string }[], labels: { models?: Record<string, string> } }} data
 * @property {RecordedRanking} ranking
 */

/**
 * @typedef {object} RecordedRanking
 * @property {Record<string, Partial<RateData> & Pick<RateData, "pairs" | "skipped">>} exchange_rates
 * @property {RankingData["ranks"]} ranks
 * @property {RankingData["scores"]} scores
 * @property {RankingData["z_scores"]} z_scores
 * @property {Record<string, (number | null)[]>} contributions
 * @property {string[]} notes
 */

/** What ``versions.json`` lists. @typedef {{ id: string, board: string, created: string }} Version */

/** @type {SnapshotData} */
const about = island("snapshot-data");
/** @type {SmallBoardData} */
const data = island("board-data");

async function start() {
  tellNewer();
  // What it imports comes beside the record, not after it.
  const page = boardPage();
  page.catch(() => {});
  try {
    const coming = Promise.all([
      /** @type {Promise<SnapshotRecord>} */ (fetchedJson("snapshot.json")),
      fetched(about.controls).then((response) => response.text()),
    ]);
    // Where Python is not found, that is said first.
    coming.catch(() => {});
    const home = `../../${about.board}/`;
    add("board-urls", { scorer: about.scorer, home, frozen: true, ...(await currentRuntime()) });
    await classic("../scorer/start.js");
    const [record, controls] = await coming;
    const models = whole(record);
    place(new DOMParser().parseFromString(controls, "text/html"), models);
    fillIslands(record, models);
    const BoardPage = await page;
    new BoardPage().start();
  } catch (error) {
    showState("missing");
    showMessage("problem", text("frozen.failed", { reason: reasonOf(error) }));
  }
}

async function boardPage() {
  const { BoardPage } = await import("./board-page.js");
  return BoardPage;
}

/** @param {string} address */
async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response;
}

/** @param {string} address @returns {Promise<unknown>} */
async function fetchedJson(address) {
  return (await fetched(address)).json();
}

/** Run a script that is no module: it starts Python while the rest is fetched. @param {string} name */
function classic(name) {
  const script = element("script", { src: new URL(name, import.meta.url).href });
  const done = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(text("frozen.unloaded", { name })));
  });
  document.head.append(script);
  return done;
}

/** Where the site keeps Python at present: all snapshots share it, whenever they were made. */
async function currentRuntime() {
  const { first, ...current } = /** @type {Runtime & { first?: Omit<Runtime, "runtime"> }} */ (
    await fetchedJson("../../runtime/current.json")
  );
  if (!/^runtime\/[0-9a-f]+\/$/.test(current.runtime)) {
    throw new Error("../../runtime/current.json does not say where Python is");
  }
  return { ...current, ...first, runtime: `../../${current.runtime}` };
}

/** Show a note that the board has been frozen again since. */
async function tellNewer() {
  const newer = (await versions()).filter(
    ({ board, created }) => board === about.board && created > about.created,
  );
  const last = newer.at(-1);
  if (!last || !/^[0-9A-Za-z-]+$/.test(last.id)) return;
  const place = byId("newer");
  const link = find(place, "a", HTMLAnchorElement);
  link.href = `../${last.id}/`;
  link.textContent = moment(last.created);
  find(place, ".several", HTMLElement).hidden = newer.length === 1;
  find(place, ".count", HTMLElement).textContent = String(newer.length);
  place.hidden = false;
}

/** All snapshots of the site; none where their list cannot be fetched. @returns {Promise<Version[]>} */
async function versions() {
  try {
    const list = /** @type {{ snapshots: Version[] }} */ (await fetchedJson("../versions.json"));
    return list.snapshots;
  } catch {
    return [];
  }
}

/** The models of the page, with the names that the record has.
 * @param {SnapshotRecord} record @returns {ModelData[]} */
function whole({ data: cells }) {
  return data.models.map((model, index) => {
    const id = cells.models[index];
    return { id, label: cells.labels.models?.[id] ?? id, provenance: about.provenance, ...model };
  });
}

/** Put the parts that only a script uses in their places, and make whole rows of the small ones.
 * @param {Document} controls @param {ModelData[]} models */
function place(controls, models) {
  for (const part of findAll(controls, "template[data-place]", HTMLTemplateElement)) {
    byId(part.dataset.place ?? "").replaceWith(document.importNode(part.content, true));
  }
  const template = find(controls, "#row", HTMLTemplateElement);
  const blank = find(template.content, "tr", HTMLTableRowElement);
  const known = new Map(models.map((model) => [model.id, model]));
  for (const line of findAll(document, "#rows > tr", HTMLTableRowElement)) {
    const model = known.get(line.dataset.model ?? "");
    if (model) line.replaceWith(fullRow(blank, line, model));
  }
  find(document, ".kept", HTMLElement).className = "ranks";
}

/** A whole row with what the small one says.
 * @param {HTMLTableRowElement} blank @param {HTMLTableRowElement} line @param {ModelData} model */
function fullRow(blank, line, model) {
  const row = rowOf(blank, model);
  // The numbers stand there until the scripts of every board write them.
  const [rank, , score, ...values] = line.cells;
  const place = rank.firstChild?.textContent ?? "";
  find(row, ".place", HTMLElement).textContent = place;
  row.classList.toggle("unranked", place === MISSING);
  find(row, ".score > .num", HTMLElement).textContent = score.textContent;
  findAll(row, "td.metric .num", HTMLElement).forEach((number, at) =>
    number.replaceChildren(...values[at].childNodes),
  );
  const origin = find(row, ".origin", HTMLElement);
  origin.append(...find(line, "small", HTMLElement).childNodes);
  const reasons = findAll(line, "em", HTMLElement);
  origin.after(...reasons.map(({ className, textContent }) => remark(textContent, className)));
  return row;
}

/** The islands of a board's page, see ``generator/pages/board.py``.
 * @param {SnapshotRecord} record @param {ModelData[]} models */
function fillIslands({ data: cells, ranking }, models) {
  const names = data.metrics.map(({ name }) => name);
  const metrics = cells.metrics.filter(({ name }) => names.includes(name));
  const values = Object.entries(cells.values).map(([id, columns]) => [id, picked(columns, names)]);
  add("board-cells", { ...cells, metrics, values: Object.fromEntries(values) });
  byId("board-data").textContent = JSON.stringify({ ...data, models });
  add("board-ranking", {
    by: data.by,
    order: orderOfRows(models),
    ranks: ranking.ranks,
    scores: ranking.scores,
    z_scores: ranking.z_scores,
    contributions: names.map((name) => contributionsOf(ranking, name)),
    values: about.values ?? names.map((name) => cells.values[cells.datasets[0]][name]),
    rates: ratesOf(ranking, names),
    notes: ranking.notes,
    idle: about.idle,
  });
}

/** The models' positions in the order of the page's rows. @param {ModelData[]} models */
function orderOfRows(models) {
  const places = new Map(models.map(({ id }, index) => [id, index]));
  return findAll(document, "#rows > tr", HTMLTableRowElement).map((row) =>
    places.get(row.dataset.model ?? ""),
  );
}

/** What a metric adds to each score: nothing where it has no weight. @param {RecordedRanking} ranking @param {string} name */
function contributionsOf({ contributions, ranks }, name) {
  return contributions[name] ?? ranks.map((rank) => (rank === null ? null : 0));
}

/** The rates of the metrics that are shown, with the fields that a record leaves out.
 * @param {RecordedRanking} ranking @param {string[]} names */
function ratesOf({ exchange_rates: rates }, names) {
  const unknown = { rate: null, largest_share: null, largest_pair: null, note: null };
  const shown = Object.entries(rates).filter(([name]) => names.includes(name));
  return Object.fromEntries(shown.map(([name, rate]) => [name, { ...unknown, ...rate }]));
}

/** @template Column @param {Record<string, Column>} columns @param {string[]} names */
function picked(columns, names) {
  return Object.fromEntries(names.map((name) => [name, columns[name]]));
}

/** @param {string} id @param {unknown} content */
function add(id, content) {
  document.body.append(element("script", { type: "application/json", id }, JSON.stringify(content)));
}

/** Longer names have their whole text as a title, too. */
const LONG = 20;

/** A new row with a model's name on all that names it. @param {HTMLTableRowElement} blank @param {ModelData} model */
function rowOf(blank, { id, label, provenance }, page = null) {
  const row = document.importNode(blank, true);
  const name = shortened(label);
  row.dataset.model = id;
  for (const control of findAll(row, "[aria-label]", HTMLElement)) {
    control.ariaLabel = (control.ariaLabel ?? "").replace("{name}", () => name);
  }
  const link = find(row, ".model > :is(a, .name)", HTMLElement);
  link.textContent = label;
  if (page) link.setAttribute("href", page);
  if (page && [...label].length > LONG) link.title = label;
  find(row, ".mark", HTMLElement).className = `mark mark-${provenance}`;
  return row;
}

/** A remark under a model's name. @param {string} words @param {string} [className] */
function remark(words, className = "") {
  return element("span", { class: `reason ${className}`.trim(), dir: "auto" }, words);
}

start();
