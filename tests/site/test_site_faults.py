"""What goes wrong in one part of a page is said as what it is, and stops nothing else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.slow

READY = 60_000


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
    page.goto(site_url + "sentiment/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=READY)
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


def test_a_link_whose_weights_are_all_zero_says_so(page: Page, complaints: list[str], site_url: str) -> None:
    """There is nothing to rank by, so the last ranking stays."""
    page.goto(site_url + "sentiment/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=READY)
    names = page.locator("#rows th > a").all_inner_texts()
    page.evaluate("location.hash = '#v1;m=perf:0,throughput:0,memory:0,fairness:0,robustness:0'")
    expect(page.locator("#problem")).to_contain_text("All weights are zero")
    assert page.locator("#rows th > a").all_inner_texts() == names
    assert complaints == []
    page.close()
