"""The index and the menu of boards: what there is, and how to find it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from site_sample import write_world

from site_src.generator.build import build
from site_src.generator.serve import preview_server


def row(page: Page, title: str) -> Locator:
    return page.locator("#boards > tr", has=page.get_by_role("link", name=title, exact=True))


def shown(page: Page) -> list[str]:
    """Titles of the boards in sight."""
    titles = page.locator("#boards > tr:visible th a").all_text_contents()
    return [title.strip() for title in titles]


def names(page: Page) -> list[str]:
    """The models of the board to try, in the order of their rows."""
    return [text.strip() for text in page.locator("#rows th > a").all_text_contents()]


def test_a_board_states_what_it_holds_without_script(browser: Browser, site_url: str) -> None:
    """Task, leader and whether it is certain, models and how their numbers came about, and time; the board to try is a
    whole ranking."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url)
    assert page.locator("#boards > tr").count() == 7
    expect(page.locator("#finder")).to_be_hidden()
    sentiment = row(page, "Sentiment analysis")
    said = [text.strip() for text in sentiment.locator("td").all_inner_texts()]
    assert said == [
        "Sentiment",
        "DeBERTa",
        "unknown, no examples",
        "7",
        "2016–2020",
        "reported",
        "2026-11-21",
    ]
    expect(row(page, "Nothing yet")).to_contain_text("no results yet")
    expect(page.locator("#metric-weights")).to_be_hidden()
    expect(page.locator("#rows .line").first).to_be_visible()
    expect(page.get_by_text("steelyard init my-leaderboard")).to_be_visible()
    context.close()


@pytest.mark.slow
def test_recent_changes_say_which_models_have_new_results(page: Page, site_url: str) -> None:
    """The newest day comes first; each line leads to its board and names a few models, or says that it is all."""
    page.goto(site_url)
    lines = page.get_by_role("region", name="Recent changes").locator("li")
    days = [text.strip()[:10] for text in lines.all_inner_texts()]
    assert days == sorted(days, reverse=True)
    assert len(days) == 5
    line = lines.filter(has=page.get_by_role("link", name="Sentiment analysis", exact=True))
    expect(line).to_contain_text("2026-11-21 Sentiment analysis: results of all 7 models")


def test_a_slider_moves_the_rows_at_first_sight(page: Page, site_url: str) -> None:
    """Nothing but a slider is touched; the link to the whole board leads to the same ranking, and the page's own
    address stays as it is."""
    page.goto(site_url)
    before = names(page)
    page.locator("#metric-accuracy + .slider").focus()
    page.keyboard.press("Home")
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    after = names(page)
    assert after != before
    assert page.url == site_url
    page.locator("#live-board").click()
    expect(page).to_have_url(re.compile("#v1;m=accuracy:0,"))
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    assert names(page) == after


@pytest.mark.slow
def test_what_is_moved_before_the_scorer_wakes_is_not_lost(page: Page, site_url: str) -> None:
    """A slider that was moved while its script was still on the way counts."""
    page.route("**/pages/live.*", lambda route: (page.wait_for_timeout(0), route.continue_()))
    page.goto(site_url)
    page.locator("#metric-throughput").evaluate("box => { box.value = '7'; }")
    page.locator("#metric-throughput").focus()
    expect(page.locator("#weights-list")).to_contain_text("7", timeout=60_000)


@pytest.mark.slow
def test_the_map_of_winners_is_beside_it(page: Page, site_url: str) -> None:
    """It is drawn once the scorer is awake, and its knob moves the sliders."""
    page.goto(site_url)
    knob = page.get_by_role("slider", name="Your weights")
    expect(knob).to_be_visible(timeout=60_000)
    before = page.locator("#metric-throughput").input_value()
    knob.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#metric-throughput")).not_to_have_value(before)


@pytest.mark.slow
def test_the_table_of_boards_sorts_by_any_column(page: Page, site_url: str) -> None:
    """One press in order, the next the other way round."""
    page.goto(site_url)
    head = page.get_by_role("columnheader", name="Models")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    counts = [int(text) for text in page.locator("#boards td[data-label=Models]").all_text_contents()]
    assert counts == sorted(counts)
    head.get_by_role("button").click()
    counts = [int(text) for text in page.locator("#boards td[data-label=Models]").all_text_contents()]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.slow
def test_boards_are_filtered_by_how_their_numbers_came_about(page: Page, site_url: str) -> None:
    """The address keeps it."""
    page.goto(site_url)
    page.get_by_label("Numbers", exact=True).select_option("reported")
    found = shown(page)
    assert "Sentiment analysis" in found
    assert len(found) < 7
    expect(page).to_have_url(site_url + "#numbers=reported")


