"""Parts of a dataset by the values of a tag: weighed as datasets are, from the same values, with rank sets."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from evaluator.cli import group
from evaluator.rank.dynascore import Board, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.records.board import Assembled, Boards, load_boards
from evaluator.records.errors import UserError
from evaluator.records.references import ModelRef, Source
from evaluator.records.store import Store
from evaluator.score.certainty import assemble_board, sampled
from evaluator.score.keeping import keep_covariances
from evaluator.score.parts import label_of, rows_of_parts
from evaluator.score.values import ScoredExamples, keep_values

BOARD = """
title = "T"

[[datasets]]
id = "fixes"
label = "Fixes"
task = "scored"

[[boards]]
id = "b"
title = "B"
task = "scored"
base = "solved"
datasets = ["fixes"]
split = "app"
metrics = [
  { name = "solved", label = "Solved", unit = "%" },
  { name = "cost", label = "Cost", unit = "USD", direction = "lower", cap = "max" },
]
"""
#: 120 examples: 60 of one app, 40 of another, 20 of small ones.
APPS = ("x",) * 60 + ("y",) * 40 + ("z",) * 12 + ("w",) * 8
IDS = tuple(f"{app}-{number}" for number, app in enumerate(APPS))
MODELS = "abcd"


def solved(model: str) -> np.ndarray:
    chance = np.random.default_rng(MODELS.index(model))
    share = np.where(np.array(APPS) == "x", 0.9 - 0.2 * MODELS.index(model), 0.3 + 0.15 * MODELS.index(model))
    return 100.0 * (chance.random(len(APPS)) < share)


def cost(model: str) -> np.ndarray:
    return np.random.default_rng(9 + MODELS.index(model)).integers(1, 99, len(APPS)) / 16.0


def world(
    folder: Path, board: str = BOARD, tags: dict[str, tuple[str, ...]] | None = None
) -> tuple[Boards, Store]:
    (folder / "board.toml").write_text(board)
    boards, store = load_boards(folder / "board.toml"), Store(folder / "results")
    about = ScoredExamples("fixes", "Fixes", IDS, tags or {"app": APPS})
    for model in MODELS:
        keep_values(
            about,
            ModelRef(id=model, label=model.upper()),
            {"solved": solved(model)[:, None], "cost": cost(model)[:, None]},
            boards,
            store,
            source=Source(citation="The makers of Fixes"),
            created="2026-11-26T00:00:00Z",
        )
    keep_covariances(about.dataset(), boards, store)
    return boards, store


def assembled(boards: Boards, store: Store) -> Assembled:
    return assemble_board(boards.boards[0], boards, store, store.results())


def test_each_value_of_the_tag_is_weighed_by_its_examples(tmp_path: Path) -> None:
    """Small ones are one part; at these weights every number is the mean over the whole dataset."""
    split = assembled(*world(tmp_path))
    assert split.weighed == {"fixes.x": "x", "fixes.y": "y", "fixes.2-more": "2 more"}
    assert split.dataset_weights == {"fixes.x": 60.0, "fixes.y": 40.0, "fixes.2-more": 20.0}
    assert split.ranking_datasets == ["fixes"]
    rows = Board.from_dict(split.data).rank(split.metric_weights, split.dataset_weights).rows
    for row in rows:
        assert row.values["solved"] == pytest.approx(solved(row.model).mean(), rel=1e-12)
        assert row.values["cost"] == pytest.approx(cost(row.model).mean(), rel=1e-12)


@pytest.mark.parametrize("weights", [(60, 40, 20), (1, 0, 0), (1, 3, 2)])
def test_rank_sets_at_any_weights_are_from_the_examples_of_the_parts(
    tmp_path: Path, weights: tuple[float, float, float]
) -> None:
    """The variance of a difference is that of a stratified mean, as NumPy has it, and the guard of each part."""
    boards, store = world(tmp_path)
    split = assembled(boards, store)
    board = Board.from_dict(split.data)
    question = Question({"solved": 1.0}, dict(zip(split.weighed, map(float, weights), strict=True)))
    certainty = Certainty.from_dict(board, sampled(split, store))
    [*found] = certainty.variances(question, board.columns(question)).all()
    expected = []
    for at, one in enumerate(MODELS):
        for other in MODELS[:at]:
            apart = solved(one) - solved(other)
            total = 0.0
            for share, rows in zip(weights, (slice(0, 60), slice(60, 100), slice(100, 120)), strict=True):
                part, share = apart[rows], share / sum(weights)
                guard = 2.0 * (100.0 / (len(part) + 2)) ** 2
                few = 1.0 + 2.0 / len(part) if len(part) < 30 else 1.0
                total += share**2 * (few * part.var(ddof=1) / len(part) + guard)
            expected.append(total)
    assert found == pytest.approx(expected, rel=1e-9)


def test_days_become_months_with_enough_examples() -> None:
    """Months that follow one another are together until they have thirty; what is left goes with the last."""
    days = ["2023-05-01"] * 20 + ["2023-06-30"] * 15 + ["2023-07-02"] * 30 + ["2023-08-09"] * 5
    found = rows_of_parts(days)
    assert {label_of(values): len(rows) for values, rows in found.items()} == {
        "2023-05 to 2023-06": 35,
        "2023-07 to 2023-08": 35,
    }


def test_examples_without_the_tag_are_in_the_last_part() -> None:
    """They are never left out; where they are all that is left, the part says what they are."""
    found = rows_of_parts(["x"] * 30 + [""] * 30)
    assert {label_of(values): len(rows) for values, rows in found.items()} == {"x": 30, "without": 30}


def test_a_tag_that_no_example_has_is_an_error(tmp_path: Path) -> None:
    """The message names those that there are."""
    with pytest.raises(UserError, match="split 'subject': no example of fixes has this tag; name one of app"):
        world(tmp_path, BOARD.replace('split = "app"', 'split = "subject"'))


def test_a_board_with_timings_has_no_parts(tmp_path: Path) -> None:
    """Throughput is no mean over examples."""
    board = BOARD.replace('name = "cost", label', 'name = "memory", label')
    with pytest.raises(UserError, match="memory has no value for an example"):
        world(tmp_path, board)


def test_check_finds_a_changed_mean_of_a_part(tmp_path: Path) -> None:
    """And nothing where nothing was changed."""
    world(tmp_path)
    arguments = ["check", "--board", str(tmp_path / "board.toml")]
    assert "0 problems in 4 results" in CliRunner().invoke(group, arguments).output
    [path] = (tmp_path / "results/scored/fixes").glob("*.parts-app.json")
    document = json.loads(path.read_text())
    document["parts"][1]["means"]["cost"][2] += 0.5
    path.write_text(json.dumps(document))
    done = CliRunner().invoke(group, arguments)
    assert "1 problem in 4 results" in done.output
    assert "parts.1: means: are not those of the examples" in done.output


def test_parts_go_when_the_board_is_not_split_any_more(tmp_path: Path) -> None:
    """The next import removes what is kept of them."""
    world(tmp_path)
    assert list((tmp_path / "results").rglob("*.parts-*.json"))
    boards, store = world(tmp_path, BOARD.replace('split = "app"\n', ""))
    assert not list((tmp_path / "results").rglob("*.parts-*.json"))
    assert assembled(boards, store).weighed == {"fixes": "Fixes"}


def test_a_model_without_an_example_lacks_that_part_only(tmp_path: Path) -> None:
    """Its other parts are known; a mean over all of them is not."""
    boards, store = world(tmp_path)
    about = ScoredExamples("fixes", "Fixes", IDS, {"app": APPS})
    values = solved("a")
    values[70] = math.nan
    keep_values(
        about,
        ModelRef(id="e", label="E"),
        {"solved": values[:, None]},
        boards,
        store,
        source=Source(citation="The makers of Fixes"),
        created="2026-11-26T00:00:00Z",
    )
    keep_covariances(about.dataset(), boards, store)
    [kept] = store.parts("scored", "fixes", about.dataset().revision)
    place = [*kept.parts[0].varies.models].index("e")
    means = [part.means["solved"][place] for part in kept.parts]
    assert means[0] == pytest.approx(solved("a")[:60].mean())
    assert means[1] is None
