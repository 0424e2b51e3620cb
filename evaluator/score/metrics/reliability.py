"""How far annotators agree beyond chance: Fleiss' kappa and Krippendorff's alpha, with intervals.

Both are functions of sums over items, so their intervals come from leaving out each item in turn (the
infinitesimal jackknife, Efron 1982, chapter 6): other items from the same source, the same people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.score.metrics.annotators import Z_95
from evaluator.score.metrics.base import Floats, influence_of_sums


@dataclass(frozen=True)
class Agreement:
    """A coefficient, 1 where all agree and 0 where they agree as by chance, and its 95 % interval.

    `items` are those with two responses or more, the only ones that say anything.
    """

    value: float
    interval: tuple[float, float]
    items: int


def fleiss_kappa(votes: Sequence[Sequence[str]]) -> Agreement | None:
    """Fleiss' kappa (Fleiss 1971) of the responses to each item; None where it is undefined.

    Items may have unequal numbers of responses: each item counts the same (Gwet 2014, section 3.4). It is
    undefined where no item has two responses, or all of them are the same label.
    """
    counts = _counts(votes)
    size = counts.sum(axis=1)
    agreed = ((counts**2).sum(axis=1) - size) / (size * (size - 1))
    rows = np.column_stack([np.ones(len(size)), agreed, counts / size[:, None]])
    return _agreement(rows, _kappa)


def krippendorff_alpha(votes: Sequence[Sequence[str]]) -> Agreement | None:
    """Krippendorff's alpha for labels without an order (Krippendorff 2011, section C); None if undefined.

    Every pair of responses to one item counts the same, also where items have unequal numbers of them. It is
    undefined as `fleiss_kappa` is.
    """
    counts = _counts(votes)
    size = counts.sum(axis=1)
    differing = (size**2 - (counts**2).sum(axis=1)) / (size - 1)
    return _agreement(np.column_stack([differing, counts]), _alpha)


def _counts(votes: Sequence[Sequence[str]]) -> Floats:
    """How often each label was given to each item that has two responses or more (n, k)."""
    labels = {label: at for at, label in enumerate(sorted({label for each in votes for label in each}))}
    several = [each for each in votes if len(each) >= 2]
    counts = np.zeros((len(several), len(labels)))
    for row, each in zip(counts, several, strict=True):
        for label in each:
            row[labels[label]] += 1
    return counts


def _kappa(sums: Floats) -> float:
    items, agreed, shares = sums[0], sums[1], sums[2:]
    chance = float(((shares / items) ** 2).sum()) if items else 1.0
    return (agreed / items - chance) / (1 - chance) if chance < 1 - 1e-12 else math.nan


def _alpha(sums: Floats) -> float:
    differing, counts = float(sums[0]), sums[1:]
    responses = counts.sum()
    by_chance = responses**2 - float((counts**2).sum())
    return float(1 - (responses - 1) * differing / by_chance) if by_chance else math.nan


def _agreement(rows: Floats, value_of: Callable[[Floats], float]) -> Agreement | None:
    value = value_of(rows.sum(axis=0)) if len(rows) else math.nan
    if math.isnan(value):
        return None
    moved = influence_of_sums(rows, value_of)() if len(rows) > 1 else np.full(1, math.nan)
    reach = Z_95 * math.sqrt(float(moved @ moved) / (len(rows) * max(1, len(rows) - 1)))
    # One item only, or leaving one out leaves nothing to compare: the value may be anything.
    reach = 2.0 if math.isnan(reach) else reach
    return Agreement(float(value), (max(-1.0, value - reach), min(1.0, value + reach)), len(rows))
