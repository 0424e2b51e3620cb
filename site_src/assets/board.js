// A board's page: weights in, ranking out.
import { BadFragment, decode, encode } from "./fragment.js";
import { isolated, weight } from "./formats.js";
import { Rates } from "./rates.js";
import { Scorer } from "./scorer.js";
import { prepareSheet } from "./sheet.js";
import { Table } from "./table.js";
import { Weights } from "./weights.js";

// After this long without the scorer the page says that something is wrong.
const PATIENCE = 20_000;
// A screen reader is told the outcome once the weights rest for this long.
const REST = 400;

const data = JSON.parse(document.getElementById("board-data").textContent);
const urls = JSON.parse(document.getElementById("board-urls").textContent);
const defaults = data.weights;
const table = new Table(data.metrics, data.labels);
const rates = new Rates(data);
const weights = new Weights(defaults, { onMove: rerank, onSettle: settle });
const scorer = new Scorer({ ...urls, board: document.getElementById("board-cells").textContent });

let ready = false;
let frame = 0;
let busy = false;
let again = false;
let rest = 0;

function start() {
  prepareSheet();
  readAddress();
  addEventListener("popstate", readAddress);
  document.getElementById("reset").addEventListener("click", () => choose(defaults));
  for (const button of document.querySelectorAll(".preset")) {
    button.addEventListener("click", () => choose(preset(button.dataset.preset)));
  }
  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  load();
}

async function load() {
  const late = setTimeout(() => failed("it has not loaded yet; it may have been blocked"), PATIENCE);
  try {
    await scorer.ready;
    ready = true;
    showState("ready", ", Python in this page");
    problem("");
    rerank();
  } catch (error) {
    failed(error.message);
  } finally {
    clearTimeout(late);
  }
}

function failed(reason) {
  showState("not available", "");
  problem(`The scorer is not available: ${reason}. The ranking below is the one at the default weights.`);
}

function showState(state, detail) {
  const element = document.getElementById("scorer-state");
  element.textContent = state;
  element.dataset.state = state;
  document.getElementById("scorer-detail").textContent = detail;
}

function problem(text) {
  const element = document.getElementById("problem");
  element.textContent = text;
  element.hidden = !text;
}

/** Weights of a preset; those of the datasets stay. */
function preset(name) {
  if (!name) return defaults;
  const metrics = data.presets.find((candidate) => candidate.name === name).weights;
  return { metrics, datasets: weights.values.datasets };
}

function choose(values) {
  weights.set(values);
  settle();
  rerank();
}

/** Ask for a ranking in the next frame; many movements in one frame ask once. */
function rerank() {
  describe();
  if (allZero()) return;
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(rank);
}

function allZero() {
  const zero = Object.values(weights.values).some((named) => Object.values(named).every((value) => value === 0));
  if (ready) problem(zero ? "All weights are zero, so there is nothing to rank by. This is the last ranking." : "");
  return zero;
}

// One question at a time: while the scorer is busy only the newest weights wait.
async function rank() {
  again = busy || !ready;
  if (again) return;
  busy = true;
  try {
    const asked = weights.values;
    const ranking = await scorer.rank(asked);
    table.show(ranking);
    rates.show(ranking, asked.metrics);
    announce(ranking);
  } catch (error) {
    problem(`The scorer could not rank these weights: ${error.message}`);
  }
  busy = false;
  if (again) rank();
}

function announce(ranking) {
  clearTimeout(rest);
  rest = setTimeout(() => {
    const top = ranking.models.filter((model) => model.rank !== null).slice(0, 3);
    const words = top.map((model) => `${model.rank} ${isolated(data.labels[model.model])}`);
    document.getElementById("announcer").textContent = `Top three: ${words.join(", ")}`;
  }, REST);
}

/** Say which weights these are, and press the button of their preset. */
function describe() {
  const current = JSON.stringify(weights.values.metrics);
  const known = [{ name: "", label: "default", weights: defaults.metrics }, ...data.presets];
  const match = known.find((candidate) => JSON.stringify(candidate.weights) === current);
  const shifted = JSON.stringify(weights.values.datasets) !== JSON.stringify(defaults.datasets);
  for (const button of document.querySelectorAll(".preset")) {
    button.setAttribute("aria-pressed", String(button.dataset.preset === match?.name && !shifted));
  }
  const list = Object.values(weights.values.metrics).map(weight).join(" · ");
  document.getElementById("weights-name").textContent = match && !shifted ? match.label : "custom";
  document.getElementById("weights-list").textContent = `(${list})`;
}

/** A movement has ended: it becomes a step that the back button takes back. */
function settle() {
  const fragment = encode(weights.values, defaults);
  if (fragment !== location.hash.slice(1)) {
    history.pushState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  }
}

function readAddress() {
  const fragment = location.hash.slice(1);
  // A place on the page, such as the one the skip link leads to, says nothing about weights.
  if (fragment && document.getElementById(fragment)) return;
  const { values, message } = fragment ? read(fragment) : { values: defaults, message: "" };
  weights.set(values);
  rerank();
  notice(message);
}

function read(fragment) {
  try {
    const { weights: values, unknown } = decode(fragment, defaults);
    const message = unknown.length ? `This board does not have ${unknown.join(", ")}; the link's weight for it is ignored.` : "";
    return { values, message };
  } catch (error) {
    if (!(error instanceof BadFragment)) throw error;
    return { values: defaults, message: `The link's weights cannot be read: ${error.message}. These are the default ones.` };
  }
}

function notice(text) {
  const element = document.getElementById("notice");
  element.textContent = text;
  element.hidden = !text;
}

start();
