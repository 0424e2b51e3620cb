// What a visitor looks at and by which weights: kept in the address, stepped through by undo and redo.
import { BadFragment, decode, encode, same } from "./fragment.js";

/** Fields of a view that a ranking depends on; the others change only how it is shown. */
const RANKS = ["metrics", "datasets", "base", "threshold", "by"];

/** A board's own view: the one that an empty address says. */
export function defaultView(data) {
  return {
    metrics: data.weights.metrics,
    datasets: data.weights.datasets,
    base: data.base,
    threshold: { kind: data.epsilon_kind, epsilon: data.epsilon },
    by: "dynascore",
    lockedMetrics: [],
    lockedDatasets: [],
    why: "",
    bars: { kind: "median" },
    sort: { column: ".rank", direction: "up" },
    hidden: [],
    pinned: [],
    search: "",
    filters: [],
    chosen: [],
    chart: "scatter",
    axes: data.axes,
    corners: data.metrics.slice(0, 3).map((metric) => metric.name),
  };
}

/** Whether two views ask for the same ranking. */
export function ranksAlike(left, right) {
  return RANKS.every((field) => same(left[field], right[field]));
}

/** What the scorer is asked for a view. */
export function question({ metrics, datasets, base, threshold, by }) {
  return { metrics, datasets, base, epsilon: threshold.epsilon, epsilon_kind: threshold.kind, by };
}

/** What a view of a board is: its fields with their defaults, and how an address says them. */
function boardTerms(data) {
  const known = {
    metrics: data.metrics.map((metric) => metric.name),
    datasets: Object.keys(data.weights.datasets),
    models: data.models.map((model) => model.id),
  };
  return {
    defaults: defaultView(data),
    encode,
    decode: (fragment, defaults) => decode(fragment, defaults, known),
  };
}

export class View {
  /**
   * `start` takes the view from the address. `onChange(view, changed)` hears of every change, with the names
   * of the changed fields; `onMessage(text)` of what is wrong with an address, or "" when nothing is. A page
   * that is no board's gives terms of its own.
   */
  constructor(data, { onChange, onMessage }, terms = boardTerms(data)) {
    this.defaults = terms.defaults;
    this.terms = terms;
    this.onChange = onChange;
    this.onMessage = onMessage;
    this.now = this.defaults;
    this.steps = [""];
    this.step = 0;
  }

  start() {
    this.readAddress();
    this.steps = [this.fragment];
    this.step = 0;
    addEventListener("popstate", () => this.readAddress());
  }

  /** Change some fields, as while a slider is dragged; `settle` then makes it a step. */
  change(fields) {
    this.show({ ...this.now, ...fields });
  }

  /** A change has ended: it becomes a step that undo and the back button take back. */
  settle() {
    const fragment = this.fragment;
    if (fragment === this.steps[this.step]) return;
    this.steps = [...this.steps.slice(0, this.step + 1), fragment];
    this.step += 1;
    pushAddress(fragment);
    this.onChange(this.now, []);
  }

  /** Change some fields and make it a step. */
  set(fields) {
    this.change(fields);
    this.settle();
  }

  /** The address of this view, without "#"; empty for the default. */
  get fragment() {
    return this.terms.encode(this.now, this.defaults);
  }

  get canUndo() {
    return this.step > 0;
  }

  get canRedo() {
    return this.step < this.steps.length - 1;
  }

  undo() {
    if (this.canUndo) this.goTo(this.step - 1);
  }

  redo() {
    if (this.canRedo) this.goTo(this.step + 1);
  }

  goTo(step) {
    this.step = step;
    pushAddress(this.steps[step]);
    this.show(this.read(this.steps[step]));
  }

  /** Take the view from the address: on arrival, on back and forward, on an edited address. */
  readAddress() {
    const fragment = location.hash.slice(1);
    // A place on the page, such as the one the skip link leads to, says nothing about the view.
    if (fragment && document.getElementById(fragment)) return;
    this.onMessage("");
    const view = this.read(fragment);
    this.walk(this.terms.encode(view, this.defaults));
    this.show(view);
  }

  /** Back and forward walk along the known steps; any other address is a new one. */
  walk(fragment) {
    const near = [this.step - 1, this.step + 1].find((step) => this.steps[step] === fragment);
    if (near !== undefined) this.step = near;
    else if (this.steps[this.step] !== fragment) {
      this.steps = [...this.steps.slice(0, this.step + 1), fragment];
      this.step += 1;
    }
  }

  read(fragment) {
    if (!fragment) return this.defaults;
    try {
      const { view, unknown } = this.terms.decode(fragment, this.defaults);
      if (unknown.length) {
        this.onMessage(
          `This board does not have ${unknown.join(", ")}; what the link says of it is ignored.`,
        );
      }
      return view;
    } catch (error) {
      if (!(error instanceof BadFragment)) throw error;
      this.onMessage(`The link cannot be read: ${error.message}. This is the default view.`);
      return this.defaults;
    }
  }

  show(view) {
    const changed = Object.keys(view).filter((field) => !same(view[field], this.now[field]));
    this.now = view;
    this.onChange(view, changed);
  }
}

function pushAddress(fragment) {
  history.pushState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
}
