"""How far exchange rates may be off: the leader's break factor, and ranks within a factor of every rate."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import math
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_rank_sets import PROGRAM, answers, differences, random_board, sampled_of, sets_of

from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.rate_factor import FACTOR, Lead, break_factor, lead_of, lead_words, ranks_within

GOLDEN = (Path(__file__).parents[1] / "golden" / "rate-factor.sha256").read_text().strip()
#: What runs in the browser's Python: these imports, `random_board` and `said`, and the loop.
IMPORTS = """
from evaluator.rank.rate_factor import lead_of, ranks_within
"""
LOOP = """
chance = random.Random(5)
text = "\\n".join(said(*random_board(chance)) for _ in range(200))
print(hashlib.sha256(text.encode()).hexdigest())
"""
Floats = npt.NDArray[np.float64]
METRICS = ("a", "b", "c", "d")


def board_of(values: Floats, **more: object) -> Board:
    """A board of values (metrics, models), the second a cost."""
    names = METRICS[: len(values)]
    metrics = [RankedMetric(name, -1 if name == "b" else 1, 0.0) for name in names]
    models = [f"m{place}" for place in range(values.shape[1])]
    return Board(models, metrics, {"x": dict(zip(names, values.tolist(), strict=True))}, "a", **more)  # type: ignore[arg-type]


def drawn(seed: int, models: int, metrics: int = 3) -> tuple[Board, Question]:
    chance = np.random.default_rng(seed)
    board = board_of(chance.uniform(1, 100, (metrics, models)), rate=str(chance.choice(["mean", "ratio"])))
    return board, Question(dict(zip(board.metrics, chance.uniform(0.1, 4, metrics), strict=True)))


def corners(board: Board, question: Question, factor: float) -> list[Floats]:
    """The scores of all models at every corner of the rates, from the weighted goods."""
    columns = board.columns(question)
    parts = np.array([columns.contributions[name] for name in board.metrics])
    rest = itertools.product((1 / factor, factor), repeat=len(parts) - 1)
    return [np.array([1.0, *stretch]) @ parts for stretch in rest]


def ranks_at(scores: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """How many models are above each, and how many below."""
    above = (scores[:, None] < scores).sum(axis=1)
    return above, (scores[:, None] > scores).sum(axis=1)


seeds = st.integers(0, 10**6)


@given(seeds, st.integers(2, 7), st.floats(1, 9))
def test_ranks_within_a_factor_are_those_of_all_corners(seed: int, models: int, factor: float) -> None:
    """A model is certainly above another if it is at each of the 2^K corners, found one by one."""
    board, question = drawn(seed, models)
    everywhere = np.min([scores[:, None] - scores for scores in corners(board, question, factor)], axis=0)
    above, below = (everywhere > 0).sum(axis=0), (everywhere > 0).sum(axis=1)
    expected = [(1 + over, models - under) for over, under in zip(above, below, strict=True)]
    columns = board.columns(question)
    assert ranks_within(board, question, columns, factor) == expected


@given(seeds, st.integers(2, 7), st.floats(1, 9), st.lists(st.floats(-1, 1), min_size=2, max_size=2))
def test_the_rank_at_any_rates_within_a_factor_is_within(
    seed: int, models: int, factor: float, off: list[float]
) -> None:
    """The board itself, ranked with its rates off by factors up to this one: as weights that are."""
    board, question = drawn(seed, models)
    weights = dict(question.metrics or {})
    for name, exponent in zip(METRICS[1:], off, strict=False):
        weights[name] *= factor**exponent
    within = ranks_within(board, question, board.columns(question), factor * (1 + 1e-9))
    for rank, found in zip(board.columns(Question(weights)).ranks, within, strict=True):
        assert found is not None
        assert found[0] <= rank <= found[1]


@given(seeds, st.integers(2, 8))
def test_a_factor_of_1_gives_the_order_and_more_widens_it(seed: int, models: int) -> None:
    """Ranks at factor 1 are the ranks, with ties from the first place to the last, and never narrow after."""
    board, question = drawn(seed, models)
    columns = board.columns(question)
    found = [ranks_within(board, question, columns, factor) for factor in (1.0, 1.1, 2.0, 5.0, 100.0)]
    above, below = ranks_at(np.array(columns.scores))
    assert found[0] == [(1 + over, models - under) for over, under in zip(above, below, strict=True)]
    for narrow, wide in itertools.pairwise(found):
        pairs = zip(narrow, wide, strict=True)
        assert all(one and other and other[0] <= one[0] <= one[1] <= other[1] for one, other in pairs)


@given(seeds, st.integers(2, 7))
def test_the_leader_is_alone_in_front_up_to_its_break_factor(seed: int, models: int) -> None:
    """Just within it the set of the leader is the first rank; just beyond, the rival has come level."""
    board, question = drawn(seed, models)
    columns = board.columns(question)
    lead = lead_of(board, question, columns)
    assert lead is not None
    assert lead.leader == columns.order[0]
    if lead.factor == math.inf:
        assert lead.rival is None
        assert ranks_within(board, question, columns, 1e6)[lead.leader] == (1, 1)
        return
    inside, beyond = max(1.0, lead.factor * (1 - 1e-9)), lead.factor * (1 + 1e-9)
    assert ranks_within(board, question, columns, inside)[lead.leader] == (1, 1)
    assert ranks_within(board, question, columns, beyond)[lead.leader] != (1, 1)
    assert lead.rival is not None
    gaps = [scores[lead.leader] - scores[lead.rival] for scores in corners(board, question, lead.factor)]
    assert min(gaps) == pytest.approx(0, abs=1e-9 * max(map(abs, columns.scores)))


@pytest.mark.parametrize(
    ("base", "parts", "factor"),
    [
        (3, [], math.inf),
        (3, [1, 2], math.inf),
        (0, [1], math.inf),
        (4, [-2], 2),
        (0, [8, -2], 2),
        (4, [8, -4], 2),
        (-1, [4], 4),
        (-1, [1], 1),
        (1e-200, [-5e-201], 2),
        (0, [8e300, -2e300], 2),
    ],
)
def test_break_factors_by_hand(base: float, parts: list[float], factor: float) -> None:
    """base + positive parts / f + negative parts x f is 0 there; no lead is lost where nothing is behind."""
    assert break_factor(base, parts) == pytest.approx(factor)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0, 6.0])
def test_sets_within_a_factor_follow_the_definition(seed: int, factor: float) -> None:
    """Two models are told apart if they are at each corner, with per-example scores at the rates there."""
    chance = np.random.default_rng(seed)
    size, n = 6, 150
    data = {"a": answers(seed, size, n), "b": answers(seed + 50, size, n)}
    speed, relative = chance.uniform(50, 500, size), chance.uniform(1e-5, 1e-3, size)
    values = {name: column.mean(axis=1) for name, column in data.items()} | {"c": speed}
    board = board_of(np.array(list(values.values())))
    certainty = Certainty(board, {"x": sampled_of(data, relative={"c": relative.tolist()})})
    question = Question({"a": 3, "b": 1, "c": 2})
    rates = board.columns(question).scale.rates
    worth = {"a": 1 / 2, "b": -1 / 6 / (rates["b"].rate or 0), "c": 1 / 3 / (rates["c"].rate or 0)}

    def ratios(b: float, c: float) -> Floats:
        """All differences over their standard errors, with these metrics' parts multiplied."""
        at = {"a": worth["a"], "b": worth["b"] * b, "c": worth["c"] * c}
        combined = at["a"] * data["a"] + at["b"] * data["b"]
        timing = (at["c"] * speed) ** 2 * relative
        variance = differences(combined, combined) + timing[:, None] + timing
        variance += (at["a"] ** 2 + at["b"] ** 2) * 2 * 100.0**2 / (n + 2) ** 2
        scores = combined.mean(axis=1) + at["c"] * speed
        found: Floats = (scores[:, None] - scores) / np.sqrt(variance)
        return found

    here = ratios(1, 1)
    corners = [ratios(*stretch) for stretch in itertools.product((1 / factor, factor), repeat=2)]
    tails = stats.norm.sf(np.min([here, *corners], axis=0))
    assert certainty.sets(question, factor=factor).sets == sets_of(tails)
    assert certainty.sets(question).sets == sets_of(stats.norm.sf(here))
    widening = [certainty.sets(question, factor=factor * more).sets for more in (1.0, 1.1, 2.0, 30.0)]
    for narrow, wide in itertools.pairwise(widening):
        pairs = zip(narrow, wide, strict=True)
        assert all(one and other and other[0] <= one[0] <= one[1] <= other[1] for one, other in pairs)
    if factor == FACTOR:
        assert rank_answer(certainty, question)["within"] == [list(found) for found in sets_of(tails)]


