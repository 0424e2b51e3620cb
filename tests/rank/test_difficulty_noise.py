"""Noise of rankings by difficulty: rank sets and intervals written out in numpy, and the sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from difficulty_cases import MODELS, documents, drawn, rows, samples_of
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_rank_sets import expected_sets

from evaluator.rank.difficulty import Samples
from evaluator.rank.difficulty_order import DifficultyQuestion

Floats = npt.NDArray[np.float64]
QUESTIONS = [
    DifficultyQuestion("wsbias-1"),
    DifficultyQuestion("wsbias-1", case=8, scale="square"),
    DifficultyQuestion("wsbias-1", kind="continuous", case=4, zeros="clip", clip=0.05),
    DifficultyQuestion("wmprob", factor="confidence"),
]


def made(examples: int, skills: Sequence[float], seed: int = 1) -> dict[str, Any]:
    """Models of different skill, right more often where examples are easy."""
    chance = random.Random(seed)
    values = [round(chance.random(), 2) for _ in range(examples)]
    names = [f"m{place}" for place in range(len(skills))]
    right = {
        m: [chance.random() < skill * (0.6 + 0.4 * b) for b in values]
        for m, skill in zip(names, skills, strict=True)
    }
    sure = {m: [chance.randrange(1001) / 1000 for _ in values] for m in names}
    return documents(values, right, sure)


def columns(
    samples: Samples, question: DifficultyQuestion
) -> tuple[list[str], Floats, Floats, Floats, float]:
    """The models by rank, values, influence values (models, examples), accuracies, and the unit of the guard.

    A value is 100 times the mean of w (d or e) over the mean of w d, or w e in absolute terms where d is 0: a
    quotient of means, each of whose examples moves it by its part of numerator less value times denominator.
    """
    ranked = [row for row in samples.answer(question).rows if row.value is not None]
    reward, penalty = question.terms
    over = reward or -penalty
    moved, values, unit = [], [], 0.0
    for row in ranked:
        weights = np.array(samples.weighed(question, row.model))
        gained = weights * np.where(samples.models[row.model].counted(question), reward, penalty) / over
        value = 100 * gained.mean() / weights.mean()
        values.append(value)
        moved.append((100 * gained - value * weights) / weights.mean())
        unit = max(unit, 100 * (reward - penalty) / over * weights.max() / weights.mean())
    right = 100.0 * np.array([samples.models[row.model].right for row in ranked])
    return [row.model for row in ranked], np.array(values), np.array(moved), right, unit


def spread(moved: Floats, unit: float) -> Floats:
    """Standard deviations of the differences of each pair, with a pseudo-example each way."""
    n = moved.shape[1]
    found = np.array([[np.var(one - other, ddof=1) / n for other in moved] for one in moved])
    deviations: Floats = np.sqrt(found + 2 * (unit / (n + 2)) ** 2)
    return deviations


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.metric}-{q.kind}-{q.case}")
def test_rank_sets_are_those_of_a_board(question: DifficultyQuestion) -> None:
    """From paired influence values, with the guard and Holm's levels; and each value has its interval."""
    samples = samples_of(made(400, [0.95, 0.9, 0.85, 0.7, 0.4]))
    models, values, moved, _, unit = columns(samples, question)
    noise = samples.noise(question)["models"]
    assert [tuple(noise[model]["set"]) for model in models] == expected_sets(values, spread(moved, unit))
    reach = stats.norm.isf(0.025) * np.sqrt(moved.var(axis=1, ddof=1) / 400 + (unit / 402) ** 2)
    for model, value, one in zip(models, values, reach, strict=True):
        least, most = question.ends
        ends = [max(least, value - one), min(most, value + one)]
        assert noise[model]["value"] == pytest.approx(ends, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.metric}-{q.kind}-{q.case}")
def test_a_move_is_the_difference_of_two_rank_sets(question: DifficultyQuestion) -> None:
    """By value and by accuracy, each at 0.975, so that both hold at once with 0.95."""
    samples = samples_of(made(400, [0.95, 0.9, 0.85, 0.7, 0.4], seed=4))
    models, values, moved, right, unit = columns(samples, question)
    now = expected_sets(values, spread(moved, unit), 0.975)
    before = expected_sets(right.mean(axis=1), spread(right, 100.0), 0.975)
    noise = samples.noise(question)["models"]
    for model, (best, worst), (first, last) in zip(models, now, before, strict=True):
        assert noise[model]["moved"] == [first - worst, last - best]
        verdict = "within noise" if first <= worst and best <= last else "more than noise"
        assert noise[model]["verdict"] == verdict


def test_intervals_are_near_those_of_a_bootstrap() -> None:
    """Of examples drawn again with replacement, difficulties and splits as they are."""
    samples, question = samples_of(made(400, [0.9, 0.6])), DifficultyQuestion("wsbias-1")
    models, _, moved, _, _ = columns(samples, question)
    chance = np.random.default_rng(2)
    for place, model in enumerate(models):
        weights = np.array(samples.weighed(question, model))
        right = np.array(samples.models[model].right)
        picked = chance.integers(400, size=(2000, 400))
        values = 100 * (weights * (2 * right - 1))[picked].sum(axis=1) / weights[picked].sum(axis=1)
        assert values.std() == pytest.approx(np.sqrt(moved[place].var() / 400), rel=0.08)


