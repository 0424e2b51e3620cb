"""What no model has a number for takes no part, and who lacks a number that counts is not ranked: never a score of 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.what_if import FirstPlace

ACCURACY, SPEED = [80.0, 70.0, 60.0], [1.0, 3.0, 2.0]
NOTHING = [None, None, None]


def board_of(values: dict[str, dict[str, Sequence[float | None]]], **terms: Any) -> Board:
    labels = {"metrics": {"a": "Accuracy", "s": "Speed"}, "datasets": {"d": "First", "e": "Second"}}
    metrics = [RankedMetric("a"), RankedMetric("s")]
    return Board(["x", "y", "z"], metrics, values, "a", labels=labels, **terms)


@pytest.mark.parametrize("missing", ["unranked", "worst"])
def test_a_dataset_without_numbers_takes_no_part(missing: str) -> None:
    """The scores are those without it, at the weights of the others; a notice says so."""
    one = {"a": ACCURACY, "s": SPEED}
    with_it = board_of({"d": one, "e": {"a": NOTHING, "s": NOTHING}}, missing=missing).rank()
    assert with_it.rows == board_of({"d": one}, missing=missing).rank().rows
    assert with_it.notes[0] == (
        "no model has a value for Second: it takes no part, and its weight is shared out among the other datasets"
    )


def test_a_metric_without_numbers_takes_no_part() -> None:
    """An accuracy of 80 stays 80 where every timing is lost, whatever weight speed has."""
    ranking = board_of({"d": {"a": ACCURACY, "s": NOTHING}}).rank()
    assert [(row.rank, row.dynascore, row.contributions) for row in ranking.rows] == [
        (1, 80.0, {"a": 80.0}),
        (2, 70.0, {"a": 70.0}),
        (3, 60.0, {"a": 60.0}),
    ]
    assert ranking.notes[0].startswith("no model has a value for Speed: it takes no part")
    assert ranking.notes[1] == "only Accuracy has weight and values: the ranking is by Accuracy alone"


def test_a_metric_without_numbers_on_one_dataset_is_that_of_the_others() -> None:
    """Its mean is over the datasets that have it; the other metric's is over all."""
    ranking = board_of(
        {"d": {"a": ACCURACY, "s": SPEED}, "e": {"a": [60.0, 60.0, 60.0], "s": NOTHING}}
    ).rank()
    values = {row.model: row.values for row in ranking.rows}
    assert values["x"] == {"a": 70.0, "s": 1.0}
    assert ranking.notes[0].startswith("no model has a value for Speed on Second: it takes no part")


def test_a_model_without_a_number_is_counted_and_not_ranked() -> None:
    """The notice says how many there are, what they lack and who they are."""
    board = board_of(
        {"d": {"a": ACCURACY, "s": SPEED}, "e": {"a": [1.0, None, None], "s": [2.0, None, None]}}
    )
    ranking = board.rank()
    assert [row.rank for row in ranking.rows] == [1, None, None]
    assert ranking.notes[0] == "2 models are not ranked, no value on Second: y, z"
    some = board_of({"d": {"a": ACCURACY, "s": SPEED}, "e": {"a": [1.0, None, 3.0], "s": [2.0, 3.0, None]}})
    assert some.rank().notes[:2] == (
        "y is not ranked: no value for Accuracy on Second",
        "z is not ranked: no value for Speed on Second",
    )


def test_a_model_that_counts_as_the_worst_is_named() -> None:
    """What the board fills in is said, also of a model that leads with it."""
    board = board_of({"d": {"a": [90.0, 80.0, 70.0], "s": [None, 3.0, 9.0]}}, missing="worst")
    assert board.rank().notes[0] == "x counts as the worst of the board there: no value for Speed"


@pytest.mark.parametrize(
    ("values", "weights", "why"),
    [
        ({"d": {"a": NOTHING, "s": NOTHING}}, None, "no model has a value for anything that has weight"),
        (
            {"d": {"a": ACCURACY, "s": NOTHING}},
            {"s": 1.0},
            "no model has a value for anything that has weight",
        ),
        ({"d": {"a": NOTHING, "s": SPEED}}, None, "no model has a value for Accuracy, to which all others"),
    ],
)
def test_where_nothing_can_be_ranked_by_no_model_is_ranked(
    values: dict[str, Any], weights: dict[str, float] | None, why: str
) -> None:
    """Not all models first with 0."""
    ranking = board_of(values).rank(weights)
    assert {(row.rank, row.dynascore) for row in ranking.rows} == {(None, None)}
    assert ranking.notes[0].startswith(why)


