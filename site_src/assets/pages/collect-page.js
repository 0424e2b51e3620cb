// The page on which visitors write what fools models that run in the page. Nothing is loaded before somebody asks, and
// nothing leaves the browser before somebody sends it.
import { reasonOf } from "../base/formats.js";
import { BrowserDesk } from "../collect/browser-desk.js";
import { HandOver } from "../collect/hand-over.js";
import { Kept } from "../collect/kept.js";
import { WritingPage } from "../collect/writing.js";
import { byId, island, write } from "../base/elements.js";
import { showMessage } from "./page.js";

/** @import { CollectData } from "../collect/browser-desk.js" */

async function open() {
  /** @type {CollectData} */
  const data = island("collect-data");
  // Sites of one owner may share an origin, and so what a browser keeps.
  const kept = await Kept.open(`steelyard:${location.pathname.replace(/index\.html$/, "")}`);
  const starter = byId("work").dataset.starter ?? "";
  const desk = new BrowserDesk(data, island("board-urls"), kept, starter, {
    say: (text) => write(byId("status"), text),
    changed: () => handOver.show(),
  });
  const page = new WritingPage(data, desk);
  const handOver = new HandOver(data, kept, page);
  await page.open();
  await handOver.show();
}

// From a file no worker can load anything.
if (location.protocol === "file:") {
  byId("file-note").hidden = false;
  byId("work").hidden = true;
} else open().catch((error) => showMessage("problem", reasonOf(error)));
