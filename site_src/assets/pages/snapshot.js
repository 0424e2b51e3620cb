// The page of a snapshot. It keeps no number twice, so what a board's page is born with is put together here
// from the snapshot's own record; then the scripts of every board take over.
import { element } from "../base/elements.js";
import { shortened } from "../base/models.js";

const about = island("snapshot-data");
const data = island("board-data");

function island(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

async function start() {
  tellNewer();
  try {
    add("board-urls", { scorer: about.scorer, runtime: await currentRuntime() });
    await classic("../scorer/start.js");
    const [record, controls] = await Promise.all([
      fetched("snapshot.json", "json"),
      fetched(about.controls, "text"),
    ]);
    const models = whole(record);
    place(new DOMParser().parseFromString(controls, "text/html"), models);
    fillIslands(record, models);
    await import("./board.js");
  } catch (error) {
    unavailable(error.message);
  }
}

async function fetched(address, kind) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response[kind]();
}

/** Run a script that is no module: it hires Python while the rest is fetched. */
function classic(name) {
  const script = element("script", { src: new URL(name, import.meta.url).href });
  const done = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${name} could not be loaded`));
  });
  document.head.append(script);
  return done;
}

/** Where the site keeps Python at present: all snapshots share it, whenever they were made. */
async function currentRuntime() {
  const { runtime } = await fetched("../../runtime/current.json", "json");
  if (!/^runtime\/[0-9a-f]+\/$/.test(runtime)) {
    throw new Error("../../runtime/current.json does not say where Python is");
  }
  return `../../${runtime}`;
}

/** Say, quietly, that the board has been frozen again since. */
async function tellNewer() {
  const { snapshots } = await fetched("../versions.json", "json").catch(() => ({ snapshots: [] }));
  const newer = snapshots.filter(({ board, created }) => board === about.board && created > about.created);
  const last = newer.at(-1);
  if (!last || !/^[0-9A-Za-z-]+$/.test(last.id)) return;
  const link = element(
    "a",
    { href: `../${last.id}/` },
    `${last.created.slice(0, 10)} ${last.created.slice(11, 16)} UTC`,
  );
  const more = newer.length > 1 ? `, the newest of ${newer.length} made since` : "";
  const place = document.getElementById("newer");
  place.replaceChildren(
    "There is a newer snapshot of this board, of ",
    link,
    `${more}. This one stays as it is.`,
  );
  place.hidden = false;
}

/** The models of the page, with the names that the record has. */
function whole({ data: cells }) {
  return data.models.map((model, index) => {
    const id = cells.models[index];
    return { id, label: cells.labels.models?.[id] ?? id, ...model };
  });
}

/** Put the parts that only a script has a use for in their places, and make whole rows of the small ones. */
function place(controls, models) {
  for (const part of controls.querySelectorAll("template[data-place]")) {
    document.getElementById(part.dataset.place).replaceWith(document.importNode(part.content, true));
  }
  const blank = controls.getElementById("row").content.querySelector("tr");
  const byId = new Map(models.map((model) => [model.id, model]));
  for (const line of [...document.querySelectorAll("#rows > tr")]) {
    line.replaceWith(grown(document.importNode(blank, true), line, byId.get(line.dataset.model)));
  }
  document.querySelector(".kept").className = "ranks";
}

/** A whole row with what the small one says; numbers and bars are the table's to write. */
function grown(row, line, { id, label, provenance }) {
  row.dataset.model = id;
  const name = shortened(label);
  const says = {
    ".choose input": `Compare ${name}`,
    ".pin": `Pin ${name}`,
    ".opener": `${name} on each dataset`,
  };
  for (const [selector, text] of Object.entries(says)) {
    row.querySelector(selector)?.setAttribute("aria-label", text);
  }
  row.querySelector(".name").textContent = label;
  row.querySelector(".mark").className = `mark mark-${provenance}`;
  row.querySelector(".origin").append(line.querySelector("small").textContent);
  const reasons = [...line.querySelectorAll("em")].map(({ textContent }) =>
    element("span", { class: "reason", dir: "auto" }, textContent),
  );
  row.querySelector(".origin").after(...reasons);
  return row;
}

/** The islands of a board's page, see ``views/board.py``. */
function fillIslands({ data: cells, ranking }, models) {
  const names = data.metrics.map(({ name }) => name);
  const shown = new Set(names);
  const values = Object.fromEntries(
    Object.entries(cells.values).map(([id, columns]) => [id, picked(columns, names)]),
  );
  add("board-cells", { ...cells, metrics: cells.metrics.filter(({ name }) => shown.has(name)), values });
  document.getElementById("board-data").textContent = JSON.stringify({ ...data, models });
  const places = new Map(models.map(({ id }, index) => [id, index]));
  const rates = Object.entries(ranking.exchange_rates).filter(([name]) => shown.has(name));
  add("board-ranking", {
    order: [...document.querySelectorAll("#rows > tr")].map((row) => places.get(row.dataset.model)),
    ranks: ranking.ranks,
    scores: ranking.scores,
    z_scores: ranking.z_scores,
    contributions: names.map(
      (name) => ranking.contributions[name] ?? ranking.ranks.map((rank) => (rank === null ? null : 0)),
    ),
    values: about.values ?? names.map((name) => cells.values[cells.datasets[0]][name]),
    rates: Object.fromEntries(
      rates.map(([name, rate]) => [
        name,
        { rate: null, largest_share: null, largest_pair: null, note: null, ...rate },
      ]),
    ),
    notes: ranking.notes,
  });
}

function picked(columns, names) {
  return Object.fromEntries(names.map((name) => [name, columns[name]]));
}

function add(id, content) {
  document.body.append(element("script", { type: "application/json", id }, JSON.stringify(content)));
}

function unavailable(reason) {
  const state = document.getElementById("scorer-state");
  state.textContent = "not available";
  state.dataset.state = "not available";
  document.getElementById("scorer-detail").textContent = "";
  const problem = document.getElementById("problem");
  problem.textContent = `The weights cannot be moved: ${reason}. The ranking below is whole, at the weights of the snapshot.`;
  problem.hidden = false;
}

start();
