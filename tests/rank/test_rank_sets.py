"""How sure a rank is: rank sets, separated pairs, the dead heat, and McNemar's test, from covariances."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty, Sampled
from evaluator.rank.significance import mcnemar, normal_quantile, t_quantile
from evaluator.records.board import assemble, load_boards
from evaluator.records.store import Store
from evaluator.score.certainty import sampled

ROOT = Path(__file__).parents[2]
GOLDEN = (ROOT / "tests" / "golden" / "rank-sets.sha256").read_text().strip()
#: What runs in the browser's Python: these imports, `random_board` and `said`, and the loop.
PROGRAM = """
from __future__ import annotations
import hashlib
import random
from dataclasses import replace
from typing import Any
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
"""
LOOP = """
chance = random.Random(9)
text = "\\n".join(said(*random_board(chance)) for _ in range(200))
print(hashlib.sha256(text.encode()).hexdigest())
"""
Floats = npt.NDArray[np.float64]


def triangle(matrix: Floats) -> list[float]:
    """The lower half of a square of pairs, row by row."""
    return [float(matrix[i, j]) for i in range(len(matrix)) for j in range(i)]


def differences(first: Floats, second: Floats) -> Floats:
    """Covariances of the differences of means, of every pair of models, from values (models, examples)."""
    n = first.shape[1]
    size = len(first)
    found = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            found[i, j] = np.cov(first[i] - first[j], second[i] - second[j])[0, 1] / n
    return found


def sampled_of(values: Mapping[str, Floats], unit: float = 100.0, **more: Any) -> Sampled:
    """What is known of metrics whose values (models, examples) are given."""
    names = list(values)
    return Sampled(
        examples=next(iter(values.values())).shape[1],
        clusters=next(iter(values.values())).shape[1],
        unit=dict.fromkeys(names, unit),
        covariances={
            (first, second): triangle(differences(values[first], values[second]))
            for place, first in enumerate(names)
            for second in names[place:]
        },
        relative=more.get("relative", {}),
        right=more.get("right", {}),
        apart=more.get("apart", {}),
        unknown=more.get("unknown", {}),
        own=more.get("own", {}),
        freedom=more.get("freedom", {}),
    )


def answers(seed: int, models: int, examples: int, spread: float = 1.0) -> Floats:
    """0 or 100 for each answer: models of different skill on examples of shared difficulty."""
    chance = np.random.default_rng(seed)
    skill, difficulty = chance.normal(1, spread, models), chance.normal(0, 1, examples)
    right = chance.random((models, examples)) < 1 / (1 + np.exp(-(skill[:, None] - difficulty)))
    return 100.0 * right


def one_metric(values: Floats, **more: Any) -> Certainty:
    board = Board(
        [f"m{i}" for i in range(len(values))],
        [RankedMetric("accuracy")],
        {"d": {"accuracy": values.mean(axis=1).tolist()}},
        "accuracy",
    )
    return Certainty(board, {"d": sampled_of({"accuracy": values}, **more)})


def expected_sets(scores: Floats, deviations: Floats, confidence: float = 0.95) -> list[tuple[int, int]]:
    """The definition, pair by pair, with scipy's distribution."""
    gaps = (scores[:, None] - scores) / np.where(deviations > 0, deviations, np.inf)
    return sets_of(stats.norm.sf(gaps), confidence)


def sets_of(tails: Floats, confidence: float = 0.95) -> list[tuple[int, int]]:
    """From the one-sided p that each model (rows) is above each other, by p adjusted after Holm on each side."""
    size = len(tails)

    def significant(row: Floats) -> int:
        ordered = np.sort(row) * np.arange(size - 1, 0, -1)
        return int((np.maximum.accumulate(ordered) < (1 - confidence) / 2).sum())

    rows = [(np.delete(tails[:, i], i), np.delete(tails[i], i)) for i in range(size)]
    return [(1 + significant(above), size - significant(below)) for above, below in rows]


@pytest.mark.parametrize(
    "tail", [0.5, 0.3, 0.076, 0.075, 0.025, 1e-3, 1e-5, 1e-9, 2e-11, 1e-11, 1e-17, 1e-30]
)
def test_quantiles_are_scipys_to_seven_digits(tail: float) -> None:
    """In the middle and far out."""
    assert normal_quantile(tail) == pytest.approx(float(stats.norm.isf(tail)), abs=3e-6)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 10, 31, 98, 99, 100, 101, 239, 844, 5000])
