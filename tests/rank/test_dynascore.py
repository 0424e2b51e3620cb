"""Rules that every ranking obeys, and the documented outcome of each edge case."""

from __future__ import annotations

import json
import math
import random
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evaluator.rank.dynascore import DISAGREEMENT, Board, Question, RankedMetric, Ranking

Cells = dict[str, list[float | None]]


def board_of(cells: Cells, base: str = "a", costs: dict[str, float | None] | None = None, **options) -> Board:
    costs = costs or {}
    models = [f"m{i:02}" for i in range(len(next(iter(cells.values()))))]
    metrics = [RankedMetric(name, -1, costs[name]) if name in costs else RankedMetric(name) for name in cells]
    return Board(models, metrics, {"d": cells}, base, **options)


def scores(board: Board, weights: dict[str, float] | None = None) -> dict[str, float | None]:
    return {row.model: row.dynascore for row in board.rank(weights).rows}


def independent(
    cells: Cells, weights: dict[str, float], caps: dict[str, float], epsilon: float
) -> dict[str, float]:
    """The paper's definition once more, written with numpy: the score of each model, "m00" and so on."""
    columns = {name: np.array(values) for name, values in cells.items()}
    columns |= {name: cap - columns[name] for name, cap in caps.items()}
    # Models that are alike stay in the order of their names.
    order = np.argsort(-columns["a"], kind="stable")
    gaps = np.abs(np.diff(columns["a"][order]))
    used = gaps > epsilon * np.abs(columns["a"]).max()
    total = np.zeros(len(order))
    for name, column in columns.items():
        slopes = np.abs(np.diff(column[order]))[used] / gaps[used]
        rate = 1.0 if name == "a" else np.mean(slopes) if len(slopes) else np.nan
        if np.isfinite(rate) and rate > 0:
            total += weights[name] / sum(weights.values()) * column / rate
    return {f"m{at:02}": score for at, score in enumerate(total)}


numbers = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False).map(lambda x: round(x, 6))


@st.composite
def cells_of(draw: st.DrawFn, least: int = 1) -> Cells:
    models = draw(st.integers(least, 8))
    return {name: draw(st.lists(numbers, min_size=models, max_size=models)) for name in ("a", "b", "c")}


weights_of = st.fixed_dictionaries({name: st.floats(0.01, 100) for name in ("a", "b", "c")})


def test_thousands_of_random_boards_agree_with_an_independent_formulation() -> None:
    """On 5,000 random boards the scores are those of a formulation of the paper's definition with numpy."""
    rng = random.Random(7)
    for _ in range(5000):
        models = rng.randint(1, 9)
        cells: Cells = {
            name: [round(rng.uniform(0, 100), rng.choice((0, 2))) for _ in range(models)]
            for name in ("a", "b", "c")
        }
        weights = {name: rng.choice((0.5, 1.0, 2.0, 4.0)) for name in cells}
        expected = independent(cells, weights, {"c": 32.0}, 1e-4)
        found = scores(board_of(cells, costs={"c": 32.0}), weights)
        for model, score in found.items():
            assert score == pytest.approx(expected[model], rel=1e-9, abs=1e-9)


@given(cells_of(), weights_of, st.randoms())
def test_what_holds_of_every_ranking(cells: Cells, weights: dict[str, float], rng: random.Random) -> None:
    """A score is the exactly rounded sum of its contributions; a rank is one more than the number of higher scores,
    ties sort by name; models in another order give the same bits."""
    board = board_of(cells)
    ranking = board.rank(weights)
    for row in ranking.rows:
        assert row.dynascore == math.fsum(row.contributions.values())
        assert row.rank == 1 + sum(other.dynascore > row.dynascore for other in ranking.rows)
    keys = [(row.rank, row.model) for row in ranking.rows]
    assert keys == sorted(keys)
    order = list(range(len(board.models)))
    rng.shuffle(order)
    assert board.among(order).rank(weights).to_dict() == ranking.to_dict()


@given(cells_of(2), weights_of, st.integers(-8, 8))
def test_units_of_the_base_metric_scale_every_score(
    cells: Cells, weights: dict[str, float], power: int
) -> None:
    """Measuring the base metric in other units scales all scores alike: the ranking stays."""
    factor = 2.0**power
    scaled = {**cells, "a": [value * factor for value in cells["a"]]}
    before, after = scores(board_of(cells), weights), scores(board_of(scaled), weights)
    assert after == {model: score * factor for model, score in before.items()}


