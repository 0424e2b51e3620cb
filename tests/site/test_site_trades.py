"""A visitor ranks by an own exchange: what one point is worth is typed, dragged, or set on a map, and is kept."""

from __future__ import annotations

import math
import re

import pytest
from playwright.sync_api import Page, expect
from site_pages import SLIDE, becomes, open_board, shows, type_weight
from site_sample import TABLE_2
from site_snapshots import Frozen

DEFAULT = ["DeBERTa", "RoBERTa", "T5", "ALBERT", "BERT", "Majority Baseline", "FastText"]


def order(percent: float | None = None, memory: float | None = None) -> list[str]:
    """The models by accuracy and two trade-offs: so many per cent of throughput, so many GB."""
    scores = {}
    for label, accuracy, throughput, used, *_ in TABLE_2.values():
        speed = math.log(throughput) / math.log(1 + percent / 100) if percent else 0.0
        scores[label] = accuracy + speed - (used / memory if memory else 0.0)
    return sorted(scores, key=lambda label: -scores[label])


def turn_on(page: Page, address: str) -> None:
    """Open the board and rank by an own exchange, of throughput and memory alone."""
    open_board(page, f"{address}sentiment/")
    page.get_by_label("By your own exchange").check()
    for metric in ("Fairness", "Robustness"):
        page.get_by_label(f"{metric} counts").uncheck()


def test_a_typed_trade_off_ranks_anew_and_survives_reload(page: Page, site_url: str) -> None:
    """ "10 %" of throughput and "500 MB": the ranks, the address, the page after a reload, and back again."""
    assert order(10, 0.5) != order(10, None) != DEFAULT
    turn_on(page, site_url)
    expect(page.locator("#metric-weights")).to_be_hidden()
    expect(page.locator("#trades")).to_contain_text("is worth")
    type_weight(page, "#trade-throughput", "10 %")
    type_weight(page, "#trade-memory", "500 MB")
    expect(page.locator("#trade-memory")).to_have_value("0.5 GB")
    page.wait_for_url(lambda url: url.endswith("#v1;y=trades;u=throughput:10%25,memory:0.5"))
    shows(page, order(10, 0.5))
    expect(page.locator("#rows tr").first.locator(".change")).not_to_have_text("")
    expect(page.locator("#score-title")).to_have_text("Trade-off score")
    expect(page.locator("#worth")).to_contain_text("is worth 10 % of Throughput and 0.5 GB of Memory")
    page.reload()
    expect(page.locator("#scorer-state")).to_have_text("on", timeout=30_000)
    shows(page, order(10, 0.5))
    expect(page.locator("#trade-throughput")).to_have_value("10 %")
    expect(page.get_by_label("Fairness counts")).not_to_be_checked()
    page.go_back()
    expect(page.locator("#trade-throughput")).to_have_value("10 %")
    expect(page.locator("#trade-memory")).not_to_have_value("0.5 GB")
    page.get_by_label("By weights").check()
    shows(page, DEFAULT)
    expect(page.locator("#metric-weights")).to_be_visible()


@pytest.mark.slow
def test_the_sentences_begin_with_the_boards_exchange_rates(page: Page, site_url: str) -> None:
    """To two digits, a speed in per cent; a button brings them back."""
    turn_on(page, site_url)
    first = page.locator("#trade-throughput").input_value()
    assert re.fullmatch(r"\d+(\.\d+)? %", first)
    assert re.fullmatch(r"\d+(\.\d+)? GB", page.locator("#trade-memory").input_value())
    type_weight(page, "#trade-throughput", "3 ex/s")
    expect(page.locator("#trade-throughput")).to_have_value("3 ex/s")
    page.get_by_role("button", name="Fill in the board’s exchange rates").click()
    expect(page.locator("#trade-throughput")).to_have_value(first)
    expect(page.get_by_label("Robustness counts")).to_be_checked()


@pytest.mark.slow
def test_what_is_no_amount_is_said_and_the_last_one_counts(page: Page, site_url: str) -> None:
    """Words, a negative number, another unit; an empty box does not count."""
    turn_on(page, site_url)
    type_weight(page, "#trade-memory", "2 GB")
    for wrong in ("much", "-1 GB", "0", "3 USD"):
        page.locator("#trade-memory").fill(wrong)
        expect(page.locator("#trades-problem")).to_contain_text("number above 0 with GB")
        expect(page.locator("#trade-memory")).to_have_attribute("aria-invalid", "true")
    page.locator("#trade-memory").press("Tab")
    expect(page.locator("#trade-memory")).to_have_value("2 GB")
    expect(page.locator("#trades-problem")).to_be_hidden()
    type_weight(page, "#trade-memory", "")
    expect(page.get_by_label("Memory counts")).not_to_be_checked()
    type_weight(page, "#trade-throughput", "25 %")
    shows(page, order(25, None))
    page.get_by_label("Memory counts").check()
    expect(page.locator("#trade-memory")).to_have_value("2 GB")
    shows(page, order(25, 2))


