"""The index and the menu of boards: what there is, and how to find it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from site_axe import AXE, FINDINGS
from site_pages import names, shows

from evaluator.publish.installation import this_installation


def row(page: Page, title: str) -> Locator:
    return page.locator(".boards .listed", has=page.get_by_role("link", name=title, exact=True))


def test_a_board_states_what_it_holds_without_script(browser: Browser, site_url: str) -> None:
    """Task, leader and whether it is certain, models and how their numbers came about, and time; the board to try is a
    whole ranking."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url)
    expect(page.locator(".boards .listed")).to_have_count(7)
    expect(page.locator("#finder")).to_be_hidden()
    sentiment = row(page, "Sentiment analysis")
    said = [text.strip() for text in sentiment.locator("td").all_inner_texts()]
    assert said == [
        "Sentiment",
        "DeBERTa",
        "unknown: no predictions published",
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


def test_a_board_of_ones_own_begins_with_what_anybody_can_install(site_folder: Path) -> None:
    """The command for the Steelyard that made the site stands there where others can run it, else no such command."""
    html = (site_folder / "index.html").read_text("utf-8")
    [typed] = re.findall(r"<pre[^>]*>([^<]*steelyard init my-leaderboard)</pre>", html)
    told = this_installation()
    assert unescape(typed).splitlines()[:-1] == ([] if told.local else [told.command])
    assert ("Where Steelyard is installed" in html) == told.local


def test_a_slider_moves_the_rows_at_first_sight(page: Page, site_url: str) -> None:
    """Nothing but a slider is touched; the address keeps it, beside what is searched for, and the link to the whole
    board leads to the same ranking."""
    page.goto(site_url)
    before = names(page)
    page.locator("#metric-accuracy + .slider").focus()
    page.keyboard.press("Home")
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    after = names(page)
    assert after != before
    page.get_by_label("Find a board or a model").fill("sentiment")
    expect(page).to_have_url(re.compile("#q=sentiment&v1;m=accuracy:0,"))
    page.reload()
    expect(page.get_by_label("Find a board or a model")).to_have_value("sentiment")
    expect(page.locator("#metric-accuracy")).to_have_value("0")
    shows(page, after)
    page.locator("#live-board").click()
    expect(page).to_have_url(re.compile("#v1;m=accuracy:0,"))
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    shows(page, after)


@pytest.mark.slow
def test_a_model_is_found_on_every_board_that_has_it(page: Page, site_url: str) -> None:
    """Typing a name lists the models called so, with board and rank, and keeps the boards that have them."""
    page.goto(site_url)
    page.get_by_label("Find a board or a model").fill("ROBERTA")
    rows = page.locator("#found-models li")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("rank 2 on Sentiment analysis")
    expect(page.locator(".boards .listed:visible th a")).to_have_text(
        ["Sentiment analysis", "Rounds with people"]
    )
    expect(page.locator("#finder-status")).to_have_text("2 boards and 2 models.")
    rows.nth(0).get_by_role("link").click()
    expect(page).to_have_url(site_url + "sentiment/models/roberta/")
    page.go_back()
    expect(page.get_by_label("Find a board or a model")).to_have_value("ROBERTA")
    expect(rows).to_have_count(2)


def test_boards_are_found_by_the_metrics_that_they_have(page: Page, site_url: str) -> None:
    """One must have all that are ticked, and be of the chosen task; the address keeps both. Fairness is found by its name,
    while its board says what was made."""
    page.goto(site_url)
    found, status = page.locator(".boards .listed:visible th a"), page.locator("#finder-status")
    expect(row(page, "Under perturbation")).to_contain_text(
        "Accuracy · Gender and first-name swaps · Robustness"
    )
    expect(page.get_by_role("checkbox", name="Matthews correlation")).to_have_count(0)
    fairness = page.get_by_role("checkbox", name="Fairness (2)")
    fairness.check()
    expect(found).to_have_text(["Sentiment analysis", "Under perturbation"])
    fairness.uncheck()
    page.get_by_role("checkbox", name="Accuracy (2)").check()
    expect(found).to_have_text(["Measured here", "Under perturbation"])
    expect(status).to_have_text("2 boards.")
    page.get_by_role("checkbox", name="Throughput (2)").check()
    expect(found).to_have_text(["Measured here"])
    page.get_by_label("Task").select_option("Sentiment (2)")
    expect(page).to_have_url(f"{site_url}#task=sentiment&metrics=Throughput&metrics=Accuracy")
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(FINDINGS, {}) == []
    page.reload()
    expect(page.locator("#finder :checked[type=checkbox]")).to_have_count(2)
    expect(found).to_have_text(["Measured here"])
    page.get_by_role("checkbox", name="Macro-F1 (2)").check()
    expect(status).to_have_text("0 boards.")
    page.get_by_role("button", name="Show all boards").click()
    expect(found).to_have_count(7)
    assert page.url == site_url


def test_boards_of_a_group_stand_under_its_heading(page: Page, site_url: str) -> None:
    """They come after the others, in the table and in the menu; where none of them is found, neither is the heading."""
    page.goto(site_url)
    heading = page.locator(".boards .group")
    expect(heading).to_have_text("Small ones")
    titles = page.locator(".boards .group th, .boards .listed th a").all_inner_texts()
    assert titles[-2:] == ["Small ones", "One model"]
    expect(menu(page).locator("li").nth(-2)).to_have_text("Small ones")
    page.get_by_label("Find a board or a model").fill("perturbation")
    expect(page.locator(".boards .listed:visible th a")).to_have_text(["Under perturbation"])
    expect(heading).to_be_hidden()


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
