// The index: which boards have the words that somebody types, and which models are called so.
const SHOWN = 12;

const form = document.getElementById("finder");
const input = document.getElementById("find");
const task = document.getElementById("task");
const said = document.getElementById("finder-said");
const found = document.getElementById("found");
const none = document.getElementById("none");

/** Letters without case and accents, so that "Rottger" finds "Röttger". */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

class BoardCard {
  constructor(element) {
    this.element = element;
    this.link = element.querySelector("h3 a");
    this.task = element.dataset.task;
    // Names of leaders are left to the search for models.
    const parts = [...element.querySelectorAll(".card-head, .legend, .about")];
    this.text = plain(parts.map((part) => part.textContent).join(" "));
  }

  has(words) {
    return words.every((word) => this.text.includes(word));
  }
}

class Model {
  constructor([board, id, label, rank], cards) {
    this.card = cards[board];
    this.rank = rank;
    this.label = label;
    this.address = new URL(
      `${encodeURIComponent(id)}/`,
      new URL(this.card.element.dataset.models, location.href),
    );
    this.text = plain(`${label} ${id}`);
  }

  has(words) {
    return words.every((word) => this.text.includes(word));
  }

  row() {
    const link = document.createElement("a");
    link.href = this.address;
    link.dir = "auto";
    link.textContent = this.label;
    const place = document.createElement("span");
    place.className = "muted small";
    place.textContent = this.rank === null ? "not ranked on " : `rank ${this.rank} on `;
    const board = document.createElement("bdi");
    board.textContent = this.card.link.textContent;
    place.append(board);
    const row = document.createElement("li");
    row.append(link, place);
    return row;
  }
}

const cards = [...document.querySelectorAll("#boards > li")].map((element) => new BoardCard(element));
const data = JSON.parse(document.getElementById("index-data").textContent);
const models = data.models.map((model) => new Model(model, cards));

function words() {
  return plain(input.value).split(/\s+/).filter(Boolean);
}

function inTask(card) {
  return !task?.value || card.task === task.value;
}

/** The models of that name; those whose name begins with the first word come first. */
function called(asked) {
  const found = models.filter((model) => inTask(model.card) && model.has(asked));
  return found.sort((left, right) => left.text.indexOf(asked[0]) - right.text.indexOf(asked[0]));
}

function filter() {
  const asked = words();
  const named = asked.length ? called(asked) : [];
  const holders = new Set(named.map((model) => model.card));
  const shown = cards.filter((card) => inTask(card) && (card.has(asked) || holders.has(card)));
  for (const card of cards) card.element.hidden = !shown.includes(card);
  list(named);
  none.hidden = shown.length > 0;
  said.textContent = asked.length || task?.value ? summary(shown.length, named.length, asked.length) : "";
}

// What is looked for is kept in the address, for who comes back and for who is sent it.
function keep() {
  const parts = Object.entries({ q: input.value.trim(), task: task?.value }).filter(([, value]) => value);
  const fragment = new URLSearchParams(parts).toString();
  if (fragment !== location.hash.slice(1)) {
    history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  }
}

function read() {
  const fragment = location.hash.slice(1);
  // A place on the page, such as the one the skip link leads to, says nothing about the search.
  if (fragment && document.getElementById(fragment)) return;
  const parts = new URLSearchParams(fragment);
  input.value = parts.get("q") ?? "";
  if (task) task.value = parts.get("task") ?? "";
  // A task that no board has chooses nothing at all.
  if (task?.selectedIndex === -1) task.value = "";
  filter();
}

function changed() {
  filter();
  keep();
}

function list(named) {
  found.hidden = !named.length;
  document
    .getElementById("found-models")
    .replaceChildren(...named.slice(0, SHOWN).map((model) => model.row()));
}

function summary(boards, named, asked) {
  const parts = [counted(boards, "board")];
  if (asked) {
    parts.push(
      named > SHOWN ? `${counted(named, "model")}, of which ${SHOWN} are listed` : counted(named, "model"),
    );
  }
  return `${parts.join(" and ")}.`;
}

function counted(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

function showAll() {
  input.value = "";
  if (task) task.value = "";
  changed();
  input.focus();
}

input.addEventListener("input", changed);
task?.addEventListener("change", changed);
document.getElementById("show-all").addEventListener("click", showAll);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("keydown", (event) => {
  if (event.key === "Escape") showAll();
});
addEventListener("hashchange", read);
read();
