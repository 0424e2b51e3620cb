"""Noise of rankings by difficulty: intervals against an ordinary paired bootstrap, and the sentences."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest
from difficulty_cases import MODELS, documents, drawn, rows, samples_of
from hypothesis import given
from hypothesis import strategies as st

from evaluator.rank.difficulty_order import DifficultyQuestion
from evaluator.rank.difficulty_resampling import percentile_interval, ranks, resample


def made(examples: int, skills: dict[str, float], seed: int = 1) -> dict[str, Any]:
    """Models of different skill, right more often where examples are easy."""
    chance = random.Random(seed)
    values = [round(chance.random(), 2) for _ in range(examples)]
    right = {m: [chance.random() < skill * (0.6 + 0.4 * b) for b in values] for m, skill in skills.items()}
    sure = {m: [chance.randrange(1001) / 1000 for _ in values] for m in skills}
    return documents(values, right, sure)


Drawn = tuple[dict[str, list[float]], dict[str, list[float]]]


def ordinary(records: dict[str, Any], question: DifficultyQuestion, resamples: int) -> Drawn:
    """Values and moved ranks by a multinomial bootstrap, example by example."""
    samples = samples_of(records)
    size, chance = len(records["examples"]["ids"]), random.Random(7)
    weights = {m: samples._weights(question, m, samples._order(question, m)) for m in samples.models}
    right = {m: samples.models[m].right for m in samples.models}
    values: dict[str, list[float]] = {m: [] for m in right}
    moved: dict[str, list[float]] = {m: [] for m in right}
    for _ in range(resamples):
        rows = chance.choices(range(size), k=size)
        found = [
            question.score(sum(weights[m][r] * right[m][r] for r in rows), sum(weights[m][r] for r in rows))
            for m in right
        ]
        accuracy = ranks([sum(right[m][r] for r in rows) for m in right])
        for m, value, rank, by_accuracy in zip(right, found, ranks(found), accuracy, strict=True):
            assert value is not None
            assert rank is not None
            assert by_accuracy is not None
            values[m].append(value)
            moved[m].append(by_accuracy - rank)
    return values, moved


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        DifficultyQuestion("wsbias-1"),
        DifficultyQuestion("wsbias-1", kind="continuous", zeros="clip", clip=0.05),
        DifficultyQuestion("wmprob", factor="confidence"),
    ],
    ids=lambda question: f"{question.metric}-{question.kind}",
)
def test_intervals_are_those_of_an_ordinary_paired_bootstrap(question: DifficultyQuestion) -> None:
    """Double-or-nothing weights give what drawing the examples with replacement gives, but for chance."""
    records = made(400, {"a": 0.93, "b": 0.9, "c": 0.6})
    values, moved = ordinary(records, question, 1000)
    samples = samples_of(records)
    found = resample(samples._votes(question, samples.answer(question).rows), 400, question.score, 2000, 0)
    noise = samples.noise(question, resamples=2000)
    for model in values:
        spread = statistics.stdev(values[model])
        assert spread > 1
        assert statistics.stdev(found.values[model]) == pytest.approx(spread, rel=0.12)
        assert statistics.mean(found.values[model]) == pytest.approx(
            statistics.mean(values[model]), abs=0.2 * spread
        )
        assert noise["models"][model]["value"] == pytest.approx(
            percentile_interval(values[model]), abs=0.6 * spread
        )
        moves = samples.influence(question, model) or []
        assert math.fsum(moves) == pytest.approx(0, abs=1e-6)
        assert math.sqrt(math.fsum(x * x for x in moves)) / 400 == pytest.approx(spread, rel=0.12)
        assert statistics.mean(found.moved[model]) == pytest.approx(statistics.mean(moved[model]), abs=0.08)
    assert any(set(one) > {0} for one in moved.values())


@given(rows, st.sampled_from(["wsbias-1", "wmprob"]), st.integers(0, 3))
def test_noise_has_every_model_with_a_value(found: list[Any], metric: str, seed: int) -> None:
    """However few examples there are, intervals are in order and ranks are those of the models."""
    samples, question = samples_of(drawn(found)), DifficultyQuestion(metric, splits=3)
    valued = [row.model for row in samples.answer(question).rows if row.value is not None]
    noise = samples.noise(question, resamples=20, seed=seed)
    assert list(noise["models"]) == valued
    for intervals in noise["models"].values():
        for ends in (intervals[name] for name in ("value", "rank", "moved", "set")):
            assert ends is None or ends[0] <= ends[1]
        assert intervals["rank"] is None or 1 <= intervals["rank"][0] <= intervals["rank"][1] <= len(MODELS)
    assert noise == samples.noise(question, resamples=20, seed=seed)


def test_a_change_of_rank_is_called_noise_or_more() -> None:
    """A model that is right where it is hard overtakes for sure; near-equal models swap within noise."""
    size = 400
    values = [at / size for at in range(size)]
    easy, hard = [at > 150 for at in range(size)], [at < 240 for at in range(size)]
    samples = samples_of(documents(values, {"easy": easy, "hard": hard}))
    samples.labels = {"hard": "Digger"}
    noise = samples.noise(DifficultyQuestion("wsbias-1"))
    assert noise["models"]["hard"]["rank"] == [1, 1]
    assert noise["swaps"] == [{"up": "hard", "down": "easy", "share": 1.0}]
    # By accuracy they are too near for the order to be sure, and so is the change of rank.
    assert noise["models"]["hard"]["moved"][0] == 0
    assert noise["sentences"] == [
        "Digger is number 1 by WSBias 1 and number 2 by accuracy; that is within noise: 95 % of resamples"
        " move it by 0 to 1 up.",
        "easy is number 2 by WSBias 1 and number 1 by accuracy; that is within noise: 95 % of resamples"
        " move it by 1 down to 0.",
    ]
    sure = documents(
        values, {"easy": [at > 120 for at in range(size)], "hard": [at < 240 for at in range(size)]}
    )
    [first, _] = samples_of(sure).noise(DifficultyQuestion("wsbias-1", scale="square"))["sentences"]
    assert first == (
        "hard is number 1 by WSBias 1 and number 2 by accuracy; that is more than noise: 95 % of resamples"
        " move it by 1 up."
    )