def test_quantiles_of_t_are_scipys_to_six_digits(freedom: int) -> None:
    """For few degrees of freedom and many, in the middle and far out."""
    for tail in (0.5, 0.3, 0.025, 1e-3, 1e-5, 1e-7, 1e-9):
        assert t_quantile(tail, freedom) == pytest.approx(float(stats.t.isf(tail, freedom)), rel=2e-6)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_scipys_exact_binomial_test(first: int, second: int) -> None:
    """Both sides, at one half; nothing to divide is no evidence."""
    expected = stats.binomtest(first, first + second, 0.5).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("by", ["dynascore", "z_score"])
@pytest.mark.parametrize("seed", range(6))
def test_sets_of_a_composite_follow_the_definition(seed: int, by: str) -> None:
    """Two datasets, two metrics that share examples, a cost, and throughput by its passes."""
    chance = np.random.default_rng(seed)
    size = 7
    data = {
        d: {"a": answers(seed, size, n), "b": answers(seed + 50, size, n)} for d, n in (("x", 150), ("y", 90))
    }
    speed = {d: chance.uniform(50, 500, size) for d in data}
    relative = {d: chance.uniform(1e-4, 1e-2, size) for d in data}
    board = Board(
        [f"m{i}" for i in range(size)],
        [RankedMetric("a"), RankedMetric("b", -1, 100.0), RankedMetric("speed")],
        {
            d: {name: v.mean(axis=1).tolist() for name, v in values.items()} | {"speed": speed[d].tolist()}
            for d, values in data.items()
        },
        "a",
    )
    certainty = Certainty(
        board, {d: sampled_of(data[d], relative={"speed": relative[d].tolist()}) for d in data}
    )
    question = Question({"a": 3, "b": 1, "speed": 2}, {"x": 1, "y": 2}, by=by)
    columns = board.columns(question)
    variance = np.zeros((size, size))
    scores = np.zeros(size)
    for d, share in (("x", 1 / 3), ("y", 2 / 3)):
        over = {n: columns.scale.rates[n].rate for n in "ab"} | {"speed": columns.scale.rates["speed"].rate}
        if by == "z_score":
            over = {n: float(np.std(columns.scale.goods[n])) for n in ("a", "b", "speed")}
        c = {"a": share / 2 / over["a"], "b": -share / 6 / over["b"], "speed": share / 3 / over["speed"]}
        combined = c["a"] * data[d]["a"] + c["b"] * data[d]["b"]
        variance += differences(combined, combined)
        variance += (c["a"] ** 2 + c["b"] ** 2) * 2 * 100.0**2 / (combined.shape[1] + 2) ** 2
        timing = (c["speed"] * speed[d]) ** 2 * relative[d]
        variance += timing[:, None] + timing
        scores += combined.mean(axis=1) + c["speed"] * speed[d]
    found = certainty.sets(question, columns)
    assert found.sets == expected_sets(scores, np.sqrt(variance))
    reach = normal_quantile(0.025) * math.sqrt(variance[0, 1])
    compared = certainty.compare("m0", "m1", question)
    assert compared.interval == pytest.approx(
        (scores[0] - scores[1] - reach, scores[0] - scores[1] + reach), rel=1e-6
    )


