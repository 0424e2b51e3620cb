"""Which models have which datasets: the sentence above a table with gaps, the views that it offers, and who has no
rank at other weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from evaluator.rank.coverage import Coverage, coverage, ranks_lost
from evaluator.rank.dynascore import Board, Question, RankedMetric


def board(*had: str, names: str = "ABCD", metrics: Sequence[str] = ("x",)) -> Board:
    """Models that have the datasets of these letters, a number of every metric in each."""
    values = {
        name: {metric: [1.0 if name in one else None for one in had] for metric in metrics} for name in names
    }
    return Board([f"m{at}" for at in range(len(had))], [RankedMetric(name) for name in metrics], values, "x")


def covered(of: Board, **weights: float) -> Coverage:
    return coverage(of, None, weights or dict.fromkeys(of.values, 1.0))


def labels(found: Coverage) -> list[str]:
    return [view.label for view in found.views]


def test_views_that_put_most_numbers_side_by_side_come_first() -> None:
    found = covered(board("ABCD", "ABC", "ABC", "AB", "D", "D", "D", "D", "D"))
    assert found.line == "1 of 9 models has all 4 datasets"
    # The view of all comes first, as the way back; the others have 9, 8 and 6 numbers.
    assert labels(found) == ["All 4 datasets: 1 model", "A, B, C: 3 models", "A, B: 4 models", "D: 6 models"]
    assert [view.models for view in found.views] == [1, 3, 4, 6]


def test_nothing_is_said_where_all_models_have_all_or_there_is_one_dataset() -> None:
    assert covered(board("AB", "AB", names="AB")) == Coverage("", ())
    assert covered(board("A", "", names="A")) == Coverage("", ())


def test_a_view_of_models_that_have_all_is_offered_only_where_there_are_any() -> None:
    found = covered(board("A", "A", "B", "B", names="AB"))
    assert found.line == "0 of 4 models have both datasets"
    assert labels(found) == ["A: 2 models", "B: 2 models"]


def test_weights_of_a_view_are_the_default_ones_and_0() -> None:
    found = covered(board("AB", "A", "A", names="AB"), A=0.5, B=2.0)
    assert [view.weights for view in found.views] == [{"A": 0.5, "B": 2.0}, {"A": 0.5, "B": 0.0}]


def test_datasets_without_default_weight_are_not_needed() -> None:
    assert covered(board("AB", "AB", names="ABC"), A=1.0, B=1.0, C=0.0) == Coverage("", ())


def test_a_model_has_a_dataset_if_it_has_every_number_with_weight_there() -> None:
    of = board("AB", "AB", "A", names="AB", metrics=("x", "cost"))
    of.values["A"]["cost"][0] = None
    even = coverage(of, {"x": 1.0, "cost": 1.0}, {"A": 1.0, "B": 1.0})
    alone = coverage(of, {"x": 1.0}, {"A": 1.0, "B": 1.0})
    assert (even.line, alone.line) == ("1 of 3 models has both datasets", "2 of 3 models have both datasets")


def test_many_datasets_are_named_by_those_left_out() -> None:
    names = "ABCDEFGH"
    found = covered(board("ABCDEF", "ABCDEF", "ABCDEFGH", "ABCDEFGH", names=names))
    assert labels(found) == ["All 8 datasets: 2 models", "All but G, H: 4 models"]


#: Five models on two datasets: the last two have no speed, the last one's cost is missing on the second dataset.
CELLS: dict[str, dict[str, list[float | None]]] = {
    "A": {"x": [9.0, 8.0, 7.0, 6.0, 5.0], "speed": [1.0, 2.0, 3.0, None, None], "cost": [1.0, 2.0, 3.0, 1.0, 2.0]},
    "B": {"x": [9.0, 8.0, 7.0, 6.0, 5.0], "speed": [1.0, 2.0, 3.0, None, None], "cost": [1.0, 2.0, 3.0, 1.0, None]},
}  # fmt: skip
ALL = [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("asked", "before", "said"),
    [
        ({"metrics": {"x": 1.0}}, ALL, ""),
        (
            {"metrics": {"x": 1.0, "speed": 0.5}},
            ALL,
            "2 of 5 models have no speed and are not ranked at these weights.",
        ),
        (
            {"metrics": {"x": 1.0, "speed": 0.5}},
            [0, 1, 2, 3],
            "1 of 5 models has no speed and is not ranked at these weights.",
        ),
        (
            {"metrics": {"x": 1.0, "cost": 0.5}},
            ALL,
            "1 of 5 models has no cost on B and is not ranked at these weights.",
        ),
        ({"metrics": {"x": 1.0, "cost": 0.5}, "datasets": {"A": 1.0, "B": 0.0}}, ALL, ""),
        (
            {"metrics": {"x": 1.0, "speed": 1.0, "cost": 1.0}},
            ALL,
            "2 of 5 models lack speed or cost on B and are not ranked at these weights.",
        ),
        (
            {"by": "trades", "trades": {"speed": 1.0}},
            ALL,
            "2 of 5 models have no speed and are not ranked by these trade-offs.",
        ),
        ({"metrics": {"x": 1.0, "speed": 0.5}, "among": ["m0", "m1", "m2"]}, ALL, ""),
        ({"metrics": {"x": 0.0}}, ALL, ""),
    ],
)
def test_models_that_lose_their_rank_are_counted_with_what_they_lack(
    asked: dict[str, Any], before: list[int], said: str
) -> None:
    """Those that limits leave out have lost nothing, and where nobody is ranked a notice says why."""
    metrics = [RankedMetric(name) for name in ("x", "speed", "cost")]
    of, question = Board([f"m{at}" for at in ALL], metrics, CELLS, "x"), Question(**asked)
    assert ranks_lost(of, question, of.columns(question), before) == said
