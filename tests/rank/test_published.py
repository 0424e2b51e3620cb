"""Rank sets of numbers that were published without examples: bounds from standard errors, or from n."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_rank_sets import answers, expected_sets, sampled_of

from evaluator.rank.certainty_sentences import difference_sentence, pairs_compared
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.published import FROM_PUBLISHED, Stated, published_words
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty, Sampled
from evaluator.rank.score_sentences import Shown
from evaluator.rank.what_if import Mixtures, weightings

ROOT = Path(__file__).parents[2]
#: What runs in the browser's Python: these imports, two functions of this module, and the loop.
PROGRAM = """
from __future__ import annotations
import hashlib
import random
from typing import Any
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_sets import Certainty
"""
LOOP = """
chance = random.Random(5)
text = "\\n".join(said(*published_board(chance)) for _ in range(100))
print(hashlib.sha256(text.encode()).hexdigest())
"""
#: The hash of what `said` gives of 100 random boards: the same on every Python.
GOLDEN = "2f0b02125dfec3a91aa9c9edd0abcf993721529b6bd50bda38fd1c64fd000d35"
WITHOUT = "published without examples"
Floats = npt.NDArray[np.float64]


def published_board(chance: random.Random) -> tuple[Board, dict[str, Any], Question]:
    """A board some of whose numbers have examples, on one of its datasets, drawn the same on every Python."""
    size, names = chance.randrange(2, 9), ["a", "b", "c"]
    pairs, n = size * (size - 1) // 2, 400
    models = [f"m{i}" for i in range(size)]

    def column(least: float, most: float) -> list[float]:
        return [round(chance.uniform(least, most), 3) for _ in models]

    right = [chance.randrange(n) for _ in models]
    values = {"x": {"a": [100 * count / n for count in right], "b": column(20, 90), "c": column(50, 90)}}
    values["y"] = {name: column(5, 95) for name in names}
    metrics = [RankedMetric("a"), RankedMetric("b", -1, None), RankedMetric("c")]
    without = [index for index in range(size) if chance.random() < 0.5]

    def stated(some: bool) -> dict[str, Any]:
        errors = [round(chance.uniform(0.1, 3), 3) if chance.random() < 0.8 else None for _ in models]
        examples = [chance.choice([0, n, n, 900]) if some else 0 for _ in models]
        return {"errors": errors, "examples": examples, "positive": chance.random() < 0.3}

    everywhere = {"a": [[WITHOUT, without]], "b": [[WITHOUT, [*range(size)]]], "c": []}
    nothing = {"unit": {}, "covariances": [], "right": {}, "apart": {}, "examples": 0, "clusters": 0}
    data = {
        "x": {
            **nothing,
            "examples": n,
            "clusters": n,
            "unit": {"a": 100.0},
            "right": {"a": right},
            "apart": {"a": [chance.randrange(n) for _ in range(pairs)]},
            "relative": {"c": [chance.uniform(0, 0.01) for _ in models]},
            "unknown": everywhere,
            "stated": {"a": {**stated(True), "examples": [n] * size}, "b": stated(False)},
        },
        "y": {
            **nothing,
            "relative": {},
            "unknown": {name: [[WITHOUT, [*range(size)]]] for name in names},
            "stated": {"a": stated(True), "b": stated(False), "c": stated(True)},
        },
    }
    weights = {name: chance.randrange(5) / 2 for name in names}
    asked = Question(weights, {"x": 1, "y": chance.randrange(3)}, by=chance.choice(["dynascore", "z_score"]))
    return Board(models, metrics, values, "a"), data, asked


def said(board: Board, data: dict[str, Any], question: Question) -> str:
    """All that is said of a board, to the last bit."""
    certainty = Certainty.from_dict(board, data)
    columns = board.columns(question)
    found = certainty.sets(question, columns)
    compared = certainty.compare("m0", "m1", question)
    return repr(
        [
            found,
            found.given,
            compared,
            certainty.smallest_gap(question),
            certainty.leading(question, columns, found),
        ]
    )


def accuracies(values: Floats, without: list[int], **stated: Any) -> Certainty:
    """Right answers in per cent (models, examples), of which those of `without` were published as shares."""
    models, n = values.shape
    one = sampled_of({"a": values}, unknown={"a": dict.fromkeys(without, WITHOUT)})
    known = {"errors": [None] * models, "examples": [n] * models, **stated}
    names = [f"m{model}" for model in range(models)]
    board = Board(names, [RankedMetric("a")], {"d": {"a": values.mean(axis=1).tolist()}}, "a")
    return Certainty(board, {"d": replace(one, stated={"a": Stated(**known)})})


def bounds(values: Floats, n: int) -> Floats:
    """At most the variances of the differences of shares in per cent of n answers, pair by pair."""
    p = values / 100
    both, gap = p[:, None] + p, p[:, None] - p
    found: Floats = 10000 * ((np.minimum(both, 2 - both) - gap**2) / (n - 1) + 2 / (n + 2) ** 2)
    return found


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_sets_of_published_numbers_follow_the_definition(seed: int, positive: bool) -> None:
    """Shares of n, standard errors and throughput on two datasets: deviations add up, passes do not."""
    chance, size, n = np.random.default_rng(seed), 8, 500
    shares = {d: chance.uniform(40, 95, size) for d in "xy"}
    other = {d: chance.uniform(1, 9, size) for d in "xy"}
    errors = {d: chance.uniform(0.05, 0.2, size) for d in "xy"}
    speed, relative = chance.uniform(50, 90, size), chance.uniform(1e-5, 1e-4, size)
    nobody = dict.fromkeys(range(size), WITHOUT)

    def known(d: str) -> Sampled:
        stated = {
            "a": Stated([None] * size, [n] * size, positive),
            "b": Stated(errors[d].tolist(), [0] * size, positive),
        }
        passes = {"speed": relative.tolist()}
        return Sampled(0, 0, {}, {}, passes, {}, {}, {"a": nobody, "b": nobody}, stated)

    cells = {d: {"a": shares[d].tolist(), "b": other[d].tolist(), "speed": speed.tolist()} for d in "xy"}
    metrics = [RankedMetric("a"), RankedMetric("b", -1, 10.0), RankedMetric("speed")]
    board = Board([f"m{i}" for i in range(size)], metrics, cells, "a")
    question = Question({"a": 3, "b": 1, "speed": 1}, {"x": 1, "y": 2})
    columns = board.columns(question)
    rates = {name: columns.scale.rates[name].rate for name in ("a", "b", "speed")}
    deviations, passes, scores = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
    for d, share in (("x", 1 / 3), ("y", 2 / 3)):
        c = {
            "a": share * 0.6 / rates["a"],
            "b": -share * 0.2 / rates["b"],
            "speed": share * 0.2 / rates["speed"],
        }
        of_shares, of_errors = bounds(shares[d], n), (errors[d][:, None] + errors[d]) ** 2
        if positive:
            own = shares[d] * (100 - shares[d]) / (n - 1)
            apart = own[:, None] + own + 2 * (100 / (n + 2)) ** 2
            of_shares = np.minimum(of_shares, apart)
            of_errors = errors[d][:, None] ** 2 + errors[d] ** 2
        deviations += c["a"] * np.sqrt(of_shares) + abs(c["b"]) * np.sqrt(of_errors)
        timing = (c["speed"] * speed) ** 2 * relative
        passes += timing[:, None] + timing
        scores += c["a"] * shares[d] + c["b"] * other[d] + c["speed"] * speed
    certainty = Certainty(board, {d: known(d) for d in "xy"})
    found = certainty.sets(question, columns)
    spread = np.sqrt(deviations**2 + passes)
    assert found.sets == expected_sets(scores, spread)
    assert found.published == list(range(size))
    compared = certainty.compare("m0", "m1", question)
    reach = 1.959964 * spread[0, 1]
    difference = scores[0] - scores[1]
    assert compared.published
    assert compared.interval == pytest.approx((difference - reach, difference + reach), rel=1e-5)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40))
def test_the_bound_of_shares_holds_however_answers_go_together(pairs: list[tuple[int, int]]) -> None:
    """Of any two columns of values from 0 to 100 the variance of the mean difference is no larger."""
    values = 25.0 * np.array(pairs, dtype=float).T
    n, means = values.shape[1], values.mean(axis=1).tolist()
    bound = Stated([None, None], [n, n]).deviations(means)[0]
    assert np.var(values[0] - values[1], ddof=1) / n <= bound**2 * (1 + 1e-9)


def test_the_sharper_of_two_bounds_counts() -> None:
    """A source's smaller standard errors, or n where answers of strong models must agree."""
    values, n = [98.0, 97.0], 400
    by_n = math.sqrt(float(bounds(np.array(values), n)[0, 1]))
    errors = [0.7, 0.85]
    assert Stated([None, None], [n, n]).deviations(values) == pytest.approx([by_n])
    assert Stated(errors, [n, n]).deviations(values) == pytest.approx([by_n])
    assert Stated(errors, [0, 0]).deviations(values) == pytest.approx([sum(errors)])
    guard = 2 * (100 / (n + 2)) ** 2
    assert Stated([0.1, 0.2], [n, n]).deviations(values) == pytest.approx([math.sqrt(0.09 + guard)])
    # Of another n they are of other examples, each with its own error.
    own = [math.sqrt(p * (100 - p) / (m - 1)) for p, m in zip(values, (n, 900), strict=True)]
    guards = (100 / (n + 2)) ** 2 + (100 / 902) ** 2
    found = Stated([None, None], [n, 900]).deviations(values)
    assert found == pytest.approx([math.sqrt(sum(own) ** 2 + guards)])


