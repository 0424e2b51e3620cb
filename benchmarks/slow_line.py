"""How long a visitor on a slow line waits, in real Chromium: on a first visit, for a link, on a second visit.

Run from the repository: python benchmarks/slow_line.py [--board sst-2] [--quick] [--site FOLDER]

The line is that of the developer tools' "Slow 4G": 1.44 Mbit/s for everything together and 562 ms before
each answer, by a server that holds answers back, so that pages, workers and service workers are all on it.
Files are compressed by gzip, over HTTP/1.1: hosts with HTTP/2 send many small files sooner. The page's own
thread is four times slower than the processor; the browser slows down no worker. Times are from navigation,
medians of visits with an empty cache.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from painting import FLAGS, NOTE_READY, READY
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from site_src.generator.build import build
from site_src.generator.serve import HOST, Preview

ROOT = Path(__file__).parents[1]
#: Bytes a second, and seconds before an answer, of the line.
RATE, DELAY = 1.44e6 / 8, 0.5625
#: How many times slower than the processor the page's thread is.
SLOWER = 4
PIECE = 4096
#: Seconds allowed.
FIRST, SECOND = 15.0, 2.0

#: Notes the milliseconds from navigation until the rows are those of a link, whose words wait for Python.
NOTE_RANKED = """
new MutationObserver((_, observer) => {
  const main = document.getElementById("main");
  if (!main?.matches(".words-late:not(.rows-late)")) return;
  window.rankedAt = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["class"] });
"""
#: Milliseconds until there was something to read.
PAINTED = """
() => new Promise((resolve) => {
  const seen = new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime));
  seen.observe({ type: "paint", buffered: true });
})
"""
#: Whether all that a page uses has been kept, and Python's memory after it.
ALL_KEPT = """
async () => {
  const name = (await caches.keys()).find((one) => one.includes(" files "));
  if (!name) return false;
  const urls = (await (await caches.open(name)).keys()).map(({ url }) => url);
  const memory = (await caches.keys()).find((one) => one.includes(" memory "));
  return Boolean(memory) && (await (await caches.open(memory)).keys()).length > 0
    && ["pyodide.asm.wasm", "python_stdlib.zip", "page_words.py"].every((file) =>
      urls.some((url) => url.endsWith(file)));
}
"""


class Line:
    """A line of so many bytes a second for all its users."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free = time.monotonic()
        self.sent = 0

    def wait(self, size: int) -> None:
        """Return when so many more bytes would have come."""
        with self.lock:
            self.free = max(self.free, time.monotonic()) + size / RATE
            self.sent += size
            until = self.free
        time.sleep(max(0.0, until - time.monotonic()))


class SlowFile:
    """A connection's file whose bytes go over a line."""

    def __init__(self, file: BinaryIO, line: Line) -> None:
        self.file, self.line = file, line

    def write(self, data: bytes) -> int:
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            self.line.wait(len(piece))
            self.file.write(piece)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


class SlowPreview(Preview):
    """Serves a site over a slow line."""

    line: Line

    def setup(self) -> None:
        super().setup()
        self.wfile = SlowFile(self.wfile, self.line)  # type: ignore[assignment,arg-type]

    def do_GET(self) -> None:  # noqa: N802
        time.sleep(DELAY)
        super().do_GET()


@contextmanager
def served(site: Path) -> Iterator[tuple[str, Line]]:
    """The address of a site over a slow line, and the line."""
    line = Line()
    handler = partial(
        type("OnLine", (SlowPreview,), {"line": line}), prefix="/steelyard/", directory=str(site)
    )
    server = ThreadingHTTPServer((HOST, 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{HOST}:{server.server_port}/steelyard/", line
    server.shutdown()
    server.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--board", default="sst-2")
    parser.add_argument("--preset", default="m=accuracy:1,throughput:1,memory:1,fairness:0,robustness:0")
    parser.add_argument("--site", type=Path, help="a site that is built already")
    parser.add_argument("--quick", action="store_true", help="one visit, for trying the benchmark itself")
    given = parser.parse_args()
    runs = 1 if given.quick else 3
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        site = given.site or made(Path(scratch))
        times: dict[str, list[float]] = {}
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for _ in range(runs):
            with served(site) as (address, line):
                board = f"{address}{given.board}/"
                for what, found in visits(browser, board, given.preset, line):
                    times.setdefault(what, []).append(found)
        print(f"slow 4G, a processor {SLOWER} times slower, board {given.board}")
        budgets = {"first visit, ranking live": FIRST, "second visit, ranking live": SECOND}
        for what, seen in times.items():
            allowed = f"of {budgets[what]:.0f} s allowed" if what in budgets else ""
            unit = "MB" if "bytes" in what else "s"
            print(f"  {what:58} {statistics.median(seen):6.2f} {unit:3} {allowed}", flush=True)


def made(folder: Path) -> Path:
    """The site of this repository."""
    build(ROOT / "board.toml", ROOT / "results", folder / "site")
    return folder / "site"


def visits(browser: Browser, board: str, preset: str, line: Line) -> Iterator[tuple[str, float]]:
    """What is measured and its seconds, or megabytes, from an empty profile on."""
    context = browser.new_context()
    page = slow_page(context)
    page.goto(board, wait_until="commit")
    page.wait_for_selector("#rows > tr", timeout=120_000)
    yield "first visit, ranking readable", contentful(page)
    yield "first visit, ranking live", ready(page)
    yield "first visit, bytes", line.sent / 1e6
    while not page.evaluate(ALL_KEPT):
        page.wait_for_timeout(500)
    yield "bytes with what is kept for the next visit", line.sent / 1e6
    page.close()
    before = line.sent
    page = slow_page(context)
    page.goto(board, wait_until="commit")
    yield "second visit, ranking live", ready(page)
    yield "second visit, bytes", (line.sent - before) / 1e6
    context.close()
    # A link from somebody else, to a visitor who has never been here.
    context = browser.new_context()
    page = slow_page(context)
    page.goto(f"{board}#v1;{preset}", wait_until="commit")
    while not page.evaluate("window.rankedAt ?? 0"):
        page.wait_for_timeout(200)
    yield "link to a preset, re-ranked", float(page.evaluate("window.rankedAt")) / 1000
    context.close()


def slow_page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.add_init_script(NOTE_READY)
    page.add_init_script(NOTE_RANKED)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return page


def ready(page: Page) -> float:
    """Seconds until the page says that its ranking is live."""
    page.wait_for_selector(READY, timeout=120_000)
    return float(page.evaluate("window.readyAt")) / 1000


def contentful(page: Page) -> float:
    """Seconds until there was something to read."""
    found = page.evaluate(PAINTED)
    return float(found) / 1000


if __name__ == "__main__":
    main()
