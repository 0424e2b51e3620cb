"""Precision, recall and F1 of classes, and their micro, macro and weighted averages, in per cent.

Ours, in numpy, with scikit-learn's definitions (``zero_division=0``): macro is the unweighted mean
over the classes that occur in gold or predictions, weighted weighs them by their gold items, micro
pools the counts. An answer that is no class counts against recall of its gold class and, belonging to
no class, against no precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluator.score.metrics.base import Floats, Integers, Scored, influence_of_sums

Average = Literal["micro", "macro", "weighted"]
AverageMeasure = Literal["precision", "recall", "f1"]


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """For each of k classes (k,): `right`, `predicted` and `gold` items."""

    names: tuple[str, ...]
    right: Integers
    predicted: Integers
    gold: Integers

    @classmethod
    def of(cls, names: tuple[str, ...], sums: Floats) -> ConfusionCounts:
        """From the sum of rows: right items of each class, then predicted, then gold ones."""
        return cls(names, *np.rint(sums).astype(np.int64).reshape(3, len(names)))

    def shares(self, measure: AverageMeasure) -> Floats:
        """The measure of each class, from 0 to 1."""
        return ratio(measure, self.right, self.predicted, self.gold)

    def pooled(self, measure: AverageMeasure) -> float:
        """The measure of all classes' items together, from 0 to 1."""
        columns = (self.right, self.predicted, self.gold)
        return float(ratio(measure, *(column.sum(keepdims=True) for column in columns))[0])


def ratio(measure: AverageMeasure, right: Integers, predicted: Integers, gold: Integers) -> Floats:
    """The measure, from 0 to 1, of counts of right, predicted and gold ones; 0 where it is undefined."""
    over = {"precision": predicted, "recall": gold, "f1": predicted + gold}[measure]
    times = 2.0 if measure == "f1" else 1.0
    share: Floats = np.divide(times * right, over, out=np.zeros(len(over)), where=over > 0)
    return share


def averaged(
    counts: ConfusionCounts, measure: AverageMeasure, average: Average, rows: Callable[[], Integers]
) -> Scored:
    """One measure averaged over the classes, with each class's own in `parts`.

    `rows`, called, gives (n, 3 k) the counts of single items, in the order of `ConfusionCounts.of`.
    """
    share, each = _average(counts, measure, average)
    parts = dict(zip(counts.names, (100.0 * each).tolist(), strict=True))

    def value_of(sums: Floats) -> float:
        return 100.0 * _average(ConfusionCounts.of(counts.names, sums), measure, average)[0]

    return Scored(100.0 * share, None, parts, influence_of_sums(rows, value_of))


def _average(counts: ConfusionCounts, measure: AverageMeasure, average: Average) -> tuple[float, Floats]:
    each = counts.shares(measure)
    occurs = counts.gold + counts.predicted > 0
    if average == "micro":
        share = counts.pooled(measure)
    elif average == "macro":
        share = float(np.mean(each[occurs])) if occurs.any() else 0.0
    else:
        share = float(np.dot(each, counts.gold) / max(1, counts.gold.sum()))
    return share, each


def average(measure: AverageMeasure, how: Average) -> Callable[..., Scored]:
    """A metric's function, for inputs that have `counts`."""
    return lambda inputs: averaged(inputs.counts, measure, how, lambda: inputs.count_rows)
