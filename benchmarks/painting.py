"""Shared by the benchmarks of pages: a served site, a page that is ready, and times to painted rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from site_src.generator.serve import preview_server

READY = '#scorer-state[data-state="ready"]'
#: Frames are not limited to the screen's rate, so that times are work and not waiting for the screen.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-gpu-vsync", "--disable-frame-rate-limit"]

#: Notes the milliseconds from navigation until the page says that its scorer is ready.
NOTE_READY = """
new MutationObserver((_, observer) => {
  if (document.getElementById("scorer-state")?.dataset.state !== "ready") return;
  window.readyAt = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
"""

#: Milliseconds after which a new window rests.
WINDOW = 4000

#: Milliseconds from a slider's input event until a frame with new texts in the ranking's `cells` is drawn,
#: for each of `values`, with a pause of `rest` milliseconds after each.
PAINTED = """
async ([selector, values, cells, rest]) => {
  const slider = document.querySelector(selector);
  const rows = document.getElementById("rows");
  const said = () => Array.from(rows.querySelectorAll(cells), (cell) => cell.textContent).join();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const task = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  const times = [];
  for (const value of values) {
    const before = said();
    const changed = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (said() === before) return;
        observer.disconnect();
        resolve();
      }).observe(rows, { subtree: true, childList: true, characterData: true });
    });
    const start = performance.now();
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await changed;
    await frame();
    await task();
    times.push(performance.now() - start);
    if (rest) await new Promise((resolve) => setTimeout(resolve, rest));
  }
  return times;
}
"""


def fresh_page(browser: Browser) -> Page:
    """A page in a new context, with a cold cache, whose window has loaded what the browser draws in it.

    That takes a second of processor time, which no visitor of an open window waits for.
    """
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.wait_for_timeout(WINDOW)
    return page


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a served site, under a sub-path; it ends in a slash."""
    server = preview_server(site, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/steelyard/"
    server.shutdown()
    server.server_close()


def opened(browser: Browser, address: str) -> Page:
    """A page whose scorer is ready, in a new browser context."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(address)
    page.wait_for_selector(READY, timeout=60_000)
    return page


def painted(page: Page, slider: str, values: Sequence[float], cells: str, rest: int = 0) -> list[float]:
    """Milliseconds to the painted rows for each value; the first third, which is slower, is left out."""
    times: list[float] = page.evaluate(PAINTED, [slider, list(values), cells, rest])
    return times[len(times) // 3 :]