def test_models_no_better_than_a_constant_answer_are_ranked_last_whatever_their_scores() -> None:
    """They follow all others in the order of their scores, share no rank with them, and a note says why."""
    cells = {"d": {"a": [50.0, 90.0, 50.0, 95.0, 50.0]}}
    names = ["alike", "better", "constant", "lucky", "other"]
    ranking = Board(names, [RankedMetric("a")], cells, "a", floored=["constant", "lucky"]).rank()
    ranks = [(row.model, row.rank) for row in ranking.rows]
    assert ranks == [("better", 1), ("alike", 2), ("other", 2), ("lucky", 4), ("constant", 5)]
    assert [row.dynascore for row in ranking.rows] == [90.0, 50.0, 50.0, 95.0, 50.0]
    assert ranking.notes == ("no better than a constant answer, so ranked last: constant, lucky",)


@pytest.mark.parametrize(
    ("cells", "weights", "scores", "note"),
    [
        ({"a": [50.0, 50.0], "b": [1.0, 2.0]}, None, {"m00": 25.0, "m01": 25.0},
         "b: undefined exchange rate: every model has the same base value, within the threshold (1 of 1"
         " adjacent pairs left out)"),
        ({"a": [50.0, 60.0], "b": [3.0, 3.0]}, None, {"m01": 30.0, "m00": 25.0},
         "b: undefined exchange rate: every model that counts has the same value"),
        ({"a": [1.0, 2.0], "b": [1.0, 4.0]}, {"a": 0, "b": 0}, {"m00": None, "m01": None},
         "all metric weights are zero: there is nothing to rank by"),
        ({"a": [1.0, 2.0], "b": [9.0, 5.0]}, {"b": 3}, {"m00": 2.25, "m01": 1.25},
         "only b has weight: the ranking is by b alone"),
    ],
)  # fmt: skip
def test_what_has_no_usual_answer_has_a_documented_one(
    cells: Cells, weights: dict[str, float] | None, scores: dict[str, float | None], note: str
) -> None:
    """Equal base values, a constant metric, no weight at all and a single weight: scores by rank, and a note."""
    ranking = board_of(cells).rank(weights)
    assert {row.model: row.dynascore for row in ranking.rows} == scores
    assert [row.model for row in ranking.rows] == list(scores)
    assert note in ranking.notes


def test_a_missing_cell_is_never_zero() -> None:
    """Under "unranked" a model without a weighted value has no rank, comes last, and is named."""
    board = board_of({"a": [1.0, 2.0, 3.0], "b": [4.0, None, 6.0]})
    last = board.rank().rows[-1]
    assert (last.model, last.rank, last.dynascore, last.values) == ("m01", None, None, {"a": 2.0, "b": None})
    assert "m01 is not ranked: no value for b" in board.rank().notes
    assert all(row.rank is not None for row in board.rank({"a": 1}).rows)


def test_a_missing_cell_may_count_as_the_worst() -> None:
    """Under "worst" a missing cell lends the board's worst value, and rates stay those of real values."""
    cells: Cells = {"a": [1.0, 2.0, 3.0], "b": [4.0, None, 6.0]}
    lent, real = board_of(cells, missing="worst").rank(), board_of(cells).rank()
    assert lent.exchange_rates == real.exchange_rates
    by_model = {row.model: row for row in lent.rows}
    assert by_model["m01"].contributions["b"] == by_model["m00"].contributions["b"]


def test_a_value_over_the_cap() -> None:
    """A cost over its cap is a negative good, and the note names the model."""
    ranking = board_of({"a": [1.0, 2.0], "b": [30.0, 40.0]}, costs={"b": 32.0}).rank()
    assert {row.model: row.contributions["b"] for row in ranking.rows} == {"m00": 0.1, "m01": -0.4}
    assert "b: over the cap of 32.0, so below zero as a good: m01" in ranking.notes


def test_a_rate_that_depends_on_one_pair_is_flagged() -> None:
    """The share that the largest pair supplies is given, and flagged from one half on."""
    rate = board_of({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.0, 8.0, 9.0, 8.0]}).rank().exchange_rates["b"]
    assert (rate.largest_share, rate.largest_pair) == (0.8, ("m01", "m00"))
    assert rate.note == "80 % of the exchange rate depends on one pair: m01 and m00"


