"""A visitor searches, filters, hides columns and chooses models to compare."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import names


def search(page: Page, text: str) -> None:
    page.get_by_role("searchbox", name="Search models").fill(text)


def filter_by(page: Page, choice: str) -> None:
    """Tick a filter in its menu and close the menu."""
    page.locator("#filter-menu summary").click()
    page.locator("#filter-choices").get_by_role("checkbox", name=choice).check()
    page.keyboard.press("Escape")
    expect(page.locator("#filter-choices")).to_be_hidden()


def test_a_search_finds_by_every_word_in_name_id_tag_or_licence(page: Page, site_url: str) -> None:
    """Case and accents do not matter; the ranks stay, and the page says among how many they are."""
    page.goto(site_url + "measured/")
    search(page, "  BÁSELINE  lexi")
    assert names(page) == ["VADER"]
    expect(page.locator("#found")).to_have_text("1 of 7 models. Ranks and exchange rates are among all 7.")
    rank = page.locator("#rows .place").text_content()
    search(page, "")
    assert page.locator("#rows tr[data-model=vader] .place").text_content() == rank
    expect(page.locator("#found")).to_have_text("")
    search(page, "mit")
    assert names(page) == ["TF-IDF + logistic regression"]
    search(page, "bert-small")
    assert names(page) == ["Small BERT"]
    search(page, "مصنف")
    assert names(page) == ["مصنف المشاعر العربي"]


@pytest.mark.slow
def test_filters_of_one_kind_widen_and_of_different_kinds_narrow(page: Page, site_url: str) -> None:
    """Two tags find what has either; a size beside them finds what has that size too."""
    page.goto(site_url + "measured/")
    filter_by(page, "lexicon")
    assert names(page) == ["VADER"]
    filter_by(page, "linear")
    assert sorted(names(page)) == ["TF-IDF + logistic regression", "VADER"]
    filter_by(page, "under 10 M parameters")
    assert names(page) == ["TF-IDF + logistic regression"]
    page.wait_for_url(lambda url: url.endswith("#v1;f=tag:lexicon,tag:linear,size:10m"))


@pytest.mark.slow
def test_a_chip_shows_each_filter_and_removes_it(page: Page, site_url: str) -> None:
    """The chip goes, the models come back, and the focus goes on to the next chip."""
    page.goto(site_url + "measured/#v1;f=tag:lexicon,licence:MIT")
    expect(page.locator("#nothing")).to_be_visible()
    page.get_by_role("button", name="Remove Tag: lexicon").click()
    assert names(page) == ["TF-IDF + logistic regression"]
    expect(page.get_by_role("button", name="Remove Licence: MIT")).to_be_focused()
    page.keyboard.press("Enter")
    assert len(names(page)) == 7
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
    address = link.get_attribute("href") or ""
    assert address.startswith("compare/#v1;m=perf:2,")
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


@pytest.mark.slow
def test_the_toolbar_fits_a_small_screen(browser: Browser, site_url: str) -> None:
    """Everything is in reach at 320 pixels, menus included."""
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(site_url + "measured/")
    for name in ("filter", "column", "export"):
        page.locator(f"#{name}-menu summary").tap()
        box = page.locator(f"#{name}-menu .drop-panel").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
