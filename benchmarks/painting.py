"""What the benchmarks of pages share: a served site, a page that is ready, times to painted rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from site_src.generator.serve import preview_server

READY = '#scorer-state[data-state="ready"]'
#: Frames come as fast as they can, so that times are work and not waiting for a screen.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-gpu-vsync", "--disable-frame-rate-limit"]

#: From an input event of a slider until the frame is drawn that shows other texts in the ranking's `cells`;
#: a `rest` in milliseconds lies between two movements.
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


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Address of a built site, under a sub-path; ends in a slash."""
    server = preview_server(site, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/steelyard/"
    server.shutdown()
    server.server_close()


def opened(browser: Browser, address: str) -> Page:
    """A page whose scorer is ready, in a context of its own."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(address)
    page.wait_for_selector(READY, timeout=60_000)
    return page


def painted(page: Page, slider: str, values: Sequence[float], cells: str, rest: int = 0) -> list[float]:
    """Milliseconds to the painted answer of each movement; the first ones, which are slower, are left out."""
    times: list[float] = page.evaluate(PAINTED, [slider, list(values), cells, rest])
    return times[len(times) // 3 :]
