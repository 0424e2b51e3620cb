"""A visitor searches, filters, sets limits, chooses models to compare, and exports what is shown."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pandas
import pytest
from playwright.sync_api import Page, expect
from site_pages import MODELS, becomes, open_board, shows

from evaluator.rank.dynascore import Board
from site_src.generator.formats import number


def search(page: Page, text: str) -> None:
    page.get_by_role("searchbox", name="Search models").fill(text)


def test_a_search_finds_by_every_word_in_name_id_tag_or_licence(page: Page, site_url: str) -> None:
    """Case and accents do not matter; the ranks stay, and the page says among how many they are."""
    page.goto(site_url + "measured/")
    search(page, "  BÁSELINE  lexi")
    shows(page, ["VADER"])
    expect(page.locator("#found")).to_have_text("1 of 7 models. Ranks and exchange rates are among all 7.")
    rank = page.locator("#rows .place").text_content() or ""
    search(page, "")
    expect(page.locator("#rows tr[data-model=vader] .place")).to_have_text(rank)
    expect(page.locator("#found")).to_have_text("")
    search(page, "mit")
    shows(page, ["TF-IDF + logistic regression"])
    search(page, "bert-small")
    shows(page, ["Small BERT"])
    search(page, "مصنف")
    shows(page, ["مصنف المشاعر العربي"])


@pytest.mark.slow
def test_a_chip_shows_each_filter_and_removes_it(page: Page, site_url: str) -> None:
    """The chip goes, the models come back, and the focus goes on to the next chip."""
    page.goto(site_url + "measured/#v1;f=tag:lexicon,licence:MIT")
    expect(page.locator("#nothing")).to_be_visible()
    page.get_by_role("button", name="Remove Tag: lexicon").click()
    shows(page, ["TF-IDF + logistic regression"])
    expect(page.get_by_role("button", name="Remove Licence: MIT")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(MODELS)).to_have_count(7)
    expect(page.get_by_role("searchbox", name="Search models")).to_be_focused()


@pytest.mark.slow
def test_columns_are_hidden_and_come_back(page: Page, site_url: str) -> None:
    """A hidden column leaves the head and every row, people's too, and keeps its weight."""
    page.goto(site_url + "rounds/")
    menu = page.locator("#column-menu summary")
    menu.click()
    page.get_by_role("checkbox", name="Macro-F1").uncheck()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(page.get_by_role("columnheader", name="Macro-F1")).to_be_hidden()
    for row in page.locator(".ranks tbody tr").all():
        expect(row.locator("td.metric").first).to_be_hidden()
        expect(row.locator("td.metric").nth(1)).to_be_visible()
    expect(page.locator("#metric-macro-f1")).to_have_value("3")
    page.wait_for_url(lambda url: url.endswith("#v1;h=macro-f1"))
    page.go_back()
    expect(page.get_by_role("columnheader", name="Macro-F1")).to_be_visible()


@pytest.mark.slow
def test_two_to_four_models_are_chosen_and_compared(page: Page, site_url: str) -> None:
    """The bar names them and leads to the comparison at these weights; a fifth cannot be chosen."""
    page.goto(site_url + "sentiment/#v1;m=perf:2")
    bar, link = page.locator("#compare-bar"), page.locator("#compare-link")
    expect(bar).to_be_hidden()
    page.get_by_role("checkbox", name="Compare DeBERTa").check()
    expect(bar).to_contain_text("Choose another to compare it with")
    expect(link).to_be_hidden()
    page.get_by_role("checkbox", name="Compare T5").check()
    expect(link).to_have_text("Compare 2 models")
    link.focus()
    address = link.get_attribute("href") or ""
    assert "/sentiment/compare/#v1;m=perf:2," in address
    assert address.endswith(";k=deberta,t5")
    for name in ("BERT", "FastText"):
        page.get_by_role("checkbox", name=f"Compare {name}", exact=True).check()
    expect(link).to_have_text("Compare 4 models")
    expect(page.get_by_role("checkbox", name="Compare ALBERT")).to_be_disabled()
    page.reload()
    expect(page.get_by_role("checkbox", name="Compare T5")).to_be_checked()
    page.get_by_role("button", name="Choose none").click()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("checkbox", name="Compare T5")).not_to_be_checked()


LIMIT = "#v1;c=memory:most:2.5"


#: The models of Table 2 that use at most 2.5 GB, in the order of the whole board.
SMALL = ["ALBERT", "Majority Baseline", "FastText"]


def column(page: Page, place: str) -> list[str]:
    return page.locator(f"#rows {place}").all_text_contents()


