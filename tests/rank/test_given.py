"""Numbers of which nothing says how they vary: taken as exact, and said so, or the rank set is unknown."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from test_published import WITHOUT, bounds, published_board
from test_rank_sets import answers, differences, expected_sets, sampled_of

from evaluator.rank.certainty_sentences import difference_sentence, pairs_compared
from evaluator.rank.dynascore import Board, Question, RankedMetric
from evaluator.rank.published import ALONE, UNMOVED, UNTIMED, Stated, given_words
from evaluator.rank.rank_answers import rank_answer
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.score_sentences import Shown
from evaluator.rank.what_if import Mixtures, weightings

Floats = npt.NDArray[np.float64]
COST = RankedMetric("cost", -1, None)


def board_of(values: Floats, **others: list[float | None]) -> Board:
    """Right answers in per cent (models, examples) on one dataset, with other numbers of the models."""
    cells = {"right": values.mean(axis=1).tolist(), **others}
    metrics = [RankedMetric("right"), *(COST if name == "cost" else RankedMetric(name) for name in others)]
    labels = {"cost": "Cost", "right": "Right", "speed": "Speed"}
    names = [f"m{index}" for index in range(len(values))]
    return Board(names, metrics, {"d": cells}, "right", labels={"metrics": labels})


def priced(models: int = 6, seed: int = 1, examples: int = 300) -> tuple[Floats, Certainty]:
    """Models with examples, whose cost was published without anything."""
    values = answers(seed, models, examples)
    cost: list[float | None] = np.random.default_rng(seed).uniform(1, 9, models).tolist()
    nothing = dict.fromkeys(range(models), WITHOUT)
    known = sampled_of({"right": values}, unknown={"cost": nothing})
    return values, Certainty(board_of(values, cost=cost), {"d": known})


@pytest.mark.parametrize("seed", range(5))
def test_a_cost_without_anything_is_taken_as_exact(seed: int) -> None:
    """The scores have it, and their differences vary with the examples alone."""
    values, certainty = priced(seed=seed)
    question = Question({"right": 3, "cost": 1})
    columns = certainty.board.columns(question)
    rates = {name: columns.scale.rates[name].rate or 0.0 for name in ("right", "cost")}
    cost = np.array(certainty.board.values["d"]["cost"], dtype=float)
    scores = 0.75 * values.mean(axis=1) / rates["right"] - 0.25 * cost / rates["cost"]
    variance = differences(values, values) + 2 * (100 / (values.shape[1] + 2)) ** 2
    found = certainty.sets(question, columns)
    assert found.sets == expected_sets(scores, 0.75 * np.sqrt(variance) / rates["right"])
    assert found.given == {index: {"cost": "the published Cost"} for index in range(6)}
    assert found.published == []
    compared = certainty.compare("m0", "m1", question)
    reach = stats.norm.isf(0.025) * 0.75 * np.sqrt(variance[0, 1]) / rates["right"]
    assert compared.interval == pytest.approx(
        (scores[0] - scores[1] - reach, scores[0] - scores[1] + reach), rel=1e-5
    )
    assert compared.given == ("the published Cost",)


def test_without_weight_nothing_is_given() -> None:
    """Sets are those that they were."""
    values, certainty = priced()
    alone = Certainty(board_of(values), {"d": sampled_of({"right": values})})
    found, same = certainty.sets(Question({"right": 1})), alone.sets(Question())
    assert (found.sets, found.given) == (same.sets, {})


@pytest.mark.parametrize(("weights", "base"), [({"cost": 1.0}, None), ({"right": 1.0, "cost": 1.0}, "cost")])
def test_nothing_is_known_without_the_base_nor_of_exact_numbers_alone(
    weights: dict[str, float], base: str | None
) -> None:
    """A ranking by cost alone, or one in units of cost, would be certain of what nobody knows."""
    _, certainty = priced()
    found = certainty.sets(Question(weights, base=base))
    assert (found.sets, found.given) == ([None] * 6, {})
    assert set(found.reasons.values()) == {f"Cost: {WITHOUT}"}


def test_a_model_whose_base_is_unknown_stays_so_beside_others() -> None:
    """Whoever is unknown may be above or below everyone; the others' sets are given their cost."""
    values = np.zeros((3, 400))
    values[0, :390], values[1, :200], values[2, :10] = 100.0, 100.0, 100.0
    everyone = dict.fromkeys(range(3), WITHOUT)
    known = sampled_of({"right": values}, unknown={"right": {1: WITHOUT}, "cost": everyone})
    found = Certainty(board_of(values, cost=[3.0, 2.0, 1.0]), {"d": known}).sets(
        Question({"right": 9, "cost": 1})
    )
    assert found.sets == [(1, 2), None, (2, 3)]
    assert found.reasons == {1: f"Right: {WITHOUT}"}
    assert [*found.given] == [0, 2]


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (WITHOUT, "the published Cost"),
        ("published without passes", "the published Cost"),
        (ALONE, "the Cost"),
        (UNMOVED, "the Cost"),
        (UNTIMED, "the Cost"),
        ("nothing is kept of how it varies; run steelyard evaluate", None),
        ("its predictions cannot be read", None),
        ("no value that compares", None),
    ],
)
def test_only_what_cannot_be_known_is_taken_as_exact(why: str, words: str | None) -> None:
    """Where a command would say how a number varies, or a file is broken, its model's set is unknown."""
    values = answers(2, 4, 200)
    known = sampled_of({"right": values}, unknown={"cost": dict.fromkeys(range(4), why)})
    found = Certainty(board_of(values, cost=[1.0, 5.0, 2.0, 3.0]), {"d": known}).sets(Question())
    if words is None:
        assert found.sets == [None] * 4
        assert set(found.reasons.values()) == {f"Cost: {why}"}
    else:
        assert None not in found.sets
        assert found.given == {index: {"cost": words} for index in range(4)}


