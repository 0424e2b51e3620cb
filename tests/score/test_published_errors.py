"""What sources say of how published numbers vary, and what a board makes of it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from evaluator.cli import group
from evaluator.rank.published import FROM_PUBLISHED
from evaluator.records.board import assemble, load_boards
from evaluator.records.references import DatasetRef, ModelRef, Source
from evaluator.records.result import Result, Score
from evaluator.records.store import Store
from evaluator.score.certainty import sampled
from evaluator.score.keeping import keep_covariances
from evaluator.score.values import ScoredExamples, keep_values

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
        ("score", "%", 500, 70.0),  # made of macro-F1
    ],
)
def test_n_says_nothing_of_what_is_no_mean_of_so_many_shares(
    tmp_path: Path, metric: str, unit: str, n: int | None, value: float
) -> None:
    """Such numbers stay unknown, and a board of them has no rank set."""
    folder = project(tmp_path, {"a": (value, None), "b": (value, None)}, n, metric, unit)
    if metric == "score":
        text = (folder / "board.toml").read_text()
        (folder / "board.toml").write_text(
            text.replace('task = "sentiment"\n\n', 'task = "sentiment"\nmain = "macro-f1"\n\n')
        )
        project_scores(folder, "macro-f1")
    assert stated(folder) == {}


def project_scores(folder: Path, metric: str) -> None:
    """All results have another metric of the same numbers in place of theirs."""
    store = Store(folder / "results")
    for result in store.results():
        [score] = result.scores.values()
        store.save(result.model_copy(update={"scores": {metric: score}}))


def test_a_number_of_n_examples_of_a_tools_own_metric_may_be_no_mean(tmp_path: Path) -> None:
    """Tools average in many ways; what they say themselves of their numbers counts."""
    folder = project(tmp_path, {"a": (70.0, None), "b": (60.0, None), "c": (50.0, 2.0)}, 500)
    store = Store(folder / "results")
    for result in store.results():
        score = result.scores["resolved"].model_copy(update={"version": "mteb STS v1 spearman"})
        store.save(result.model_copy(update={"scores": {"resolved": score}}))
    assert stated(folder)["resolved"] == {"errors": [None, None, 2.0], "examples": [0] * 3, "positive": False}


def test_models_with_examples_are_compared_with_published_ones_by_their_own_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a board of both each pair is told apart by one kind of evidence, and it says by which."""
    text = BOARD.replace("BASE", "resolved").replace("UNIT", "%").replace("MORE", "")
    (tmp_path / "board.toml").write_text(text.replace("sentiment", "scored"))
    boards, store = load_boards(tmp_path / "board.toml"), Store(tmp_path / "results")
    examples = ScoredExamples("d", "D", tuple(f"e{number}" for number in range(200)), {})
    about: dict[str, Any] = {"source": Source(citation="P"), "created": "2026-11-01T00:00:00Z"}
    for model, right in (("a", 180), ("b", 165)):
        values = {"resolved": np.array([100.0] * right + [0.0] * (200 - right))[:, None]}
        keep_values(examples, ModelRef(id=model, label=model.upper()), values, boards, store, **about)
    keep_covariances(examples.dataset(), boards, store)
    score = Score(value=82.0, unit="%", version="as-published")
    published = Result(
        task="scored",
        model=ModelRef(id="c", label="C"),
        dataset=DatasetRef(id="d", examples=200),
        provenance="reported",
        scores={"resolved": score},
        tool="steelyard test",
        **about,
    )
    store.save(published)
    assert stated(tmp_path)["resolved"] == {"errors": [None] * 3, "examples": [200] * 3, "positive": False}
    said = rank(tmp_path, monkeypatch=monkeypatch)
    assert f"pairs with C are told apart {FROM_PUBLISHED}; all others by their examples" in said
    found = json.loads(rank(tmp_path, "--json", monkeypatch=monkeypatch))
    # A has right all that B has: 15 examples decide, where of C nobody knows which it has right.
    assert found["separated"] == [["a", "b"]]
    assert [row["rank_set"] for row in found["models"]] == [[1, 1], [2, 3], [1, 3]]
    assert found["published"] == ["c"]


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


def priced(folder: Path, errors: Mapping[str, float | None]) -> Path:
    """As `project`, with a cost of each model that nothing says anything about."""
    project(
        folder, {model: (value, errors[model]) for model, value in (("a", 90.0), ("b", 70.0), ("c", 69.0))}
    )
    cost = '  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" },\n]\n'
    path, store = folder / "board.toml", Store(folder / "results")
    path.write_text(path.read_text().removesuffix("]\n") + cost + "weights = { resolved = 8, cost = 1 }\n")
    for result, number in zip(store.results(), (3.0, 2.0, 1.0), strict=True):
        score = Score(value=number, unit="USD", version="as-published")
        store.save(result.model_copy(update={"scores": {**result.scores, "cost": score}}))
    return folder


def test_a_weight_on_a_number_without_anything_leaves_the_sets_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are given that number: marked in the terminal, and named in its JSON, exports and snapshots."""
    folder = priced(tmp_path, {"a": 1.0, "b": 1.0, "c": None})
    said = rank(folder, monkeypatch=monkeypatch)
    assert "1-2^" in said
    assert "^ these rank sets are given the published Cost: nothing says how that varies" in said
    assert "rank set unknown, Base: published without examples: C" in said
    found = json.loads(rank(folder, "--json", monkeypatch=monkeypatch))["models"]
    assert [(row["rank_set"], row["rank_set_given"]) for row in found] == [
        ([1, 2], ["cost"]),
        ([2, 3], ["cost"]),
        (None, []),
    ]
    alone = json.loads(rank(folder, "--weight", "resolved=1", "--json", monkeypatch=monkeypatch))["models"]
    assert all("rank_set_given" not in row for row in alone)
    exported = CliRunner().invoke(group, ["export", "b", "--format", "csv"])
    assert exported.exit_code == 0, exported.output
    rows = list(csv.DictReader(io.StringIO(exported.stdout)))
    from_published = f"{FROM_PUBLISHED}, given the published Cost"
    assert [row["rank_set_from"] for row in rows] == [from_published, from_published, ""]
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@t", "commit", "-qm", "all"], check=True)
    frozen = CliRunner().invoke(group, ["snapshot", "b"])
    assert frozen.exit_code == 0, frozen.output
    [path] = (folder / "results" / "snapshots").glob("*/snapshot.json")
    assert json.loads(path.read_bytes())["certainty"]["given"] == {"cost": [0, 1]}
    verified = CliRunner().invoke(group, ["snapshot", "verify"])
    assert verified.exit_code == 0, verified.output


def test_published_timings_vary_by_their_own_standard_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Independently of one another, as those that are measured here: their variances add up."""
    numbers = {"a": (90.0, 1.0), "b": (86.5, 1.0), "c": (50.0, None)}
    folder = project(tmp_path, numbers, metric="throughput", unit="examples/s")
    found = json.loads(rank(folder, "--json", monkeypatch=monkeypatch))
    assert [row["rank_set"] for row in found["models"]] == [[1, 2], [2, 3], None]
    assert "published without passes" in found["models"][2]["rank_set_unknown"]


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
