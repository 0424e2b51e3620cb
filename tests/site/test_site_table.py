"""A visitor sorts, pins, opens and scrolls the table, and chooses what its bars show."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from site_pages import names, open_board

DEFAULT = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]
BY_THROUGHPUT = ["Majority Baseline", "FastText", "ALBERT", "RoBERTa", "BERT", "DeBERTa", "T5"]


def row(page: Page, model: str) -> Locator:
    return page.locator(f"tr[data-model={model}]")


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def test_a_column_sorts_best_first_then_worst_then_by_rank_again(page: Page, site_url: str) -> None:
    """Ranks stay those of the ranking, the head says how it is sorted, and so does the address."""
    page.goto(site_url + "sentiment/")
    sort = head(page, "Throughput").get_by_role("button")
    sort.click()
    assert names(page) == BY_THROUGHPUT
    expect(head(page, "Throughput")).to_have_attribute("aria-sort", "descending")
    assert page.locator("#rows .place").all_text_contents() == ["6", "7", "4", "2", "5", "1", "3"]
    page.wait_for_url(lambda url: url.endswith("#v1;s=throughput:down"))
    sort.click()
    assert names(page) == BY_THROUGHPUT[::-1]
    sort.click()
    assert names(page) == DEFAULT
    expect(head(page, "Rank")).to_have_attribute("aria-sort", "ascending")
    expect(page).to_have_url(re.compile("^[^#]*$"))


@pytest.mark.slow
def test_pinned_models_stay_on_top_in_their_order(page: Page, site_url: str) -> None:
    """Whatever the sort, pinned rows come first as they were pinned; letting one go puts it back."""
    page.goto(site_url + "sentiment/")
    for name in ("BERT", "RoBERTa"):
        page.get_by_role("button", name=f"Pin {name}", exact=True).click()
    assert page.locator("#pinned th > a").all_text_contents() == ["BERT", "RoBERTa"]
    head(page, "Throughput").get_by_role("button").click()
    assert page.locator("#pinned th > a").all_text_contents() == ["BERT", "RoBERTa"]
    assert names(page) == [name for name in BY_THROUGHPUT if name not in ("BERT", "RoBERTa")]
    pin = page.get_by_role("button", name="Pin BERT", exact=True)
    expect(pin).to_have_attribute("aria-pressed", "true")
    pin.click()
    assert page.locator("#pinned th > a").all_text_contents() == ["RoBERTa"]
    expect(pin).to_be_focused()
    page.go_back()
    expect(page.locator("#pinned th > a")).to_have_text(["BERT", "RoBERTa"])


@pytest.mark.slow
def test_a_row_opens_to_its_numbers_on_each_dataset_and_stays_open(page: Page, site_url: str) -> None:
    """The lines of the datasets are the cells that the means are made of; a new ranking leaves them open."""
    open_board(page, site_url + "measured/")
    opener = page.get_by_role("button", name="VADER on each dataset")
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    parts = page.locator("#rows .part")
    assert parts.locator("th").all_text_contents() == ["Reviews", "Tweets"]
    assert parts.nth(0).locator(".num").all_text_contents() == ["63.43", "9120.8", "0.044"]
    assert parts.nth(1).locator(".num").first.text_content() == "66.20"
    page.locator("#metric-accuracy").fill("0")
    expect(page.locator("#rows th > a").first).to_have_text("VADER")
    after = page.locator("#rows tr[data-model=vader] + .part")
    expect(after.locator("th")).to_have_text("Reviews")
    opener.click()
    expect(parts).to_have_count(0)


@pytest.mark.slow
def test_bars_show_differences_from_the_leader_or_a_chosen_model(page: Page, site_url: str) -> None:
    """The head of the column names whom the bars are measured against; that model's own bar is empty."""
    page.goto(site_url + "sentiment/#v1;r=leader")
    expect(page.locator("#bars-caption")).to_contain_text(re.compile(r"against the leader, \W*DeBERTa\W*$"))
    expect(row(page, "deberta").locator(".beyond")).to_have_text("leader")
    expect(row(page, "deberta").locator(".bar")).to_have_attribute("aria-label", "the reference")
    page.goto(site_url + "sentiment/#v1;r=model:fasttext")
    expect(page.locator("#bars-caption")).to_contain_text(re.compile(r"against \W*FastText\W*$"))
    expect(row(page, "fasttext").locator(".bar")).to_have_attribute("aria-label", "the reference")
    expect(row(page, "deberta").locator(".bar")).to_have_attribute("aria-label", re.compile(r"Macro-F1 \+\d"))


@pytest.mark.slow
def test_whole_contributions_add_up_to_the_score_from_the_left(page: Page, site_url: str) -> None:
    """Stacked bars begin at the axis and are as long as the score, all at one scale."""
    page.goto(site_url + "sentiment/#v1;r=whole")
    expect(page.locator("#bars-caption")).to_have_text("weight × converted value of each metric")
    lengths = page.locator("#rows .bar").evaluate_all(
        "bars => bars.map(bar => [...bar.querySelectorAll('polygon')]"
        ".reduce((sum, { points }) => sum + (points.length ? points[1].x - points[0].x : 0), 0))"
    )
    scores = [float(text) for text in page.locator("#rows .score > .num").all_text_contents()]
    scale = lengths[0] / scores[0]
    assert lengths == pytest.approx([score * scale for score in scores], abs=0.2)
    assert max(lengths) == pytest.approx(240, abs=0.1)
    expect(page.locator("#rows .bar polygon").first).to_have_attribute("points", re.compile("^0.00,2 "))


@pytest.mark.slow
def test_a_long_table_has_only_the_rows_in_sight_and_says_how_many_there_are(
    page: Page, crowd_url: str
) -> None:
    """Scrolling its frame brings the rows that belong there; each says which row of all it is."""
    open_board(page, crowd_url)
    table, frame = page.locator(".ranks"), page.locator("#ranking-frame")
    expect(table).to_have_attribute("aria-rowcount", "151")
    assert page.locator("#rows tr[data-model]").count() < 60
    frame.evaluate("frame => { frame.scrollTop = frame.scrollHeight; }")
    last = page.locator("#rows tr[data-model]").last
    expect(last).to_have_attribute("aria-rowindex", "151")
    expect(last.locator(".place")).to_have_text("150")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    frame.focus()
    expect(frame).to_be_focused()
    page.keyboard.press("Home")
    expect(page.locator("#rows tr[data-model]").first.locator(".place")).to_have_text("1")
    page.keyboard.press("End")
    expect(last.locator(".place")).to_have_text("150")


@pytest.mark.slow
def test_on_a_phone_a_list_sorts(browser: Browser, site_url: str) -> None:
    """Where there is no head to press, a native list does it, and the rows keep their width."""
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(site_url + "sentiment/")
    page.get_by_label("Sort by").select_option(label="Throughput, best first")
    assert names(page) == BY_THROUGHPUT
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
