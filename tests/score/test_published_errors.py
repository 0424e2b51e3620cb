"""What sources say of how published numbers vary, and what a board makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluator.cli import group
from evaluator.rank.published import FROM_PUBLISHED
from evaluator.records.board import assemble, load_boards
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.certainty import sampled

BOARD = """
title = "T"

[[datasets]]
id = "d"
label = "D"
task = "sentiment"

[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "BASE"
datasets = ["d"]
MORE
metrics = [
  { name = "BASE", label = "Base", unit = "UNIT" },
]
"""
#: By model, a value and its standard error.
Numbers = Mapping[str, tuple[float, float | None]]


def project(
    folder: Path,
    numbers: Numbers,
    examples: int | None = None,
    metric: str = "resolved",
    unit: str = "%",
    more: str = "",
) -> Path:
    """A board of one metric on one dataset, of which a source published these numbers."""
    text = BOARD.replace("BASE", metric).replace("UNIT", unit).replace("MORE", more)
    (folder / "board.toml").write_text(text)
    for model, (value, error) in numbers.items():
        score = Score(value=value, unit=unit, version="as-published", standard_error=error)
        result = Result(
            task="sentiment",
            model=ModelRef(id=model, label=model.upper()),
            dataset=DatasetRef(id="d", examples=examples),
            provenance="reported",
            scores={metric: score},
            source=Source(citation="P"),
            created="2026-11-01T00:00:00Z",
            tool="steelyard test",
        )
        Store(folder / "results").save(result)
    return folder


def stated(folder: Path) -> dict[str, Any]:
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    found: dict[str, Any] = sampled(assemble(boards.boards[0], boards, store.results()), store)["d"]
    return dict(found.get("stated", {}))


def rank(folder: Path, *options: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(group, ["rank", "b", *options])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(
    ("metric", "unit", "n", "numbers", "errors", "examples"),
    [
        # Standard errors alone, of any number; one of 0 says nothing.
        ("cost", "USD", None, {"a": (3.0, 0.1), "b": (4.0, 0.0)}, [0.1, None], [0, 0]),
        # Shares of n alone, known to the program or not.
        ("accuracy", "%", 500, {"a": (70.0, None), "b": (80.0, None)}, [None, None], [500, 500]),
        ("resolved", "%", 500, {"a": (70.0, None), "b": (80.0, None)}, [None, None], [500, 500]),
        # Both: of standard errors above that of a share more varies than independent examples.
        ("resolved", "%", 500, {"a": (70.0, 2.0), "b": (80.0, 3.0)}, [2.0, 3.0], [500, 0]),
    ],
)
def test_sources_say_it_by_standard_errors_or_n(
    tmp_path: Path,
    metric: str,
    unit: str,
    n: int | None,
    numbers: Numbers,
    errors: list[float | None],
    examples: list[int],
) -> None:
    """What is not known is left out."""
    found = stated(project(tmp_path, numbers, n, metric, unit))
    assert found == {metric: {"errors": errors, "examples": examples, "positive": False}}


@pytest.mark.parametrize(
    ("metric", "unit", "n", "value"),
    [
        ("resolved", "%", None, 70.0),  # of nobody knows how many
        ("macro-f1", "%", 500, 70.0),  # no mean over examples
        ("robustness", "%", 500, 70.0),  # nobody knows how many have variants
        ("cost", "USD", 500, 3.0),  # no share
        ("gain", "%", 500, -20.0),  # outside the range of shares
    ],
)
def test_n_says_nothing_of_what_is_no_mean_of_so_many_shares(
    tmp_path: Path, metric: str, unit: str, n: int | None, value: float
) -> None:
    """Such numbers stay unknown, and a board of them has no rank set."""
    folder = project(tmp_path, {"a": (value, None), "b": (value, None)}, n, metric, unit)
    assert stated(folder) == {}


def test_a_board_of_published_numbers_has_rank_sets_and_says_what_they_are_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the terminal and its JSON; a model of which nothing is known stays unknown."""
    folder = project(tmp_path, {"a": (90.0, 1.0), "b": (70.0, 1.0), "c": (69.0, 1.0), "d": (60.0, None)})
    said = rank(folder, monkeypatch=monkeypatch)
    assert f"these rank sets are {FROM_PUBLISHED}" in said
    assert "rank set unknown, Base: published without examples: D" in said
    found = json.loads(rank(folder, "--json", monkeypatch=monkeypatch))
    assert [row["rank_set"] for row in found["models"]] == [[1, 2], [2, 4], [2, 4], None]
    assert [row["leads"] for row in found["models"]] == [None] * 4
    assert (found["published"], found["of_published"]) == (["a", "b", "c"], FROM_PUBLISHED)
    assert found["separated"] == [["a", "b"], ["a", "c"]]


def test_a_board_may_declare_that_numbers_do_not_vary_against_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then variances add up in place of standard errors, and sets are narrower."""
    numbers = {"a": (90.0, 1.0), "b": (86.5, 1.0)}
    sets = []
    for more in ("", 'correlation = "positive"'):
        found = json.loads(rank(project(tmp_path, numbers, more=more), "--json", monkeypatch=monkeypatch))
        sets.append([row["rank_set"] for row in found["models"]])
    assert sets == [[[1, 2], [1, 2]], [[1, 1], [2, 2]]]
