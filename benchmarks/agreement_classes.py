"""Metrics over labels and probabilities, against scikit-learn and scipy."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from agreement_kinds import Comparison, Values
from scipy.spatial.distance import jensenshannon
from sklearn import metrics as sklearn

from evaluator.records.errors import UserError
from evaluator.score.metrics import report

LABELS = ("a", "b", "c")


@dataclass(frozen=True)
class Items:
    """Gold labels, answers and probabilities of some examples, and what annotators said of them."""

    gold: list[int]
    said: list[int]
    shares: list[list[float]]
    judged: list[list[float]]


def draw(chance: random.Random) -> Items:
    size = chance.randint(3, 40)
    gold = [0, 1, 2, *(chance.randrange(3) for _ in range(size - 3))]
    said = [chance.choice((one, chance.randrange(3))) for one in gold]
    return Items(gold, said, [_shares(chance) for _ in gold], [_shares(chance) for _ in gold])


def _shares(chance: random.Random) -> list[float]:
    parts = [chance.choice((0, 1, chance.randint(1, 9))) for _ in LABELS]
    parts[chance.randrange(3)] += 1
    return [part / sum(parts) for part in parts]


SURE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
EVEN = [[1 / 3, 1 / 3, 1 / 3]] * 3
NASTY = (
    Items([0, 1, 2], [0, 1, 2], SURE, SURE),
    Items([0, 1, 2], [1, 2, 0], SURE, EVEN),
    Items([0, 1, 2], [0, 0, 0], EVEN, SURE),
)


def _ours(name: str, items: Items) -> Values:
    given: dict[str, Any] = {"labels": LABELS, "probabilities": items.shares, "distributions": items.judged}
    try:
        return [report(items.said, items.gold, "classification", [name], **given).scores[name].value]
    except UserError:
        return [None]


def _calibration(items: Items) -> float:
    """Fifteen bins, open below and closed above, a bin at a time."""
    total = 0.0
    for low, high in ((at / 15, (at + 1) / 15) for at in range(15)):
        pairs = zip(items.gold, items.shares, strict=True)
        inside = [(gold == shares.index(max(shares)), max(shares)) for gold, shares in pairs]
        total += abs(math.fsum(right - sure for right, sure in inside if low < sure <= high))
    return 100 * total / len(items.gold)


def _macro(measure: Callable[..., float], items: Items) -> float:
    options: dict[str, Any] = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
    return 100 * float(measure(items.gold, items.said, **options))


def _js(items: Items) -> float:
    pairs = zip(items.shares, items.judged, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.mean([np.nan_to_num(jensenshannon(p, q, base=2)) ** 2 for p, q in pairs]))


def _compared(name: str, reference: str, theirs: Callable[[Items], float]) -> Comparison:
    return Comparison(
        f"`{name}`", reference, draw, NASTY, lambda items: _ours(name, items), lambda items: [theirs(items)]
    )


#: Answered and right sets of labels.
Sets = list[tuple[list[int], list[int]]]


def draw_sets(chance: random.Random) -> Sets:
    return [(_set(chance), _set(chance)) for _ in range(chance.randint(1, 20))]


def _set(chance: random.Random) -> list[int]:
    return chance.sample(range(3), chance.randint(0, 3))


NASTY_SETS: tuple[Sets, ...] = ([([], [])], [([0], []), ([], [1])], [([0, 1, 2], [2, 1, 0]), ([], [])])


def _several(name: str, theirs: Callable[[Any, Any], float]) -> Comparison:
    def ours(items: Sets) -> Values:
        said, gold = zip(*items, strict=True)
        return [report(said, gold, "multi-label", [name], labels=LABELS).scores[name].value]

    def reference(items: Sets) -> Values:
        columns = zip(*items, strict=True)
        said, gold = (np.array([[one in row for one in range(3)] for row in rows]) for rows in columns)
        return [100 * theirs(gold, said)]

    return Comparison(f"`{name}`, several labels", "scikit-learn", draw_sets, NASTY_SETS, ours, reference)


def _average(average: str) -> Callable[[Any, Any], float]:
    def f1(gold: Any, said: Any) -> float:
        occurring = np.flatnonzero((gold | said).any(axis=0)).tolist()
        labels = occurring if average == "macro" else None
        return (
            sklearn.f1_score(gold, said, labels=labels, average=average, zero_division=0)
            if occurring
            else 0.0
        )

    return f1


CLASSES = (
    _compared("accuracy", "scikit-learn", lambda one: 100 * sklearn.accuracy_score(one.gold, one.said)),
    _compared("macro-f1", "scikit-learn", lambda one: _macro(sklearn.f1_score, one)),
    _compared("mcc", "scikit-learn", lambda one: sklearn.matthews_corrcoef(one.gold, one.said)),
    _compared(
        "auroc",
        "scikit-learn",
        lambda one: 100 * sklearn.roc_auc_score(one.gold, one.shares, multi_class="ovr", average="macro"),
    ),
    _compared(
        "brier",
        "scikit-learn",
        lambda one: sklearn.brier_score_loss(one.gold, one.shares, labels=[0, 1, 2], scale_by_half=False),
    ),
    _compared("calibration-error", "its definition, written out", _calibration),
    _compared("js-divergence", "scipy, squared", _js),
    _several("accuracy", sklearn.accuracy_score),
    _several("macro-f1", _average("macro")),
    _several("micro-f1", _average("micro")),
    _several("samples-f1", _average("samples")),
)