@pytest.mark.slow
def test_a_slider_and_the_map_set_trade_offs(page: Page, site_url: str) -> None:
    """By powers of ten around the board's rate; the winner under the knob leads the table."""
    turn_on(page, site_url)
    type_weight(page, "#trade-throughput", "10 %")
    before = page.locator("#trade-memory").input_value()
    slider = page.locator("#trades [data-name=memory] .slider")
    slider.evaluate(SLIDE, 50)
    ten_times = float(before.removesuffix(" GB")) * 10
    expect(page.locator("#trade-memory")).to_have_value(f"{ten_times:g} GB")
    shows(page, order(10, ten_times))
    slider.dispatch_event("change")
    # A place of the map: across is throughput, up is memory.
    page.locator("#tradeoffs").scroll_into_view_if_needed()
    chart = page.locator("#chart-triangle")
    chart.get_by_label("Across").select_option("throughput")
    chart.get_by_label("Up").select_option("memory")
    expect(page.locator("#chart-triangle .region")).not_to_have_count(0)
    knob = page.get_by_role("slider", name="Your trade-offs")
    knob.focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    becomes(
        page,
        lambda: page.locator("#trade-memory").input_value() != f"{ten_times:g} GB",
        True,
    )
    trades = (
        float(page.locator(f"#trade-{metric}").input_value().split()[0])
        for metric in ("throughput", "memory")
    )
    shows(page, order(*trades))
    # What is written above the map may still move it; a click of a locator goes where it is by then.
    outline = page.locator("#chart-triangle .outline")
    box = outline.bounding_box()
    assert box is not None
    outline.click(position={"x": 2, "y": box["height"] - 2}, force=True)
    winner = page.locator("#rows th > a").first
    # Where everything counts a hundred times as much, throughput and memory decide.
    expect(winner).to_have_text("Majority Baseline")
    expect(page.locator("#chart-triangle .finding")).to_contain_text("By your trade-offs")


@pytest.mark.slow
def test_another_base_metric_has_trade_offs_of_its_own(page: Page, site_url: str) -> None:
    """One GB is worth so many points by the board's rates; undo brings back what was typed."""
    turn_on(page, site_url)
    type_weight(page, "#trade-throughput", "10 %")
    page.locator("#ranking-terms summary").click()
    expect(page.get_by_label("Threshold for pairs")).to_be_hidden()
    page.get_by_label("Base metric").select_option("memory")
    expect(page.locator("#trades-base")).to_contain_text("1 GB of")
    expect(page.locator("#trades [data-name=memory]")).to_be_hidden()
    expect(page.locator("#trades [data-name=perf]")).to_be_visible()
    expect(page.locator("#trade-perf")).to_have_value(re.compile(r"\d F1"))
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("#trade-throughput")).to_have_value("10 %")
    expect(page.locator("#trades-base")).to_contain_text("1 F1 of")


@pytest.mark.slow
def test_a_score_by_trade_offs_is_explained(page: Page, site_url: str) -> None:
    """Parts that add up, without shares; what would put a model first is set by a button."""
    turn_on(page, site_url)
    type_weight(page, "#trade-throughput", "10 %")
    type_weight(page, "#trade-memory", "0.5 GB")
    shows(page, order(10, 0.5))
    page.locator("#why-model").select_option(label="DeBERTa")
    expect(page.locator("#why-formula")).to_contain_text("Trade-off score of DeBERTa = 76.07 + 21.14 − 9.60")
    expect(page.get_by_role("columnheader", name="× share")).to_be_hidden()
    expect(page.get_by_role("columnheader", name="÷ trade-off")).to_be_visible()
    expect(page.locator("#z-scores")).to_be_hidden()
    page.locator("#first-place summary").click()
    page.locator("#first-place").get_by_role("button", name="Set it").click()
    expect(page.locator("#rows th > a").first).to_have_text("DeBERTa")


@pytest.mark.slow
def test_a_citation_names_the_trade_offs_and_leads_to_them(
    frozen: Frozen, frozen_url: str, page: Page
) -> None:
    """On a board's page and on its snapshot's, which has the control, too."""
    fragment = "#v1;y=trades;u=throughput:20%25,memory:0.5"
    open_board(page, f"{frozen_url}measured/{fragment}")
    expect(page.locator("#weights-name")).to_have_text("by your own exchange")
    page.get_by_role("button", name="Cite this view").click()
    sentence = page.get_by_role("dialog").locator("[data-format=sentence]")
    expect(sentence).to_contain_text("is worth 20 % of Throughput and 0.5 GB of Memory")
    cited = sentence.inner_text().rpartition(" ")[2]
    assert cited == f"{frozen_url}snapshots/{frozen.measured.id}/{fragment}"
    rows = page.locator("#rows th > a").all_inner_texts()
    page.goto(cited)
    expect(page.locator("#scorer-state")).to_have_text("on", timeout=60_000)
    expect(page.locator("#trade-throughput")).to_have_value("20 %")
    shows(page, rows)
    expect(page.locator("#cite [data-format=sentence]")).to_contain_text("20 % of Throughput")
