"""The ranks that models may get on another dataset of the same kind."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.rank.another_dataset import OnAnotherDataset, datasets_for, on_another_dataset
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty, Sampled

Floats = npt.NDArray[np.float64]
METRICS = [RankedMetric("accuracy"), RankedMetric("cost", -1, None)]


def board_of(numbers: Mapping[str, Floats], **more: Any) -> Board:
    """A board of metrics' values (datasets, models)."""
    count, size = next(iter(numbers.values())).shape
    values: dict[str, dict[str, Sequence[float | None]]] = {
        f"d{at}": {
            name: [None if math.isnan(one) else one for one in table[at].tolist()]
            for name, table in numbers.items()
        }
        for at in range(count)
    }
    metrics = [metric for metric in METRICS if metric.name in numbers]
    return Board([f"m{i}" for i in range(size)], metrics, values, "accuracy", rate="ratio", **more)


def elsewhere(
    board: Board, question: Question | None = None, wanted: float = 0.95
) -> OnAnotherDataset | None:
    question = question or Question()
    return on_another_dataset(Certainty(board, {}), question, board.columns(question), wanted)


def sets_of(board: Board, question: Question | None = None, wanted: float = 0.95) -> Any:
    found = elsewhere(board, question, wanted)
    assert found is not None
    return found.sets


def two_metrics(seed: int, datasets: int, models: int) -> dict[str, Floats]:
    chance = np.random.default_rng(seed)
    return {
        "accuracy": np.round(chance.uniform(50, 90, (datasets, models)), 1),
        "cost": np.round(chance.uniform(1, 5, (datasets, models)), 1),
    }


def ranks_of(scores: Floats) -> tuple[Floats, Floats]:
    """The first and the last rank of each model (datasets, models), pair by pair."""
    above = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    level = (scores[:, None, :] >= scores[:, :, None]).sum(axis=2)
    return 1.0 + above, 1.0 * level


@pytest.mark.parametrize("by", ["dynascore", "z_score"])
@pytest.mark.parametrize(("datasets", "wanted"), [(6, 0.95), (11, 0.6), (20, 0.8)])
def test_sets_are_order_statistics_of_the_ranks_on_each_dataset(
    datasets: int, wanted: float, by: str
) -> None:
    """With numpy: each dataset's scores at the whole board's rates, their ranks, and the k-th of each end."""
    numbers = two_metrics(datasets, datasets, 7)
    board = board_of(numbers)
    means = {name: table.mean(axis=0) for name, table in numbers.items()}
    steps = np.argsort(-means["accuracy"], kind="stable")
    rate = np.abs(np.diff(means["cost"][steps])).sum() / np.abs(np.diff(means["accuracy"][steps])).sum()
    over = {"accuracy": 1.0, "cost": rate}
    if by == "z_score":
        over = {name: mean.std() for name, mean in means.items()}
    scores = 0.75 * numbers["accuracy"] / over["accuracy"] - 0.25 * numbers["cost"] / over["cost"]
    best, worst = ranks_of(np.round(scores, 9))
    tail = (1 - wanted) / 2
    k = max(1, int(np.floor(tail * (datasets + 1) + 1e-9)))
    low, high = np.sort(best, axis=0)[k - 1], np.sort(worst, axis=0)[-k]
    found = elsewhere(board, Question({"accuracy": 3, "cost": 1}, by=by), wanted)
    assert found is not None
    assert found.sets == [(int(a), int(b)) for a, b in zip(low, high, strict=True)]
    assert found.confidence == pytest.approx(1 - 2 * k / (datasets + 1))


@given(st.integers(7, 30), st.integers(2, 6), st.sampled_from([0.5, 0.8, 0.95]), st.integers(0, 10**6))
def test_of_datasets_left_out_in_turn_at_least_the_promised_share_is_in_the_sets(
    datasets: int, models: int, wanted: float, seed: int
) -> None:
    """Whatever the numbers are: no more than k of N + 1 datasets can be beyond the k-th of the others."""
    chance = random.Random(seed)
    table = np.array([[float(chance.randint(0, 9)) for _ in range(models)] for _ in range(datasets)])
    best, worst = ranks_of(table)
    held, promised = np.zeros(models), 0.0
    for out in range(datasets):
        found = elsewhere(board_of({"accuracy": np.delete(table, out, axis=0)}), None, wanted)
        assert found is not None
        promised = found.confidence
        low, high = np.array(found.sets, dtype=float).T
        held += (low <= best[out]) & (high >= worst[out])
    assert (held / datasets >= promised - 1e-9).all()