def test_a_rate_may_be_the_ratio_of_sums() -> None:
    """A pair counts by how far it is apart; where the order is another than by the mean, a note says so."""
    cells = {"a": [1.0, 1.1, 3.0, 4.0], "b": [9.0, 5.0, 4.0, 0.0]}
    board = board_of(cells)
    mean, ratio = board.rank(), board.rank(rate="ratio")
    assert mean.exchange_rates["b"].rate == pytest.approx((4 / 0.1 + 1 / 1.9 + 4) / 3)
    assert ratio.exchange_rates["b"].rate == pytest.approx(9 / 3)
    assert ratio.exchange_rates["b"].largest_share == pytest.approx(4 / 9)
    assert [row.model for row in mean.rows] == ["m03", "m02", "m00", "m01"]
    assert [row.model for row in ratio.rows] == ["m02", "m00", "m03", "m01"]
    assert all(DISAGREEMENT in ranking.notes for ranking in (mean, ratio))
    by_a = [board.rank({"a": 1.0}, rate=rate) for rate in ("mean", "ratio")]
    assert all(DISAGREEMENT not in ranking.notes for ranking in by_a)


def test_extreme_values_give_a_note_and_no_infinity() -> None:
    """Slopes and quotients that would overflow make a rate undefined instead of infinite."""
    steep = board_of({"a": [1.0, 1.0 + 1e-15], "b": [0.0, 1e110]}, epsilon=0.0).rank()
    assert "too close" in (steep.exchange_rates["b"].note or "")
    flat = board_of({"a": [0.0, 1e119], "b": [1e119, 1e119 * (1 - 2**-53)], "c": [1.0, 1 + 2**-52]}).rank()
    assert json.dumps(flat.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base": "z"}, "base: 'z' is none of the metrics a, b"),
        ({"models": ["x", "x"]}, "models: 'x' named more than once"),
        ({"epsilon": -1.0}, "epsilon: -1.0 is not a finite number of at least 0"),
        ({"values": {"d": {"a": [1.0, math.nan]}}}, r"values\['d'\]\['a'\]\[1\]: nan is not a number"),
        ({"values": {"d": {"a": [1.0]}}}, r"values\['d'\]\['a'\]: 1 values for 2 models"),
        ({"values": {"d": {"q": [1.0, 2.0]}}}, r"values\['d'\]: 'q' is none of the metrics"),
        ({"metrics": [{"name": "a", "direction": 2, "offset": 0.0}]}, "direction 2 is neither 1 nor -1"),
    ],
)
def test_malformed_boards_are_refused_by_field(change: dict, message: str) -> None:
    """Each malformed field has a message that names it."""
    good = {
        "models": ["x", "y"],
        "metrics": [{"name": n, "direction": 1, "offset": 0.0} for n in "ab"],
        "datasets": ["d"],
        "values": {"d": {"a": [1.0, 2.0], "b": [1.0, 2.0]}},
        "base": "a",
        "epsilon": 1e-4,
        "epsilon_kind": "relative",
        "missing": "unranked",
    }
    assert Board.from_dict(good).rank().rows
    with pytest.raises(ValueError, match=message):
        Board.from_dict(good | change)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_impossible_weights_are_refused(weight: float) -> None:
    """A negative, infinite or NaN weight is an error that names the metric."""
    with pytest.raises(ValueError, match="metric weight 'a'"):
        board_of({"a": [1.0], "b": [2.0]}).rank({"a": weight})
    with pytest.raises(ValueError, match="the board has no such metric"):
        board_of({"a": [1.0], "b": [2.0]}).rank({"z": 1.0})


