"""Metrics over gold and predicted labels: ours, in numpy, from one confusion matrix a report."""

from __future__ import annotations

import math

import numpy as np

from evaluator.score.metrics.averages import ConfusionCounts
from evaluator.score.metrics.base import Floats, Scored, influence_of_sums
from evaluator.score.metrics.labelled import Labelled


def accuracy(items: Labelled) -> Scored:
    """Share of predictions equal to the gold label, in per cent."""
    right = items.gold == items.predicted
    return Scored(100.0 * float(np.mean(right)), 100.0 * right)


def mcc(items: Labelled) -> Scored:
    """Matthews' correlation coefficient, -1 to 1, for any number of labels (Gorodkin 2004).

    An invalid answer is a label of its own that is never right. 0 where it is undefined (all gold
    labels, or all predictions, the same). As scikit-learn's `matthews_corrcoef`.
    """

    def value_of(sums: Floats) -> float:
        return _mcc(ConfusionCounts.of(items.labels, sums))

    return Scored(_mcc(items.counts), influence=influence_of_sums(lambda: items.count_rows, value_of))


def _mcc(counts: ConfusionCounts) -> float:
    gold, n = counts.gold, int(counts.gold.sum())
    predicted = np.append(counts.predicted, n - counts.predicted.sum())
    shared = int(counts.right.sum()) * n - int(np.dot(gold, counts.predicted))
    spread = (n * n - int(np.dot(gold, gold))) * (n * n - int(np.dot(predicted, predicted)))
    return shared / math.sqrt(spread) if spread else 0.0


def vmer(items: Labelled) -> Scored:
    """Validated model error rate: errors that a human confirmed, over all examples, in per cent.

    The rate of Wallace et al. 2022 and Dynabench. Examples that nobody validated stay in the
    denominator, those counted by `unvalidated` included, so `per_item` averages to it only without them.
    """
    assert items.validated is not None
    errors = (items.gold != items.predicted) & items.validated
    examples = len(errors) + items.unvalidated
    parts = {"errors": float(errors.sum()), "examples": float(examples)}
    rows = np.column_stack([errors, np.ones(len(errors))])

    def value_of(sums: Floats) -> float:
        return 100.0 * float(sums[0]) / (float(sums[1]) + items.unvalidated)

    value = 100.0 * float(errors.sum()) / examples
    return Scored(value, 100.0 * errors, parts, influence_of_sums(rows, value_of))
