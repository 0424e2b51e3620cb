// Charts that follow no weights, drawn from what the page has, and saved: what pictures say is written beside each.
import { findAll } from "../base/elements.js";
import { drawScoreBar } from "../charts/score-bar.js";
import { drawLines } from "../charts/table-lines.js";
import { saveFigures } from "../parts/save-figures.js";

drawLines();
findAll(document, ".wide-bar", HTMLElement).forEach(drawScoreBar);

saveFigures("figure[data-title]", ({ dataset }) => ({
  title: dataset.title ?? "",
  lines: [dataset.about ?? ""],
  foot: [location.href.split("#")[0] + (dataset.place ? `#${dataset.place}` : "")],
}));
