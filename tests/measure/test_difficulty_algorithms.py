"""WOOD, the mean similarity to the most similar training samples; and WSBias, what simple classifiers get right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluator.measure.difficulty.algorithms import SIMILARITIES, held_out, judged, mean_similarities
from evaluator.records.errors import UserError

SIZES = st.integers(1, 12)


def unit_rows(rows: int, seed: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(rows, 5))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def by_hand(test: Sequence[float], training: NDArray[np.float32], percent: float) -> float:
    """The definition, a number at a time."""
    alike = [max(0.0, sum(float(a) * float(b) for a, b in zip(test, row, strict=True))) for row in training]
    most = sorted(alike, reverse=True)[: math.ceil(percent * len(training) / 100)]
    return sum(most) / len(most)


@given(tests=SIZES, training=SIZES, seed=st.integers(0, 99), percent=st.integers(1, 100))
def test_values_are_what_the_definition_says(tests: int, training: int, seed: int, percent: int) -> None:
    """B is the mean cosine, none of them under 0, with the ceil(p %) most similar training samples."""
    asked, known = unit_rows(tests, seed), unit_rows(training, seed + 1000)
    found = mean_similarities(asked, known, [percent])[str(percent)]
    assert found == pytest.approx([by_hand(row, known, percent) for row in asked], abs=2e-6)


@given(seed=st.integers(0, 99), name=st.sampled_from(sorted(SIMILARITIES)))
def test_values_fall_as_more_is_looked_at(seed: int, name: str) -> None:
    """By every similarity values are in [0, 1], and the more training samples count, the lower they are."""
    percentages = [1, 10, 50, 100]
    columns = mean_similarities(unit_rows(6, seed), unit_rows(30, seed + 1), percentages, name)
    for row in zip(*(columns[str(percent)] for percent in percentages), strict=True):
        assert 0.0 <= min(row) <= max(row) <= 1.0
        assert list(row) == sorted(row, reverse=True)


def test_any_percentage_counts_its_share_rounded_up() -> None:
    """2.5 % of 130 samples are 4, and 0.001 % one; the columns are named as they were asked for."""
    tests, training = unit_rows(5, 1), unit_rows(130, 2)
    columns = mean_similarities(tests, training, [2.5, 0.001, 25])
    assert list(columns) == ["2.5", "0.001", "25"]
    for name, share in (("2.5", 400 / 130), ("0.001", 100 / 130), ("25", 3300 / 130)):
        assert columns[name] == pytest.approx([by_hand(row, training, share) for row in tests], abs=2e-6)


@pytest.mark.parametrize(
    ("percentages", "similarity", "message"),
    [
        ([0], "cosine", "percentages: 0 is not over 0 and up to 100 per cent; give"),
        ([101], "cosine", "percentages: 101 is not over 0 and up to 100 per cent; give"),
        ([0.0001], "cosine", "percentages: 0.0001 is not over 0 .* at most 3 decimals"),
        ([5, 5], "cosine", r"percentages: \[5, 5\] has one twice"),
        ([], "cosine", r"percentages: \[\] has one twice, or none"),
        ([5], "manhattan", "similarity: 'manhattan' is none of cosine, angular, euclidean"),
    ],
)
def test_impossible_questions_are_refused(percentages: list[int], similarity: str, message: str) -> None:
    """The field, the value and the fix are named."""
    with pytest.raises(UserError, match=message):
        mean_similarities(unit_rows(2, 1), unit_rows(2, 2), percentages, similarity)


ROUNDS = 12
COUNT = 60
#: A sample whose label is that of the other side.
MISLABELLED = 7


def sides(count: int, seed: int) -> tuple[list[str], NDArray[np.float32], list[int]]:
    """Two clouds a good way apart, by turns."""
    gold = [row % 2 for row in range(count)]
    drawn = np.random.default_rng(seed).normal(scale=0.2, size=(count, 4))
    drawn[:, 0] += np.where(np.array(gold) == 1, 1.0, -1.0)
    embeddings = np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)
    return [f"s{row}" for row in range(count)], embeddings, gold


def test_a_tenth_is_set_aside_and_has_no_value() -> None:
    """A tenth of the samples has no value; the others' are shares of right answers."""
    ids, embeddings, gold = sides(COUNT, 1)
    values = held_out(ids, embeddings, gold, 0, ROUNDS)
    assert sum(value is None for value in values) == COUNT // 10
    scored = [value for value in values if value is not None]
    assert all(0.0 <= value <= 1.0 for value in scored)
    # Clouds as far apart as these are easy to tell apart.
    assert np.mean(scored) > 0.9


def test_what_is_labelled_like_nothing_near_it_is_hard() -> None:
    """A sample with the other cloud's label is got right by none, or next to none, of the classifiers."""
    ids, embeddings, gold = sides(COUNT, 1)
    gold[MISLABELLED] = 1 - gold[MISLABELLED]
    kept = next(
        seed for seed in range(5) if held_out(ids, embeddings, gold, seed, 1)[MISLABELLED] is not None
    )
    value = held_out(ids, embeddings, gold, kept, ROUNDS)[MISLABELLED]
    assert value is not None
    assert value < 0.5
    _, training, learnt = sides(COUNT, 2)
    assert judged(embeddings, gold, training, learnt)[MISLABELLED] == 0.0
    assert np.mean(judged(embeddings, gold, training, learnt)) > 0.9


def test_the_order_of_the_samples_changes_nothing() -> None:
    """Samples in another order have the same values, to the last bit; another seed gives others."""
    ids, embeddings, gold = sides(COUNT, 3)
    values = dict(zip(ids, held_out(ids, embeddings, gold, 5, ROUNDS), strict=True))
    order = list(np.random.default_rng(0).permutation(COUNT))
    shuffled = held_out(
        [ids[row] for row in order], embeddings[order], [gold[row] for row in order], 5, ROUNDS
    )
    assert dict(zip([ids[row] for row in order], shuffled, strict=True)) == values
    other = held_out(ids, embeddings, gold, 6, ROUNDS)
    assert [value is None for value in other] != [value is None for value in values.values()]


def test_too_little_to_learn_from_is_refused() -> None:
    """Too few samples, and samples of one label only, are errors that say what it takes."""
    ids, embeddings, gold = sides(COUNT, 1)
    with pytest.raises(UserError, match=r"\(19 samples, 2 of the labels\); it takes 20 samples"):
        held_out(ids[:19], embeddings[:19], gold[:19])
    with pytest.raises(UserError, match="60 samples, 1 of the labels"):
        judged(embeddings, gold, embeddings, [0] * COUNT)
