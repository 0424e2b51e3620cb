"""The Pareto front, and the map of who wins where, against what they are by definition."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.tradeoffs import NOBODY, front_json, open_triangle, pareto_front, triangle

cell = st.one_of(st.none(), st.integers(0, 4).map(float), st.floats(-100, 100))
signs = st.sampled_from([1, -1])
weight = st.one_of(st.just(0.0), st.floats(0.01, 100))


def board_of(rows: list[list[float | None]], **options: Any) -> Board:
    """A board of metrics a, b, c, d with one row for each model; c is a cost."""
    metrics = [RankedMetric("a"), RankedMetric("b"), RankedMetric("c", -1, None), RankedMetric("d")]
    columns = {metric.name: [row[at] for row in rows] for at, metric in enumerate(metrics)}
    names = [f"m{(7 * at) % 10}{at}" for at in range(len(rows))]
    return Board(names, metrics, {"only": columns}, "a", **options)


def brute_front(points: list[tuple[float | None, float | None]], x_sign: int, y_sign: int) -> set[int]:
    """Every point that none of the others beats."""
    goods = {
        i: (x_sign * x, y_sign * y) for i, (x, y) in enumerate(points) if x is not None and y is not None
    }
    return {
        i
        for i, (x, y) in goods.items()
        if not any(p >= x and q >= y and (p, q) != (x, y) for p, q in goods.values())
    }


@given(st.lists(st.tuples(cell, cell), max_size=12), signs, signs)
def test_the_front_is_what_no_point_beats(
    points: list[tuple[float | None, float | None]], x_sign: int, y_sign: int
) -> None:
    """The front holds every point that no other beats, each once, the best in x first."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    front = pareto_front(xs, ys, x_sign, y_sign)
    assert set(front) == brute_front(points, x_sign, y_sign)
    assert len(front) == len(set(front))
    goods = [x_sign * xs[index] for index in front]
    assert goods == sorted(goods, reverse=True)


def test_equal_points_are_on_the_front_together() -> None:
    """Twins stay, a point worse in one only goes, and a point with a missing value is out."""
    xs, ys = [1.0, 1.0, 1.0, 0.5, None, math.nan], [2.0, 2.0, 1.0, 2.0, 9.0, 9.0]
    assert pareto_front(xs, ys) == [0, 1]
    assert pareto_front(xs, ys, -1, 1) == [3]
    assert pareto_front([], []) == []


def weights_at(question: Question, names: list[str], parts: tuple[int, int, int]) -> dict[str, float]:
    """The metric weights at one place of the triangle, by the definition."""
    together = math.fsum(question.metrics[name] for name in names) or 1.0
    return {
        **question.metrics,
        **{name: together * part / sum(parts) for name, part in zip(names, parts, strict=True)},
    }


@example(
    [[-17.0, None, 0.0, None], [-1.175494351e-38, None, 1.0, None]],
    ["a", "b", "c", "d"],
    dict.fromkeys("abcd", 0.0),
    "unranked",
    "dynascore",
    5,
)
@given(
    st.lists(st.lists(cell, min_size=4, max_size=4), max_size=7),
    st.permutations("abcd"),
    st.fixed_dictionaries(dict.fromkeys("abcd", weight)),
    st.sampled_from(["unranked", "worst"]),
    st.sampled_from(["dynascore", "z_score"]),
    st.integers(1, 6),
)
def test_every_winner_on_the_triangle_comes_first_in_the_ranking(
    rows: list[list[float | None]],
    order: list[str],
    weights: dict[str, float],
    missing: str,
    by: str,
    steps: int,
) -> None:
    """The winner at a point is first at that point's weights, or has the same score up to rounding."""
    board, names = board_of(rows, missing=missing), list(order[:3])
    question = Question(metrics=weights, by=by)
    winners = triangle(board, question, names, steps)
    places = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps - i + 1)]
    assert len(winners) == len(places)
    for winner, parts in zip(winners, places, strict=True):
        at = replace(question, metrics=weights_at(question, names, parts))
        columns = board.columns(at)
        key = columns.scores if columns.z_scores is None else columns.z_scores
        if not board.models or math.isnan(columns.ranks[columns.order[0]]):
            assert winner == NOBODY
            continue
        first = columns.order[0]
        terms = [abs(part[model]) for part in columns.contributions.values() for model in (winner, first)]
        assert key[winner] == pytest.approx(key[first], rel=1e-9, abs=1e-9 * max(terms, default=0.0))


@pytest.mark.parametrize(
    ("metrics", "steps", "message"),
    [
        (["a", "b", "b"], 4, "metrics: a, b, b are not three of a, b, c, d"),
        (["a", "b", "z"], 4, "metrics: a, b, z are not three of"),
        (["a", "b"], 4, "metrics: a, b are not three of"),
        (["a", "b", "c"], 0, "steps: 0 is less than 1"),
    ],
)
def test_impossible_triangles_are_refused(metrics: list[str], steps: int, message: str) -> None:
    """What cannot be drawn is named."""
    with pytest.raises(ValueError, match=message):
        triangle(board_of([[1.0, 2.0, 3.0, 4.0]]), Question(), metrics, steps)


def test_the_pages_doors_give_the_same() -> None:
    """JSON in, JSON out: the front knows which metric is a cost, and the question's terms count."""
    board = board_of([[3.0, 1.0, 1.0, 5.0], [2.0, 4.0, 2.0, 1.0], [1.0, 1.0, 3.0, 2.0]])
    asked = {"x": "a", "y": "c", "datasets": {"only": 2}}
    assert json.loads(front_json(board, json.dumps(asked))) == [0]
    assert json.loads(front_json(board, json.dumps(asked | {"without": [0]}))) == [1]
    assert json.loads(front_json(board, json.dumps(asked | {"datasets": {"only": 0}}))) == []
    question = {"metrics": {"a": 1, "b": 1, "c": 0, "d": 2}, "by": "z_score"}
    asked = {"question": question, "metrics": ["a", "b", "d"], "steps": 5}
    expected = triangle(board, Question(**question), ["a", "b", "d"], 5)
    found = open_triangle(board, json.dumps(asked))
    assert [found.step() for _ in range(7)] == [False] * 6 + [True]
    assert json.loads(found.json()) == expected
    with pytest.raises(ValueError, match="metric: 'z' is none of the metrics a, b, c, d"):
        front_json(board, json.dumps({"x": "z", "y": "a", "datasets": {}}))
