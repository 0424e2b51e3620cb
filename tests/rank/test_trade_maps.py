"""What if a trade-off were another: who wins where, where that is certain, and what puts a model first."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from test_rank_sets import random_board
from test_what_if import finished

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.tradeoffs import NOBODY, open_triangle, open_winners_by_trades
from evaluator.rank.what_if import (
    open_certain_by_trades,
    open_first_place,
    open_leaving,
    smallest_trade_change,
)

AMOUNTS: list[list[float | str]] = [[0.02, 0.5, 4.0], ["1 %", "20 %", "300 %"]]


def drawn(count: int, seed: int) -> list[tuple[Board, Certainty, Question]]:
    """Random boards by trade-offs, some with models that are ranked last or lack a value."""
    chance, found = random.Random(seed), []
    for _ in range(count):
        board, data, question = random_board(chance)
        values: dict[str, list[float | None]] = {
            name: list(column) for name, column in board.values["d"].items()
        }
        if chance.random() < 0.3:
            values[chance.choice("abc")][0] = chance.choice([None, 0.0])
        board = Board(
            board.models,
            list(board.metrics.values()),
            {"d": values},
            "a",
            floored=[name for name in board.models if chance.random() < 0.15],
            missing=chance.choice(["unranked", "worst"]),
        )
        found.append((board, Certainty.from_dict(board, data), replace(question, by="trades")))
    return found


def asked(question: Question, **more: Any) -> str:
    return json.dumps({"question": vars(question), **more})


def leaders(board: Board, question: Question) -> list[int]:
    """The models of the first rank, of which the map names one."""
    ranks = board.columns(question).ranks
    return [index for index, rank in enumerate(ranks) if rank == 1.0] or [NOBODY]


def test_the_map_has_who_is_first_at_each_pair_of_trade_offs() -> None:
    for board, certainty, question in drawn(40, seed=1):
        found = finished(open_winners_by_trades(board, asked(question, metrics=["b", "c"], amounts=AMOUNTS)))
        certain = finished(
            open_certain_by_trades(certainty, asked(question, metrics=["b", "c"], amounts=AMOUNTS))
        )
        assert len(found) == len(certain) == 9
        for (b, c), winner, sure in zip(itertools.product(*AMOUNTS), found, certain, strict=True):
            there = replace(question, trades={"b": b, "c": c})
            assert winner in leaders(board, there)
            if winner == NOBODY:
                assert sure == 1
            else:
                assert sure == (certainty.sets(there).sets[winner] == (1, 1))


def test_the_map_leaves_the_other_trade_offs_as_they_are() -> None:
    metrics = [RankedMetric(name) for name in "abcd"]
    values = {"a": [3.0, 1.0, 2.0], "b": [1.0, 2.0, 3.0], "c": [2.0, 9.0, 1.0], "d": [5.0, 5.0, 8.0]}
    board = Board(list("xyz"), metrics, {"only": values}, "a", by="trades", trades={"b": 2.0, "d": 0.5})
    found = finished(
        open_winners_by_trades(board, asked(Question(), metrics=["b", "c"], amounts=[[1.0], [4.0, 1.0]]))
    )
    # By hand, a + b + c / 4 + 2 d and a + b + c + 2 d: 14.5, 15.25, 21.25 and 16, 22, 22.
    assert found == [2, 1]


@pytest.mark.parametrize("metrics", [["a", "b"], ["b"], ["b", "b"], ["b", "nothing"]])
def test_a_map_is_of_two_metrics_beside_the_base_metric(metrics: list[str]) -> None:
    board, _, question = drawn(1, seed=1)[0]
    with pytest.raises(ValueError, match="are not two of the metrics beside a"):
        open_winners_by_trades(board, asked(question, metrics=metrics, amounts=AMOUNTS[: len(metrics)]))


def test_no_triangle_of_weights_is_drawn_by_trade_offs() -> None:
    board, _, question = drawn(1, seed=1)[0]
    with pytest.raises(ValueError, match="by trade-offs no metric has a weight"):
        open_triangle(board, asked(question, metrics=["a", "b", "c"], steps=2))


def test_the_change_of_one_trade_off_makes_another_leader() -> None:
    """As said, with few digits; and where none is found, none of many other amounts does either."""
    changed = 0
    for board, _, question in drawn(60, seed=2):
        first = leaders(board, question)
        for model in range(len(board.models)):
            change = smallest_trade_change(board, question, model)
            leads = first == [model]
            trades = dict(question.trades or {})
            if change is None:
                for name, factor in itertools.product(trades, [0.003, 0.1, 0.5, 2.0, 30.0, 900.0]):
                    there = replace(question, trades={**trades, name: times(trades[name], factor)})
                    now = leaders(board, there)
                    assert (now == [model]) == leads or len(now) > 1
                continue
            changed += 1
            assert change.before == trades.pop(change.metric)
            if change.amount is not None:
                trades[change.metric] = change.amount
            [leader] = leaders(board, replace(question, trades=trades))
            assert leader == change.leader
            assert (leader == model) != leads
    assert changed > 60


def times(amount: float | str, factor: float) -> float | str:
    return f"{float(amount.rstrip(' %')) * factor} %" if isinstance(amount, str) else amount * factor


def test_the_nearest_amount_is_just_past_where_two_models_meet() -> None:
    metrics = [RankedMetric("a"), RankedMetric("memory", -1, None), RankedMetric("speed")]
    values = {"a": [80.0, 78.0], "memory": [2.0, 1.0], "speed": [100.0, 100.0]}
    board = Board(
        ["x", "y"], metrics, {"only": values}, "a", by="trades", trades={"memory": 1.0, "speed": "10 %"}
    )
    # One unit less of memory is worth two of a where one unit of a is worth a half.
    change = smallest_trade_change(board, Question(), 1)
    assert change is not None
    assert vars(change) == {"metric": "memory", "before": 1.0, "amount": 0.49, "leader": 1}
    lead = smallest_trade_change(board, Question(trades={"memory": 0.1}), 1)
    assert lead is not None
    assert (lead.amount, lead.leader) == (0.51, 0)
    # Speed of 150 beside 100 is worth two at 22.47 %, where ln(1.5) / ln(1 + q) is.
    values = {"a": [80.0, 78.0], "memory": [2.0, 2.0], "speed": [100.0, 150.0]}
    board = Board(["x", "y"], metrics, {"only": values}, "a", by="trades", trades={"speed": "50 %"})
    change = smallest_trade_change(board, Question(), 1)
    assert change is not None
    assert (change.amount, change.leader) == ("20 %", 1)
    change = smallest_trade_change(board, Question(trades={"speed": "24 %"}), 1)
    assert change is not None
    assert (change.amount, change.leader) == ("22.4 %", 1)


def test_a_page_is_told_the_change_and_no_shares_of_weightings() -> None:
    for board, certainty, question in drawn(10, seed=3):
        for index, model in enumerate(board.models):
            found = finished(open_first_place(certainty, asked(question, model=model)))
            change = smallest_trade_change(board, question, index)
            assert found["change"] == (None if change is None else vars(change))
            assert found["leads"] == (leaders(board, question) == [index])
            assert (found["share"], found["level"], found["weighed"]) == (None, None, 0)


def test_nobody_moves_when_a_model_leaves() -> None:
    for board, certainty, question in drawn(20, seed=4):
        if board.missing == "unranked":
            assert finished(open_leaving(certainty, asked(question))) == {}