@st.composite
def boards(draw: st.DrawFn) -> dict[str, Any]:
    """Boards as a page has them: missing cells, ties, costs, zero weights, both policies."""
    models, names = draw(st.integers(0, 7)), ["a", "b", "c"]
    cell = st.one_of(st.none(), st.integers(0, 3).map(float), numbers)
    column = st.lists(cell, min_size=models, max_size=models)
    costs = draw(st.lists(st.sampled_from(names), unique=True))
    return {
        "models": draw(st.permutations([f"m{i}" for i in range(models)])),
        "metrics": [
            {"name": n, "direction": -1, "offset": draw(st.sampled_from([None, 2.0]))}
            if n in costs
            else {"name": n, "direction": 1, "offset": 0.0}
            for n in names
        ],
        "datasets": ["d", "e"],
        "values": {d: {n: draw(column) for n in names} for d in ("d", "e")},
        "base": draw(st.sampled_from(names)),
        "epsilon": draw(st.sampled_from([0.0, 1e-4, 0.5])),
        "epsilon_kind": draw(st.sampled_from(["relative", "absolute"])),
        "missing": draw(st.sampled_from(["unranked", "worst"])),
    }


weight = st.one_of(st.just(0.0), st.floats(0.01, 100))
questions = st.fixed_dictionaries(
    {
        "metrics": st.fixed_dictionaries(dict.fromkeys("abc", weight)),
        "datasets": st.fixed_dictionaries(dict.fromkeys("de", weight)),
    },
    optional={
        "base": st.sampled_from(["a", "b", "c"]),
        "epsilon": st.sampled_from([0.0, 0.5]),
        "epsilon_kind": st.sampled_from(["relative", "absolute"]),
        "by": st.sampled_from(["dynascore", "z_score", "trades"]),
        "trades": st.dictionaries(st.sampled_from("abc"), st.sampled_from([0.25, 3.0, "10 %", "150 %"])),
    },
)


def ranked(board: Board, question: dict[str, Any]) -> Ranking:
    terms = dict(question)
    return board.rank(terms.pop("metrics"), terms.pop("datasets"), **terms)


def read_answer(answer: bytes, data: dict[str, Any]) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """The columns and the rest of `Board.answer`, read as ranking.js reads them."""
    (count,) = struct.unpack_from("d", answer)
    doubles = struct.unpack_from(f"{int(count)}d", answer)[1:]
    rest = json.loads(answer[8 * int(count) :])
    metrics = [metric["name"] for metric in data["metrics"]]
    names = ["order", "ranks", "scores", *(["z_scores"] if rest["z_scores"] else [])]
    names += [f"contribution {name}" for name in metrics]
    names += [f"value {name}" for name in metrics] if rest["rates"] is not None else []
    size = len(data["models"])
    assert len(doubles) == size * len(names)
    return {name: list(doubles[i * size : (i + 1) * size]) for i, name in enumerate(names)}, rest


def same(found: float, expected: float | None) -> bool:
    return math.isnan(found) if expected is None else found == expected


@given(boards(), st.lists(questions, min_size=1, max_size=3))
def test_a_page_is_answered_with_the_very_ranking(data: dict[str, Any], asked: list[dict[str, Any]]) -> None:
    """The columns of an answer hold, bit for bit, what `rank` says, for every question in a row."""
    board = Board.from_dict(data)
    for question in asked:
        expected = ranked(Board.from_dict(data), question)
        columns, rest = read_answer(board.answer(json.dumps(question)), data)
        assert [data["models"][int(i)] for i in columns["order"]] == [row.model for row in expected.rows]
        assert rest["z_scores"] == (question.get("by") == "z_score")
        assert rest["notes"] == list(expected.notes)
        assert rest["idle"] == board.idle(Question(**question))
        assert rest["rates"] == {name: rate.to_dict() for name, rate in expected.exchange_rates.items()}
        for index, row in zip(map(int, columns["order"]), expected.rows, strict=True):
            assert same(columns["ranks"][index], row.rank)
            assert same(columns["scores"][index], row.dynascore)
            if rest["z_scores"]:
                assert same(columns["z_scores"][index], row.mean_z_score)
            for name, value in row.values.items():
                none = None if row.rank is None else 0.0
                assert same(columns[f"value {name}"][index], value)
                assert same(columns[f"contribution {name}"][index], row.contributions.get(name, none))


