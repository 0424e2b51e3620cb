"""A visitor sets hard limits, in a menu or along an axis, and ranks only among the models that keep them."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from evaluator.rank.dynascore import Board
from site_src.generator.formats import number

LIMIT = "#v1;c=memory:most:2.5"
#: The models of Table 2 that use at most 2.5 GB, in the order of the whole board.
SMALL = ["ALBERT", "Majority Baseline", "FastText"]


def names(page: Page) -> list[str]:
    return [text.strip() for text in page.locator("#rows th > :is(a, .name)").all_text_contents()]


def column(page: Page, place: str) -> list[str]:
    return page.locator(f"#rows {place}").all_text_contents()


def limit(page: Page, box: str, value: str) -> None:
    """Type a limit into its box in the menu."""
    page.locator("#limit-menu summary").click()
    page.get_by_role("spinbutton", name=box).fill(value)
    page.keyboard.press("Escape")
    expect(page.locator("#limit-choices")).to_be_hidden()


def ready(page: Page) -> None:
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=30_000)


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
    page.goto(site_url + "sentiment/" + LIMIT)
    ready(page)
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
def test_ranking_among_the_models_left_follows_filters_too(page: Page, site_url: str) -> None:
    """A filter leaves models as a limit does; a search only looks among them."""
    page.goto(site_url + "measured/#v1;f=tag:lexicon,tag:linear;a=left")
    ready(page)
    expect(page.locator("#found")).to_contain_text("are among these 2 alone")
    expect(page.locator("#rows .place")).to_have_text(["1", "2"])
    page.get_by_role("searchbox").fill(names(page)[1])
    expect(page.locator("#found")).to_contain_text("1 of 7 models.")
    expect(page.locator("#found")).to_contain_text("are among these 2 alone")
    expect(page.locator("#rows .place")).to_have_text(["2"])


@pytest.mark.slow
def test_a_limit_that_no_model_keeps_says_so_and_can_be_taken_back(page: Page, site_url: str) -> None:
    """Nothing is ranked among no models; one press shows all again."""
    page.goto(site_url + "sentiment/#v1;c=memory:most:0.001;a=left")
    ready(page)
    expect(page.locator("#nothing")).to_be_visible()
    expect(page.locator("#found")).to_have_text(
        "0 of 7 models use at most 0.001 GB (Memory). No model is left to be ranked."
    )
    expect(page.locator("#notes-list")).to_contain_text("no model is within the limits")
    page.locator("#show-all").click()
    expect(page.locator("#rows tr.line")).to_have_count(7)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
def test_a_drag_along_an_axis_sets_limits(page: Page, site_url: str, width: int) -> None:
    """What lies between the ends of the drag is left; an end of the axis is no limit; a click limits nothing."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(site_url + "sentiment/#v1;o=parallel")
    ready(page)
    page.locator("#tradeoffs").scroll_into_view_if_needed()
    grip = page.locator("#chart-parallel .grip").nth(2)
    grip.scroll_into_view_if_needed()
    box = grip.bounding_box()
    assert box
    across = box["width"] > box["height"]
    # The best end of memory, its least, is on top, or at the right of narrow screens.
    start = (box["x"] + box["width"], box["y"] + 12) if across else (box["x"] + 12, box["y"])
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*middle)
    expect(page.locator("#chips li")).to_have_count(0)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(*start, steps=4)
    page.mouse.move(start[0] + (40 if across else 0), start[1] - (0 if across else 40))
    page.mouse.up()
    chip = page.locator("#chips li")
    expect(chip).to_have_text(re.compile(r"Memory at most \d\.\d\d? GB"))
    most = float(re.findall(r"[\d.]+", chip.text_content() or "")[0])
    assert most == pytest.approx((1.07 + 9.06) / 2, abs=0.1)
    assert set(names(page)) == {*SMALL, "DeBERTa", "RoBERTa"}
    expect(page.locator("#chart-parallel .remarks")).to_contain_text("2 models")
    # The band of the limit, beside the empty one that follows a drag.
    expect(page.locator("#chart-parallel .brush")).to_have_count(2)


@pytest.mark.slow
def test_bars_of_a_board_have_one_scale_and_one_without_room_says_how_long_it_is(
    page: Page, site_url: str
) -> None:
    """The same before any script runs and after."""
    page.goto(site_url + "sentiment/#v1;m=perf:5")
    ready(page)
    page.goto(site_url + "sentiment/")
    row = page.locator("#rows tr", has_text="Majority Baseline")
    expect(row.locator(".beyond")).to_have_text("−17 +7")
    marks = "all => all.map((mark) => mark.getAttribute('points') !== '')"
    assert row.locator(".bar .cut").evaluate_all(marks) == [True, True]
    whole = page.locator("#rows tr", has_text="DeBERTa")
    expect(whole.locator(".beyond")).to_have_text("")
    assert whole.locator(".bar .cut").evaluate_all(marks) == [False, False]


@pytest.mark.slow
def test_the_median_model_s_own_page_compares_it_with_the_leader(page: Page, site_url: str) -> None:
    """It would differ from itself in nothing; other pages compare with the median."""
    page.goto(site_url + "sentiment/")
    page.locator("#rows").get_by_role("link", name="ALBERT", exact=True).click()
    expect(page.locator(".wide-bar")).to_contain_text(re.compile("DeBERTa.?, the leader"))
    expect(page.get_by_role("columnheader", name="Against the leader")).to_be_visible()
    expect(page.locator("tbody tr", has_text="Memory").first).to_contain_text("+")
    page.go_back()
    page.locator("#rows").get_by_role("link", name="DeBERTa", exact=True).click()
    expect(page.locator(".wide-bar")).to_contain_text(re.compile("ALBERT.?, the median model"))
