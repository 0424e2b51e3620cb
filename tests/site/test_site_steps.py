"""Undo takes back every change of a view, from beside whatever changed; and weights of zero say the same from anywhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from site_pages import open_board

ZEROS = "#v1;m=perf:0,throughput:0,memory:0,fairness:0,robustness:0"
#: What a visitor sees of a view: rows, controls, chips, and which chart is open.
SEEN = """() => JSON.stringify([
  [...document.querySelectorAll("#pinned tr, #rows tr")].map((row) => row.innerText.replace(/\\s+/g, " ")),
  [...document.querySelectorAll("main input:not([type=checkbox]), main select")].map((input) => [input.id, input.value]),
  [...document.querySelectorAll("main input[type=checkbox]")].map((box) => box.checked),
  [...document.querySelectorAll("[aria-pressed], [aria-selected]")].map(
    (one) => [one.getAttribute("aria-pressed"), one.getAttribute("aria-selected")]),
  [...document.querySelectorAll("thead th")].map((head) => [head.checkVisibility(), head.getAttribute("aria-sort")]),
  document.getElementById("chips").innerText,
])"""


def weigh(page: Page, metric: str, value: str) -> None:
    page.locator(f"#metric-{metric}").fill(value)
    page.locator(f"#metric-{metric}").press("Tab")


def menu(name: str) -> Callable[[Page], None]:
    def tick(page: Page) -> None:
        page.locator(f"#{name} summary").click()
        page.locator(f"#{name} input[type=checkbox]").first.click()
        page.keyboard.press("Escape")

    return tick


@pytest.mark.slow
def test_undo_takes_back_a_filter_and_ranking_among_what_it_leaves(page: Page, site_url: str) -> None:
    """First that models are ranked only among these, then the filter itself."""
    open_board(page, f"{site_url}measured/")
    whole = page.evaluate(SEEN)
    menu("filter-menu")(page)
    page.wait_for_function(f"(before) => ({SEEN})() !== before", arg=whole)
    filtered = page.evaluate(SEEN)
    page.locator("#among").check()
    expect(page.locator("#among")).to_be_checked()
    for before in (filtered, whole):
        page.locator("#undo-view").click()
        page.wait_for_function(
            f"(before) => ({SEEN})().replaceAll(/true|false/g, '') === before.replaceAll(/true|false/g, '')",
            arg=before,
        )


@pytest.mark.slow
def test_undo_takes_back_a_reset(page: Page, site_url: str) -> None:
    """With everything that the reset took back at once."""
    open_board(
        page, f"{site_url}sentiment/#v1;m=perf:1,throughput:1,memory:3,fairness:1,robustness:1;b=throughput"
    )
    expect(page.locator("#weights-name")).to_have_text("custom")
    page.locator("#reset").click()
    expect(page.locator("#weights-name")).to_have_text("default")
    page.locator("#undo").click()
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#metric-memory")).to_have_value("3")
    expect(page.locator("#base")).to_have_value("throughput")


@pytest.mark.slow
@pytest.mark.parametrize("at", ["sentiment/", "sentiment/models/t5/", "sentiment/compare/"])
def test_weights_of_zero_say_the_same_from_a_link(page: Page, site_url: str, at: str) -> None:
    """On every page that such a link opens: the sentence that stands there when they are set in place."""
    open_board(page, f"{site_url}sentiment/")
    for metric in ("perf", "throughput", "memory", "fairness", "robustness"):
        weigh(page, metric, "0")
    expect(page.locator("#problem")).to_contain_text("All weights are zero, so there is nothing to rank by.")
    # A model's page has the sentence alone, the others a button beside it.
    words = "#problem .message, p#problem"
    said = page.locator(words).inner_text()
    names = page.locator("#rows th > a").all_inner_texts()
    page.goto("about:blank")
    page.goto(f"{site_url}{at}{ZEROS}")
    expect(page.locator(words)).to_have_text(said)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    expect(page.locator(words)).to_have_text(said)
    expect(page.locator("#problem")).to_be_visible()
    assert names