def test_a_pair_of_models_with_examples_keeps_its_paired_evidence() -> None:
    """Beside a published model, which others are told from by their own shares; each pair says by what."""
    values = answers(4, 5, 300)
    mixed, paired = accuracies(values, [1, 3]), accuracies(values, [])
    for certainty in (mixed, paired):
        for i in range(5):
            for j in range(i):
                found = certainty.compare(f"m{i}", f"m{j}", Question())
                assert found.published is (certainty is mixed and not {1, 3}.isdisjoint((i, j)))
                of_examples = paired.compare(f"m{i}", f"m{j}", Question())
                variance = bounds(values.mean(axis=1), 300)[i, j]
                reach = 1.959964 * math.sqrt(variance)
                expected = (found.difference - reach, found.difference + reach)
                assert found.interval == (
                    pytest.approx(expected, rel=1e-5) if found.published else of_examples.interval
                )
    assert mixed.sets(Question()).published == [1, 3]
    assert paired.sets(Question()).published == []


def test_shares_of_few_examples_are_told_apart_by_t_and_of_under_six_never() -> None:
    """As sets from examples: all of five may fall one way by chance."""
    for n in (2, 3, 5):
        values = np.zeros((2, n))
        values[0] = 100.0
        found = accuracies(values, [0, 1]).sets(Question())
        assert (found.sets, found.separated) == ([(1, 2), (1, 2)], [])
    values = answers(3, 4, 12)
    compared = accuracies(values, [0, 1, 2, 3]).compare("m0", "m1", Question())
    reach = stats.t.isf(0.025, 11) * math.sqrt(bounds(values.mean(axis=1), 12)[0, 1])
    assert compared.interval == pytest.approx(
        (compared.difference - reach, compared.difference + reach), rel=1e-5
    )


