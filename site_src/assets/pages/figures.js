// Charts that a page came with, to save: what their pictures say is written beside each of them.
import { saveFigures } from "../parts/save-figures.js";

saveFigures("figure[data-title]", ({ dataset }) => ({
  title: dataset.title ?? "",
  lines: [dataset.about ?? ""],
  foot: [location.href.split("#")[0] + (dataset.place ? `#${dataset.place}` : "")],
}));
