"""WOOD: the more similar a sample is to its nearest training samples, the easier it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.difficulty_sources.similarity import SIMILARITIES
from evaluator.records.errors import UserError

VERSION = 1
#: Per cent of the training set that are looked at, unless others are given: those of the paper's tables.
PERCENTAGES = (1, 5, 10, 25, 30, 40, 50, 75, 100)
#: Percentages are over 0 and have up to so many decimals.
DECIMALS = 3
DIGITS = 6
CHUNK = 256


def mean_similarities(
    tests: NDArray[np.float32],
    training: NDArray[np.float32],
    percentages: Sequence[float] = PERCENTAGES,
    similarity: str = "cosine",
    advance: Callable[[int], None] = lambda done: None,
) -> dict[str, tuple[float, ...]]:
    """For each percentage p the mean similarity to the ``ceil(p / 100 * training samples)`` most similar.

    `tests` and `training` hold an embedding of length 1 a row. Values are in [0, 1], to 6 decimals: more
    would differ between machines. Raises `UserError` for an invalid percentage or similarity.
    """
    check(percentages, similarity)
    counts = [_count(percent, len(training)) for percent in percentages]
    parts = []
    others = training.astype(np.float64)
    for start in range(0, len(tests), CHUNK):
        parts.append(_means(tests[start : start + CHUNK].astype(np.float64), others, counts, similarity))
        advance(len(parts[-1]))
    columns = np.concatenate(parts).round(DIGITS).T.tolist()
    return {f"{percent:g}": tuple(column) for percent, column in zip(percentages, columns, strict=True)}


def check(percentages: Sequence[float], similarity: str) -> None:
    """Raise `UserError` for an invalid percentage or similarity."""
    if similarity not in SIMILARITIES:
        raise UserError("similarity", f"{similarity!r} is none of {', '.join(SIMILARITIES)}")
    for percent in percentages:
        if not 0 < percent <= 100 or round(percent, DECIMALS) != percent:
            fix = f"give numbers with at most {DECIMALS} decimals"
            raise UserError("percentages", f"{percent:g} is not over 0 and up to 100 per cent", fix)
    if len(set(percentages)) != len(percentages) or not percentages:
        raise UserError("percentages", f"{list(percentages)} has one twice, or none", "give each once")


def _count(percent: float, samples: int) -> int:
    """The per cent of the samples, rounded up in whole numbers."""
    parts: int = 10**DECIMALS
    return -(-round(percent * parts) * samples // (100 * parts))


def _means(
    tests: NDArray[np.float64], training: NDArray[np.float64], counts: Sequence[int], similarity: str
) -> NDArray[np.float64]:
    """Tests x counts: the mean of the greatest similarities of each test."""
    falling = -np.sort(-SIMILARITIES[similarity](tests, training), axis=1)
    sums = np.cumsum(falling, axis=1)
    means = np.stack([sums[:, count - 1] / count for count in counts], axis=1)
    return np.clip(means, 0.0, 1.0)
