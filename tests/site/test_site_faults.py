"""What goes wrong in one part of a page is said as what it is, and stops nothing else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import open_board

pytestmark = pytest.mark.slow


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def page(browser: Browser, complaints: list[str]) -> Page:
    """A page whose uncaught errors are kept."""
    page = browser.new_page()
    page.on("pageerror", lambda error: complaints.append(error.message))
    return page


def test_a_part_that_cannot_be_drawn_is_named_as_that(
    page: Page, complaints: list[str], site_url: str
) -> None:
    """The scorer has ranked, the other parts show it, the error is reported, and the next weight works."""
    open_board(page, site_url + "sentiment/")
    page.evaluate("document.getElementById('nothing').remove()")
    page.locator("#metric-memory").fill("5")
    problem = page.locator("#problem")
    expect(problem).to_contain_text("A part of this page could not be drawn: this page has no #nothing")
    expect(problem).not_to_contain_text("could not rank")
    expect(page.locator("#weights-list")).to_contain_text("· 5 ·")
    # Memory weighs 5 of 12, then 1 of 8.
    expect(page.locator("#why-formula")).to_contain_text("41.7 %")
    page.locator("#metric-memory").fill("1")
    expect(page.locator("#why-formula")).not_to_contain_text("41.7 %")
    assert complaints
    assert set(complaints) == {"this page has no #nothing"}
    page.close()