def test_a_metric_that_is_mostly_noise_may_be_worth_more_too() -> None:
    """Where the difference is least is not where it is surest: ten times the noise hides what the base shows."""
    n, chance = 2000, np.random.default_rng(3)
    noise = np.zeros((2, n)) + 50
    noise[0] += chance.normal(0, 1, n) * 20
    noise[0] += 50.2 - noise[0].mean()
    data = {"a": np.array([np.full(n, 81.0), np.full(n, 80.0)]), "c": noise}
    board = Board(
        ["m0", "m1"],
        [RankedMetric("a"), RankedMetric("c")],
        {"x": {name: column.mean(axis=1).tolist() for name, column in data.items()}},
        "a",
    )
    certainty = Certainty(board, {"x": sampled_of(data, unit=0.0)})
    question = Question({"a": 1, "c": 0.05})
    assert certainty.sets(question).sets == [(1, 1), (2, 2)]
    assert certainty.sets(question, factor=1.5).sets == [(1, 1), (2, 2)]
    assert certainty.sets(question, factor=10).sets == [(1, 2), (1, 2)]


def test_sets_within_a_factor_are_never_narrower_and_a_page_gets_the_same() -> None:
    """On 80 random boards; of some rows a page gets those alone, and None where no rate decides."""
    chance = random.Random(8)
    for _ in range(80):
        board, data, question = random_board(chance)
        floored = [name for name in board.models if chance.random() < 0.2]
        board = Board(board.models, list(board.metrics.values()), board.values, board.base, floored=floored)
        certainty = Certainty.from_dict(board, data)
        sets, wide = certainty.sets(question).sets, certainty.sets(question, factor=FACTOR).sets
        for one, other in zip(sets, wide, strict=True):
            assert (one is None) == (other is None)
            assert one is None or other is None or (other[0] <= one[0] and one[1] <= other[1])
        answer, rows = rank_answer(certainty, question), chance.sample(range(len(board.models)), 2)
        some = rank_answer(certainty, question, rows)["within"]
        expected = [found and list(found) for found in wide]
        if answer["within"] is None:
            assert sets == wide
            assert some is None
        else:
            assert answer["within"] == expected
            assert some == [found if index in rows else None for index, found in enumerate(expected)]


