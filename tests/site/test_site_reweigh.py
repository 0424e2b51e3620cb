"""A visitor moves weights and sees the ranking follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import names, open_board

DEFAULT = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]


def scores(page: Page) -> list[float]:
    return [float(text) for text in page.locator("#rows .score > .num").all_text_contents()]


def type_weight(page: Page, selector: str, value: str) -> None:
    """Type into a number box and leave it."""
    page.locator(selector).fill(value)
    page.locator(selector).press("Tab")


@pytest.mark.slow
def test_the_first_ranking_in_the_browser_changes_nothing_on_the_page(page: Page, site_url: str) -> None:
    """Every number, name and word of the rows at the same weights is the one that the build wrote."""
    words = (
        "el => [...el.querySelectorAll('.place, .model, .score > .num, .metric')].map((e) => e.textContent)"
    )
    for board in ("sentiment", "measured", "solo"):
        page.goto(site_url + board + "/")
        before = page.request.get(site_url + board + "/").text()
        expect(page.locator("#scorer-state")).to_have_text("ready", timeout=30_000)
        expect(page.locator("#announcer")).to_contain_text("Top three")
        built = page.evaluate(
            f"html => ({words})(new DOMParser().parseFromString(html, 'text/html').getElementById('rows'))",
            before,
        )
        assert page.locator("#rows").evaluate(words) == built
        assert "NaN" not in built


@pytest.mark.slow
def test_a_rank_change_is_shown_and_said_against_the_default(page: Page, site_url: str) -> None:
    """FastText climbs from 7 to 3 at the edge device weights; reset takes it back."""
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Edge device").click()
    row = page.locator("#rows tr[data-model=fasttext]")
    expect(row.locator(".place")).to_have_text("3")
    expect(row.locator(".change")).to_contain_text("▲4")
    expect(row.get_by_role("img", name="up 4 from the default")).to_be_visible()
    expect(page.locator("#announcer")).to_have_text(
        re.compile(r"Top three: 1 \W*DeBERTa\W*, 2 \W*RoBERTa\W*, 3 \W*FastText")
    )
    page.get_by_role("button", name="Reset").click()
    expect(row.locator(".change")).to_have_text("")
    assert names(page) == DEFAULT


def test_a_typed_weight_survives_reload_and_the_back_button_takes_it_back(page: Page, site_url: str) -> None:
    """The address carries the weights; back and forward walk through the visitor's steps."""
    open_board(page, site_url + "sentiment/")
    type_weight(page, "#metric-perf", "0.25")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    page.wait_for_url(
        lambda url: url.endswith("#v1;m=perf:0.25,throughput:1,memory:1,fairness:1,robustness:1")
    )
    page.reload()
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline", timeout=30_000)
    expect(page.locator("#metric-perf")).to_have_value("0.25")
    page.go_back()
    expect(page.locator("#rows th > a").first).to_have_text("DeBERTa", timeout=30_000)
    expect(page.locator("#metric-perf")).to_have_value("4")


@pytest.mark.slow
def test_all_weights_zero_keeps_the_last_ranking_and_says_why(page: Page, site_url: str) -> None:
    """Nothing to rank by is a message; any weight ends it."""
    open_board(page, site_url + "measured/")
    type_weight(page, "#metric-accuracy", "0")
    expect(page.locator("#rows th > a").first).to_have_text("VADER")
    for name in ("throughput", "memory"):
        type_weight(page, f"#metric-{name}", "0")
    expect(page.locator("#problem")).to_contain_text("All weights are zero")
    expect(page.locator("#rows th > a").first).to_have_text("VADER")
    type_weight(page, "#metric-accuracy", "1")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#rows th > a").first).to_have_text("Small BERT")


@pytest.mark.slow
def test_dataset_weights_change_values_and_missing_cells(page: Page, site_url: str) -> None:
    """With the tweets' weight at zero, the model that lacks them is ranked, by its reviews alone."""
    open_board(page, site_url + "measured/")
    row = page.locator("#rows tr[data-model=partial]")
    expect(row.locator(".place")).to_have_text("—")
    expect(row.locator("td.metric").first).to_contain_text("missing")
    type_weight(page, "#dataset-tweets", "0")
    expect(row.locator("td.metric .num").first).to_have_text("77.70")
    expect(row.locator(".place")).not_to_have_text("—")
    expect(row.locator(".bar")).to_be_visible()
    page.wait_for_url(lambda url: url.endswith(";d=reviews:1,tweets:0"))


@pytest.mark.slow
def test_without_its_runtime_the_page_says_so_and_stays_readable(page: Page, site_url: str) -> None:
    """A blocked runtime is a message, and the default ranking stays."""
    page.route("**/pyodide.asm.wasm", lambda route: route.abort())
    page.goto(site_url + "sentiment/")
    expect(page.locator("#problem")).to_contain_text("scorer is not available", timeout=30_000)
    expect(page.locator("#scorer-state")).to_have_text("not available")
    assert names(page) == DEFAULT


def test_without_script_the_whole_ranking_is_there(browser: Browser, site_url: str) -> None:
    """Order, scores and a note instead of controls."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + "sentiment/")
    assert names(page) == DEFAULT
    assert scores(page) == sorted(scores(page), reverse=True)
    expect(page.locator("noscript > p")).to_be_visible()
    expect(page.locator("#metric-weights")).to_be_hidden()
    expect(page.locator(".rates li").nth(2)).to_contain_text("2.421")
    context.close()


@pytest.mark.slow
def test_opened_as_a_file_the_page_says_so(browser: Browser, site_folder: Path) -> None:
    """From file:// no module loads; the ranking is there all the same."""
    context = browser.new_context()
    page = context.new_page()
    page.goto((site_folder / "sentiment" / "index.html").as_uri())
    expect(page.locator("#file-note")).to_be_visible()
    expect(page.locator("#metric-weights")).to_be_hidden()
    assert names(page) == DEFAULT
    context.close()


def test_on_a_phone_the_weights_are_one_tap_away_and_leave_the_top_ranks_in_sight(
    browser: Browser, site_url: str
) -> None:
    """The sheet opens over the lower half; a weight moved in it moves the ranks above it."""
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    open_board(page, site_url + "sentiment/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("slider", name="Macro-F1, slider")).to_be_hidden()
    page.get_by_role("button", name="Weights").tap()
    expect(page.get_by_role("slider", name="Macro-F1, slider")).to_be_visible()
    page.locator(".preset", has_text="Edge device").tap()
    third = page.locator("#rows tr").nth(2)
    expect(third).to_contain_text("FastText")
    top, bottom = page.locator("#sheet").bounding_box(), third.bounding_box()
    assert top is not None
    assert bottom is not None
    assert bottom["y"] >= 0
    assert bottom["y"] + bottom["height"] <= top["y"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Weights")).to_be_focused()
    context.close()


@pytest.mark.slow
def test_the_theme_is_remembered(page: Page, site_url: str) -> None:
    """A chosen theme holds on the next page, before anything is painted."""
    page.goto(site_url)
    button = page.get_by_role("button", name=re.compile("Theme"))
    button.click()
    button.click()
    expect(button).to_have_text("Theme: dark")
    page.goto(site_url + "method/")
    assert page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor") == "rgb(20, 22, 26)"
