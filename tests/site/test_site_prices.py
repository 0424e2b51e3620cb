"""A visitor types another price: costs, ranks and how sure these are follow, and the address keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from priced_board import priced_board
from site_pages import becomes, names, open_board, shows
from site_server import served

from evaluator.rank.certainty_sentences import rank_set_words
from evaluator.rank.dynascore import Question
from evaluator.rank.prices import open_priced, open_priced_certainty
from evaluator.records.references import ModelCard
from evaluator.score.certainty import assemble_board, sampled
from site_src.generator import formats
from site_src.generator.build import build
from site_src.generator.prices import price_view

pytestmark = pytest.mark.slow
CARDS = {
    "a": ModelCard(effort="high", thinking_budget=8192, context=131072),
    "b": ModelCard(effort="low", context=131072),
    "c": ModelCard(context=8192),
}
CHEAP = {"a": [None, None, 0.1]}


class Priced:
    """A built site with prices, and what its ranking is at others."""

    def __init__(self, folder: Path) -> None:
        boards, store = priced_board(folder, cards=CARDS)
        self.site = folder / "build"
        build(folder / "board.toml", store.root, self.site)
        self.assembled = assemble_board(boards.boards[0], boards, store, list(store.results()))
        view = price_view(self.assembled, store)
        assert view is not None
        self.island, self.content = view.island, view.content
        self.varies = sampled(self.assembled, store)

    def ranking(self, prices: dict[str, list[float | None]]) -> tuple[list[str], list[str], list[str]]:
        """The models from top to bottom, their rank sets and what they cost, as the page shows them."""
        priced = {**self.island, "prices": prices}
        board = open_priced(json.dumps({"board": self.assembled.data, "priced": priced}))
        asked = {"varies": self.varies, "tokens": json.loads(self.content), "priced": priced}
        question = Question(self.assembled.metric_weights, self.assembled.dataset_weights)
        columns = board.columns(question)
        found = open_priced_certainty(board, json.dumps(asked)).sets(question, columns)
        sets = [found.sets[index] for index in columns.order]
        cells = [board.values["tasks"]["cost"][index] for index in columns.order]
        return (
            [board.models[index].upper() for index in columns.order],
            [rank_set_words(one) if one else "unknown" for one in sets],
            [formats.number(cell, 6) for cell in cells],
        )


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> Priced:
    return Priced(tmp_path_factory.mktemp("priced"))


@pytest.fixture(scope="module")
def address(priced: Priced) -> Iterator[str]:
    with served(priced.site) as url:
        yield f"{url}b/"


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(f"#rows {selector}").all_text_contents()]


def shows_ranking(page: Page, wanted: tuple[list[str], list[str], list[str]]) -> None:
    models, sets, costs = wanted
    shows(page, models)
    becomes(page, lambda: texts(page, ".held"), sets)
    becomes(page, lambda: texts(page, "td.metric[data-label=Cost] .num"), costs)


def test_a_typed_price_ranks_anew_and_is_undone(page: Page, priced: Priced, address: str) -> None:
    """Costs, ranks and rank sets are those of Python; a reload keeps them, and undo takes them back."""
    before, after = priced.ranking({}), priced.ranking(CHEAP)
    assert before[0] != after[0]
    assert before[1] != after[1]
    open_board(page, address)
    shows_ranking(page, before)
    page.locator("#prices > summary").click()
    box = page.get_by_label("A, written")
    expect(box).to_have_attribute("placeholder", "10")
    box.fill("0.1")
    box.press("Tab")
    page.wait_for_url(lambda url: url.endswith("#v1;v=a://0.1"))
    shows_ranking(page, after)
    expect(page.locator("#weights-name")).to_have_text("custom")
    page.reload()
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    shows_ranking(page, after)
    expect(box).to_be_visible()
    expect(box).to_have_value("0.1")
    box.fill("0.2")
    box.press("Tab")
    shows_ranking(page, priced.ranking({"a": [None, None, 0.2]}))
    page.locator("#undo").click()
    shows_ranking(page, after)
    page.get_by_role("button", name="Back to the prices of the day").click()
    shows_ranking(page, before)
    expect(box).to_have_value("")


def test_what_is_no_price_is_said_and_the_last_one_counts(page: Page, priced: Priced, address: str) -> None:
    open_board(page, f"{address}#v1;v=a://0.1")
    shows(page, priced.ranking(CHEAP)[0])
    box = page.get_by_label("A, written")
    for wrong in ("much", "-1"):
        box.fill(wrong)
        expect(page.locator("#prices-problem")).to_contain_text("A price is a number from 0")
        expect(box).to_have_attribute("aria-invalid", "true")
    box.press("Tab")
    expect(box).to_have_value("0.1")
    expect(page.locator("#prices-problem")).to_be_hidden()
    open_board(page, f"{address}#v1;v=nobody:1/1/1")
    expect(page.locator("#notice")).to_contain_text("nobody")
    shows_ranking(page, priced.ranking({}))


def test_how_models_think_is_in_their_rows_and_filters_them(page: Page, priced: Priced, address: str) -> None:
    """Effort, thinking budget and context: on the board, and on the model's own page."""
    open_board(page, address)
    expect(page.locator("#rows tr[data-model=a] .origin")).to_contain_text(
        "effort high · thinking budget 8192 tokens · context 131\u202f072 tokens"
    )
    page.locator("#filter-menu > summary").click()
    page.get_by_label("high").check()
    becomes(page, lambda: names(page), ["A"])
    page.get_by_label("low").check()
    becomes(page, lambda: sorted(names(page)), ["A", "B"])
    page.wait_for_url(lambda url: url.endswith("f=effort:high,effort:low"))
    page.goto(f"{address}models/a/")
    facts = page.locator("section:has(#card)")
    expect(facts).to_contain_text("Thinking budget")
    expect(facts).to_contain_text("8192 tokens")