def leaves(page: Page, models: list[str]) -> None:
    """Wait until the rows of these models, and of no others, are not grey."""
    expect(page.locator(f"#rows tr:not(.outside) {MODELS.removeprefix('#rows ')}")).to_have_text(models)


def test_a_limit_greys_the_models_that_do_not_keep_it_and_changes_no_score(page: Page, site_url: str) -> None:
    """All keep place, rank and score; what was typed is read in another unit, and a link to it shows the same."""
    page.goto(site_url + "sentiment/")
    before = page.locator("#rows tr").all_inner_texts()
    page.locator("#limit-menu summary").click()
    box = page.get_by_role("textbox", name="Memory at most, GB")
    box.fill("2500 MB")
    expect(page.locator("#limit-choices output").nth(1)).to_have_text("At most 2.5 GB: 3 of 7 models")
    page.keyboard.press("Escape")
    leaves(page, SMALL)
    expect(page.locator("#found")).to_have_text(
        "3 of 7 models use at most 2.5 GB (Memory). The first of these is \u2068ALBERT\u2069, at rank 4."
        " Limits change nobody’s score: ranks and exchange rates are among all 7."
    )
    expect(page.locator("#rows tr[data-model=deberta] .rank")).to_contain_text("outside the limits")
    unheard = [text.replace("outside the limits", "") for text in page.locator("#rows tr").all_inner_texts()]
    assert list(map(str.split, unheard)) == list(map(str.split, before))
    page.wait_for_url(lambda url: url.endswith(LIMIT))
    page.reload()
    leaves(page, SMALL)
    page.locator("#limit-menu summary").click()
    expect(box).to_have_value("2.5")
    page.get_by_role("button", name="Remove Memory at most 2.5 GB").click()
    expect(page.locator("#rows .outside")).to_have_count(0)


@pytest.mark.slow
def test_what_is_no_number_limits_nothing_and_is_said(page: Page, site_url: str) -> None:
    """It stays in its box, to be corrected; a comma is read, too, and who is just outside is named."""
    page.goto(site_url + "sentiment/")
    page.locator("#limit-menu summary").click()
    box, said = page.get_by_role("textbox", name="Memory at most, GB"), page.locator("#limit-choices output")
    box.fill("2.5 MX")
    expect(said.nth(1)).to_have_text(
        "“2.5 MX” is no number that can be read here; write 0.2, 0.2 GB or 200 MB."
    )
    box.press("Tab")
    expect(box).to_have_value("2.5 MX")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#chips li")).to_have_count(0)
    box.fill("4,5")
    expect(said.nth(1)).to_have_text("At most 4.5 GB: 4 of 7 models")
    expect(page.locator("#found")).to_contain_text(
        "Just outside, within 10 % of your limit: \u2068DeBERTa\u2069 (4.80 GB)."
    )
    page.get_by_role("textbox", name="Throughput at least, ex/s").fill("125 ms")
    expect(said.nth(0)).to_have_text("At least 8 ex/s: 5 of 7 models")
    leaves(page, ["RoBERTa", *SMALL])


@pytest.mark.slow
def test_a_slider_under_the_picture_of_all_models_limits_a_metric(page: Page, site_url: str) -> None:
    """Its ends are no limit, neither end passes the other one, and one press of a key is one step to undo."""
    page.goto(site_url + "sentiment/")
    page.locator("#limit-menu summary").click()
    most, least = (page.get_by_role("slider", name=f"Memory at {bound}") for bound in ("most", "least"))
    box = page.get_by_role("textbox", name="Memory at most, GB")
    expect(most).to_have_attribute("aria-valuetext", "no limit")
    most.press("PageDown")
    expect(box).not_to_have_value("")
    expect(page.locator("#rows .outside")).to_have_count(1)
    assert float(box.input_value()) < 9.06
    most.press("End")
    expect(box).to_have_value("")
    expect(page.locator("#rows .outside")).to_have_count(0)
    least.press("End")
    assert least.input_value() == most.input_value()
    expect(page.locator("#rows tr:not(.outside)")).to_have_count(1)
    most.press("Home")
    assert most.input_value() == least.input_value()
    page.keyboard.press("Escape")
    page.locator("#undo").click()
    expect(page.locator("#rows .outside")).to_have_count(0)


