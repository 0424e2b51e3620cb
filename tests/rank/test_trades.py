"""Declared trade-offs: one unit of the base metric is worth so much of others, whoever else is on the board."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_rank_sets import answers, differences, expected_sets, sampled_of

from evaluator.rank.dynascore import Board, Question, RankedMetric, Ranking, logarithm
from evaluator.rank.rank_sets import Certainty

METRICS = [
    RankedMetric("accuracy", unit="%"),
    RankedMetric("speed", unit="examples/s"),
    RankedMetric("memory", -1, 8.0, "GB"),
    RankedMetric("robustness", unit="%"),
]
TRADES = {"speed": "10 %", "memory": 0.1}
VALUES = {
    "one": {
        "accuracy": [80.0, 60.0, 70.0],
        "speed": [10.0, 100.0, 1000.0],
        "memory": [2.0, 1.0, 0.5],
        "robustness": [90.0, 80.0, 70.0],
    },
    "two": {
        "accuracy": [70.0, 90.0, 50.0],
        "speed": [20.0, 200.0, 900.0],
        "memory": [2.5, 1.5, 0.5],
        "robustness": [90.0, 80.0, 70.0],
    },
}


def made(values: dict[str, Any] = VALUES, **terms: Any) -> Board:
    models = "abcdefgh"[: len(values["one"]["accuracy"])]
    return Board(list(models), METRICS, values, "accuracy", **{"by": "trades", "trades": TRADES, **terms})


def scores_of(ranking: Ranking) -> dict[str, float | None]:
    return {row.model: row.dynascore for row in ranking.rows}


def test_a_score_is_the_base_metric_and_what_the_others_are_worth() -> None:
    found = made().rank(dataset_weights={"one": 1.0, "two": 3.0})
    means = {
        name: (np.array(VALUES["one"][name]) + 3 * np.array(VALUES["two"][name])) / 4
        for name in VALUES["one"]
    }
    speed = np.log(means["speed"]) / np.log(1.1)
    expected = means["accuracy"] + speed - means["memory"] / 0.1
    assert scores_of(found) == pytest.approx(dict(zip("abc", expected, strict=True)), rel=1e-14)
    assert [row.model for row in found.rows] == ["abc"[i] for i in np.argsort(-expected)]
    first = next(row for row in found.rows if row.model == "a")
    assert first.contributions == pytest.approx(
        {"accuracy": means["accuracy"][0], "speed": speed[0], "memory": -10 * means["memory"][0]}
    )
    assert first.dynascore == math.fsum(first.contributions.values())
    assert (found.by, found.trades) == ("trades", TRADES)
    assert {name: rate.rate for name, rate in found.exchange_rates.items()} == {
        "accuracy": 1.0,
        "speed": None,
        "memory": 0.1,
        "robustness": None,
    }
    assert found.notes == (
        "ranked by declared trade-offs: 1 point of accuracy is worth 10 % of speed and 0.1 GB of memory; no"
        " score depends on other models",
    )


def test_weights_of_metrics_play_no_part() -> None:
    assert made().rank({"robustness": 1.0}) == made().rank({}) == made().rank()


def test_a_question_has_trade_offs_of_its_own() -> None:
    board = made(by="dynascore", trades=None)
    asked = board.rank(by="trades", trades={"robustness": 2.0})
    assert asked == made(trades={"robustness": 2.0}).rank()
    assert board.rank() == made(by="dynascore").rank()
    assert made(trades=TRADES).rank(trades={"robustness": 2.0}) == asked


amounts = st.one_of(st.floats(0.01, 100.0), st.floats(0.1, 500.0).map(lambda q: f"{q:.3f} %"))


@given(
    st.lists(st.tuples(*[st.floats(0.1, 1000.0)] * 4), min_size=2, max_size=6),
    st.dictionaries(st.sampled_from(["speed", "memory", "robustness"]), amounts),
    st.integers(1, 5),
)
def test_no_score_changes_when_a_model_joins_or_leaves(
    rows: list[tuple[float, ...]], trades: dict[str, float | str], left: int
) -> None:
    def of(models: list[tuple[float, ...]]) -> dict[str, float | None]:
        columns = {m.name: [row[k] for row in models] for k, m in enumerate(METRICS)}
        return scores_of(made({"one": columns}, trades=trades).rank())

    everyone, fewer = of(rows), of(rows[:left])
    assert fewer == {model: everyone[model] for model in fewer}


def test_limits_leave_scores_as_they_are() -> None:
    found = made().ranking(Question(limits={"memory": (None, 1.5)}))
    whole = scores_of(made().rank())
    assert scores_of(found) == {"a": None, "b": whole["b"], "c": whole["c"]}


@given(st.floats(1e-100, 1e100))
def test_logarithms_are_those_of_the_library_but_for_rounding(value: float) -> None:
    assert logarithm(value) == pytest.approx(math.log(value), rel=1e-15, abs=1e-16)


@given(st.floats(1e-3, 1e4))
def test_per_cent_more_of_a_metric_is_worth_one_unit_of_the_base_metric(q: float) -> None:
    values = {"one": {m.name: [1.0, 1.0] for m in METRICS} | {"speed": [3.0, 3.0 * (1 + q / 100)]}}
    one, other = made(values, trades={"speed": f"{q!r} %"}).rank().rows
    assert (one.model, one.dynascore - other.dynascore) == ("b", pytest.approx(1.0, rel=1e-9))


@pytest.mark.parametrize(
    ("changed", "terms", "scores", "said"),
    [
        (
            {"speed": [0.0, 100.0, 1000.0]},
            {},
            "bc",
            "a trade-off in per cent takes a value above 0 of speed, so not ranked: a",
        ),
        (
            {"speed": [-1.0, 100.0, None]},
            {"missing": "worst"},
            "b",
            "a trade-off in per cent takes a value above 0 of speed, so not ranked: a, c",
        ),
        ({"memory": [None, 1.0, 0.5]}, {}, "bc", "a is not ranked: no value for memory"),
        ({"robustness": [None, 1.0, 0.5]}, {}, "abc", None),
        ({"accuracy": [80.0, None, 70.0]}, {}, "ac", "b is not ranked: no value for accuracy"),
        ({"memory": [None] * 3}, {}, "abc", "no model has a value for memory: no score is made of it"),
        (
            {"accuracy": [None] * 3},
            {},
            "",
            "no model has a value for accuracy, to which all others are converted: choose another base metric,"
            " or rank by z-scores",
        ),
        ({}, {"trades": None}, "abc", "no trade-off is declared: the ranking is by accuracy alone"),
        (
            {},
            {"trades": TRADES | {"accuracy": 2.0}},
            "abc",
            "accuracy is the base metric: the trade-off that is declared for it does not count",
        ),
    ],
)
def test_what_has_no_usual_answer_has_a_documented_one(
    changed: dict[str, Any], terms: dict[str, Any], scores: str, said: str | None
) -> None:
    found = made({"one": VALUES["one"] | changed}, **terms).rank()
    assert sorted(row.model for row in found.rows if row.rank is not None) == list(scores)
    assert said is None or said in found.notes
    assert all(math.isfinite(row.dynascore) for row in found.rows if row.dynascore is not None)


@pytest.mark.parametrize(
    "amount", [0, -1.0, True, "0 %", "10", "-5 %", "x %", "nan %", math.nan, math.inf, None]
)
def test_what_is_no_amount_is_refused(amount: Any) -> None:
    wanted = f'trades: memory: {amount!r} is neither a number above 0 nor a text like "10 %"'
    for ask in (lambda: made(trades={"memory": amount}), lambda: made().rank(trades={"memory": amount})):
        with pytest.raises(ValueError, match=r"trades: memory: ") as error:
            ask()
        assert str(error.value) == wanted


def test_a_metric_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="trades: 'size' is none of the metrics accuracy, speed, "):
        made().rank(trades={"size": 1.0})


@pytest.mark.parametrize("seed", range(5))
def test_sets_follow_the_definition(seed: int) -> None:
    """Two datasets, a cost by examples in its unit, speed in per cent by its passes."""
    chance = np.random.default_rng(seed)
    size, sizes = 7, {"x": 150, "y": 90}
    data = {d: {"a": answers(seed, size, n), "b": answers(seed + 50, size, n)} for d, n in sizes.items()}
    speed = {d: np.exp(chance.normal(4, 1, size)) for d in data}
    relative = {d: chance.uniform(1e-4, 1e-2, size) for d in data}
    board = Board(
        [f"m{i}" for i in range(size)],
        [RankedMetric("a"), RankedMetric("b", -1, None), RankedMetric("speed"), RankedMetric("idle")],
        {
            d: {n: v.mean(axis=1).tolist() for n, v in values.items()} | {"speed": speed[d].tolist()}
            for d, values in data.items()
        },
        "a",
    )
    known = {d: sampled_of(data[d], relative={"speed": relative[d].tolist()}) for d in data}
    question = Question(None, {"x": 1, "y": 2}, by="trades", trades={"b": 4.0, "speed": "20 %"})
    shares = {"x": 1 / 3, "y": 2 / 3}
    mean = shares["x"] * speed["x"] + shares["y"] * speed["y"]
    scores, variance = np.log(mean) / np.log(1.2), np.zeros((size, size))
    for d, share in shares.items():
        combined = share * (data[d]["a"] - data[d]["b"] / 4)
        variance += differences(combined, combined)
        variance += share**2 * (1 + 1 / 16) * 2 * 100.0**2 / (combined.shape[1] + 2) ** 2
        timing = (share * speed[d] / mean / np.log(1.2)) ** 2 * relative[d]
        variance += timing[:, None] + timing
        scores = scores + combined.mean(axis=1)
    certainty = Certainty(board, known)
    columns = board.columns(question)
    assert columns.scores == pytest.approx(scores.tolist())
    assert certainty.sets(question).sets == expected_sets(scores, np.sqrt(variance))
    found = certainty.variances(question, columns).all()
    assert found == pytest.approx([variance[i, j] for i in range(size) for j in range(i)])


def test_of_values_by_example_a_trade_off_in_per_cent_has_no_sets_and_one_in_its_unit_has() -> None:
    cost = 0.1 * answers(3, 4, 200)
    values = {"accuracy": answers(1, 4, 200), "cost": cost}
    board = Board(
        list("abcd"),
        [RankedMetric("accuracy", unit="%"), RankedMetric("cost", -1, None, "USD")],
        {"d": {name: v.mean(axis=1).tolist() for name, v in values.items()}},
        "accuracy",
        by="trades",
    )
    certainty = Certainty(board, {"d": sampled_of(values)})
    linear = certainty.sets(Question(trades={"cost": 0.5}))
    assert None not in linear.sets
    assert linear.reasons == {}
    found = certainty.sets(Question(trades={"cost": "10 %"}))
    why = "cost: how it varies is known in USD, not in per cent; by a trade-off in USD there are sets"
    assert found.reasons == dict.fromkeys(range(4), why)


def test_random_boards_of_any_trade_offs_rank_without_an_infinity() -> None:
    chance = random.Random(5)
    for _ in range(200):
        columns = {
            m.name: [
                chance.choice([None, 0.0, chance.uniform(-5, 5) * 10 ** chance.randrange(-100, 100)])
                for _ in "abcd"
            ]
            for m in METRICS
        }
        trades = {
            m.name: chance.choice(
                [10.0 ** chance.randrange(-100, 100), f"{chance.uniform(0.001, 900):.4f} %"]
            )
            for m in METRICS[1:]
            if chance.random() < 0.7
        }
        found = made({"one": columns}, trades=trades, missing=chance.choice(["unranked", "worst"])).rank()
        for row in found.rows:
            assert (row.rank is None) == (row.dynascore is None)
            assert row.dynascore is None or math.isfinite(row.dynascore)


def test_of_a_cost_as_the_base_metric_less_is_better() -> None:
    metrics = [RankedMetric("perplexity", -1, None), RankedMetric("speed")]
    values = {"d": {"perplexity": [20.0, 18.0], "speed": [200.0, 100.0]}}
    board = Board(["a", "b"], metrics, values, "perplexity", by="trades", trades={"speed": "50 %"})
    found = board.rank()
    speed = math.log(2.0) / math.log(1.5)
    assert [row.model for row in found.rows] == ["b", "a"]
    assert found.rows[0].contributions["perplexity"] == -18.0
    gap = (found.rows[0].dynascore or 0) - (found.rows[1].dynascore or 0)
    assert gap == pytest.approx(2.0 - speed)


def test_without_weight_on_a_dataset_nothing_is_ranked() -> None:
    found = made().rank(dataset_weights={"one": 0.0, "two": 0.0})
    assert found.notes == ("all dataset weights are zero: there is nothing to rank by",)
    assert {row.rank for row in found.rows} == {None}


def test_one_model_alone_has_a_score_too() -> None:
    alone = made({"one": {name: column[:1] for name, column in VALUES["one"].items()}}).rank()
    assert [(row.rank, row.dynascore) for row in alone.rows] == [
        (1, scores_of(made({"one": VALUES["one"]}).rank())["a"])
    ]
