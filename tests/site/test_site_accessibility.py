"""Everybody can use the site: axe-core's rules on every kind of page, the keyboard, the live region."""

from __future__ import annotations

import re

import pytest
from pictures import KINDS, READY, address_of
from playwright.sync_api import Page, expect
from site_axe import AXE, FINDINGS, found_in_all_views
from site_pages import HOUR, LISTEN, SLIDE
from site_pictured import Pictured

pytestmark = pytest.mark.slow

OPEN_DETAILS = 'for (const folded of document.querySelectorAll("main details")) folded.open = true'


def whole(page: Page, kind: str, base: str, world: Pictured) -> None:
    """Open a page of a kind with everything on it, unfolded."""
    page.goto(address_of(kind, base, world))
    if READY in KINDS[kind].complete:
        expect(page.locator(READY)).to_be_attached(timeout=60_000)
    page.evaluate(OPEN_DETAILS)


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_in_any_view(page: Page, pictured: Pictured, pictured_url: str, kind: str) -> None:
    """Names, roles, contrast, order of headings and all else axe-core knows, on each kind of page, wide and narrow, light
    and dark.
    """
    whole(page, kind, pictured_url, pictured)
    said = found_in_all_views(page, kind)
    assert not said, "\n".join(said)


def test_axe_finds_nothing_in_open_menus_and_the_sheet(page: Page, site_url: str) -> None:
    """What only opens on request is held to the same rules, each by itself."""
    page.goto(site_url + "rounds/")
    expect(page.locator(READY)).to_be_attached(timeout=30_000)
    page.evaluate(AXE.read_text("utf-8"))
    summaries = page.locator("details.menu > summary:visible, details.drop > summary:visible")
    assert summaries.count() > 2
    said = []
    for at in range(summaries.count()):
        summaries.nth(at).click()
        said += page.evaluate(FINDINGS, {})
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 320, "height": 900})
    page.locator("#sheet-open").click()
    expect(page.locator("#sheet")).to_be_visible()
    said += page.evaluate(FINDINGS, {})
    assert not said, "\n".join(said)


def test_axe_finds_nothing_where_ranked_by_trade_offs(page: Page, site_url: str) -> None:
    """The sentences, one of them not counting, the map, and the score explained, unfolded; dark and narrow, too."""
    page.goto(f"{site_url}sentiment/#v1;y=trades;u=throughput:10%25,memory:0.5")
    expect(page.locator(READY)).to_be_attached(timeout=60_000)
    page.locator("#tradeoffs").scroll_into_view_if_needed()
    expect(page.locator("#chart-triangle .region")).not_to_have_count(0)
    page.evaluate(OPEN_DETAILS)
    said = found_in_all_views(page, "board")
    assert not said, "\n".join(said)


#: Numbers everything that the keyboard should get to, in the order of the document.
NUMBER_STOPS = """
() => {
  const stops = "a[href], button, input, select, textarea, summary, [tabindex]";
  const reachable = [...document.querySelectorAll(stops)].filter((element) =>
    element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }));
  reachable.forEach((element, index) => { element.dataset.stop = index; });
  return reachable.map((element) => element.outerHTML.slice(0, 120));
}
"""
#: The number of what has the focus, and whether it can be seen that it has.
STOP = """
() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && box.width > 0 && box.right > 0;
  return [Number(element.dataset.stop ?? -1), seen && box.bottom > 0 && box.top < innerHeight];
}
"""


@pytest.mark.parametrize("width", [1440, 320])
def test_the_keyboard_gets_to_everything_in_the_order_of_the_page(
    page: Page, site_url: str, width: int
) -> None:
    """Tab walks through every link and control of a board once, and each shows that it has the focus."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(site_url + "rounds/")
    expect(page.locator(READY)).to_be_attached(timeout=30_000)
    stops = page.evaluate(NUMBER_STOPS)
    walked = []
    for _ in stops:
        page.keyboard.press("Tab")
        walked.append(page.evaluate(STOP))
    assert [at for at, _ in walked] == list(range(len(stops)))
    unseen = [stops[at] for at, seen in walked if not seen]
    assert not unseen, "\n".join(unseen)


def test_a_new_ranking_is_announced_once(stopped: Page, site_url: str) -> None:
    """However often a slider moves on its way, a screen reader hears the new top three one time."""
    page = stopped
    page.goto(site_url + "sentiment/")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=30_000)
    # From here on no timer of the page fires by itself, however long its rankings take.
    page.clock.pause_at(HOUR)
    page.evaluate(LISTEN)
    slider = page.locator(".control[data-name=perf] input[type=range]")
    score = page.locator("#rows .score > .num").first
    for weight in (3, 2, 1, 0):
        before = score.inner_text()
        slider.evaluate(SLIDE, weight)
        expect(score).not_to_have_text(before)
    slider.dispatch_event("change")
    # Once the page is idle it asks Python for the words; nothing says that they have come.
    page.clock.run_for(HOUR / 60)
    page.wait_for_timeout(3000)
    page.clock.run_for(HOUR / 60)
    expect(page.locator("#announcer")).to_contain_text(re.compile("Top three: 1 .*Majority Baseline.*, 2 "))
    assert page.evaluate("window.heard.length") == 1
    assert page.locator("#announcer").get_attribute("aria-live") == "polite"
