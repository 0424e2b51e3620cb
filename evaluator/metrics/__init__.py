"""The metric registry: what is computed from gold labels and predictions.

Scores are in per cent. A prediction of -1 stands for an answer that was not valid: it is wrong, and
never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Metric:
    """A metric by name; `version` changes whenever its numbers would."""

    name: str
    label: str
    version: str
    compute: Callable[[Labels, Labels], float]
    unit: str = "%"


class MetricError(ValueError):
    """A metric that does not exist, or gold labels and predictions that do not belong together."""


def accuracy(gold: Labels, predicted: Labels) -> float:
    """Share of predictions equal to the gold label, in per cent."""
    return 100.0 * float(np.mean(gold == predicted))


def macro_f1(gold: Labels, predicted: Labels) -> float:
    """Unweighted mean of the labels' F1, in per cent.

    Averaged over the labels that occur in the gold labels or the valid predictions, as scikit-learn's
    ``f1_score(average="macro")`` does; a label never predicted right has F1 0.
    """
    labels = np.union1d(gold, predicted[predicted >= 0])
    return 100.0 * float(np.mean([_f1(gold == label, predicted == label) for label in labels]))


def _f1(gold: npt.NDArray[np.bool_], predicted: npt.NDArray[np.bool_]) -> float:
    both = int(np.sum(gold & predicted))
    return 2.0 * both / (int(np.sum(gold)) + int(np.sum(predicted)))


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "Accuracy", "accuracy-1", accuracy),
        Metric("macro-f1", "Macro-F1", "macro-f1-1", macro_f1),
    )
}


def get_metric(name: str) -> Metric:
    """The metric called `name`. Raises `MetricError` naming those that exist."""
    if name not in METRICS:
        raise MetricError(f"metric: {name!r} is none of {', '.join(METRICS)}")
    return METRICS[name]


def compute(name: str, gold: Sequence[int], predicted: Sequence[int]) -> float:
    """One metric over label indices (-1: no valid answer), in its unit. Raises `MetricError`."""
    metric = get_metric(name)
    if len(gold) != len(predicted):
        raise MetricError(f"{name}: {len(predicted)} predictions for {len(gold)} gold labels")
    if not gold:
        raise MetricError(f"{name}: no examples to score")
    return metric.compute(np.asarray(gold, dtype=np.int64), np.asarray(predicted, dtype=np.int64))
