"""How soon a model answers in a page: ``python benchmarks/trying.py SITE BOARD``.

Of a built site with models to try. Prints the seconds until Python and all models are there and have
answered, from a cold cache, and then the milliseconds to the answers of each model that is there.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from pathlib import Path

from painting import FLAGS, served
from playwright.sync_api import Page, sync_playwright

#: Texts that are asked about once everything is there.
TEXTS = [f"not exactly a triumph number {number}, but my kids loved it" for number in range(20)]
#: Milliseconds from the press of "Ask" until the row of the only model asked has an answer.
ASKED = """
async ([model, text]) => {
  const form = document.getElementById("ask");
  form.querySelector("textarea").value = text;
  const cell = document.querySelector(`#model-${CSS.escape(model)} .try-answer`);
  const answered = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      observer.disconnect();
      resolve();
    }).observe(cell, { childList: true });
  });
  const start = performance.now();
  form.requestSubmit();
  await answered;
  const took = performance.now() - start;
  while (!document.getElementById("stop").hidden) await new Promise((resolve) => setTimeout(resolve));
  return took;
}
"""


def first(page: Page) -> float:
    """Seconds from the press until Python and all models are there and have answered."""
    page.locator("#ask textarea").first.fill(TEXTS[0])
    began = time.monotonic()
    page.locator("#submit").click()
    page.locator("#stop").wait_for(state="hidden", timeout=120_000)
    return time.monotonic() - began


def resident(page: Page, model: str) -> list[float]:
    """Milliseconds to the answer of a model that is there, text by text."""
    for box in page.locator("#answers input").all():
        box.set_checked(box.get_attribute("id") == f"asks-{model}")
    return [page.evaluate(ASKED, [model, text]) for text in TEXTS]


def main() -> None:
    """Open the page, load everything, ask every model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("board")
    given = parser.parse_args()
    with served(given.site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page()
        page.goto(f"{address}{given.board}/try/")
        print(f"everything loaded and answered, cold cache: {first(page):.1f} s")
        for row in page.locator("#answers tbody tr").all():
            model = row.get_attribute("data-model") or ""
            times = resident(page, model)
            middle = statistics.median(times)
            print(f"{model}: first {times[0]:.1f} ms, median {middle:.1f} ms, most {max(times):.1f} ms")
        browser.close()


if __name__ == "__main__":
    main()