@pytest.mark.parametrize(
    "question",
    [
        Question({"a": 1, "b": 1, "c": 1}, by="mean"),
        Question({"a": 1, "b": 1, "c": 1}, by="z_score"),
        Question({"a": 1}),
        Question({"b": 1}),
        Question({}),
    ],
)
def test_without_rates_there_is_no_line(question: Question) -> None:
    """The plain mean and z-scores have no rates, and one metric alone decides at any."""
    board, _ = drawn(1, 5)
    columns = board.columns(question)
    assert lead_of(board, question, columns) is None
    assert lead_words(None) == ""
    ranks = [(int(rank), int(rank)) if rank == rank else None for rank in columns.ranks]
    assert ranks_within(board, question, columns) == ranks


def test_a_shared_first_place_is_no_lead() -> None:
    """Two models with the same score share it; without the second the first leads the third."""
    values = np.array([[48.0, 40.0, 32.0], [0.0, 0.0, 0.0], [8.0, 16.0, 8.0]])
    # The rate of c is 1: 8 of it are as much as 8 of a.
    board, question = board_of(values), Question({"a": 1, "c": 1})
    columns = board.columns(question)
    assert columns.ranks[:2] == [1.0, 1.0]
    assert lead_of(board, question, columns) is None
    alone = Question({"a": 1, "c": 1}, among=["m0", "m2"])
    columns = board.columns(alone)
    assert lead_of(board, alone, columns) is None  # they are equal in all but the base metric
    assert ranks_within(board, alone, columns) == [(1, 1), None, (2, 2)]


def test_a_model_ranked_last_for_no_better_than_constant_answers_takes_no_lead() -> None:
    """It has the higher score, and is a rival at no factor."""
    values = np.array([[90.0, 80.0, 50.0], [1.0, 1.0, 1.0], [10.0, 15.0, 900.0]])
    question = Question({"a": 1, "c": 1})
    board = board_of(values, floored=["m2"])
    lead = lead_of(board, question, board.columns(question))
    assert lead
    assert lead.rival != 2
    free = board_of(values)
    columns = free.columns(question)
    assert columns.order[0] == 2
    within = ranks_within(board, question, board.columns(question), 100.0)
    assert within[2] == (3, 3)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (math.inf, "The leader stays first at any exchange rates."),
        (4.49, "within a factor of 4.4."),
        (1.999999, "within a factor of 1.9."),
        (23.7, "within a factor of 23."),
        (5000, "within a factor of 100."),
        (1.049, "within a factor of 1.04."),
        (1.001, "if they are off by 1 %, another may be."),
    ],
)
def test_the_line_promises_no_more_than_holds(factor: float, words: str) -> None:
    """Factors are rounded down, to two digits."""
    assert lead_words(Lead(0, factor, None)).endswith(words)


@pytest.mark.parametrize("factor", [0.5, math.inf, math.nan])
def test_a_factor_under_1_is_refused(factor: float) -> None:
    """It is a ValueError that says so."""
    board, question = drawn(1, 3)
    with pytest.raises(ValueError, match="not a number of at least 1"):
        ranks_within(board, question, board.columns(question), factor)


def said(board: Board, data: object, question: Question) -> str:
    """All that is said of a board, to the last bit."""
    certainty = Certainty.from_dict(board, data)  # type: ignore[arg-type]
    columns = board.columns(question)
    lead = lead_of(board, question, columns)
    sets = certainty.sets(question, columns, factor=2.0).sets
    held = lead and (lead.leader, lead.factor, lead.rival)
    return repr([held, sets, ranks_within(board, question, columns)])


@pytest.mark.slow
def test_bits_are_the_same_on_every_python() -> None:
    """What 200 random boards give, as one hash, which no version of Python or machine may change."""
    chance = random.Random(5)
    text = "\n".join(said(*random_board(chance)) for _ in range(200))
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN


def in_the_browser() -> str:
    return "\n".join([PROGRAM, IMPORTS, inspect.getsource(random_board), inspect.getsource(said), LOOP])


def test_a_page_gets_json() -> None:
    """What a page gets of ranks within a factor is JSON."""
    board, data, question = random_board(random.Random(2))
    answer = rank_answer(Certainty.from_dict(board, data), question)
    assert json.loads(json.dumps(answer)) == answer
