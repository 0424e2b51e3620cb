"""Everything a visitor sets on a board is in its address, and only that."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from site_pages import open_board


@pytest.mark.slow
def test_what_a_link_does_not_know_takes_its_default(page: Page, site_url: str) -> None:
    """A metric that is newer than the link, and names that are gone: the first keeps its default, those are named."""
    open_board(page, site_url + "sentiment/#v1;m=perf:2,carbon:3;k=gpt-0,bert;w=nobody;b=energy;l=carbon")
    expect(page.locator("#metric-perf")).to_have_value("2")
    expect(page.locator("#metric-robustness")).to_have_value("1")
    notice = page.locator("#notice")
    for name in ("carbon", "gpt-0", "nobody", "energy"):
        expect(notice).to_contain_text(name)
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of DeBERTa")
    expect(page.locator(".rates li[data-metric=perf] .rate-unit")).to_have_text("base")


@pytest.mark.slow
def test_a_link_that_cannot_be_read_says_why(page: Page, site_url: str) -> None:
    """The whole default view is shown, never half of a link."""
    page.goto(site_url + "sentiment/#v1;m=perf:2,memory:1001")
    expect(page.locator("#notice")).to_contain_text("cannot be read")
    expect(page.locator("#notice")).to_contain_text("weight from 0 to 1000")
    expect(page.locator("#metric-perf")).to_have_value("4")


def test_back_and_forward_and_undo_walk_the_same_steps(page: Page, site_url: str) -> None:
    """The browser's buttons and the page's own never disagree on what is shown."""
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Edge device").click()
    page.get_by_label("Explain").select_option("FastText")
    page.go_back()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of DeBERTa")
    expect(page.get_by_role("button", name="Edge device")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_role("button", name="Default")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#rows th > a").nth(2)).to_have_text("T5")
    page.go_forward()
    expect(page.locator("#rows th > a").nth(2)).to_have_text("FastText")
    page.locator("#undo").click()
    expect(page.locator("#rows th > a").nth(2)).to_have_text("T5")
    page.locator("#redo").click()
    expect(page.locator("#rows th > a").nth(2)).to_have_text("FastText")
