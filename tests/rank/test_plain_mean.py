"""The plain weighted mean in the Dynascore's place: of metrics in one unit, by the board or by a question."""

from __future__ import annotations

import json
import math
import random

import pytest
from shown_boards import shown_board

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.score_sentences import rates_explained, score_explained, terms
from evaluator.rank.tradeoffs import NOBODY, triangle
from evaluator.records.board import BoardSpec

METRICS = [
    RankedMetric("accuracy", unit="%"),
    RankedMetric("errors", -1, 100.0, "%"),
    RankedMetric("memory", -1, None, "GB"),
]
VALUES = {
    "one": {"accuracy": [80.0, 60.0], "errors": [30.0, 10.0], "memory": [2.0, 1.0]},
    "two": {"accuracy": [70.0, 90.0], "errors": [40.0, 20.0], "memory": [2.0, 1.0]},
}


def made(by: str = "dynascore") -> Board:
    return Board(["a", "b"], METRICS, VALUES, "accuracy", by=by)


def test_a_mean_takes_one_unit_of_each_good_for_one_of_any_other() -> None:
    weights = {"accuracy": 3.0, "errors": 1.0}
    found = made().rank(weights, {"one": 1.0, "two": 3.0}, by="mean")
    # By hand: a has (80 + 3 x 70) / 4 of accuracy and 100 - (30 + 3 x 40) / 4 without errors.
    expected = {"a": (3 * 72.5 + 62.5) / 4, "b": (3 * 82.5 + 82.5) / 4}
    assert {row.model: row.dynascore for row in found.rows} == pytest.approx(expected)
    assert {name: rate.rate for name, rate in found.exchange_rates.items()} == dict.fromkeys(
        ("accuracy", "errors", "memory"), 1.0
    )


def test_a_boards_own_choice_holds_until_a_question_has_another() -> None:
    weights = {"accuracy": 1.0, "errors": 2.0}
    board = made("mean")
    assert board.rank(weights) == made().rank(weights, by="mean")
    assert board.rank(weights, by="dynascore") == made().rank(weights)
    opened = Board.from_dict(
        {
            "models": ["a", "b"],
            "metrics": [vars(metric) for metric in METRICS],
            "datasets": ["one", "two"],
            "values": VALUES,
            "base": "accuracy",
            "epsilon": 1e-4,
            "epsilon_kind": "relative",
            "missing": "unranked",
            "by": "mean",
        }
    )
    assert opened.rank(weights) == board.rank(weights)
    assert json.loads(opened.answer("{}").partition(b"{")[2].join([b"{", b""]))["by"] == "mean"


def test_of_metrics_in_several_units_nobody_is_ranked_and_a_notice_names_the_units() -> None:
    columns = made("mean").columns(Question({"accuracy": 1.0, "memory": 1.0}))
    assert all(math.isnan(rank) for rank in columns.ranks)
    assert columns.notices == (
        "a plain mean takes one unit, and the metrics with weight are in % and GB: weigh those of one unit,"
        " or rank by Dynascore",
    )


def test_metrics_of_a_table_have_no_units_and_a_mean() -> None:
    board = Board(["a", "b"], [RankedMetric("x"), RankedMetric("y")], {"": {"x": [1, 4], "y": [2, 1]}}, "x")
    assert [row.dynascore for row in board.rank(by="mean").rows] == [2.5, 1.5]


def test_no_map_of_winners_is_of_metrics_in_several_units() -> None:
    names = [metric.name for metric in METRICS]
    assert {*triangle(made(), Question({"accuracy": 1.0}), names, 4)} != {NOBODY}
    assert {*triangle(made("mean"), Question({"accuracy": 1.0}), names, 4)} == {NOBODY}


def test_rank_sets_of_a_mean_are_those_of_a_board_of_the_means_themselves() -> None:
    # 0/1 answers to two metrics on 300 examples; the mean of each example's two values is one metric.
    chance = random.Random(1)
    skill, size = (0.9, 0.7, 0.68, 0.4), 300
    rows = [[[100.0 * (chance.random() < p) for _ in range(size)] for _ in ("x", "y")] for p in skill]
    means = [[math.fsum(pair) / 2 for pair in zip(*both, strict=True)] for both in rows]

    def plain(columns: dict[str, list[list[float]]]) -> tuple[Board, Certainty]:
        def apart(first: list[list[float]], second: list[list[float]], i: int, j: int) -> float:
            one, other = ([a - b for a, b in zip(of[i], of[j], strict=True)] for of in (first, second))
            mean, others = math.fsum(one) / size, math.fsum(other) / size
            products = [(a - mean) * (b - others) for a, b in zip(one, other, strict=True)]
            return math.fsum(products) / (size - 1) / size

        names = list(columns)
        values = {name: [math.fsum(row) / size for row in of] for name, of in columns.items()}
        board = Board(
            ["a", "b", "c", "d"], [RankedMetric(n, unit="%") for n in names], {"d": values}, names[0]
        )
        crossed = [(k, m) for at, k in enumerate(names) for m in names[at:]]
        pairs = [(i, j) for i in range(4) for j in range(i)]
        data = {
            "examples": size,
            "clusters": size,
            "unit": dict.fromkeys(names, 100.0),
            "covariances": [
                [k, m, 1.0, [apart(columns[k], columns[m], *pair) for pair in pairs]] for k, m in crossed
            ],
            "right": {},
            "apart": {},
            "relative": {},
            "unknown": {},
        }
        return board, Certainty.from_dict(board, {"d": data})

    _, two = plain({"x": [row[0] for row in rows], "y": [row[1] for row in rows]})
    _, one = plain({"mean": means})
    found = two.sets(Question({"x": 1.0, "y": 1.0}, by="mean"))
    assert found.sets == one.sets(Question({"mean": 1.0})).sets == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_words_of_a_mean_call_it_so() -> None:
    shown = shown_board(by="mean", metrics={"acc": 1.0})
    assert score_explained(shown, None)["formula"][0] == "Weighted mean of "
    assert rates_explained(shown)["worth"].startswith("This ranking is by the plain weighted mean")
    view = {"by": "mean", "metrics": {"acc": 1.0}, "datasets": {"sst": 1.0}, "base": "acc", "rate": "mean"}
    view |= {"threshold": {"epsilon": 0.1, "kind": "relative"}, "search": "", "filters": [], "limits": []}
    assert [name for name, _ in terms(shown, view | {"among": "all"})][:2] == [
        "Ranked by",
        "Weights of metrics",
    ]


def spec(**more: object) -> BoardSpec:
    metrics = [
        {"name": "accuracy", "label": "Accuracy", "unit": "%"},
        {"name": "memory", "label": "Memory", "unit": "GB", "direction": "lower", "cap": 16.0},
    ]
    board = {"id": "b", "title": "B", "base": "accuracy", "datasets": ("a",), "metrics": metrics}
    return BoardSpec.model_validate({**board, "by": "mean", **more})


def test_a_board_file_that_asks_for_a_mean_of_several_units_is_refused() -> None:
    with pytest.raises(ValueError, match="the metrics with weight are in % and GB; give weight to those"):
        spec()
    assert spec(weights={"accuracy": 1.0}).by == "mean"
