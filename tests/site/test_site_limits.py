"""A visitor sets hard limits, in a menu or along an axis, and ranks only among the models that keep them."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect
from site_pages import names, open_board

from evaluator.rank.dynascore import Board
from site_src.generator.formats import number

LIMIT = "#v1;c=memory:most:2.5"
#: The models of Table 2 that use at most 2.5 GB, in the order of the whole board.
SMALL = ["ALBERT", "Majority Baseline", "FastText"]


def column(page: Page, place: str) -> list[str]:
    return page.locator(f"#rows {place}").all_text_contents()


def limit(page: Page, box: str, value: str) -> None:
    """Type a limit into its box in the menu."""
    page.locator("#limit-menu summary").click()
    page.get_by_role("spinbutton", name=box).fill(value)
    page.keyboard.press("Escape")
    expect(page.locator("#limit-choices")).to_be_hidden()


def test_a_limit_leaves_the_models_that_keep_it_and_changes_no_score(page: Page, site_url: str) -> None:
    """Those left keep rank and score, the others are counted, and a link to it shows the same."""
    page.goto(site_url + "sentiment/")
    before = {
        name: (rank, score)
        for name, rank, score in zip(
            names(page), column(page, ".place"), column(page, ".score > .num"), strict=True
        )
    }
    limit(page, "Memory at most, GB", "2.5")
    assert names(page) == SMALL
    expect(page.locator("#found")).to_have_text(
        "3 of 7 models use at most 2.5 GB (Memory). Limits change nobody’s score:"
        " ranks and exchange rates are among all 7."
    )
    after = zip(column(page, ".place"), column(page, ".score > .num"), strict=True)
    assert list(after) == [before[name] for name in SMALL]
    page.wait_for_url(lambda url: url.endswith(LIMIT))
    page.reload()
    assert names(page) == SMALL
    expect(page.locator("#limit-choices input").nth(3)).to_have_value("2.5")


@pytest.mark.slow
def test_least_and_most_narrow_a_metric_to_a_range_and_chips_widen_it_again(
    page: Page, site_url: str
) -> None:
    """The number of a limit itself is within it; each chip takes its own limit away."""
    page.goto(site_url + "sentiment/")
    limit(page, "Memory at least, GB", "2.04")
    limit(page, "Memory at most, GB", "4.8")
    limit(page, "Throughput at least, ex/s", "8")
    assert names(page) == ["RoBERTa", "ALBERT"]
    expect(page.locator("#found")).to_contain_text(
        "2 of 7 models use 2.04 to 4.8 GB (Memory) and have at least 8 ex/s (Throughput)."
    )
    page.get_by_role("button", name="Remove Throughput at least 8 ex/s").click()
    assert names(page) == ["DeBERTa", "RoBERTa", "ALBERT"]
    expect(page.get_by_role("button", name="Remove Memory at least 2.04 GB")).to_be_focused()
    page.go_back()
    assert names(page) == ["RoBERTa", "ALBERT"]


@pytest.mark.slow
def test_the_switch_ranks_as_on_a_board_of_the_models_left_alone(page: Page, site_url: str) -> None:
    """Ranks, scores and rates are those that Python gives such a board; switched off, all is as before."""
    open_board(page, site_url + "sentiment/" + LIMIT)
    whole = column(page, ".score > .num")
    page.get_by_role("checkbox", name="Rank only among these").check()
    expect(page.locator("#found")).to_contain_text(
        "Ranks, scores and exchange rates are among these 3 alone."
    )
    data = json.loads(page.locator("#board-data").text_content() or "")
    board = Board.from_dict(json.loads(page.locator("#board-cells").text_content() or ""))
    labels = {model["id"]: model["label"] for model in data["models"]}
    left = [at for at, model in enumerate(board.models) if labels[model] in SMALL]
    alone = board.among(left).rank(data["weights"]["metrics"])
    expect(page.locator("#rows .score > .num")).to_have_text([number(row.dynascore) for row in alone.rows])
    assert names(page) == [labels[row.model] for row in alone.rows]
    assert column(page, ".place") == [str(row.rank) for row in alone.rows]
    assert column(page, ".score > .num") != whole
    expect(page).to_have_url(re.compile(";a=left$"))
    page.get_by_role("checkbox", name="Rank only among these").uncheck()
    expect(page.locator("#rows .score > .num")).to_have_text(whole)


@pytest.mark.slow
def test_a_drag_along_an_axis_sets_limits(page: Page, site_url: str) -> None:
    """What lies between the ends of the drag is left; an end of the axis is no limit; a click limits nothing."""
    page.set_viewport_size({"width": 390, "height": 900})
    open_board(page, site_url + "sentiment/#v1;o=parallel")
    page.locator("#tradeoffs").scroll_into_view_if_needed()
    grip = page.locator("#chart-parallel .grip").nth(2)
    # Charts above and the sentence over it move this one until they are there.
    expect(page.locator("#chart-parallel .finding")).not_to_be_empty()
    grip.hover()
    box = grip.bounding_box()
    assert box
    page.mouse.down()
    # The best end of memory, its least, is at the right of narrow screens.
    end = (box["x"] + box["width"], box["y"] + 12)
    page.mouse.move(*end, steps=4)
    page.mouse.move(end[0] + 40, end[1])
    page.mouse.up()
    chip = page.locator("#chips li")
    expect(chip).to_have_text(re.compile(r"Memory at most \d\.\d\d? GB"))
    most = float(re.findall(r"[\d.]+", chip.text_content() or "")[0])
    assert most == pytest.approx((1.07 + 9.06) / 2, abs=0.1)
    chip.get_by_role("button").click()
    grip.click()
    expect(chip).to_have_count(0)
    assert set(names(page)) == {*SMALL, "DeBERTa", "RoBERTa"}
    expect(page.locator("#chart-parallel .remarks")).to_contain_text("2 models")
    # The band of the limit, beside the empty one that follows a drag.
    expect(page.locator("#chart-parallel .brush")).to_have_count(2)
