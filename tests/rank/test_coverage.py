"""Which models have which datasets: the sentence above a table with gaps, and the views that it offers."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.rank.coverage import Coverage, coverage
from evaluator.rank.dynascore import Board, RankedMetric


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
