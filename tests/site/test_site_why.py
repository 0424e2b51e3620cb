"""A visitor asks why a model has the score it has."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from site_pages import open_board


def contributions(page: Page) -> list[float]:
    texts = page.locator(".why-table tbody tr td:last-child").all_inner_texts()
    return [float(text.split("\n")[-1]) for text in texts]


def products(page: Page) -> list[tuple[float, float]]:
    """The (share in per cent, converted value) pairs of the formula."""
    return [
        (float(share), float(value))
        for share, value in re.findall(r"([\d.]+) % × ([\d.]+)", page.locator("#why-formula").inner_text())
    ]


def test_the_formula_is_the_score_in_numbers(page: Page, site_url: str) -> None:
    """Shares times converted values sum to the Dynascore of the table, at any weights."""
    open_board(page, site_url + "sentiment/")
    for preset, model, weighing in (("Default", "DeBERTa", 5), ("Edge device", "DeBERTa", 3)):
        page.get_by_role("button", name=preset).click()
        # The explanation follows the ranking after a moment.
        expect(page.locator("#why-formula .why-term")).to_have_count(weighing)
        expect(page.locator("#why-formula")).to_contain_text(f"Dynascore of {model}")
        score = page.locator("#rows tr").first.locator(".score > .num").inner_text()
        expect(page.locator("#why-score")).to_have_text(score)
        assert sum(contributions(page)) == pytest.approx(float(score), abs=0.03)
        assert sum(share * value / 100 for share, value in products(page)) == pytest.approx(
            float(score), abs=0.15
        )
    expect(page.locator(".why-table tr[data-metric=fairness]")).to_have_class(re.compile("idle"))


@pytest.mark.slow
def test_any_model_is_explained_by_the_select_or_by_a_click_on_its_score(page: Page, site_url: str) -> None:
    """The address keeps which one, and undo takes it back."""
    open_board(page, site_url + "sentiment/")
    page.get_by_label("Explain").select_option("FastText")
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of FastText")
    page.wait_for_url(lambda url: url.endswith("#v1;w=fasttext"))
    page.locator("#rows tr[data-model=bert] .score > .num").click()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of BERT")
    expect(page.get_by_label("Explain")).to_be_focused()
    expect(page.locator("#spread-model")).to_have_text("BERT")
    page.locator("#undo").click()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of FastText")
    page.reload()
    expect(page.locator("#why-formula")).to_contain_text("Dynascore of FastText")


@pytest.mark.slow
def test_without_script_the_leaders_score_is_explained(browser: Browser, page: Page, site_url: str) -> None:
    """The same words as with script, and no controls."""
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    for board in ("sentiment", "measured", "rounds", "solo"):
        plain.goto(site_url + board + "/")
        formula = " ".join(plain.locator("#why-formula").inner_text().split())
        table = plain.locator(".why-table tbody").inner_text()
        expect(plain.get_by_label("Explain")).to_be_hidden()
        open_board(page, site_url + board + "/")
        expect(page.locator("#announcer")).to_contain_text("Top three")
        assert " ".join(page.locator("#why-formula").inner_text().split()) == formula
        assert page.locator(".why-table tbody").inner_text() == table
    context.close()


@pytest.mark.slow
def test_both_rankings_of_the_paper_stand_side_by_side(page: Page, site_url: str) -> None:
    """T5 and ALBERT change places by mean z-score; the table of the board stays as it was."""
    open_board(page, site_url + "sentiment/")
    page.get_by_text("Where Dynascore and mean z-score disagree").click()
    rows = page.locator("#z-rows tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="ALBERT").locator("td")).to_have_text(["4", "3", "0.28"])
    expect(page.locator("#z-summary")).to_have_text("5 of 7 models have the same rank by both.")
    page.get_by_role("button", name="Accuracy only").click()
    expect(page.locator("#z-summary")).to_have_text("Both put the 7 ranked models in the same order.")
    expect(page.locator("#rows th > a").first).to_have_text("DeBERTa")


@pytest.mark.slow
def test_a_rate_says_which_pair_drives_it_and_when_it_depends_on_one(page: Page, site_url: str) -> None:
    """The flag is a sign and a note, at the default weights and after a re-rank."""
    open_board(page, site_url + "sentiment/")
    line = page.locator(".rates li[data-metric=throughput] .drives")
    expect(line).to_contain_text(re.compile(r"\d+ % from .+ and .+"))
    flagged = page.locator(".rates .flagged").count()
    assert flagged == page.locator("#notes-list li").filter(has_text="depends on one pair").count()
    worth = page.locator(".rates li[data-metric=throughput] .worth")
    before = worth.inner_text()
    page.get_by_role("button", name="Edge device").click()
    # Drawn with the flags, and other than before.
    expect(worth).not_to_have_text(before)
    expect(page.locator(".rates .flagged")).to_have_count(flagged)