def test_by_trade_offs_each_dataset_ranks_as_a_board_of_it_alone() -> None:
    board, trades = board_of(two_metrics(5, 8, 6)), {"cost": "10 %"}
    alone = [
        board.columns(Question(by="trades", trades=trades, datasets={name: 1.0})).ranks
        for name in board.values
    ]
    expected = [(min(column), max(column)) for column in zip(*alone, strict=True)]
    assert sets_of(board, Question(by="trades", trades=trades)) == expected


def test_fewer_than_six_datasets_say_nothing_of_another() -> None:
    assert elsewhere(board_of(two_metrics(1, 5, 4))) is None
    assert elsewhere(board_of(two_metrics(1, 6, 4))) is not None


def test_only_datasets_with_weight_and_all_numbers_count() -> None:
    numbers = two_metrics(2, 7, 4)
    weights = {f"d{at}": 1.0 for at in range(7)}
    found = elsewhere(board_of(numbers), Question(datasets=weights | {"d3": 0.0}))
    assert found is not None
    assert found.datasets == 6
    numbers["cost"][3:5] = math.nan
    assert elsewhere(board_of(numbers)) is None
    found = elsewhere(board_of(numbers), Question({"accuracy": 1}))
    assert found is not None
    assert found.datasets == 7


def test_parts_of_a_dataset_are_no_datasets_of_a_kind() -> None:
    board, question = board_of(two_metrics(3, 8, 4)), Question()
    part = Sampled(0, 0, {}, {}, {}, {}, {}, {}, is_part=True)
    certainty = Certainty(board, dict.fromkeys(board.values, part))
    assert on_another_dataset(certainty, question, board.columns(question), 0.95) is None


def test_models_that_tie_take_all_ranks_that_they_share() -> None:
    assert sets_of(board_of({"accuracy": np.full((6, 3), 50.0)})) == [(1, 3)] * 3


def test_a_model_without_a_number_has_no_set_and_leaves_its_rank_to_the_others() -> None:
    table = np.tile([70.0, 60.0, 50.0], (6, 1))
    table[2, 0] = math.nan
    for missing in ("unranked", "worst"):
        assert sets_of(board_of({"accuracy": table}, missing=missing)) == [None, (1, 1), (2, 2)]


def test_models_no_better_than_a_constant_answer_come_last_everywhere() -> None:
    board = board_of({"accuracy": np.tile([70.0, 60.0, 50.0], (6, 1))}, floored=["m0"])
    assert sets_of(board) == [(3, 3), (1, 1), (2, 2)]


def test_a_limit_leaves_models_out_everywhere() -> None:
    board = board_of({"accuracy": np.tile([70.0, 60.0, 50.0], (6, 1))})
    assert sets_of(board, Question(limits={"accuracy": (None, 65.0)})) == [None, (1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("datasets", "wanted", "left_out", "percent"),
    [
        (6, 0.95, 0, "71 %"),
        (38, 0.95, 0, "94 %"),
        (39, 0.95, 0, "95 %"),
        (79, 0.95, 1, "95 %"),
        (9, 0.8, 0, "80 %"),
    ],
)
def test_what_is_promised_is_at_most_what_so_many_datasets_can(
    datasets: int, wanted: float, left_out: int, percent: str
) -> None:
    found = elsewhere(board_of({"accuracy": np.tile([70.0, 60.0], (datasets, 1))}), None, wanted)
    assert found is not None
    assert (found.left_out, found.percent) == (left_out, percent)
    assert (found.confidence >= wanted - 1e-9) == (datasets >= datasets_for(wanted))


def test_words_say_the_range_the_probability_and_how_many_datasets_95_takes() -> None:
    few = elsewhere(board_of({"accuracy": np.tile([70.0, 60.0], (6, 1))}))
    many = elsewhere(board_of({"accuracy": np.tile([70.0, 60.0], (80, 1))}))
    assert few is not None
    assert many is not None
    assert few.words == (
        "Elsewhere, on another dataset of this kind, a model's rank is in the range of its ranks on these 6"
        " datasets with a probability of at least 71 %; 95 % takes 39 datasets."
    )
    assert many.words == (
        "Elsewhere, on another dataset of this kind, a model's rank is in the range of its ranks on these 80"
        " datasets, but for the best and the worst, with a probability of at least 95 %."
    )


def test_a_page_gets_the_sets_beside_those_of_other_examples_that_may_be_unknown() -> None:
    board = board_of({"accuracy": np.tile([70.0, 60.0], (6, 1))})
    answer = rank_answer(Certainty(board, {}), Question())
    assert answer["sets"] == [None, None]
    assert answer["elsewhere"]["sets"] == [(1, 1), (2, 2)]
    assert answer["elsewhere"]["label"] == "71 % elsewhere"
    few = board_of({"accuracy": np.tile([70.0, 60.0], (5, 1))})
    assert rank_answer(Certainty(few, {}), Question())["elsewhere"] is None
