// What every chart has around its picture: a sentence that says what one sees, remarks, and the numbers.
import { element } from "../base/elements.js";

export class Panel {
  constructor(name) {
    this.element = document.getElementById(`chart-${name}`);
    this.frame = this.element.querySelector(".plot");
    this.details = this.element.querySelector(".numbers");
    this.details.addEventListener("toggle", () => this.fill());
  }

  /** Pixels across; 0 while the chart's tab is not open. */
  get width() {
    return this.element.clientWidth;
  }

  /** `numbers()` gives {heads, rows} of the table behind the picture; it is asked once somebody looks. */
  say(finding, remarks, numbers) {
    this.element.querySelector(".finding").textContent = finding;
    this.element.querySelector(".remarks").textContent = remarks.filter(Boolean).join(" ");
    this.numbers = numbers;
    this.details.hidden = !numbers;
    this.fill();
  }

  /** The picture gives way to what is said. */
  clear() {
    this.frame.replaceChildren();
    this.frame.classList.add("bare");
  }

  fill() {
    const host = this.details.querySelector(".table-frame");
    host.replaceChildren(...(this.details.open && this.numbers ? [table(this.numbers())] : []));
  }
}

/** Names in a sentence: "a, b and c". */
export function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
}

/** The first column names the rows; the others are numbers. */
function table({ heads, rows }) {
  const head = heads.map((text, at) =>
    element("th", { scope: "col", dir: "auto", class: at ? "right" : "" }, text),
  );
  const lines = rows.map(([name, ...cells]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("span", { class: "clamp", dir: "auto" }, name)),
      ...cells.map((text) => element("td", { class: "right num" }, String(text))),
    ),
  );
  return element(
    "table",
    { class: "plain" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...lines),
  );
}
