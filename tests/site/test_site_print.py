"""Nothing moves while a page loads, and paper has what a screen has."""

from __future__ import annotations

import pypdfium2
import pytest
from playwright.sync_api import Page, expect
from site_pages import Gate

pytestmark = pytest.mark.slow

#: Pages whose scorer fills in what their HTML does not have.
SCORED = ["measured/", "measured/compare/#v1;k=tfidf,vader", "rounds/difficulty/round-2/"]


#: Elements that reach beyond the right edge of a sheet, or whose text is cut.
LOST = """() => [...document.querySelectorAll("main *")].filter((element) => {
  if (!element.checkVisibility() || !element.getClientRects().length) return false;
  const cut = getComputedStyle(element).webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight + 2;
  return cut || element.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
}).map((element) => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 60)}`)"""


#: A4 between margins of 10 mm, in CSS pixels.
SHEET = 718


#: Every kind of page, with long names, remarks and many metrics on them.
KINDS = [
    *("", "measured/", "measured/models/vader/", "measured/datasets/reviews/", "rounds/datasets/round-2/"),
    *(
        "rounds/difficulty/round-2/",
        "perturbed/models/steady/",
        "measured/quality/",
        "measured/embed/",
        "snapshots/",
    ),
    *("perturbed/suites/letters/robustness/", "perturbed/datasets/letters/", "method/dynascore/", "404.html"),
]


STILL = "This figure was still loading when the page was printed."


def on_paper(page: Page) -> str:
    """The words of a page as a browser prints it, in one line."""
    document = pypdfium2.PdfDocument(page.pdf(format="A4"))
    return " ".join(" ".join(sheet.get_textpage().get_text_range().split()) for sheet in document)


@pytest.mark.parametrize("path", SCORED)
def test_paper_says_what_was_still_loading(page: Page, site_url: str, path: str) -> None:
    """Printed before the scorer is there, a page says so; afterwards it says nothing of a scorer."""
    gate = Gate(page, "**/*.wasm")
    page.goto(site_url + path)
    assert "Live ranking loading" in on_paper(page)
    gate.open()
    expect(page.locator("#scorer-state")).to_have_text("on", timeout=60_000)
    assert "Live ranking" not in on_paper(page)


@pytest.mark.parametrize("path", KINDS)
def test_nothing_is_wider_than_a_sheet_or_cut(page: Page, site_url: str, path: str) -> None:
    """Tables fit between the margins, and names and remarks that end are printed whole."""
    page.set_viewport_size({"width": SHEET, "height": 1000})
    page.emulate_media(media="print")
    response = page.goto(site_url + path)
    assert response is not None
    assert response.ok
    assert page.evaluate(LOST) == []


def test_figures_that_are_not_drawn_yet_take_a_line(page: Page, site_url: str) -> None:
    """A difficulty page printed at once has a sentence for each figure, not blank sheets."""
    gate = Gate(page, "**/*.wasm")
    page.goto(f"{site_url}rounds/difficulty/round-2/")
    expect(page.locator(".difficulty-chart")).to_have_count(4)
    assert on_paper(page).count(STILL) == 4
    gate.open()
    expect(page.locator("#sentences")).to_have_attribute("aria-busy", "false", timeout=60_000)
    assert STILL not in on_paper(page)


#: What the browser has counted so far: the cumulative layout shift, without shifts that a visitor's input caused.
SHIFTS = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))));
})"""


#: Kinds of pages that are drawn, or told how sure they are, once the scorer is there; each on one screen.
WIDE, PHONE = (1440, 900), (390, 844)


PAGES = [
    ("", WIDE),
    ("sentiment/", PHONE),
    ("measured/#v1;m=accuracy:2,carbon:3;k=gpt-0", WIDE),
    ("measured/compare/#v1;k=vader,ghost", WIDE),
    ("measured/models/vader/#v1;m=accuracy:1,throughput:3", PHONE),
    ("rounds/", WIDE),
    ("rounds/difficulty/round-2/", PHONE),
]


@pytest.mark.parametrize(("path", "size"), PAGES)
def test_a_page_does_not_shift(page: Page, site_url: str, path: str, size: tuple[int, int]) -> None:
    """A shift of 0.02 is the most that any kind of page may have."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(site_url + path)
    state = page.locator("#scorer-state")
    if state.count():
        expect(state).to_have_text("on", timeout=60_000)
    # What is found anew once the scorer is ready: how far a difficulty page's numbers may be chance.
    expect(page.locator("#sentences[aria-busy=true]")).to_have_count(0)
    assert page.evaluate(SHIFTS) < 0.02
