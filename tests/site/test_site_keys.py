"""A visitor who has no mouse: how many stops there are, and what arrow keys do."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

WHERE = "document.activeElement"
MODEL = f"{WHERE}.closest('tr[data-model]')?.dataset.model ?? null"
FEW = 12


def ready(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)


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
@pytest.mark.parametrize("board", ["sentiment", "measured", "rounds"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_first_stop_skips_to_the_weights(
    page: Page, site_url: str, board: str, size: tuple[int, int]
) -> None:
    """On a phone's size too, where it opens the sheet; the address stays as it is."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    ready(page, f"{site_url}{board}/")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to weights")
    page.keyboard.press("Enter")
    expect(page.locator("#metric-weights .number").first).to_be_focused()
    assert "#" not in page.url


@pytest.mark.slow
@pytest.mark.parametrize("board", ["sentiment", "measured", "rounds"])
def test_the_first_weight_is_at_most_twelve_stops_away(page: Page, site_url: str, board: str) -> None:
    """Without skipping anything."""
    ready(page, f"{site_url}{board}/")
    assert tab_until(page, "#metric-weights .number", FEW) <= FEW


@pytest.mark.slow
def test_all_rows_are_one_stop(page: Page, crowd_url: str) -> None:
    """However many models there are: Tab enters the rows once, and leaves them with the next press."""
    ready(page, crowd_url)
    tab_until(page, "tr[data-model] *", 80)
    assert focused_model(page) == "crowd-0000"
    page.keyboard.press("Tab")
    assert focused_model(page) is None
    page.keyboard.press("Shift+Tab")
    assert focused_model(page) == "crowd-0000"


def test_arrow_keys_go_from_model_to_model_and_along_a_row(page: Page, site_url: str) -> None:
    """Left and right pass a model's controls; up and down keep to the same one; both ends hold."""
    ready(page, site_url + "measured/")
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
    ready(page, crowd_url)
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
def test_the_stop_stays_with_its_model(page: Page, site_url: str) -> None:
    """When weights move and ranks change, Tab comes back to the same model, and the focus stays where it is."""
    ready(page, site_url + "sentiment/")
    page.locator("tr[data-model=fasttext] a").focus()
    page.locator("#metric-throughput").fill("400")
    expect(page.locator("#rows .line").first).to_have_attribute("data-model", "majority")
    assert page.locator("#rows [tabindex='0']").evaluate_all(
        "all => all.map((one) => one.closest('tr').dataset.model)"
    ) == ["fasttext"]


@pytest.mark.slow
def test_presets_and_steps_are_a_stop_each(page: Page, site_url: str) -> None:
    """Arrow keys go round among them."""
    ready(page, site_url + "sentiment/")
    presets = page.locator(".preset")
    presets.first.focus()
    press(page, "ArrowRight")
    expect(presets.nth(1)).to_be_focused()
    press(page, "ArrowLeft", "ArrowLeft")
    expect(presets.last).to_be_focused()
    press(page, "Enter")
    expect(presets.last).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Shift+Tab")
    expect(page.locator(":focus")).to_have_id("undo")
    press(page, "End")
    expect(page.locator(":focus")).to_have_id("reset")


@pytest.mark.slow
def test_a_question_mark_lists_the_keys(page: Page, site_url: str) -> None:
    """So does a button; in a search it is a question mark, and Escape closes the list."""
    ready(page, site_url + "sentiment/")
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