def test_a_missing_value_is_no_exact_one() -> None:
    """The worst of the board stands for it, which nobody published."""
    values = answers(3, 3, 200)
    board = board_of(values, cost=[1.0, None, 2.0])
    board = Board(board.models, [*board.metrics.values()], board.values, board.base, missing="worst")
    known = sampled_of({"right": values}, unknown={"cost": dict.fromkeys(range(3), WITHOUT)})
    found = Certainty(board, {"d": known}).sets(Question())
    assert found.sets[1] is None
    assert "has no value" in found.reasons[1]
    assert [*found.given] == [0, 2]


def test_of_timings_the_other_models_keep_their_own_variance() -> None:
    """Passes of two models vary independently, so that each pair has what is known of both."""
    values, relative = answers(4, 5, 300), [1e-3, 2e-3, 0.0, 1e-3, 0.0]
    speed: list[float | None] = [50.0, 60.0, 55.0, 70.0, 65.0]
    missing = {2: "published without passes", 4: "published without passes"}
    known = sampled_of({"right": values}, relative={"speed": relative}, unknown={"speed": missing})
    certainty = Certainty(board_of(values, speed=speed), {"d": known})
    columns = certainty.board.columns(Question())
    weighted = {name: 0.5 / (columns.scale.rates[name].rate or np.inf) for name in ("right", "speed")}
    passes = (weighted["speed"] * np.array(speed, dtype=float)) ** 2 * np.array(relative)
    variance = weighted["right"] ** 2 * (differences(values, values) + 2 * (100 / 302) ** 2)
    variance += passes[:, None] + passes
    found = certainty.sets(Question(), columns)
    assert found.sets == expected_sets(np.array(columns.scores), np.sqrt(variance))
    assert found.given == {model: {"speed": "the published Speed"} for model in (2, 4)}
    assert found.published == []


