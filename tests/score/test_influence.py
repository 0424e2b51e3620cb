"""Influence values: what each item moves a metric by, from which the variance of the metric follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.score.metrics import METRICS, Value, names_for, report
from evaluator.score.metrics.neural import NEURAL

ITEMS = 240
LABELS = ["a", "b", "c"]
WORDS = ["red", "green", "blue", "fox", "dog", "runs", "sleeps"]
#: Means too, which need WordNet or weights.
MEANS = {"meteor", *NEURAL}
KINDS = sorted({kind for metric in METRICS.values() for kind in metric.tasks})


def inputs(kind: str) -> tuple[list[Any], list[Any], dict[str, Any]]:
    chance = np.random.default_rng(5)
    if kind == "classification":
        gold = chance.integers(0, 3, ITEMS)
        shares = chance.dirichlet([1, 1, 1], ITEMS)
        shares[np.arange(ITEMS), gold] += 0.4
        shares /= shares.sum(axis=1, keepdims=True)
        answers = np.where(chance.random(ITEMS) < 0.7, shares.argmax(axis=1), chance.integers(-1, 3, ITEMS))
        more = {
            "labels": LABELS,
            "probabilities": shares,
            "distributions": chance.dirichlet([1, 1, 1], ITEMS),
            "validated": chance.random(ITEMS) < 0.6,
        }
        return answers, gold, more
    if kind == "multi-label":
        chosen = chance.random((ITEMS, 3)) < 0.5
        answered = chosen ^ (chance.random((ITEMS, 3)) < 0.2)
        rows = ([np.flatnonzero(row).tolist() for row in flags] for flags in (answered, chosen))
        return *rows, {"labels": LABELS}  # type: ignore[return-value]
    lengths = chance.integers(4, 9, ITEMS)
    if kind == "sequence-labelling":
        gold = [chance.choice(["O", "B-x", "I-x", "B-y"], n).tolist() for n in lengths]
        return [[t if chance.random() < 0.8 else "O" for t in tags] for tags in gold], gold, {}
    gold = [chance.choice(WORDS, n).tolist() for n in lengths]
    answers = [
        " ".join(w if chance.random() < 0.8 else chance.choice(WORDS) for w in words) for words in gold
    ]
    references = (
        ["" if chance.random() < 0.3 else " ".join(words) for words in gold]
        if kind == "qa"
        else [" ".join(words) for words in gold]
    )
    answers = ["" if chance.random() < 0.2 else text for text in answers]
    sure = np.array([chance.random() + 2 * (not text) for text in references])
    return answers, references, {"no_answer": sure} if kind == "qa" else {}


def values(
    kind: str, given: tuple[Any, Any, dict[str, Any]], rows: npt.NDArray[np.int64]
) -> dict[str, Value]:
    """Every metric of that kind over some of the items."""
    answers, gold, more = given
    names = [name for name in names_for(kind) if name not in MEANS]
    picked = {key: column if key == "labels" else column[rows] for key, column in more.items()}
    return report([answers[i] for i in rows], [gold[i] for i in rows], kind, names, **picked).scores


@pytest.mark.parametrize("kind", KINDS)
def test_every_metric_says_what_each_item_moves_it_by(kind: str) -> None:
    """Items left out for good shift the value as their influence values add up to."""
    given, chance = inputs(kind), np.random.default_rng(7)
    samples = [np.sort(chance.choice(ITEMS, ITEMS - 12, replace=False)) for _ in range(40)]
    without = [values(kind, given, kept) for kept in samples]
    for name, scored in values(kind, given, np.arange(ITEMS)).items():
        assert scored.influence is not None, name
        moved = scored.influence()
        assert moved.shape == (ITEMS,)
        assert abs(moved.sum()) < 1e-6 * max(1.0, np.abs(moved).max()) * ITEMS, name
        shifts = [found[name].value - scored.value for found in without]
        foretold = [moved[kept].mean() for kept in samples]
        assert np.corrcoef(shifts, foretold)[0, 1] > 0.97, name
        assert np.std(foretold) == pytest.approx(np.std(shifts), rel=0.25), name


def test_two_values_of_an_item_are_as_far_apart_as_the_metric_says() -> None:
    """From the best to the worst answer of them all, in the metric's unit; no answer is further off, of whatever
    kind."""
    sure, without = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]
    names = ("accuracy", "brier", "cross-entropy", "js-divergence", "mcc")
    best, worst = (
        report(
            answers, [0, 1], "classification", names, labels=["x", "y"], probabilities=p, distributions=sure
        ).scores
        for answers, p in (([0, 1], sure), ([1, 0], without))
    )
    found = {name: abs(best[name].value - worst[name].value) for name in names}
    assert found == pytest.approx({name: METRICS[name].bound for name in names})
    assert METRICS["cross-entropy"].bound == pytest.approx(-np.log(0.5e-6))
    for kind in KINDS:
        for name, scored in values(kind, inputs(kind), np.arange(ITEMS)).items():
            if scored.per_item is not None:
                assert (
                    np.nanmax(scored.per_item) - np.nanmin(scored.per_item) <= METRICS[name].bound + 1e-9
                ), name


@given(st.integers(1, 300), st.integers(1, 40), st.integers(0, 10**6))
def test_the_bias_of_a_calibration_error_is_that_of_each_bin_that_may_have_no_gap(
    items: int, clusters: int, seed: int
) -> None:
    """By the formula, bin by bin: the larger of the deviation seen over independent units and of right answers."""
    chance = np.random.default_rng(seed)
    units = np.unique(chance.integers(0, clusters, items), return_inverse=True)[1]
    said = chance.uniform(0.5, 1, items)
    right = chance.random(items) < said
    found = report(
        np.where(right, 0, 1),
        np.zeros(items, int),
        "classification",
        ["calibration-error"],
        labels=["x", "y"],
        probabilities=np.where(right[:, None], np.stack([said, 1 - said], 1), np.stack([1 - said, said], 1)),
    ).scores["calibration-error"]
    expected, many = 0.0, units.max() + 1
    for upper in np.arange(1, 16) / 15:
        inside = (said > upper - 1 / 15 + 1e-12) & (said <= upper + 1e-12)
        sums = np.array([(right - said)[inside & (units == unit)].sum() for unit in range(many)])
        seen = many * sums.var(ddof=1) if many > 1 else 0.0
        deviation = np.sqrt(max(seen, (said * (1 - said))[inside].sum()))
        expected += deviation * (abs(sums.sum()) <= 2 * deviation)
    assert found.bias
    assert found.bias(units) == pytest.approx(100 / items * np.sqrt(2 / np.pi) * expected)


def test_the_whole_calibration_error_of_a_calibrated_model_is_bias() -> None:
    """On average, and most of it is known to be."""
    chance, values, biases = np.random.default_rng(3), [], []
    for _ in range(200):
        said = chance.uniform(0.5, 1, 400)
        answers = (chance.random(400) > said).astype(int)
        shares = np.where(answers[:, None], np.stack([1 - said, said], 1), np.stack([said, 1 - said], 1))
        about = {"labels": ["x", "y"], "probabilities": shares}
        scored = report(answers, np.zeros(400, int), "classification", ["calibration-error"], **about)
        found = scored.scores["calibration-error"]
        assert found.bias
        values.append(found.value)
        biases.append(found.bias(np.arange(400)))
    assert np.mean(values) == pytest.approx(np.mean(biases), rel=0.08)


def test_the_sides_of_an_auroc_are_the_items_with_and_without_each_label() -> None:
    """Of two labels those of the second; of more, each in turn."""
    gold = np.array([0, 0, 0, 1, 2, 2])
    shares = np.random.default_rng(1).dirichlet([1, 1, 1], 6)
    for labels, wanted in ((LABELS, [3, 3, 1, 5, 2, 4]), (["a", "b"], [3, 3])):
        own = np.minimum(gold, len(labels) - 1)
        given = {
            "labels": labels,
            "probabilities": shares[:, : len(labels)] / shares[:, : len(labels)].sum(1)[:, None],
        }
        found = report(own, own, "classification", ["auroc"], **given).scores["auroc"]
        assert [int(side.sum()) for side in found.sides] == wanted