def test_a_pair_of_which_one_error_is_missing_is_not_told_apart() -> None:
    """Both models have sets, from their other pairs; what the two are to one another is unknown."""
    values = np.zeros((4, 400))
    for row, right in enumerate((400, 300, 150, 20)):
        values[row, :right] = 100.0
    # The first two have examples, but the second nothing that says how it varies alone.
    certainty = accuracies(values, [2, 3], examples=[400, 0, 400, 400])
    found = certainty.sets(Question())
    assert found.sets == [(1, 1), (2, 4), (2, 3), (3, 4)]
    assert certainty.compare("m1", "m2", Question()).interval is None
    assert certainty.better_than("m3", Question()) == ["m0", "m1", "m2"]
    gap = certainty.smallest_gap(Question())
    assert gap is not None
    assert gap < math.inf


def test_few_examples_of_a_model_without_a_rank_leave_the_others_theirs() -> None:
    """A number on five examples that is kept apart says nothing of those on a thousand."""
    values = np.zeros((3, 1000))
    values[0, :900], values[1, :500] = 100.0, 100.0
    known = accuracies(values, [0, 1, 2], examples=[1000, 1000, 5])
    assert known.sets(Question()).sets == [(1, 3), (1, 3), (1, 3)]
    board = known.board
    apart = Board(board.models, [RankedMetric("a")], {"d": {"a": [90.0, 50.0, None]}}, "a")
    assert Certainty(apart, known.sampled).sets(Question()).sets == [(1, 1), (2, 2), None]


