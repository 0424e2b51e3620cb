"""On paper: what was still loading says so, nothing folded is lost, and no control is printed."""

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
    assert "Scorer loading" in on_paper(page)
    gate.open()
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    assert "Scorer" not in on_paper(page)


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
    figures = page.locator(".difficulty-chart").count()
    assert on_paper(page).count(STILL) == figures > 0
    gate.open()
    expect(page.locator("#sentences")).to_have_attribute("aria-busy", "false", timeout=60_000)
    assert STILL not in on_paper(page)


def test_folded_facts_are_printed(page: Page, site_url: str) -> None:
    """Machine and provenance of a model's numbers, which a reader of paper cannot unfold."""
    page.goto(f"{site_url}measured/models/vader/")
    expect(page.get_by_text("Example CPU @ 2.60GHz").first).to_be_hidden()
    assert "Example CPU @ 2.60GHz" in on_paper(page)
