"""On a phone the first model stands near the top; what explains it, and the tools, are a press away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from site_pages import open_board, uncomplaining
from site_snapshots import Frozen

PHONE = {"width": 390, "height": 844}
#: How far from the top the name of the first model ends, in pixels.
NEAR = 350

pytestmark = pytest.mark.slow


def context_of(browser: Browser, javascript: bool = True) -> BrowserContext:
    return browser.new_context(
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        java_script_enabled=javascript,
        # Pages of one test would come from what another one has kept.
        service_workers="block",
    )


@pytest.fixture(scope="module")
def phones(browser: Browser) -> Iterator[BrowserContext]:
    """A phone's browser, which keeps what it has fetched."""
    context = context_of(browser)
    yield context
    context.close()


@pytest.fixture
def phone(phones: BrowserContext) -> Iterator[Page]:
    """A page in it."""
    with uncomplaining(phones.new_page()) as page:
        yield page
        page.close()


def end_of(place: Locator) -> float:
    """How far from the top of the page a place ends."""
    found: float = place.evaluate("place => place.getBoundingClientRect().bottom + scrollY")
    return found


@pytest.mark.parametrize(
    "path", ["sst-2/", "sentiment/", "xquad-en/", "", "sst-2/datasets/sst-2/", "sst-2/difficulty/sst-2/"]
)
def test_the_first_model_is_near_the_top(phone: Page, own_url: str, path: str) -> None:
    """Of boards, of the first page, of a dataset and of what is hard in it, also once live ranking is on; and nothing is
    wider than the phone."""
    phone.goto(own_url + path)
    first = phone.locator("#rows .model a, .scores .model a").first
    expect(first).to_be_visible()
    assert end_of(first) <= NEAR
    if phone.locator("#scorer-state").count():
        expect(phone.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)
        assert end_of(first) <= NEAR
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_folded_is_a_press_away(phone: Page, site_url: str) -> None:
    """The board's own words, the rest of the verdict, and the tools; each button says whether it is open."""
    open_board(phone, f"{site_url}rounds/")
    for name, places in (
        ("About this board", [".lead", ".state li:has-text('Results of')"]),
        ("More on who leads", ["#verdict-rest", "#verdict-copy", "#cite-open"]),
        ("Sort, filter, export", ["#filter-menu > summary", "#sort", "#copy-link", "#export-menu > summary"]),
    ):
        button = phone.get_by_role("button", name=name)
        folded = [phone.locator(place) for place in places]
        for place in folded:
            expect(place).to_be_hidden()
        button.tap()
        expect(button).to_have_attribute("aria-expanded", "true")
        for place in folded:
            expect(place).to_be_visible()
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
        button.tap()
        expect(folded[0]).to_be_hidden()


def test_no_row_moves_when_another_leads(phone: Page, site_url: str) -> None:
    """The verdict keeps its two lines, long or short."""
    open_board(phone, f"{site_url}sentiment/")
    frame, lead = phone.locator("#ranking-frame"), phone.locator("#verdict-lead")
    before, said = frame.evaluate("frame => frame.offsetTop"), lead.inner_text()
    phone.goto(f"{site_url}sentiment/#v1;m=perf:0,throughput:1,memory:0,fairness:0,robustness:0")
    expect(lead).not_to_have_text(said)
    assert frame.evaluate("frame => frame.offsetTop") == before


def test_without_script_nothing_is_folded(browser: Browser, site_url: str) -> None:
    """What no button could open is there."""
    context = context_of(browser, javascript=False)
    page = context.new_page()
    page.goto(f"{site_url}rounds/")
    for place in (".lead", ".state li:has-text('Results of')", "#verdict-rest"):
        expect(page.locator(place)).to_be_visible()
    expect(page.locator(".unfold:visible")).to_have_count(0)
    context.close()


def test_the_tools_of_a_snapshot_are_folded_too(phone: Page, frozen: Frozen, frozen_url: str) -> None:
    """They come once live ranking is on, after the scripts of the page."""
    open_board(phone, f"{frozen_url}snapshots/{frozen.later.id}/")
    expect(phone.locator("#filter-menu > summary")).to_be_hidden()
    phone.get_by_role("button", name="Sort, filter, export").tap()
    expect(phone.locator("#filter-menu > summary")).to_be_visible()