@pytest.mark.parametrize("weights", [{"speed": 1}, {"accuracy": 1, "speed": 1}])
def test_timings_of_few_blocks_are_told_apart_by_students_t(weights: dict[str, float]) -> None:
    """Their part of the variance alone is widened, for as many comparisons as are made: with the rivals of a
    model for its set, with all pairs for those that hold at once."""
    size, values, free = 5, {"accuracy": answers(3, 5, 300)}, [1, 3, 5, 11, 10**6]
    speed, relative = np.array([100.0, 108.0, 116.0, 130.0, 160.0]), np.array([1e-3, 2e-4, 1e-3, 5e-4, 1e-3])
    cells = {"accuracy": values["accuracy"].mean(axis=1).tolist(), "speed": speed.tolist()}
    names = [f"m{i}" for i in range(size)]
    board = Board(names, [RankedMetric(name) for name in cells], {"d": cells}, "accuracy")
    more = {"relative": {"speed": relative.tolist()}, "freedom": {"speed": free}}
    question = Question(weights)
    columns = board.columns(question)
    share = {name: weights.get(name, 0) / sum(weights.values()) for name in cells}
    c = {name: share[name] / columns.scale.rates[name].rate for name in cells}
    scores = c["accuracy"] * np.array(cells["accuracy"]) + c["speed"] * speed
    combined = c["accuracy"] * values["accuracy"]
    examples = differences(combined, combined) + 2 * (c["accuracy"] * 100.0 / 302) ** 2 * (
        share["accuracy"] > 0
    )

    def ratios(among: int) -> Floats:
        tail = 0.025 / among
        wider = (stats.t.isf(tail, free) / stats.norm.isf(tail)) ** 2
        timing = (c["speed"] * speed) ** 2 * relative * wider
        found: Floats = (scores[:, None] - scores) / np.sqrt(examples + timing[:, None] + timing)
        return found

    found = Certainty(board, {"d": sampled_of(values, **more)}).sets(question, columns)
    with np.errstate(invalid="ignore"):
        marginal, joint = np.nan_to_num(ratios(size - 1)), np.nan_to_num(ratios(size * (size - 1) // 2))
    sets = [(1 + above(-marginal[i], size), size - above(marginal[i], size)) for i in range(size)]
    assert found.sets == sets
    pairs = sorted(
        ((joint[i, j], i, j) for i in range(size) for j in range(size) if joint[i, j] > 0), reverse=True
    )
    apart, left = set(), size * (size - 1) // 2
    for ratio, i, j in pairs:
        if ratio <= stats.norm.isf(0.025 / left):
            break
        apart.add((i, j))
        left -= 1
    assert set(found.separated) == apart
    assert 0 < len(apart) < 10


def above(ratios: Floats, size: int) -> int:
    """How many of these a model's rivals pass, the clearest first (Holm 1979)."""
    count = 0
    for ratio in sorted(ratios.tolist(), reverse=True):
        if ratio <= stats.norm.isf(0.025 / max(1, size - 1 - count)):
            break
        count += 1
    return count


def in_clusters(values: Floats, numbers: npt.NDArray[np.int64]) -> Sampled:
    """What is known of one metric whose values (models, examples) are in clusters by `numbers`."""
    n = values.shape[1]
    sums = np.stack([np.bincount(numbers, row - row.mean()) for row in values])
    g = sums.shape[1]
    found = np.array([[((a - b) ** 2).sum() * g / max(1, g - 1) / n**2 for b in sums] for a in sums])
    return Sampled(n, g, {"accuracy": 100.0}, {("accuracy", "accuracy"): triangle(found)}, {}, {}, {}, {})


def board_of(values: Mapping[str, Floats]) -> Board:
    """A board of one metric on datasets whose values (models, examples) are given."""
    models = [f"m{i}" for i in range(len(next(iter(values.values()))))]
    cells = {d: {"accuracy": rows.mean(axis=1).tolist()} for d, rows in values.items()}
    return Board(models, [RankedMetric("accuracy")], cells, "accuracy")


def clustered(values: Floats, numbers: npt.NDArray[np.int64]) -> Certainty:
    return Certainty(board_of({"d": values}), {"d": in_clusters(values, numbers)})


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("clusters", [6, 12, 40])
def test_sets_of_few_clusters_follow_the_definition(clusters: int, seed: int) -> None:
    """(1 + 2/G) V and a guard by examples on the dataset that has clusters, t with as many degrees of freedom as
    the fewest leave."""
    data = {"x": answers(seed, 6, 480), "y": answers(seed + 20, 6, 300)}
    numbers = np.random.default_rng(seed).permutation(np.arange(480) % clusters)
    certainty = Certainty(
        board_of(data), {"x": in_clusters(data["x"], numbers), "y": sampled_of({"accuracy": data["y"]})}
    )
    gaps, variance = np.zeros((6, 6)), np.zeros((6, 6))
    for d, rows in data.items():
        for i in range(6):
            for j in range(6):
                apart = (rows[i] - rows[j]) / 2
                gaps[i, j] += apart.mean()
                variance[i, j] += 2 * 50.0**2 / (len(apart) + 2) ** 2
                if d == "y":
                    variance[i, j] += apart.var(ddof=1) / len(apart)
                else:
                    sums = np.array([(apart - apart.mean())[numbers == g].sum() for g in range(clusters)])
                    own = clusters / (clusters - 1) * (sums**2).sum() / 480**2
                    variance[i, j] += (1 + 2 / clusters) * own
    ratios = gaps / np.sqrt(variance)
    assert certainty.sets(Question()).sets == sets_of(stats.t.sf(ratios, clusters - 1))
    reach = stats.t.isf(0.025, clusters - 1) * np.sqrt(variance[0, 1])
    assert certainty.compare("m0", "m1", Question()).interval == pytest.approx(
        (gaps[0, 1] - reach, gaps[0, 1] + reach), rel=1e-6
    )
    only = Question(datasets={"y": 1.0})
    plain = Certainty(board_of({"d": data["y"]}), {"d": sampled_of({"accuracy": data["y"]})})
    assert certainty.sets(only).sets == plain.sets(Question()).sets


@pytest.mark.parametrize("seed", range(4))
def test_what_runs_add_is_each_models_own_and_together_for_all_metrics_and_datasets(seed: int) -> None:
    """A run may shift several numbers of a model at once: deviations add up, and models are independent."""
    chance = np.random.default_rng(seed)
    data = {
        d: {"accuracy": answers(seed + at, 5, 300), "f1": answers(seed + 9 + at, 5, 300)}
        for at, d in enumerate("xy")
    }
    own = {d: {name: chance.uniform(0, 20, 5).tolist() for name in names} for d, names in data.items()}
    own["y"].pop("f1")
    board = Board(
        [f"m{i}" for i in range(5)],
        [RankedMetric("accuracy"), RankedMetric("f1")],
        {d: {name: rows.mean(axis=1).tolist() for name, rows in names.items()} for d, names in data.items()},
        "accuracy",
        by="mean",
    )
    known = {d: sampled_of(names, own=own[d]) for d, names in data.items()}
    certainty = Certainty(board, known)
    question = Question({"accuracy": 3.0, "f1": 1.0}, {"x": 1.0, "y": 1.0})
    without = Certainty(board, {d: sampled_of(names) for d, names in data.items()})
    columns = board.columns(question)
    extra = (
        np.array(certainty.variances(question, columns).all()) - without.variances(question, columns).all()
    )
    worth = {(d, name): share / 2 for d in data for name, share in (("accuracy", 0.75), ("f1", 0.25))}
    shifts = sum(worth[d, name] * np.sqrt(each) for d, names in own.items() for name, each in names.items())
    expected = [shifts[i] ** 2 + shifts[j] ** 2 for i in range(5) for j in range(i)]
    assert extra.tolist() == pytest.approx(expected, rel=1e-6)
    right = {name: rows.astype(bool) for name, rows in data["x"].items()}
    apart = [int((right["f1"][i] != right["f1"][j]).sum()) for i in range(5) for j in range(i)]
    counts = {"right": {"f1": right["f1"].sum(axis=1).tolist()}, "apart": {"f1": apart}}
    only = Question({"f1": 1.0}, {"x": 1.0})
    for added, tests in (({}, 1), ({"own": {"f1": [0.0, 0.0, 0.0, 0.0, 4.0]}}, 0)):
        sure = Certainty(board, {"x": sampled_of(data["x"], **counts, **added)})
        # McNemar's test knows of no runs.
        assert len(sure.compare("m0", "m1", only).p_values) == tests
    plain = {"examples": 300, "clusters": 300, "unit": {}, "covariances": [], "relative": {}, "right": {}}
    kept = Sampled.from_dict({**plain, "apart": {}, "unknown": {}, "own": own["x"]})
    assert kept.own == own["x"]
    with pytest.raises(ValueError, match=r"x: own f1: 1 numbers, but 5 models take 5"):
        Certainty(board, {"x": sampled_of(data["x"], own={"f1": [1.0]})})


@given(st.integers(1, 5), st.integers(1, 400), st.integers(2, 6), st.integers(0, 10**6))
def test_under_six_units_say_nothing(units: int, size: int, models: int, seed: int) -> None:
    """Two models that differ everywhere fall one way on all five with a chance of 1 in 16: all ranks, nobody is
    told apart, and no gap or chance of leading is named."""
    chance = np.random.default_rng(seed)
    numbers = np.repeat(np.arange(units), size)
    values = 100.0 * chance.integers(0, 2, (models, units))[:, numbers]
    values[0], values[1] = 100.0, 0.0
    certainty = clustered(values, numbers)
    columns = certainty.board.columns(Question())
    found = certainty.sets(Question(), columns)
    assert (found.sets, found.separated) == ([(1, models)] * models, [])
    assert certainty.leading(Question(), columns, found) == {}
    assert certainty.smallest_gap(Question()) is None
    assert certainty.compare("m0", "m1", Question()).interval is None
    if units < 5:  # who is better than the floor goes by the values where nothing is known, one-sided
        names = zip(certainty.board.models, values, strict=True)
        assert certainty.better_than("m1", Question()) == [name for name, row in names if row.any()]
    answer = rank_answer(certainty, Question())
    assert (answer["sets"], answer["gap"]) == ([[1, models]] * models, None)
    assert answer["words"].startswith(
        f"There {'is only 1' if units == 1 else f'are only {units}'} independent"
    )


@given(st.integers(6, 200), st.integers(1, 100), st.integers(2, 8), st.integers(0, 10**6))
def test_more_clusters_never_widen_a_set(fewer: int, more: int, models: int, seed: int) -> None:
    """Of the same variances; nor does it when each example is a cluster of its own."""
    values = answers(seed, models, 300)
    one, board = sampled_of({"accuracy": values}), board_of({"d": values})
    sets = [
        Certainty(board, {"d": replace(one, clusters=count)}).sets(Question()).sets
        for count in (fewer, min(299, fewer + more), 300)
    ]
    for wide, narrow in itertools.pairwise(sets):
        for outer, inner in zip(wide, narrow, strict=True):
            assert outer is not None
            assert inner is not None
            assert outer[0] <= inner[0] <= inner[1] <= outer[1]


@given(st.integers(30, 200), st.integers(2, 8), st.integers(0, 10**6))
def test_each_example_in_a_cluster_of_its_own_is_no_cluster(examples: int, models: int, seed: int) -> None:
    """The normal quantile and the plain variance, as of independent examples."""
    values = answers(seed, models, examples)
    deviations = np.sqrt(differences(values, values) + 2 * 100.0**2 / (examples + 2) ** 2)
    found = clustered(values, np.arange(examples)).sets(Question()).sets
    assert found == expected_sets(values.mean(axis=1), deviations)


@pytest.mark.parametrize("units", [1, 2, 3, 4, 5, 6, 7, 10, 15, 20])
def test_equal_models_that_differ_on_few_examples_are_seldom_told_apart(units: int) -> None:
    """On every one, a fair coin each time: of all ways they can fall, at most about 5 % tell them apart."""
    told = 0
    for first in range(units + 1):
        values = np.zeros((2, units))
        values[0, :first], values[1, first:] = 100.0, 100.0
        found = one_metric(values) if units > 1 else clustered(values, np.arange(1))
        told += math.comb(units, first) * (found.sets(Question()).sets != [(1, 2), (1, 2)])
    assert told / 2**units <= 0.075


def test_a_number_without_examples_has_no_set_and_widens_the_others() -> None:
    """Whoever is unknown may be above or below everyone."""
    values = np.zeros((3, 400))
    values[0, :390], values[1, :200], values[2, :10] = 100.0, 100.0, 100.0
    reason = "published without examples"
    found = one_metric(values, unknown={"accuracy": {1: reason}}).sets(Question())
    assert found.sets == [(1, 2), None, (2, 3)]
    assert found.reasons == {1: f"accuracy: {reason}"}
    assert found.separated == [(0, 2)]


def test_what_has_no_weight_needs_no_examples() -> None:
    """A metric that is unknown matters only while it counts."""
    values = answers(1, 3, 200)
    board = Board(
        ["a", "b", "c"],
        [RankedMetric("accuracy"), RankedMetric("other")],
        {"d": {"accuracy": values.mean(axis=1).tolist(), "other": [1.0, 5.0, 2.0]}},
        "accuracy",
    )
    certainty = Certainty(board, {"d": sampled_of({"accuracy": values})})
    assert None not in certainty.sets(Question({"accuracy": 1})).sets
    assert certainty.sets(Question({"other": 1})).sets == [None] * 3


def test_models_without_a_rank_have_no_set() -> None:
    """And do not count as rivals."""
    values = answers(1, 3, 200)
    board = Board(
        ["a", "b", "c"], [RankedMetric("accuracy")], {"d": {"accuracy": [90.0, None, 20.0]}}, "accuracy"
    )
    found = Certainty(board, {"d": sampled_of({"accuracy": values})}).sets(Question())
    assert found.sets[1] is None
    assert found.reasons == {1: "not ranked"}
    assert max(worst for one in found.sets if one for worst in one) == 2


@given(st.integers(2, 12), st.integers(20, 300), st.integers(0, 10**6), st.floats(0.5, 0.99))
def test_every_set_holds_the_rank_itself(models: int, examples: int, seed: int, confidence: float) -> None:
    """And grows with the confidence that is asked for."""
    certainty = one_metric(answers(seed, models, examples))
    columns = certainty.board.columns(Question())
    narrow = certainty.sets(Question(), columns, confidence).sets
    wide = certainty.sets(Question(), columns, 0.995).sets
    for rank, one, other in zip(columns.ranks, narrow, wide, strict=True):
        assert one is not None
        assert other is not None
        assert other[0] <= one[0] <= rank <= one[1] <= other[1]


@given(st.integers(2, 9), st.integers(20, 200), st.integers(0, 10**6))
def test_separated_pairs_are_in_the_order_of_the_ranks(models: int, examples: int, seed: int) -> None:
    """Whoever is separated is above by score too, and the chances of leading sum to one."""
    certainty = one_metric(answers(seed, models, examples))
    columns = certainty.board.columns(Question())
    found = certainty.sets(Question(), columns)
    assert all(columns.scores[higher] > columns.scores[lower] for higher, lower in found.separated)
    assert math.fsum(certainty.leading(Question(), columns, found).values()) == pytest.approx(1.0)


def test_holm_goes_on_where_one_level_for_all_pairs_would_stop() -> None:
    """Each pair that is separated leaves fewer to correct for."""
    values = np.zeros((4, 400))
    for row, right in enumerate((400, 300, 200, 170)):
        values[row, :right] = 100.0
    found = one_metric(values).sets(Question())
    assert len(found.separated) == 6


def test_the_chance_of_leading_of_equal_models_is_even() -> None:
    """Of models that differ as often each way."""
    chance = np.random.default_rng(2)
    values = 100.0 * (chance.random((4, 2000)) < 0.8)
    values[:, :] = np.stack([np.roll(values[0], 500 * shift) for shift in range(4)])
    certainty = one_metric(values)
    columns = certainty.board.columns(Question())
    leads = certainty.leading(Question(), columns, certainty.sets(Question(), columns))
    assert [round(share, 1) for share in leads.values()] == pytest.approx([0.25] * 4, abs=0.051)


def test_the_smallest_gap_shrinks_with_examples_and_grows_with_rivals() -> None:
    """Four times the examples halve it; none is told where nothing is known."""
    few, many = (one_metric(np.tile(answers(5, 4, 250), times)) for times in (1, 16))
    small, large = many.smallest_gap(Question()), few.smallest_gap(Question())
    assert small is not None
    assert large is not None
    assert large / small == pytest.approx(4, rel=0.05)
    assert Certainty(few.board, {}).smallest_gap(Question()) is None


def test_numbers_that_do_not_fit_the_board_are_refused() -> None:
    """Naming the dataset and what has the wrong size."""
    values = answers(1, 3, 50)
    board = Board(["a", "b"], [RankedMetric("x")], {"d": {"x": [1.0, 2.0]}}, "x")
    with pytest.raises(
        ValueError, match="d: covariances accuracy and accuracy: 3 numbers, but 2 models take 1"
    ):
        Certainty(board, {"d": sampled_of({"accuracy": values})})


def random_board(chance: random.Random) -> tuple[Board, dict[str, Any], Question]:
    """A board of whole and of decimal numbers, drawn the same on every Python."""
    size, names = chance.randrange(2, 9), ["a", "b", "c"]
    pairs = size * (size - 1) // 2
    board = Board(
        [f"m{i}" for i in range(size)],
        [RankedMetric("a"), RankedMetric("b", -1, None), RankedMetric("c")],
        {"d": {name: [round(chance.uniform(1, 99), 3) for _ in range(size)] for name in names}},
        "a",
    )
    apart = [chance.randrange(400) for _ in range(pairs)]
    clusters = (900, 8, 60, 300)[size % 4]
    data = {
        "examples": 900,
        "clusters": clusters,
        "unit": {"a": 100.0, "b": 100.0},
        "covariances": [
            ["b", "b", 1e-5, [chance.randrange(10**6) for _ in range(pairs)]],
            ["a", "b", 1e-6, [chance.randrange(-(10**6), 10**6) for _ in range(pairs)]],
        ],
        "right": {"a": [chance.randrange(900) for _ in range(size)]},
        "apart": {"a": apart},
        "relative": {"c": [chance.uniform(0, 0.01) for _ in range(size)]},
        "unknown": {"b": [["no value", [0]]]} if chance.random() < 0.2 else {},
        "bias": {"b": [chance.uniform(0, 2) for _ in range(size)]} if chance.random() < 0.3 else {},
        "scarce": {"a": chance.randrange(1, 200)} if chance.random() < 0.3 else {},
    }
    weights = {name: chance.randrange(5) / 2 for name in names}
    trades = {"b": 0.7, "c": "12 %"}
    return board, {"d": data}, Question(weights, by=chance.choice(["dynascore", "z_score"]), trades=trades)


def said(board: Board, data: dict[str, Any], question: Question) -> str:
    """All that is said of a board, to the last bit, also by trade-offs."""
    certainty, said = Certainty.from_dict(board, data), []
    for asked in (question, replace(question, by="trades")):
        columns = board.columns(asked)
        found = certainty.sets(asked, columns)
        leads = certainty.leading(asked, columns, found)
        said += [found, leads, certainty.compare("m0", "m1", asked), certainty.smallest_gap(asked)]
    return repr(said)


@pytest.mark.slow
def test_bits_are_the_same_on_every_python() -> None:
    """What 200 random boards give, as one hash, which no version of Python or machine may change."""
    chance = random.Random(9)
    text = "\n".join(said(*random_board(chance)) for _ in range(200))
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN


def in_the_browser() -> str:
    return "\n".join([PROGRAM, inspect.getsource(random_board), inspect.getsource(said), LOOP])


def stored_answers(board_id: str, metric: str) -> tuple[list[str], dict[str, Floats]]:
    """Right answers of the project's own board by dataset (models, examples), from predictions and gold."""
    boards = load_boards(ROOT / "board.toml")
    store = Store(ROOT / "results")
    board = next(one for one in boards.boards if one.id == board_id)
    found = {}
    models: Sequence[str] = []
    for dataset in board.datasets:
        results = [r for r in store.results_on(board.task, dataset) if r.predictions]
        kept = store.examples(board.task, dataset, str(results[0].dataset.revision))
        assert kept is not None
        rows = {}
        for result in results:
            predictions = store.predictions(result)
            named = [predictions.labels[at] if at >= 0 else None for at in predictions.predicted or ()]
            merged = [kept.merge.get(str(name), name) for name in named]
            gold = [kept.labels[place] for place in kept.gold or ()]
            rows[result.model.id] = 100.0 * np.array([a == b for a, b in zip(merged, gold, strict=True)])
        models = sorted(rows) if not models else [model for model in models if model in rows]
        found[dataset] = rows
    return list(models), {d: np.array([rows[m] for m in models]) for d, rows in found.items()}


@pytest.mark.parametrize("board_id", ["sst-2-dev", "anli"])
def test_sets_of_the_projects_own_boards_are_those_of_a_plain_computation(board_id: str) -> None:
    """On accuracy, from the stored answers of every model, with numpy and scipy."""
    boards = load_boards(ROOT / "board.toml")
    store = Store(ROOT / "results")
    spec = next(one for one in boards.boards if one.id == board_id)
    assembled = assemble(spec, boards, store.results())
    board = Board.from_dict(assembled.data)
    question = Question({"accuracy": 1})
    found = Certainty.from_dict(board, sampled(assembled, store)).sets(question)
    models, by_dataset = stored_answers(board_id, "accuracy")
    scores = np.mean([values.mean(axis=1) for values in by_dataset.values()], axis=0)
    share = 1 / len(by_dataset)
    variance = sum(
        share**2 * (differences(values, values) + 2 * 100.0**2 / (values.shape[1] + 2) ** 2)
        for values in by_dataset.values()
    )
    expected = dict(zip(models, expected_sets(scores, np.sqrt(variance)), strict=True))
    got = {m: one for m, one in zip(board.models, found.sets, strict=True) if one}
    assert got == expected
    assert json.dumps(got)


@pytest.mark.parametrize("seed", range(6))
def test_bias_of_either_kind_is_taken_off_the_gap_that_it_may_have_made(seed: int) -> None:
    """A score is too high by what is a good and may be too high, and too low by a cost that is; so only a part of
    the gap of the higher one's good and the lower one's cost counts. Interval and smallest gap say the same."""
    chance = np.random.default_rng(seed)
    size, n = 6, 400
    data = {"good": answers(seed, size, n, 0.4), "error": answers(seed + 9, size, n, 0.4)}
    bias = {name: chance.uniform(0, 6, size) for name in data}
    board = Board(
        [f"m{i}" for i in range(size)],
        [RankedMetric("good"), RankedMetric("error", -1, 100.0)],
        {"d": {name: rows.mean(axis=1).tolist() for name, rows in data.items()}},
        "good",
    )
    known = replace(sampled_of(data), bias={name: each.tolist() for name, each in bias.items()})
    certainty, question = Certainty(board, {"d": known}), Question({"good": 2, "error": 1})
    rate = board.columns(question).scale.rates["error"].rate
    assert rate
    c = {"good": 2 / 3, "error": -1 / 3 / rate}
    combined = c["good"] * data["good"] + c["error"] * data["error"]
    scores = combined.mean(axis=1)
    guard = (c["good"] ** 2 + c["error"] ** 2) * 2 * 100.0**2 / (n + 2) ** 2
    deviations = np.sqrt(differences(combined, combined) + guard)
    ratios = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            off = c["good"] * bias["good"][i] - c["error"] * bias["error"][j]
            ratios[i, j] = (scores[i] - scores[j] - off) / deviations[i, j]
    expected = sets_of(stats.norm.sf(ratios))
    assert certainty.sets(question).sets == expected
    assert rank_answer(certainty, question)["sets"] == [[*one] for one in expected]
    gap = scores[0] - scores[1]
    reach = stats.norm.isf(0.025) * deviations[0, 1]
    low = gap - reach - c["good"] * bias["good"][0] + c["error"] * bias["error"][1]
    high = gap + reach + c["good"] * bias["good"][1] - c["error"] * bias["error"][0]
    assert certainty.compare("m0", "m1", question).interval == pytest.approx((low, high), rel=1e-6)
    assert rank_answer(certainty, question)["gap"] == certainty.smallest_gap(question)


@given(st.integers(2, 40), st.integers(2, 6), st.integers(0, 10**6))
def test_scarce_examples_take_students_t_and_one_alone_says_nothing(few: int, models: int, seed: int) -> None:
    """With one degree of freedom less than there are of the scarcer kind, of however many in all."""
    values = answers(seed, models, 300)
    one, board = sampled_of({"accuracy": values}), board_of({"d": values})
    deviations = np.sqrt(differences(values, values) + 2 * 100.0**2 / 302**2)
    means = values.mean(axis=1)
    gaps = (means[:, None] - means) / np.where(deviations > 0, deviations, np.inf)
    expected = sets_of(stats.t.sf(gaps, few - 1))
    assert Certainty(board, {"d": replace(one, scarce={"accuracy": few})}).sets(Question()).sets == expected
    alone = Certainty(board, {"d": replace(one, scarce={"accuracy": 1})})
    assert alone.sets(Question()).sets == [(1, models)] * models
    assert rank_answer(alone, Question())["words"].startswith("Only 1 independent example has a label")


@given(st.integers(2, 12), st.integers(20, 300), st.integers(0, 10**6))
def test_a_set_is_never_wider_than_at_one_level_for_all_rivals(models: int, examples: int, seed: int) -> None:
    """Nor narrower than where each rival is told apart by itself; the first rival is told apart as there."""
    values = answers(seed, models, examples)
    certainty = one_metric(values, relative={})
    found = certainty.sets(Question()).sets
    means = values.mean(axis=1)
    deviations = np.sqrt(differences(values, values) + 2 * 100.0**2 / (examples + 2) ** 2)
    freedom = math.inf
    if examples < 30:
        deviations = np.sqrt(
            differences(values, values) * (1 + 2 / examples) + 2 * 100.0**2 / (examples + 2) ** 2
        )
        freedom = examples - 1
    gaps = (means[:, None] - means) / np.where(deviations > 0, deviations, np.inf)
    tails = stats.t.sf(gaps, freedom)
    for index, one in enumerate(found):
        assert one is not None
        sides = np.delete(tails[:, index], index), np.delete(tails[index], index)
        for told, side in zip((one[0] - 1, models - one[1]), sides, strict=True):
            at_one = int((side < 0.025 / (models - 1)).sum())
            assert at_one <= told <= int((side < 0.025).sum())
            assert bool(told) == bool(at_one)


def test_pairs_that_the_floor_parts_are_separated_too_but_not_against_their_ranks() -> None:
    """Whoever is told apart by score is named, also from a model that is no better than a constant answer; not as
    below one that is ranked last."""
    values = np.zeros((4, 400))
    for row, right in enumerate((360, 250, 200, 290)):
        values[row, :right] = 100.0
    plain = one_metric(values)
    assert len(plain.sets(Question()).separated) == 6
    board = plain.board
    last = Board(board.models, list(board.metrics.values()), board.values, board.base, floored=("m2", "m3"))
    found = Certainty(last, plain.sampled).sets(Question())
    assert found.sets == [(1, 1), (2, 2), (4, 4), (3, 3)]
    assert found.separated == [(0, 1), (0, 3), (0, 2), (1, 2), (3, 2)]