def test_z_scores_need_no_base_metric() -> None:
    """Without any value of the base metric, models are still ranked by the z-scores of the others."""
    ranking = board_of({"d": {"a": NOTHING, "s": SPEED}}).rank(by="z_score")
    assert [(row.model, row.rank) for row in ranking.rows] == [("y", 1), ("z", 2), ("x", 3)]


def test_limits_may_leave_models_without_a_column() -> None:
    """Of the models that are left, a metric that none of them has takes no part."""
    board = board_of({"d": {"a": ACCURACY, "s": [None, None, 2.0]}})
    found = board.ranking(Question(among=["x", "y"]))
    assert [(row.model, row.rank, row.dynascore) for row in found.rows][:2] == [
        ("x", 1, 80.0),
        ("y", 2, 70.0),
    ]


def test_what_takes_no_part_is_named_for_the_sliders() -> None:
    """By the weights that are asked for: a dataset counts as soon as a metric with weight has a number on it."""
    board = board_of({"d": {"a": ACCURACY, "s": NOTHING}, "e": {"a": NOTHING, "s": SPEED}})
    assert board.idle(Question()) == {"metrics": [], "datasets": []}
    assert board.idle(Question(metrics={"a": 1.0})) == {"metrics": [], "datasets": ["e"]}
    assert board.idle(Question(datasets={"d": 1.0})) == {"metrics": ["s"], "datasets": ["e"]}
    nothing = board_of({"d": {"a": NOTHING, "s": NOTHING}})
    assert nothing.idle(Question()) == {"metrics": [], "datasets": []}


def sampled(examples: int = 50) -> dict[str, Any]:
    return {
        "examples": examples,
        "clusters": examples,
        "unit": {"a": 100.0},
        "covariances": [["a", "a", 1.0, [4.0, 4.0, 4.0]]],
        "relative": {"s": [0.01, 0.01, 0.01]},
        "right": {},
        "apart": {},
        "unknown": {},
    }


@pytest.mark.parametrize("empty", [{"e": {"a": NOTHING, "s": NOTHING}}, {}])
def test_rank_sets_are_those_without_what_takes_no_part(empty: dict[str, Any]) -> None:
    """A dataset, or a metric, that nobody has a number for makes no set wider and none unknown."""
    speed: Sequence[float | None] = SPEED if empty else NOTHING
    board = board_of({"d": {"a": ACCURACY, "s": speed}, **empty})
    plain = board_of({"d": {"a": ACCURACY, "s": speed}})
    question = Question({"a": 1.0, "s": 0.0}) if not empty else Question()
    by_all = Certainty.from_dict(board, {"d": sampled()}).sets(Question())
    assert by_all == Certainty.from_dict(plain, {"d": sampled()}).sets(question)
    assert None not in by_all.sets


def test_what_would_put_a_model_first_leaves_out_what_nobody_has() -> None:
    """Of the weightings, those of the metrics that take part count."""
    board = board_of({"d": {"a": ACCURACY, "s": NOTHING}})
    found = FirstPlace(Certainty.from_dict(board, {"d": sampled()}), Question(), "x")
    while not found.step():
        pass
    assert '"share": 1.0' in found.json()
    assert '"weighed": 1' in found.json()


cells = st.lists(st.one_of(st.none(), st.integers(0, 5).map(float)), min_size=3, max_size=3)


@given(st.fixed_dictionaries({d: st.fixed_dictionaries({"a": cells, "s": cells}) for d in "de"}))
def test_a_ranked_model_has_a_number_for_all_that_counts(values: dict[str, Any]) -> None:
    """Who has a rank has a value on every dataset and metric that any model has one for."""
    board = board_of(values)
    columns = [values[d][n] for d in "de" for n in "as" if any(cell is not None for cell in values[d][n])]
    for row in board.rank().rows:
        whole = all(column[board.models.index(row.model)] is not None for column in columns)
        assert row.rank is None or (whole and columns)