@given(boards(), questions, questions)
def test_what_a_page_knows_is_not_sent_again(
    data: dict[str, Any], first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Values and rates come again exactly when dataset weights, base or threshold change them."""
    board = Board.from_dict(data)
    _, rest = read_answer(board.answer(json.dumps(first)), data)
    scale = board.scale(Question(**first))
    _, again = read_answer(board.answer(json.dumps(second), rest["scale"]), data)
    changed = board.scale(Question(**second))
    assert (again["rates"] is None) == (changed is scale) == (again["scale"] == rest["scale"])


@given(boards(), questions)
def test_ranking_by_z_score_orders_the_same_rows(data: dict[str, Any], question: dict[str, Any]) -> None:
    """By z-score every number stays; ranks fall with the mean z-score, and ties sort by name."""
    board = Board.from_dict(data)
    scored, standard = (ranked(board, question | {"by": by}) for by in ("dynascore", "z_score"))
    # Without any value of the base metric there is nothing to convert to, and no Dynascore.
    assume(any(row.values[question.get("base", data["base"])] is not None for row in scored.rows))
    assert [row for row in standard.rows if row.rank is None] == [r for r in scored.rows if r.rank is None]
    rows = [row for row in standard.rows if row.rank is not None]
    known = {row.model: replace(row, rank=0) for row in scored.rows}
    assert [replace(row, rank=0) for row in rows] == [known[row.model] for row in rows]
    for row in rows:
        assert row.rank == 1 + sum(other.mean_z_score > row.mean_z_score for other in rows)
    keys = [(row.rank, row.model) for row in rows]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"base": "z"}, "base: 'z' is none of the metrics a, b"),
        ({"epsilon": math.inf}, "epsilon: inf is not a finite number of at least 0"),
        ({"epsilon_kind": "odd"}, "epsilon_kind: 'odd' is neither 'relative' nor 'absolute'"),
        ({"by": "name"}, "by: 'name' is none of 'dynascore', 'mean', 'z_score'"),
    ],
)
def test_impossible_terms_are_refused(terms: dict[str, Any], message: str) -> None:
    """Each term of a question has a message that names it."""
    with pytest.raises(ValueError, match=message):
        board_of({"a": [1.0], "b": [2.0]}).rank(**terms)


#: Enough models that some limits leave five and more.
SEVERAL = [f"m{at:02}" for at in range(9)]
LIMITED = st.fixed_dictionaries(
    {
        "metrics": st.fixed_dictionaries({name: st.integers(0, 3) for name in "ab"}),
        "limits": st.dictionaries(
            st.sampled_from("ab"), st.tuples(st.none() | numbers, st.none() | numbers), max_size=2
        ),
        "among": st.none() | st.lists(st.sampled_from(SEVERAL), unique=True),
        "by": st.sampled_from(["dynascore", "z_score"]),
        "rate": st.sampled_from(["mean", "ratio"]),
    }
)
CELLS = st.lists(st.none() | numbers, min_size=len(SEVERAL), max_size=len(SEVERAL))


@given(
    st.fixed_dictionaries({"a": CELLS, "b": CELLS}),
    LIMITED,
    st.sampled_from(["unranked", "worst"]),
    st.sampled_from([0.0, None]),
)
@example(
    {"a": [*[None] * 8, 0.0], "b": [None] * 9},
    {"metrics": {"b": 1}, "limits": {"a": (None, None)}, "among": None, "by": "dynascore", "rate": "mean"},
    "unranked",
    0.0,
)
@example(
    {"a": [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], "b": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]},
    {
        "metrics": {"a": 1, "b": 1},
        "limits": {"a": (3.0, None)},
        "among": None,
        "by": "dynascore",
        "rate": "mean",
    },
    "unranked",
    None,
)
def test_limits_rank_as_if_the_board_had_only_the_models_within_them(
    cells: Cells, asked: dict[str, Any], missing: str, cap: float | None
) -> None:
    """Scores, ranks, rates and notes are those of a board of these models, where these are enough for rates, else
    those of the whole board; the others keep their values."""
    board = board_of(cells, costs={"b": cap}, missing=missing)
    question = Question(**asked)
    within = [
        index
        for index, model in enumerate(board.models)
        if (asked["among"] is None or model in asked["among"])
        and all(
            (value := cells[name][index]) is not None
            and (low is None or low <= value)
            and (high is None or value <= high)
            for name, (low, high) in asked["limits"].items()
        )
    ]
    found, whole = board.columns(question), board.columns(replace(question, among=None, limits=None))
    assert repr(found.scale.values) == repr(whole.scale.values)
    if not within:
        assert all(map(math.isnan, found.ranks))
        assert "nothing to rank" in found.notices[0]
        return
    alone = board.among(within).columns(replace(question, among=None, limits=None))
    assert all(math.isnan(rank) for index, rank in enumerate(found.ranks) if index not in within)
    if found.scale.kept:
        assert found.scale.rates == whole.scale.rates
        if alone.scale.live == whole.scale.live:
            left = [index for index in whole.order if index in within and not math.isnan(whole.ranks[index])]
            assert found.order[: len(left)] == left
            assert [found.scores[index] for index in left] == [whole.scores[index] for index in left]
        return
    for some, part in zip(
        *((one.ranks, one.scores, one.z_scores or []) for one in (found, alone)), strict=True
    ):
        assert [repr(some[index]) for index in within if some] == list(map(repr, part))
    assert found.scale.rates == alone.scale.rates
    assert found.notes == alone.notes
    assert [index for index in found.order if index in within] == [within[index] for index in alone.order]


BASE = [90.0, 85.0, 80.0, 75.0, 70.0, 50.0]


@pytest.mark.parametrize(
    ("speeds", "left", "floored", "why"),
    [
        ([1.0, 2.0, 4.0, 3.0, 5.0, 90.0], 5, [], ""),
        ([1.0, 2.0, 4.0, 3.0, 5.0, 90.0], 4, [], "too few models to say what b is worth"),
        ([1.0, 2.0, 4.0, 3.0, 5.0, 90.0], 5, ["m04"], "too few models to say what b is worth"),
        ([1.0, 2.0, 900.0, 900.0, 901.0, 0.0], 5, [], "100 % of what b is worth depends on one pair, m01 and m02"),
        ([1.0, 1.0, 1.0, 1.0, 1.0, 0.0], 5, [], ""),
    ],
)  # fmt: skip
def test_too_few_models_within_limits_keep_the_scores_of_all(
    speeds: list[float], left: int, floored: list[str], why: str
) -> None:
    """Rates of fewer than five models better than a constant answer, or of one pair, are not made."""
    board = board_of({"a": BASE, "b": speeds}, floored=floored)
    found, whole = board.columns(Question(among=board.models[:left])), board.columns(Question())
    expected = f"{why}: scores and order are those among all 6" if why else ""
    assert found.scale.kept == expected
    assert (expected in found.notes) == bool(why)
    same = found.scores[:left] == whole.scores[:left]
    assert same == bool(why)


def test_models_no_better_than_a_constant_answer_make_no_rates_within_limits() -> None:
    """The rates are those of the others alone; of such models alone, theirs."""
    cells: Cells = {"a": [*BASE, 40.0, 45.0], "b": [1.0, 2.0, 4.0, 3.0, 5.0, 6.0, 900.0, 1.0]}
    board = board_of(cells, floored=["m06"])
    assert (
        board.columns(Question(among=board.models[:7])).scale.rates["b"]
        == board.columns(Question(among=board.models[:6])).scale.rates["b"]
        == board_of({name: column[:6] for name, column in cells.items()}).columns(Question()).scale.rates["b"]
    )
    bad = board_of(cells | {"b": [1.0, 2.0, 4.0, 3.0, 5.0, 6.0, 9.0, 1.0]}, floored=board.models)
    assert bad.columns(Question(among=bad.models[:7])).scale.rates["b"].pairs == 6


@example(7658, 1, 1)
@given(st.integers(1, 9999), st.integers(1, 50), st.integers(1, 3))
def test_a_gap_of_decimals_that_is_the_threshold_is_at_it(low: int, gap: int, datasets: int) -> None:
    """Whatever binary makes of their difference, over one dataset or the mean of several; the next hundredth is
    above it. 76.59 and 76.58 are no pair at 0.01."""
    for more, pairs in ((0, 1), (1, 2)):
        base = [(low + gap + more) / 100, low / 100, (low - 5000) / 100]
        cells = {f"d{at}": {"a": base, "b": [1.0, 2.0, 4.0]} for at in range(datasets)}
        metrics = [RankedMetric("a"), RankedMetric("b")]
        board = Board(["x", "y", "z"], metrics, cells, "a", epsilon=gap / 100, epsilon_kind="absolute")
        assert board.columns(Question()).scale.rates["b"].pairs == pairs
