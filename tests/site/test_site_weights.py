"""A visitor weighs metrics and datasets: locks, even shares, presets, undo and redo, other terms."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from site_pages import open_board


def share(page: Page, name: str) -> Locator:
    return page.locator(f".control[data-name={name}] .share")


def type_weight(page: Page, selector: str, value: str) -> None:
    page.locator(selector).fill(value)
    page.locator(selector).press("Tab")


def test_a_lock_holds_a_share_while_another_weight_moves(page: Page, site_url: str) -> None:
    """With performance locked at a half, throughput takes from the three others; unlocked it all moves again."""
    open_board(page, site_url + "sentiment/")
    lock = page.get_by_role("button", name="Lock Macro-F1")
    lock.focus()
    page.keyboard.press("Space")
    expect(lock).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#metric-perf")).to_be_disabled()
    type_weight(page, "#metric-throughput", "2.5")
    for name, text in {"perf": "50.0 %", "throughput": "31.3 %", "memory": "6.3 %"}.items():
        expect(share(page, name)).to_have_text(text)
    expect(page.locator("#metric-memory")).to_have_value("0.5")
    page.locator("#metric-throughput").fill("9")
    expect(page.locator("#metric-problem")).to_have_text("The locked weights leave 4 to share.")
    page.locator("#metric-throughput").press("Tab")
    expect(page.locator("#metric-problem")).to_be_hidden()
    expect(page.locator("#metric-throughput")).to_have_value("4")
    expect(share(page, "perf")).to_have_text("50.0 %")
    page.get_by_role("button", name="Split the rest evenly").click()
    expect(page.locator("#metric-memory")).to_have_value("1")
    lock.click()
    type_weight(page, "#metric-throughput", "4")
    expect(share(page, "perf")).to_have_text("36.4 %")


@pytest.mark.slow
def test_a_preset_opens_the_locks_and_reset_takes_everything_back(page: Page, site_url: str) -> None:
    """The owner's weights are whole sets; reset also forgets the base, the threshold and what ranks."""
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Lock Memory").click()
    page.get_by_role("button", name="Accuracy only").click()
    expect(page.get_by_role("button", name="Lock Memory")).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("button", name="Accuracy only")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#metric-memory")).to_have_value("0")
    page.locator("#ranking-terms summary").click()
    page.get_by_label("Base metric").select_option("Throughput")
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_label("Base metric")).to_have_value("perf")
    expect(page.get_by_role("button", name="Default")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("^[^#]*$"))


def test_undo_and_redo_by_button_and_by_keys(page: Page, site_url: str) -> None:
    """A drag is one step; the keys undo and redo, except in a text field, where they edit the text."""
    open_board(page, site_url + "sentiment/")
    undo, redo = page.locator("#undo"), page.locator("#redo")
    expect(undo).to_have_attribute("aria-disabled", "true")
    type_weight(page, "#metric-perf", "3")
    type_weight(page, "#metric-memory", "2")
    undo.click()
    expect(page.locator("#metric-memory")).to_have_value("1")
    expect(page.locator("#metric-perf")).to_have_value("3")
    expect(undo).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.locator("#metric-perf")).to_have_value("4")
    expect(undo).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("#metric-perf")).to_have_value("3")
    page.keyboard.press("Control+y")
    expect(page.locator("#metric-memory")).to_have_value("2")
    expect(redo).to_have_attribute("aria-disabled", "true")
    page.locator("#metric-perf").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#metric-memory")).to_have_value("2")


@pytest.mark.slow
def test_a_slider_is_dragged_in_one_step_and_says_its_share(page: Page, site_url: str) -> None:
    """However many places the pointer passes, one undo takes it back."""
    open_board(page, site_url + "sentiment/")
    slider = page.get_by_role("slider", name="Memory, slider")
    expect(slider).to_have_attribute("aria-valuetext", "1, 12.5 % of the weight")
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) / 5, middle)
    page.mouse.down()
    for part in (0.4, 0.6, 0.8, 1):
        page.mouse.move(box["x"] + part * (box["width"] - 8), middle)
    page.mouse.up()
    expect(page.locator("#metric-memory")).to_have_value("5")
    expect(slider).to_have_attribute("aria-valuetext", "5, 41.7 % of the weight")
    page.locator("#undo").click()
    expect(page.locator("#metric-memory")).to_have_value("1")


@pytest.mark.slow
def test_base_metric_and_threshold_are_the_visitors_to_choose(page: Page, site_url: str) -> None:
    """Rates, units and the terms beneath follow; a threshold that lets no pair count is noted."""
    open_board(page, site_url + "sentiment/")
    page.locator("#ranking-terms summary").click()
    page.get_by_label("Base metric").select_option("Memory")
    expect(page.locator(".rates li[data-metric=memory] .rate-unit")).to_have_text("base")
    expect(page.locator(".rates li[data-metric=memory] .rate")).to_have_text("1.000")
    expect(page.locator(".rates li[data-metric=perf] .worth")).to_contain_text("GB")
    expect(page.locator("#base-one")).to_have_text("1 GB")
    expect(page.locator("#pair-rule")).to_have_text(
        "Memory differs by more than 0.0001 times the largest value"
    )
    page.wait_for_url(lambda url: url.endswith("#v1;b=memory"))
    page.get_by_label("Base metric").select_option("Macro-F1")
    page.get_by_label("Kind of threshold").select_option("as it stands")
    type_weight(page, "#threshold", "50")
    expect(page.locator("#pair-rule")).to_have_text("Macro-F1 differs by more than 50 F1")
    expect(page.locator("#notes-list")).to_contain_text("Throughput: undefined exchange rate")
    page.wait_for_url(lambda url: url.endswith("#v1;e=absolute:50"))
    page.locator("#threshold").fill("-1")
    expect(page.locator("#threshold-problem")).to_contain_text("A threshold is a number")
    page.wait_for_url(lambda url: url.endswith("#v1;e=absolute:50"))


@pytest.mark.slow
def test_models_can_be_ranked_by_mean_z_score(page: Page, site_url: str) -> None:
    """The paper has both rankings; the page ranks by either."""
    open_board(page, site_url + "sentiment/")
    page.locator("#ranking-terms summary").click()
    page.get_by_label("Rank by").select_option("Mean z-score")
    expect(page.locator("#rows th > a").nth(2)).to_have_text("ALBERT")
    page.wait_for_url(lambda url: url.endswith("#v1;y=z_score"))


@pytest.mark.slow
def test_targets_are_large_enough_for_a_finger(browser: Browser, site_url: str) -> None:
    """Every control in the sheet of weights is 44 px high where fingers point."""
    context = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_board(page, site_url + "sentiment/")
    page.get_by_role("button", name="Weights").tap()
    page.locator("#ranking-terms summary").tap()
    low = page.locator("#sheet").evaluate(
        "sheet => [...sheet.querySelectorAll('button, input, select, summary')].filter((e) => e.offsetParent)"
        ".map((e) => [e.id || e.className, e.getBoundingClientRect().height]).filter(([, height]) => height < 44)"
    )
    assert low == []
    assert page.locator("#sheet").get_by_role("button").count() > 5
    context.close()
