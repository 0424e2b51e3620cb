"""A board whose rank sets take a published cost as exact: marked in the table, and said under it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from site_pages import open_board, type_weight
from site_server import served

from evaluator.rank.published import FROM_PUBLISHED
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from site_src.generator.build import build

BOARD = """
title = "T"

[[datasets]]
id = "tasks"
label = "Tasks"
task = "scored"

[[boards]]
id = "agents"
title = "Agents"
task = "scored"
base = "solved"
datasets = ["tasks"]
metrics = [
  { name = "solved", label = "Solved", unit = "%" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" },
]
weights = { solved = 8, cost = 1 }
"""
GIVEN = "given the published Cost"
SENTENCE = f"These rank sets are {GIVEN}: nothing says how that varies, so it is taken as exact."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("given")
    (root / "board.toml").write_text(BOARD)
    for model, solved, cost in (("a", 90.0, 3.0), ("b", 70.0, 2.0), ("c", 69.0, 1.0)):
        known = {
            "solved": Score(value=solved, unit="%", version="as-published", standard_error=1.0),
            "cost": Score(value=cost, unit="USD", version="as-published"),
        }
        result = Result(
            task="scored",
            model=ModelRef(id=model, label=model.upper()),
            dataset=DatasetRef(id="tasks"),
            provenance="reported",
            scores=known,
            source=Source(citation="Somebody 2020"),
            created="2026-11-26T10:00:00Z",
            tool="test",
        )
        Store(root / "results").save(result)
    build(root / "board.toml", root / "results", root / "build")
    return root


@pytest.fixture(scope="module")
def given_url(folder: Path) -> Iterator[str]:
    with served(folder / "build") as address:
        yield address


def test_without_script_sets_are_marked_and_said_to_be_given_a_number(folder: Path) -> None:
    """In the table, under it, on a model's page, on the first page and in the board's JSON."""
    board = (folder / "build" / "agents" / "index.html").read_text()
    assert board.count(f'class="ranks-held given" title="{GIVEN}') == 3
    assert SENTENCE in board
    model = (folder / "build" / "agents" / "models" / "a" / "index.html").read_text()
    assert f"{GIVEN})" in model
    assert GIVEN in (folder / "build" / "index.html").read_text()
    for row in json.loads((folder / "build" / "agents" / "board.json").read_text())["models"]:
        assert row["rank_set_from"] == f"{FROM_PUBLISHED}, {GIVEN}"


def test_marks_follow_the_weights(page: Page, given_url: str) -> None:
    """Without weight on cost nothing is given; with it again all sets are."""
    open_board(page, given_url + "agents/")
    marked = page.locator("#rows .ranks-held.given")
    expect(marked).to_have_count(3)
    type_weight(page, "#metric-cost", "0")
    expect(marked).to_have_count(0)
    expect(page.locator("#certainty-words")).not_to_contain_text("given")
    type_weight(page, "#metric-cost", "2")
    expect(marked).to_have_count(3)
    expect(marked.first).to_have_attribute("title", re.compile(GIVEN))
    expect(page.locator("#certainty-words")).to_contain_text(SENTENCE)