def test_examples_of_one_source_are_one_piece_of_evidence() -> None:
    """Every example four times in a row tells no more than once."""
    records = made(50, [0.9, 0.75])
    often = {
        "examples": {
            **records["examples"],
            "ids": [f"x{at}" for at in range(200)],
            "gold": [0] * 200,
        },
        "difficulties": [{"name": "wsbias-1", "values": np.repeat(records["difficulties"][0]["values"], 4)}],
        "predictions": {
            model: {"labels": one["labels"], "predicted": np.repeat(one["predicted"], 4).tolist()}
            for model, one in records["predictions"].items()
        },
    }
    question = DifficultyQuestion("wsbias-1")
    apart = samples_of(often).noise(question)["models"]["m0"]["value"]
    often["examples"]["clusters"] = np.repeat(np.arange(50), 4).tolist()
    together = samples_of(often).noise(question)["models"]["m0"]["value"]
    assert together[1] - together[0] > 1.8 * (apart[1] - apart[0])


def test_models_that_hardly_differ_are_not_told_apart_by_few_examples() -> None:
    """One hard example of fifty is no evidence, though no resample could turn it round."""
    values = [at / 50 for at in range(50)]
    first, second = [True] * 50, [at > 0 for at in range(50)]
    noise = samples_of(documents(values, {"one": first, "other": second})).noise(
        DifficultyQuestion("wsbias-1")
    )
    assert [noise["models"][name]["set"] for name in ("one", "other")] == [[1, 2], [1, 2]]
    few = samples_of(documents(values[:4], {"one": [True] * 4, "other": [False] * 4}))
    assert few.noise(DifficultyQuestion("wsbias-1", splits=2))["models"]["one"]["set"] == [1, 2]


@given(rows, st.sampled_from(["wsbias-1", "wmprob"]))
def test_noise_has_every_model_with_a_value(found: list[Any], metric: str) -> None:
    """However few examples there are, intervals are in order and hold the value, and sets hold the rank."""
    samples, question = samples_of(drawn(found)), DifficultyQuestion(metric, splits=3)
    valued = {row.model: row for row in samples.answer(question).rows if row.value is not None}
    noise = samples.noise(question)
    assert list(noise["models"]) == list(valued)
    for model, said in noise["models"].items():
        row = valued[model]
        assert said["value"] is None or said["value"][0] <= row.value <= said["value"][1]
        assert 1 <= said["set"][0] <= row.rank <= said["set"][1] <= len(MODELS)
        assert said["moved"][0] <= row.accuracy_rank - row.rank <= said["moved"][1]


def test_no_interval_goes_beyond_what_a_value_can_be() -> None:
    """A model that is right everywhere has 100, whatever other examples say."""
    samples = samples_of(documents([at / 40 for at in range(40)], {"all": [True] * 40, "none": [False] * 40}))
    for case, least in ((1, -100.0), (2, 0.0), (4, -50.0)):
        found = samples.noise(DifficultyQuestion("wsbias-1", case=case))["models"]
        assert (found["all"]["value"][1], found["none"]["value"][0]) == (100.0, least)


def test_a_change_of_rank_is_called_noise_or_more() -> None:
    """A model that is right where it is hard overtakes for sure; near-equal models swap within noise."""
    size = 400
    values = [at / size for at in range(size)]
    easy, hard = [at > 150 for at in range(size)], [at < 240 for at in range(size)]
    samples = samples_of(documents(values, {"easy": easy, "hard": hard}))
    samples.labels = {"hard": "Digger"}
    noise = samples.noise(DifficultyQuestion("wsbias-1"))
    assert noise["models"]["hard"]["set"] == [1, 1]
    assert noise["lead"] == (
        "Digger leads by Test-set shortcuts (WSBias 1), by more than chance. By accuracy easy leads."
    )
    # By accuracy they are too near for the order to be sure, and so is the change of rank.
    assert noise["swaps"] == [{"up": "hard", "down": "easy", "certain": False}]
    assert noise["models"]["hard"]["moved"] == [0, 1]
    assert noise["sentences"] == [
        "Digger is number 1 by Test-set shortcuts (WSBias 1) and number 2 by accuracy; that is within noise:"
        " with 95 % confidence it moves by 0 to 1 up.",
        "easy is number 2 by Test-set shortcuts (WSBias 1) and number 1 by accuracy; that is within noise:"
        " with 95 % confidence it moves by 1 down to 0.",
    ]
    sure = documents(
        values, {"easy": [at > 120 for at in range(size)], "hard": [at < 210 for at in range(size)]}
    )
    found = samples_of(sure).noise(DifficultyQuestion("wsbias-1", scale="square"))
    assert found["swaps"] == [{"up": "hard", "down": "easy", "certain": True}]
    assert found["sentences"][0] == (
        "hard is number 1 by Test-set shortcuts (WSBias 1) and number 2 by accuracy; that is more than noise:"
        " with 95 % confidence it moves by 1 up."
    )


def test_without_a_value_there_is_no_noise() -> None:
    """Where no example has a difficulty nothing is ranked."""
    noise = samples_of(documents([None, None], {"one": [True, False]})).noise(DifficultyQuestion("wsbias-1"))
    assert (noise["models"], noise["swaps"], noise["heat"], noise["sentences"]) == ({}, [], "", [])
