// The parts of a board's page that no ranking waits for.
import { Charts } from "../charts/charts.js";
import "../charts/figures.js";
import { Cite } from "../parts/cite.js";
import { ExportMenu, SaveCharts } from "../parts/exporting.js";

export const REST = [ExportMenu, Charts, SaveCharts, Cite];
