"""Nothing moves by itself while a page loads and its scorer becomes ready."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

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
        expect(state).to_have_text("ready", timeout=60_000)
    # What is found anew once the scorer is ready: how far a difficulty page's numbers may be chance.
    expect(page.locator("#sentences[aria-busy=true]")).to_have_count(0)
    assert page.evaluate(SHIFTS) < 0.02
