"""A visitor who has no mouse: how many stops there are, and what arrow keys do."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from site_pages import open_board

WHERE = "document.activeElement"
MODEL = f"{WHERE}.closest('tr[data-model]')?.dataset.model ?? null"
FEW = 12


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused_model(page: Page) -> str | None:
    found: str | None = page.evaluate(MODEL)
    return found


def tab_until(page: Page, selector: str, most: int) -> int:
    """Press Tab until the focus is on what the selector says; how often that took, at most `most`."""
    for count in range(1, most + 1):
        page.keyboard.press("Tab")
        if page.evaluate(f"{WHERE}.matches('{selector}')"):
            return count
    raise AssertionError(f"no {selector} within {most} stops")


@pytest.mark.slow
def test_the_first_stop_skips_to_the_weights(page: Page, site_url: str) -> None:
    """On a phone's size too, where it opens the sheet; the address stays as it is. Without skipping anything the first
    weight is at most twelve stops away."""
    open_board(page, f"{site_url}rounds/")
    tab_until(page, "#metric-weights .number", FEW)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to weights")
        page.keyboard.press("Enter")
        expect(page.locator("#metric-weights .number").first).to_be_focused()
        assert "#" not in page.url


def test_arrow_keys_go_from_model_to_model_and_along_a_row(page: Page, site_url: str) -> None:
    """Left and right pass a model's controls; up and down keep to the same one; both ends hold."""
    open_board(page, site_url + "measured/")
    models = page.locator("#rows .line").evaluate_all("rows => rows.map((row) => row.dataset.model)")
    page.locator("#rows .line a").first.focus()
    press(page, "ArrowDown", "ArrowDown")
    assert focused_model(page) == models[2]
    press(page, "ArrowLeft")
    expect(page.locator(":focus")).to_have_class("opener")
    press(page, "ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("type", "checkbox")
    press(page, "ArrowLeft", "ArrowUp")
    assert focused_model(page) == models[1]
    press(page, "Space")
    expect(page.locator(f"tr[data-model={models[1]}] .choose input")).to_be_checked()
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(page.locator(":focus")).to_have_class("pin")
    press(page, "End")
    assert focused_model(page) == models[-1]
    press(page, "ArrowDown", "Home", "ArrowUp")
    assert focused_model(page) == models[0]


@pytest.mark.slow
def test_keys_reach_every_model_of_a_long_board(page: Page, crowd_url: str) -> None:
    """Also those whose rows were not in the page; the row that has the focus is in sight."""
    open_board(page, crowd_url)
    page.locator("#rows .line a").first.focus()
    press(page, "End")
    assert focused_model(page) == "crowd-0149"
    press(page, "PageUp", "ArrowUp")
    assert focused_model(page) == "crowd-0138"
    row, frame = page.locator("tr:has(:focus)").bounding_box(), page.locator("#ranking-frame").bounding_box()
    assert row
    assert frame
    assert frame["y"] <= row["y"]
    assert row["y"] + row["height"] <= frame["y"] + frame["height"] + 1
    press(page, *["PageUp"] * 14)
    assert focused_model(page) == "crowd-0000"


@pytest.mark.slow
def test_a_question_mark_lists_the_keys(page: Page, site_url: str) -> None:
    """So does a button; in a search it is a question mark, and Escape closes the list."""
    open_board(page, site_url + "sentiment/")
    dialog = page.get_by_role("dialog", name="Keys of this page")
    page.locator("#search").press("?")
    expect(page.locator("#search")).to_have_value("?")
    expect(dialog).to_be_hidden()
    page.locator("#undo").focus()
    press(page, "?")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("row")).not_to_have_count(0)
    press(page, "Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#undo")).to_be_focused()
    page.get_by_role("button", name="Keys of this page").click()
    expect(dialog).to_be_visible()