def test_nobody_is_said_to_lead_in_draws_of_what_is_not_known() -> None:
    """How scores vary together is unknown in a dead heat with a published model."""
    values = answers(7, 3, 80, spread=0.1)
    certainty = accuracies(values, [0])
    columns = certainty.board.columns(Question())
    found = certainty.sets(Question(), columns)
    assert 0 in found.heat
    assert certainty.leading(Question(), columns, found) == {}


def test_a_mixture_of_weights_varies_as_published_numbers_do_at_those_weights() -> None:
    """What pages say of other weights is from the same bounds as rank sets at these."""
    chance, seen = random.Random(8), 0
    while seen < 30:
        board, data, question = published_board(chance)
        question = replace(question, metrics={"a": 1.0, "b": 1.0, "c": 1.0})
        certainty = Certainty.from_dict(board, data)
        ends = [{name: 1.0} for name in board.metrics]
        mixtures, parts = Mixtures(certainty, question, ends), chance.choice(list(weightings(3)))
        asked = replace(question, metrics=dict(zip(board.metrics, parts, strict=True)))
        columns = board.columns(asked)
        variances = certainty.variances(asked, columns)
        for model in range(1, len(board.models)):
            expected = variances.before(model)
            found = [mixtures.variance(model, other, parts) for other in range(model)]
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
        seen += 1


def test_sets_of_the_ten_sst_2_models_are_wider_by_their_shares_alone_than_by_their_answers() -> None:
    """In ranks, on average: 5.2, where paired answers make it 3.8."""
    folder = ROOT / "results" / "sentiment" / "sst-2-dev"
    kept = json.loads(next(folder.glob("*.covariances.json")).read_bytes())
    assert (kept["examples"], len(kept["models"])) == (872, 10)
    right, n = np.array(kept["right"]["accuracy"]), 872
    width = {}
    for known in ("paired", "published"):
        without = list(range(10)) if known == "published" else []
        data = {
            "examples": n,
            "clusters": n,
            "unit": {"accuracy": 100.0},
            "covariances": [],
            "right": {"accuracy": right.tolist()},
            "apart": {"accuracy": kept["apart"]["accuracy"]},
            "relative": {},
            "unknown": {"accuracy": [[WITHOUT, without]]},
            "stated": {"accuracy": {"errors": [None] * 10, "examples": [n] * 10, "positive": False}},
        }
        values = {"d": {"accuracy": (100 * right / n).tolist()}}
        board = Board([*kept["models"]], [RankedMetric("accuracy")], values, "accuracy")
        sets = Certainty.from_dict(board, {"d": data}).sets(Question()).sets
        width[known] = sum(1 + found[1] - found[0] for found in sets if found) / 10
    assert width == {"paired": 3.8, "published": 5.2}


def test_words_say_what_a_rank_set_is_from() -> None:
    """Of the whole board, of some of its models, of one pair, and of nobody."""
    values = answers(5, 4, 300)
    mixed, published, paired = (accuracies(values, who) for who in ([1], [0, 1, 2, 3], []))
    assert f"These rank sets are {FROM_PUBLISHED}." in rank_answer(published, Question())["words"]
    assert "points are often too small to tell who is better." in rank_answer(published, Question())["words"]
    sentence = f"Pairs with m1 are told apart {FROM_PUBLISHED}; all others by their examples."
    assert sentence in rank_answer(mixed, Question())["words"]
    assert "published" not in rank_answer(paired, Question())["words"]
    assert published_words([*"abcdef"], 9).startswith("Pairs with a, b, c and 3 more are told apart")
    found = mixed.compare("m0", "m1", Question())
    assert f"({FROM_PUBLISHED})" in difference_sentence(found.difference, found)
    about = {"metrics": [], "datasets": []}
    shown = Shown(mixed.board, Question(), about)
    first, second = pairs_compared(shown, mixed, [0, 1, 2])["paragraphs"]
    assert f"({FROM_PUBLISHED}): " in "".join(map(str, first))
    assert "published" not in "".join(map(str, second))


@pytest.mark.slow
def test_bits_are_the_same_on_every_python() -> None:
    """What 100 random boards give, as one hash, which no version of Python or machine may change."""
    chance = random.Random(5)
    text = "\n".join(said(*published_board(chance)) for _ in range(100))
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN


def in_the_browser() -> str:
    functions = [inspect.getsource(function) for function in (published_board, said)]
    return "\n".join([PROGRAM, f"WITHOUT = {WITHOUT!r}", *functions, LOOP])
