"""What the annotators' own responses say: their shares, and how well a human would do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from evaluator.score.metrics.averages import average
from evaluator.score.metrics.base import Floats, MetricError, Scored
from evaluator.score.metrics.classification import accuracy
from evaluator.score.metrics.labelled import Labelled, labelled

#: Two-sided 95 % of a standard normal distribution.
Z_95 = NormalDist().inv_cdf(0.975)
MEASURES: dict[str, Callable[[Labelled], Scored]] = {
    "accuracy": accuracy,
    "precision": average("precision", "macro"),
    "recall": average("recall", "macro"),
    "f1": average("f1", "macro"),
}


@dataclass(frozen=True)
class HumanPerformance:
    """Human performance in per cent, averaged over `annotators` synthetic annotators of `examples` examples.

    `precision`, `recall` and `f1` are macro averages over `labels`; `per_class_f1` is by label. `intervals`
    has the 95 % interval of each of the four, by the name of the field: other examples from the same source.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    per_class_f1: dict[str, float]
    annotators: int
    examples: int
    intervals: dict[str, tuple[float, float]]


def human_performance(
    votes: Sequence[Sequence[str]], gold: Sequence[str], labels: Sequence[str], seed: int = 0
) -> HumanPerformance:
    """Human performance from synthetic annotators, as DynaSent estimates it (Potts et al. 2021, section 4).

    The responses to each example are shuffled, each example by a generator of its own seeded with
    `seed` and the example's number; the j-th responses together are annotator j, scored against
    `gold`. A response that is no label ("mixed") is wrong. Where examples have unequal numbers of
    responses there are as many annotators as the fewest; the shuffle picks whose responses they get.
    """
    if len(votes) != len(gold):
        raise MetricError(f"votes: {len(votes)} for {len(gold)} gold labels")
    annotators = min((len(each) for each in votes), default=0)
    if not annotators:
        empty = next((number for number, each in enumerate(votes) if not each), None)
        raise MetricError("votes: no examples" if empty is None else f"votes[{empty}]: nobody responded")
    shuffled = [_shuffled(each, seed, number) for number, each in enumerate(votes)]
    scored = [labelled([row[j] for row in shuffled], gold, labels) for j in range(annotators)]
    per_class = np.mean([100.0 * items.counts.shares("f1") for items in scored], axis=0)
    found = {name: _averaged([measure(items) for items in scored]) for name, measure in MEASURES.items()}
    return HumanPerformance(
        **{name: value for name, (value, _) in found.items()},
        per_class_f1=dict(zip(labels, per_class.tolist(), strict=True)),
        annotators=annotators,
        examples=len(gold),
        intervals={name: interval for name, (_, interval) in found.items()},
    )


def _averaged(scored: Sequence[Scored]) -> tuple[float, tuple[float, float]]:
    """The mean of the annotators' values, and its 95 % interval within 0 and 100.

    An example moves the mean by the mean of its influence values, as the annotators answer the same examples.
    """
    value = float(np.mean([one.value for one in scored]))
    moved = np.mean([one.influences() for one in scored if one.influences], axis=0)
    reach = Z_95 * math.sqrt(float(moved @ moved) / (len(moved) * max(1, len(moved) - 1)))
    return value, (max(0.0, value - reach), min(100.0, value + reach))


def _shuffled(responses: Sequence[str], seed: int, number: int) -> list[str]:
    return random.Random(f"{seed}/{number}").sample(list(responses), len(responses))


def label_shares(votes: Sequence[str], labels: Sequence[str]) -> Floats:
    """Each label's share of one example's responses (k,), over the responses that are labels.

    They sum to one, or are NaN where no response is a label.
    """
    counts = np.array([sum(vote == label for vote in votes) for label in labels], dtype=np.float64)
    return counts / counts.sum() if counts.any() else np.full(len(labels), np.nan)