@pytest.mark.parametrize("seed", range(4))
def test_beside_numbers_with_examples_an_exact_one_is_told_apart_by_bounds(seed: int) -> None:
    """Never mixed with paired answers: of the other model its own error counts, and of the rest what a source says."""
    n, size, exact = 400, 6, [1, 4]
    values, second = answers(seed, size, n), answers(seed + 50, size, n)
    numbers: list[float | None] = second.mean(axis=1).tolist()
    one = sampled_of({"right": values, "b": second}, unknown={"b": dict.fromkeys(exact, WITHOUT)})
    counts = [0 if model in exact else n for model in range(size)]
    stated = {"right": Stated([None] * size, [n] * size), "b": Stated([None] * size, counts)}
    board = board_of(values, b=numbers)
    certainty = Certainty(board, {"d": replace(one, stated=stated)})
    columns = board.columns(Question())
    worth = {name: 0.5 / (columns.scale.rates[name].rate or np.inf) for name in ("right", "b")}
    means = second.mean(axis=1)
    own = np.where(np.isin(range(size), exact), 0.0, means * (100 - means) / (n - 1) + (100 / (n + 2)) ** 2)
    rough = worth["right"] * np.sqrt(bounds(values.mean(axis=1), n)) + worth["b"] * np.sqrt(
        own[:, None] + own
    )
    guard = 2 * (100 / (n + 2)) ** 2 * (worth["right"] ** 2 + worth["b"] ** 2)
    paired = (
        worth["right"] ** 2 * differences(values, values)
        + worth["b"] ** 2 * differences(second, second)
        + 2 * worth["right"] * worth["b"] * differences(values, second)
    )
    touched = np.isin(range(size), exact)
    either = touched[:, None] | touched
    deviations = np.where(either, rough, np.sqrt(np.maximum(paired, 0) + guard))
    found = certainty.sets(Question(), columns)
    assert found.sets == expected_sets(np.array(columns.scores), deviations)
    assert (found.published, [*found.given]) == (exact, exact)
    # Where nothing says how the other number varies by itself, the pair is not told apart.
    rest = [model for model in range(size) if model not in exact]
    bare = Certainty(board, {"d": one}).sets(Question(), columns)
    assert [bare.sets[model] for model in exact] == [(1, size)] * 2
    assert all(bare.sets[model] is not None for model in rest)


def test_at_a_mixture_of_weights_the_same_models_are_unknown() -> None:
    """What pages say of other weights knows of as much as rank sets at these."""
    chance, seen = random.Random(3), 0
    while seen < 60:
        board, data, question = published_board(chance)
        certainty = Certainty.from_dict(board, data)
        mixtures = Mixtures(certainty, question, [{name: 1.0} for name in board.metrics])
        parts = chance.choice([(0.0, 0.5, 0.5), (0.5, 0.0, 0.5), *weightings(3)][:40])
        asked = replace(question, metrics=dict(zip(board.metrics, parts, strict=True)))
        assert mixtures.unknown(parts) == set(certainty.reasons(asked, board.columns(asked)))
        seen += 1


def test_words_say_what_is_given() -> None:
    """Under the table, of each pair, and beside each set."""
    _, certainty = priced()
    question = Question({"right": 3, "cost": 1})
    answer = rank_answer(certainty, question)
    sentence = (
        "These rank sets are given the published Cost: nothing says how that varies, so it is taken as exact."
    )
    assert sentence in answer["words"]
    assert answer["given"] == {str(index): "given the published Cost" for index in range(6)}
    assert rank_answer(certainty, Question({"right": 1}))["given"] == {}
    found = certainty.compare("m0", "m1", question)
    assert " (given the published Cost): " in difference_sentence(found.difference, found)
    shown = Shown(certainty.board, question, {"metrics": [], "datasets": []})
    [pair] = pairs_compared(shown, certainty, [0, 1])["paragraphs"]
    assert " (given the published Cost): " in str(pair[0])
    both = ["the published Cost", "the Speed"]
    assert given_words([("A", both), ("B", ["the Speed"])], 9) == (
        "The rank set of A is given the published Cost and the Speed: nothing says how these vary, so they are"
        " taken as exact. The rank set of B is given the Speed: nothing says how that varies, so it is taken as"
        " exact."
    )
    assert given_words([(name, both) for name in "abcde"], 9).startswith(
        "The rank sets of a, b, c and 2 more are"
    )


def test_a_snapshot_keeps_which_numbers_its_sets_are_given() -> None:
    """By metric, the places of the models."""
    _, certainty = priced()
    weights = {"right": 3.0, "cost": 1.0}
    assert certainty.summary(weights, {"d": 1.0}, 0.95)["given"] == {"cost": [0, 1, 2, 3, 4, 5]}
    assert certainty.summary({"right": 1.0}, {"d": 1.0}, 0.95)["given"] == {}
