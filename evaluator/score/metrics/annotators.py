"""What annotators' own responses say: their shares, how well a human would do, how far they agree.

Intervals are of other examples from the same source, annotated by the same people: they come from influence
values, which for agreement are found by leaving out each item in turn (Efron 1982, chapter 6).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Floats, Scored, influence_of_sums
from evaluator.score.metrics.classification import Labelled, accuracy, average, labelled

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

    `precision`, `recall` and `f1` are macro averages over labels. `intervals` has the 95 % interval of each
    of the four, by the name of the field: other examples from the same source.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
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
        raise UserError("votes", f"{len(votes)} for {len(gold)} gold labels")
    annotators = min((len(each) for each in votes), default=0)
    if not annotators:
        empty = next((number for number, each in enumerate(votes) if not each), None)
        place, why = ("votes", "no examples") if empty is None else (f"votes[{empty}]", "nobody responded")
        raise UserError(place, why)
    shuffled = [_shuffled(each, seed, number) for number, each in enumerate(votes)]
    scored = [labelled([row[j] for row in shuffled], gold, labels) for j in range(annotators)]
    found = {name: _averaged([measure(items) for items in scored]) for name, measure in MEASURES.items()}
    return HumanPerformance(
        **{name: value for name, (value, _) in found.items()},
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


@dataclass(frozen=True)
class Agreement:
    """A coefficient, 1 where all agree and 0 where they agree as by chance, and its 95 % interval.

    `items` are those with two responses or more, the only ones that say anything.
    """

    value: float
    interval: tuple[float, float]
    items: int


def krippendorff_alpha(votes: Sequence[Sequence[str]]) -> Agreement | None:
    """Krippendorff's alpha for labels without an order (Krippendorff 2011, section C); None if undefined.

    Every pair of responses to one item counts the same, also where items have unequal numbers of them. It is
    undefined where no item has two responses, or all of them are the same label.
    """
    counts = _counts(votes)
    size = counts.sum(axis=1)
    differing = (size**2 - (counts**2).sum(axis=1)) / (size - 1)
    rows = np.column_stack([differing, counts])
    value = _alpha(rows.sum(axis=0)) if len(rows) else math.nan
    if math.isnan(value):
        return None
    moved = influence_of_sums(rows, _alpha)() if len(rows) > 1 else np.full(1, math.nan)
    reach = Z_95 * math.sqrt(float(moved @ moved) / (len(rows) * max(1, len(rows) - 1)))
    # One item only, or leaving one out leaves nothing to compare: the value may be anything.
    reach = 2.0 if math.isnan(reach) else reach
    return Agreement(value, (max(-1.0, value - reach), min(1.0, value + reach)), len(rows))


def _alpha(sums: Floats) -> float:
    differing, counts = float(sums[0]), sums[1:]
    responses = counts.sum()
    by_chance = responses**2 - float((counts**2).sum())
    return float(1 - (responses - 1) * differing / by_chance) if by_chance else math.nan


def _counts(votes: Sequence[Sequence[str]]) -> Floats:
    """How often each label was given to each item that has two responses or more (n, k)."""
    labels = {label: at for at, label in enumerate(sorted({label for each in votes for label in each}))}
    several = [each for each in votes if len(each) >= 2]
    counts = np.zeros((len(several), len(labels)))
    for row, each in zip(counts, several, strict=True):
        for label in each:
            row[labels[label]] += 1
    return counts
