"""A visitor weighs metrics over their columns, scrolls one page, and has one undo."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from site_pages import open_board, type_weight


def over(page: Page, name: str) -> Locator:
    """The slider over the column of a metric."""
    return page.get_by_role("slider", name=f"Weight of {name}")


def test_a_metric_is_weighed_over_its_column_as_in_the_panel(page: Page, site_url: str) -> None:
    """One weight has two sliders: whichever is moved, the other, the number, the ranks and the address follow."""
    open_board(page, site_url + "sentiment/")
    head, panel = over(page, "Macro-F1"), page.get_by_role("slider", name="Macro-F1, slider")
    expect(head).to_have_attribute("aria-valuetext", "4, 50.0 % of the weight")
    head.press("Home")
    expect(panel).to_have_value("0")
    expect(page.locator("#metric-perf")).to_have_value("0")
    expect(page.locator("#rows th > a").first).to_have_text("Majority Baseline")
    page.wait_for_url(lambda url: url.endswith("#v1;m=perf:0,throughput:1,memory:1,fairness:1,robustness:1"))
    panel.press("End")
    expect(head).to_have_value("5")
    type_weight(page, "#metric-perf", "0.333333")
    for slider in (head, panel):
        expect(slider).to_have_attribute("aria-valuetext", "0.333333, 7.7 % of the weight")
    expect(page.locator("#column-weights [data-name=perf]")).to_have_text("0.33")
    for _ in range(3):
        page.get_by_role("button", name="Undo").click()
    expect(head).to_have_value("4")
    expect(page.locator("#rows th > a").first).to_have_text("DeBERTa")


@pytest.mark.slow
def test_a_lock_holds_over_the_columns_and_what_it_leaves_at_zero_is_said_there(
    page: Page, site_url: str
) -> None:
    """Also where the panel, which says it too, is a sheet that is not open."""
    page.set_viewport_size({"width": 1440, "height": 900})
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Lock Macro-F1").click()
    expect(over(page, "Macro-F1")).to_be_disabled()
    page.set_viewport_size({"width": 1000, "height": 900})
    over(page, "Throughput").press("End")
    expect(over(page, "Throughput")).to_have_value("4")
    said = page.locator("#column-weights .weight-problem")
    expect(said).to_have_text(
        "At 0 now, since the locked weights keep their share: Memory, Fairness, Robustness. Undo brings them back."
    )
    expect(said).to_be_in_viewport()
    page.get_by_role("button", name="Undo").click()
    expect(said).to_be_hidden()
    expect(over(page, "Memory")).to_have_value("1")


@pytest.mark.slow
def test_sliders_stand_only_over_columns_that_are_shown_and_weighed(
    page: Page, browser: Browser, site_url: str
) -> None:
    """Not over a hidden one, by trade-offs, on a phone, of a single metric, or without scripts."""
    page.goto(site_url + "sentiment/#v1;h=memory")
    expect(over(page, "Memory")).to_be_hidden()
    expect(over(page, "Fairness")).to_be_visible()
    page.get_by_label("By your own exchange").check()
    expect(over(page, "Fairness")).to_be_hidden()
    page.get_by_label("By weights").check()
    expect(over(page, "Fairness")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(over(page, "Fairness")).to_be_hidden()
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(site_url + "sentiment/")
    expect(plain.locator("#column-weights")).to_be_hidden()
    context.close()


@pytest.mark.parametrize("width", [1440, 1024])
def test_the_head_of_a_long_table_stays_in_sight_with_what_is_pinned(
    page: Page, crowd_url: str, width: int
) -> None:
    """Hundreds of rows scroll with the page under it; its sliders have their keys there, which scroll nothing."""
    page.set_viewport_size({"width": width, "height": 720})
    open_board(page, crowd_url)
    page.locator("#rows .pin").nth(1).click()
    pinned = page.locator("#pinned .line")
    page.mouse.move(400, 400)
    page.mouse.wheel(0, 4000)
    expect(page.locator("#rows .place", has_text=re.compile("^80$"))).to_be_visible()
    expect(over(page, "Memory")).to_be_in_viewport()
    expect(pinned).to_be_in_viewport(ratio=1)
    before = page.evaluate("scrollY")
    over(page, "Memory").press("Home")
    expect(page.locator("#metric-memory")).to_have_value("0")
    assert page.evaluate("scrollY") == before


#: What scrolls within the page.
PANES = """() => [...document.querySelectorAll("main, main *:not(textarea)")]
  .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowY))
  .filter((element) => element.scrollHeight > element.clientHeight + 1)
  .map((element) => element.id || element.className)"""


@pytest.mark.slow
@pytest.mark.parametrize("path", ["measured/", "rounds/difficulty/round-2/"])
def test_nothing_but_the_page_scrolls(page: Page, site_url: str, path: str) -> None:
    """A panel higher than the window is seen to its end by scrolling the page, and the keyboard finds its beginning."""
    page.set_viewport_size({"width": 1440, "height": 420})
    open_board(page, site_url + path)
    assert [pane for pane in page.evaluate(PANES) if pane != "models-list"] == []
    first = page.locator("#sheet :is(button, input, select, summary):visible").first
    last = page.locator("#sheet > :last-child")
    expect(last).not_to_be_in_viewport()
    page.evaluate("scrollTo(0, 2400)")
    expect(last).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()
    first.focus()
    expect(first).to_be_in_viewport()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_no_table_scrolls_within_the_page_however_long(
    page: Page, crowd_url: str, size: tuple[int, int]
) -> None:
    """A board of 150 models; on a phone the weights are a sheet of their own, which is shut."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_board(page, crowd_url)
    assert [pane for pane in page.evaluate(PANES) if pane != "sheet"] == []
    assert page.evaluate("document.documentElement.scrollHeight") > 150 * 40


@pytest.mark.slow
def test_the_head_of_a_table_stays_in_sight_with_its_sliders(page: Page, site_url: str) -> None:
    """While its rows scroll with the page."""
    page.set_viewport_size({"width": 1440, "height": 900})
    open_board(page, site_url + "sentiment/")
    page.locator("#rows tr").nth(5).evaluate(
        "row => scrollTo(0, scrollY + row.getBoundingClientRect().top - 250)"
    )
    first, slider = page.locator("#rows tr").first.bounding_box(), over(page, "Memory").bounding_box()
    assert first is not None
    assert slider is not None
    assert first["y"] < slider["y"]
    assert 0 < slider["y"] < 200


@pytest.mark.slow
def test_there_is_one_undo_and_an_open_sheet_has_it(browser: Browser, site_url: str) -> None:
    """It is among the tools above the table, which the sheet of weights scrolls out of sight."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    open_board(page, site_url + "sentiment/")
    undo = page.get_by_role("button", name="Undo", include_hidden=True)
    expect(undo).to_have_count(1)
    expect(page.locator("#sheet #undo")).to_have_count(0)
    page.get_by_role("button", name="Weights", exact=True).tap()
    page.locator(".preset", has_text="Edge device").tap()
    expect(page.locator("#metric-perf")).to_have_value("1")
    undo.tap()
    expect(page.locator("#metric-perf")).to_have_value("4")
    expect(page.locator("#sheet #undo")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#sheet #undo")).to_have_count(0)
    expect(undo).to_have_count(1)
    context.close()