@pytest.mark.slow
def test_three_models_left_keep_the_scores_of_all(page: Page, site_url: str) -> None:
    """Ranks are among them; the page says why nothing else changes, and no mark says that anybody moved up."""
    open_board(page, site_url + "sentiment/" + LIMIT)
    whole = column(page, "tr:not(.outside) .score > .num")
    page.get_by_role("checkbox", name="Rank only among these").check()
    expect(page.locator("#found")).to_contain_text(
        "Ranks are among these 3 alone. Too few models to say what Throughput, Memory, Fairness and Robustness are"
        " worth: scores and order are those among all 7."
    )
    becomes(page, lambda: column(page, ".place"), ["1", "2", "3", *["—"] * 4])
    leaves(page, SMALL)
    assert column(page, ".score > .num")[:3] == whole
    assert set(column(page, ".change")) == {""}


@pytest.mark.slow
def test_the_switch_ranks_as_on_a_board_of_the_models_left_alone(page: Page, site_url: str) -> None:
    """Ranks, scores and rates are those that Python gives such a board; switched off, all is as before."""
    open_board(page, site_url + "sentiment/#v1;c=memory:most:8")
    whole = column(page, ".score > .num")
    page.get_by_role("checkbox", name="Rank only among these").check()
    expect(page.locator("#found")).to_contain_text(
        "Ranks, scores and exchange rates are among these 6 alone."
    )
    data = json.loads(page.locator("#board-data").text_content() or "")
    board = Board.from_dict(json.loads(page.locator("#board-cells").text_content() or ""))
    labels = {model["id"]: model["label"] for model in data["models"]}
    left = [at for at, memory in enumerate(board.means("memory")) if memory <= 8]
    alone = board.among(left).rank(data["weights"]["metrics"])
    scores = "tr:not(.outside) .score > .num"
    expect(page.locator(f"#rows {scores}")).to_have_text([number(row.dynascore) for row in alone.rows])
    leaves(page, [labels[row.model] for row in alone.rows])
    becomes(page, lambda: column(page, "tr:not(.outside) .place"), [str(row.rank) for row in alone.rows])
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
    leaves(page, ["DeBERTa", "RoBERTa", *SMALL])
    expect(page.locator("#chart-parallel .remarks")).to_contain_text("2 models")
    # The band of the limit, beside the empty one that follows a drag.
    expect(page.locator("#chart-parallel .brush")).to_have_count(2)
    chip.get_by_role("button").click()
    grip.click()
    expect(chip).to_have_count(0)


WARNING = "A Dynascore is relative to the models on its board"


VIEW = "#v1;s=throughput:down;h=memory,fairness;p=bert;q=bert;f=provenance:reported"


#: What this view shows, in this order.
SHOWN = ["BERT", "ALBERT", "RoBERTa", "DeBERTa"]


def exported(page: Page, name: str) -> Path:
    """Download what is shown in a format and return the file."""
    page.locator("#export-menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download as {name}").click()
    return Path(download.value.path())


def test_csv_is_what_is_shown_and_every_reader_takes_it(page: Page, site_url: str) -> None:
    """Rows, order, columns and decimals are the page's; the terms are in columns of their own."""
    page.goto(site_url + "sentiment/" + VIEW)
    file = exported(page, "CSV")
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["Model"] for row in rows] == SHOWN
    assert rows[0]["Rank"] == "5"
    assert [row["Throughput (ex/s)"] for row in rows] == ["8.83", "10.24", "8.95", "7.50"]
    assert not {"Memory (GB)", "Fairness (%)"} & set(rows[0])
    assert rows[0]["Board"] == "Sentiment analysis"
    assert rows[0]["Results of"] == "2026-11-21T15:20:00Z"
    assert rows[0]["Weights of metrics"] == "Macro-F1 4, Throughput 1, Memory 1, Fairness 1, Robustness 1"
    assert rows[0]["Weights of datasets"] == "Dynaboard sentiment, averaged 1"
    assert rows[0]["Searched for"] == "bert"
    assert rows[0]["Note"].startswith(WARNING)
    frame = pandas.read_csv(file)
    assert frame["Dynascore (F1)"].dtype.kind == "f"
    assert list(frame["Model"]) == SHOWN


@pytest.mark.slow
def test_where_the_clipboard_is_refused_the_text_is_there_to_copy(page: Page, site_url: str) -> None:
    """It is shown, focused and selected."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined });")
    page.goto(site_url + "sentiment/#v1;q=bert")
    page.get_by_role("button", name="Copy link").click()
    box = page.get_by_label("Copy it from here")
    expect(box).to_be_focused()
    expect(box).to_have_value(site_url + "sentiment/#v1;q=bert")
    assert page.evaluate("getSelection().toString() || document.activeElement.selectionEnd") != 0
