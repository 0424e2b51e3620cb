"""A visitor weighs parts of a dataset: a window of months, and one value of a tag by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from site_pages import names, open_board
from site_server import served

from evaluator.records.board import load_boards
from evaluator.records.references import ModelCard, ModelRef, Source
from evaluator.records.store import Store
from evaluator.score.keeping import keep_covariances
from evaluator.score.values import ScoredExamples, keep_values
from site_src.generator.build import build

BOARD = """
title = "T"

[[datasets]]
id = "problems"
label = "Problems"
task = "scored"

[[boards]]
id = "b"
title = "Which model should solve problems?"
task = "scored"
base = "solved"
datasets = ["problems"]
split = "date"
metrics = [{ name = "solved", label = "Solved", unit = "%" }]
"""
DAYS = ("2023-05-10",) * 30 + ("2023-06-10",) * 30 + ("2023-07-10",) * 30
#: The share of the problems of each month that a model solves, and when it came out. The first has seen the old ones.
MODELS = {"Remembers": ((1.0, 0.6, 0.5), "2023-06-01"), "Thinks": ((0.6, 0.6, 0.6), "2023-04-01")}


@pytest.fixture(scope="module")
def dated_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("dated")
    _write(folder)
    build(folder / "board.toml", folder / "results", folder / "site")
    with served(folder / "site") as address:
        yield address


def _write(folder: Path) -> None:
    (folder / "board.toml").write_text(BOARD)
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    about = ScoredExamples("problems", "Problems", tuple(f"p{n}" for n in range(90)), {"date": DAYS})
    for label, (shares, day) in MODELS.items():
        solved = [100.0 * (n < 30 * share) for share in shares for n in range(30)]
        keep_values(
            about,
            ModelRef(
                id=label.lower(), label=label, card=ModelCard.model_validate({"released": day}, strict=False)
            ),
            {"solved": np.array(solved)[:, None]},
            boards,
            store,
            source=Source(citation="The makers of Problems"),
            created="2026-11-26T00:00:00Z",
        )
    keep_covariances(about.dataset(), boards, store)


def test_a_window_of_months_ranks_by_the_problems_in_it(page: Page, dated_url: str) -> None:
    """The page names the models that came out later, its address has the window, and undo takes it back."""
    open_board(page, dated_url + "b/")
    expect(page.locator("#rows th > a").first).to_have_text("Remembers")
    said = page.locator("#months-said")
    expect(said).to_contain_text("Remembers")
    expect(said).to_contain_text("came out in 2023-05 or later")
    page.get_by_label("From", exact=True).select_option(label="2023-06")
    expect(page.locator("#rows th > a").first).to_have_text("Thinks")
    expect(page.locator("#rows tr[data-model=remembers] .metric").first).to_contain_text("55.00")
    page.get_by_label("From", exact=True).select_option(label="2023-07")
    expect(said).to_have_text("All models whose date is known came out before 2023-07.")
    address = page.url
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_label("From", exact=True)).to_have_value("problems.2023-06")
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_label("From", exact=True)).to_have_value("problems.2023-07")
    expect(page.locator("#rows th > a").first).to_have_text("Thinks")
    assert names(page) == ["Thinks", "Remembers"]


@pytest.mark.slow
def test_what_is_copied_of_parts_names_their_dataset(page: Page, dated_url: str) -> None:
    """A month says nothing of what was asked in it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_board(page, dated_url + "b/")
    page.get_by_role("button", name="Copy sentence").click()
    expect(page.locator("#export-status")).to_have_text("Sentence copied")
    assert " and 2023-07 (30) of Problems at metric weights " in page.evaluate(
        "navigator.clipboard.readText()"
    )
