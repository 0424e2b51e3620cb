"""A visitor types another price: costs, ranks and how sure these are follow, and the address keeps it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from priced_board import priced_board
from site_pages import becomes, names, open_board, shows, uncomplaining
from site_server import served
from site_snapshots import SITE, freeze_board

from evaluator.rank.certainty_sentences import rank_set_words
from evaluator.rank.dynascore import Question
from evaluator.rank.prices import open_priced, open_priced_certainty, priced_cells
from evaluator.records.references import ModelCard
from evaluator.score.certainty import assemble_board, sampled
from site_src.generator import formats
from site_src.generator.build import build, build_single
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
        boards, store = priced_board(folder, cards=CARDS, datasets=("tasks", "more"))
        self.site = folder / "build"
        self.results = store.root
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
        cells = [columns.scale.values["cost"][index] for index in columns.order]
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


def costs_of(priced: Priced, model: str, prices: dict[str, list[float | None]]) -> list[str]:
    """What a model costs on each dataset, as pages show it."""
    cells = priced_cells(priced.assembled.data, {**priced.island, "prices": prices})
    at = cells["models"].index(model)
    return [formats.number(cells["values"][name]["cost"][at], 6) for name in cells["datasets"]]


def shows_ranking(page: Page, wanted: tuple[list[str], list[str], list[str]]) -> None:
    models, sets, costs = wanted
    shows(page, models)
    becomes(page, lambda: texts(page, ".held"), sets)
    becomes(page, lambda: texts(page, "td.metric[data-label=Cost] .num"), costs)


def exported(page: Page, name: str) -> str:
    """The table in a format, its white space apart."""
    page.locator("#export-menu > summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download as {name}").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    return json.dumps(json.loads(text)) if name == "JSON" else text


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
    expect(page.locator("#scorer-state")).to_have_attribute("data-state", "ready", timeout=60_000)
    shows_ranking(page, after)
    assert '"a": {"sent": null, "cached": null, "written": 0.1}' in exported(page, "JSON")
    assert "A 0.1 written; USD of a million tokens, others of the day" in exported(page, "CSV")
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


def test_the_numbers_on_each_dataset_are_at_these_prices_too(
    page: Page, priced: Priced, address: str
) -> None:
    """Under an opened row, also when the price changes, and where models are compared."""
    open_board(page, address)
    page.get_by_label("A on each dataset").click()
    parts = "tr.part td.metric[data-label=Cost] .num"
    becomes(page, lambda: texts(page, parts), costs_of(priced, "a", {}))
    page.locator("#prices > summary").click()
    page.get_by_label("A, written").fill("0.1")
    becomes(page, lambda: texts(page, parts), costs_of(priced, "a", CHEAP))
    page.goto(f"{address}compare/#v1;v=a://0.1;k=a,b")
    lines = page.locator(".by-dataset tr", has=page.get_by_role("rowheader", name="Cost"))
    for line, cost in zip((0, 1), costs_of(priced, "a", CHEAP), strict=True):
        expect(lines.nth(line)).to_contain_text(cost, timeout=60_000)


def test_a_board_in_one_file_ranks_at_other_prices(browser: Browser, priced: Priced, tmp_path: Path) -> None:
    """It has in it what that takes. Cited, it says what its snapshot is without, and which order that has."""
    boards, results, file = tmp_path / "board.toml", tmp_path / "results", tmp_path / "b.html"
    text = (priced.site.parent / "board.toml").read_text(encoding="utf-8")
    boards.write_text(f'{text}\n[site]\nurl = "{SITE}"\n', "utf-8")
    shutil.copytree(priced.results, results)
    freeze_board(boards, results, "b")
    build_single(boards, priced.assembled.board, results, file)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    with uncomplaining(context.new_page()) as page:
        open_board(page, f"{file.as_uri()}#v1;v=a://0.1")
        shows_ranking(page, priced.ranking(CHEAP))
        page.get_by_role("button", name="Cite this view").click()
        dialog = page.get_by_role("dialog", name="Cite this view")
        expect(dialog).to_contain_text("A snapshot keeps the prices of its day")
        expect(dialog).to_contain_text("The snapshot gives another order than this page")
        expect(dialog.locator("[data-format=sentence]")).to_contain_text("% rank set")
    context.close()


def test_what_is_no_price_is_said_and_the_last_one_counts(page: Page, priced: Priced, address: str) -> None:
    open_board(page, f"{address}#v1;v=a://0.1")
    shows(page, priced.ranking(CHEAP)[0])
    box = page.get_by_label("A, written")
    for wrong in ("much", "-1"):
        box.fill(wrong)
        expect(page.locator("#prices-problem")).to_contain_text("A price is a number from 0")
        expect(box).to_have_attribute("aria-invalid", "true")
        box.press("Enter")
        expect(box).to_have_value(wrong)
        expect(page.locator("#prices-problem")).to_be_visible()
    box.press("Tab")
    expect(box).to_have_value("0.1")
    expect(page.locator("#prices-problem")).to_be_hidden()
    open_board(page, f"{address}#v1;v=nobody:1/1/1")
    expect(page.locator("#notice")).to_contain_text("nobody")
    shows_ranking(page, priced.ranking({}))


def test_a_model_without_a_price_of_the_day_needs_both(page: Page, tmp_path: Path) -> None:
    """One of them alone changes nothing, and is said to be too few; it stays until the other is there."""
    _, store = priced_board(tmp_path, unpriced=["c"])
    build(tmp_path / "board.toml", store.root, tmp_path / "build")
    with served(tmp_path / "build") as url:
        open_board(page, f"{url}b/")
        page.locator("#prices > summary").click()
        sent, written = (page.get_by_label(f"C, {kind}") for kind in ("sent", "written"))
        sent.fill("1")
        sent.press("Tab")
        expect(page.locator("#prices-problem")).to_contain_text("needs sent and written")
        expect(sent).to_have_value("1")
        expect(page.locator("#weights-name")).to_have_text("default")
        written.fill("2")
        written.press("Tab")
        expect(page.locator("#prices-problem")).to_be_hidden()
        page.wait_for_url(lambda url: url.endswith("#v1;v=c:1//2"))
        sent.fill("")
        expect(page.locator("#prices-problem")).to_be_visible()
        page.get_by_role("button", name="Back to the prices of the day").click()
        expect(written).to_have_value("")
        expect(page.locator("#prices-problem")).to_be_hidden()
        # A link with one of the two is no view of its own either.
        page.goto("about:blank")
        open_board(page, f"{url}b/#v1;v=c:1//")
        expect(page.locator("#notice")).to_contain_text("needs sent and written")
        expect(page.locator("#weights-name")).to_have_text("default")
        open_board(page, f"{url}b/#v1;v=a://10")
        expect(page.locator("#notice")).to_be_hidden()
        expect(page.locator("#weights-name")).to_have_text("default")


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
