"""WSBias: what simple classifiers get right is easy, with real classifiers on made-up embeddings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluator.measure.difficulty_sources import held_out, judged
from evaluator.records.errors import UserError

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


def test_four_judges_give_quarters() -> None:
    """Algorithm 2 gives every sample a share of four classifiers."""
    _, embeddings, gold = sides(COUNT, 4)
    noisy = np.random.default_rng(1).normal(size=embeddings.shape).astype(np.float32)
    values = judged(noisy, gold, embeddings, gold)
    assert len(values) == COUNT
    assert {*values} <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert len({*values}) > 2


def test_a_draw_without_one_of_the_labels_still_answers() -> None:
    """Of few samples a draw may hold one label only; it is then what is answered."""
    ids, embeddings, _ = sides(20, 5)
    gold = [0] * 19 + [1]
    values = held_out(ids, embeddings, gold, 0, ROUNDS)
    assert 1.0 in values


def test_progress_is_told_of_every_round() -> None:
    """The reported progress adds up to the number of rounds, or to the four classifiers."""
    ids, embeddings, gold = sides(COUNT, 1)
    told: list[int] = []
    held_out(ids, embeddings, gold, 0, 3, told.append)
    judged(embeddings, gold, embeddings, gold, 0, told.append)
    assert told == [1] * 7


def test_too_little_to_learn_from_is_refused() -> None:
    """Too few samples, and samples of one label only, are errors that say what it takes."""
    ids, embeddings, gold = sides(COUNT, 1)
    with pytest.raises(UserError, match=r"\(19 samples, 2 of the labels\); it takes 20 samples"):
        held_out(ids[:19], embeddings[:19], gold[:19])
    with pytest.raises(UserError, match="60 samples, 1 of the labels"):
        judged(embeddings, gold, embeddings, [0] * COUNT)