@pytest.mark.slow
def test_a_model_is_found_on_every_board_that_has_it(page: Page, site_url: str) -> None:
    """Typing a name lists the models called so, with board and rank, and keeps the boards that have them."""
    page.goto(site_url)
    page.get_by_label("Find a board or a model").fill("ROBERTA")
    rows = page.locator("#found-models li")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("rank 2 on Sentiment analysis")
    assert shown(page) == ["Sentiment analysis", "Rounds with people"]
    expect(page.locator("#finder-status")).to_have_text("2 boards and 2 models.")
    rows.nth(0).get_by_role("link").click()
    expect(page).to_have_url(site_url + "sentiment/models/roberta/")
    page.go_back()
    expect(page.get_by_label("Find a board or a model")).to_have_value("ROBERTA")
    expect(rows).to_have_count(2)


@pytest.mark.slow
def test_boards_are_found_by_what_they_are_about(page: Page, site_url: str) -> None:
    """Words of a title, of a dataset or of a metric keep a board; Escape and the button bring all back."""
    page.goto(site_url)
    box = page.get_by_label("Find a board or a model")
    for words, title in (
        ("two datasets", "Measured here"),
        ("dynamic round 2", "Rounds with people"),
        ("letters", "Under perturbation"),
    ):
        box.fill(words)
        assert shown(page) == [title]
    box.fill("no such thing")
    expect(page.locator("#none")).to_be_visible()
    page.get_by_role("button", name="Show all boards").click()
    assert len(shown(page)) == 7
    expect(box).to_be_focused()
    box.fill("letters")
    page.keyboard.press("Escape")
    assert len(shown(page)) == 7


@pytest.mark.slow
def test_a_task_filters_boards_and_models(page: Page, site_url: str) -> None:
    """Only boards of the chosen task are left, and only their models are found."""
    page.goto(site_url)
    page.get_by_label("Task").select_option("sentiment")
    assert shown(page) == ["Sentiment analysis", "Measured here"]
    expect(page.locator("#finder-status")).to_have_text("2 boards.")
    page.get_by_label("Find a board or a model").fill("roberta")
    expect(page.locator("#found-models li")).to_have_count(1)
    expect(page).to_have_url(site_url + "#q=roberta&task=sentiment")


@pytest.mark.slow
def test_a_search_can_be_linked_to(page: Page, site_url: str) -> None:
    """The address holds words and task; a task that no board has is as good as none."""
    page.goto(site_url + "#q=letters&task=perturbed")
    assert shown(page) == ["Under perturbation"]
    expect(page.get_by_label("Task")).to_have_value("perturbed")
    page.goto(site_url + "#task=alchemy")
    assert len(shown(page)) == 7


@pytest.mark.slow
def test_hostile_names_are_found_as_text(page: Page, site_url: str) -> None:
    """A name with markup is listed as it is written, shortened where it has no end."""
    page.goto(site_url)
    page.get_by_label("Find a board or a model").fill("window.hacked")
    expect(page.locator("#found-models li").first).to_contain_text("<script>window.hacked=1</script>")
    page.get_by_label("Find a board or a model").fill("xxxx")
    found = page.locator("#found-models a").first
    expect(found).to_contain_text("xxxx")
    assert len(found.inner_text()) <= 120
    assert page.evaluate("window.hacked") is None


def menu(page: Page) -> Locator:
    return page.locator('nav[aria-label="Boards"] details')


@pytest.mark.slow
def test_the_menu_names_the_board_and_leads_to_all(page: Page, site_url: str) -> None:
    """On a board its name is the menu's; Escape and a click elsewhere close it, and focus goes back."""
    page.goto(site_url + "measured/")
    summary = menu(page).locator("summary")
    expect(summary).to_contain_text("Measured here")
    expect(menu(page).get_by_role("link")).to_have_count(0)
    summary.focus()
    page.keyboard.press("Enter")
    expect(menu(page).get_by_role("link")).to_have_count(8)
    expect(menu(page).locator("[aria-current]")).to_have_text("Measured here")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu(page).get_by_role("link")).to_have_count(0)
    expect(summary).to_be_focused()
    summary.click()
    page.locator("main").click(position={"x": 600, "y": 4})
    expect(menu(page).get_by_role("link")).to_have_count(0)


@pytest.mark.slow
def test_the_menu_works_without_script_on_a_phone(browser: Browser, site_url: str) -> None:
    """It opens, fits the screen and leads to a board."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(site_url + "hostile/")
    menu(page).locator("summary").click()
    box = menu(page).locator("ul").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    menu(page).get_by_role("link", name="Under perturbation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Under perturbation")
    context.close()


@pytest.fixture
def fifty(tmp_path: Path) -> Iterator[str]:
    """Address of a site with fifty boards."""
    boards, results = write_world(tmp_path)
    text = boards.read_text(encoding="utf-8")
    one = text[text.index('[[boards]]\nid = "solo"') : text.index('[[boards]]\nid = "nothing"')]
    more = [
        one.replace('"solo"', f'"solo-{at}"', 1).replace("One model", f"Board {at:02}") for at in range(43)
    ]
    boards.write_text("".join([text, *more]), encoding="utf-8")
    build(boards, results, tmp_path / "site")
    server = preview_server(tmp_path / "site", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/steelyard/"
    server.shutdown()
    server.server_close()
