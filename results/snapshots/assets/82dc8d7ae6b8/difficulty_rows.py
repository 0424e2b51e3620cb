"""What a ranking by difficulty says of one model: value, accuracies, splits, and what ties may change.

One of the modules behind `evaluator.rank.difficulty`; standard library only.
"""

from __future__ import annotations

import functools
import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.rank.difficulty_order import (
    CONFIDENCE,
    DIGITS,
    DifficultyQuestion,
    Division,
    Order,
    Sums,
    between,
    clipped,
    continuous,
    inverses,
    pieces_of,
    split_ends,
    weigh,
)

#: Factors count in parts of this, as whole numbers: their sums do not depend on the order.
PARTS = 10**9


@dataclass(frozen=True)
class ModelAnswers:
    """A model's answers: 1 where one is right, else 0; its confidence in each, 0 to 1, None if not given.

    An answer that is no label is wrong and keeps its confidence.
    """

    right: list[int]
    confidence: list[float | None]
    _sums: dict[tuple[Any, ...], tuple[Sums, Sums]] = field(default_factory=dict, repr=False)
    _rights: dict[tuple[Order, bool], Sums] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, record: Mapping[str, Any], gold: Sequence[str], merge: Mapping[str, str]) -> ModelAnswers:
        """From a plain `PredictionSet`; `gold` are the labels, and `merge` is as in `Examples`."""
        predicted, names = record["predicted"], record.get("labels", [])
        merged = [merge.get(name, name) for name in names]
        right = [int(at >= 0 and merged[at] == label) for at, label in zip(predicted, gold, strict=True)]
        return cls(right, list(record.get("exact_confidence") or [None] * len(predicted)))

    @functools.cached_property
    def marks(self) -> str:
        """Its answers in a row of 1 and 0."""
        return "".join(map(str, self.right))

    @functools.cached_property
    def correct(self) -> int:
        """How many of its answers are right."""
        return sum(self.right)

    @functools.cached_property
    def confident(self) -> int:
        """How many of its answers have a confidence."""
        return sum(value is not None for value in self.confidence)

    @functools.cached_property
    def right_with_confidence(self) -> list[int]:
        """1 where an answer is right and has a confidence: without one it counts as wrong."""
        pairs = zip(self.right, self.confidence, strict=True)
        return [right if value is not None else 0 for right, value in pairs]

    def counted(self, question: DifficultyQuestion) -> list[int]:
        """1 where an answer counts as right."""
        return self.right_with_confidence if question.uses_confidence else self.right

    def absent(self, question: DifficultyQuestion) -> int:
        """How many answers have no place in the model's own order, and so count as wrong beside it."""
        own = question.metric == CONFIDENCE and self.confident
        return len(self.right) - self.confident if own else 0

    def factors(self, order: Order, question: DifficultyQuestion) -> list[int]:
        """What multiplies reward and penalty along an order, in `PARTS` unless it is one."""
        if question.factor == "one":
            return [1] * len(order.rows)
        if question.factor == "difficulty":
            return [round(value * PARTS) for value in order.values]
        if question.factor == "inverse":
            return [round(value * PARTS) for value in inverses(order, question)]
        highest = 1.0 if self.confident else 0.0
        found = (self.confidence[row] for row in order.rows)
        return [round((highest if value is None else value) * PARTS) for value in found]

    def sums(self, order: Order, question: DifficultyQuestion) -> tuple[Sums, Sums]:
        """Sums of factors along an order: of the right answers, and of all. Kept, as orders do not change."""
        if question.factor == "one":
            return self.rights(order), range(len(order.rows) + 1)
        key = order, question.factor, question.uses_confidence, question.zeros, question.clip
        if key not in self._sums:
            right, factors = self.counted(question), self.factors(order, question)
            rights = [right[row] * part for row, part in zip(order.rows, factors, strict=True)]
            self._sums[key] = _accumulated(rights), _accumulated(factors)
        return self._sums[key]

    def rights(self, order: Order, confident: bool = False) -> Sums:
        """How many of the first answers along an order count and are right (and `confident`). Kept."""
        key = order, confident
        if key not in self._rights:
            right = self.right_with_confidence if confident else self.right
            counted = (0 if at in order.dropped else right[row] for at, row in enumerate(order.rows))
            self._rights[key] = _accumulated(counted)
        return self._rights[key]


def unit(question: DifficultyQuestion) -> int:
    """What a factor of 1 is in sums."""
    return 1 if question.factor == "one" else PARTS


@dataclass
class Split:
    """One split of one model: the difficulty from `low` to `high`, and what the model did there.

    `right` and `wrong` are whole numbers unless ties are shared out. `score` is the metric of the split
    alone and `accuracy` the share of right answers, in per cent; None where the split is empty.
    """

    low: float | None
    high: float | None
    examples: int
    weight: float
    right: float
    wrong: float
    score: float | None
    accuracy: float | None

    def outline(self) -> dict[str, Any]:
        """What the split has in common for all models."""
        return {name: getattr(self, name) for name in ("low", "high", "examples", "weight")}


@dataclass
class DifficultyRow:
    """One model of a ranking. `value`, `baseline`, accuracies and tie limits are in per cent.

    `accuracy` is over all examples, `accuracy_scored` over those that count here, `baseline` what `value`
    would be if these all had the weight 1. `lowest` and `highest` are over all orders of ties. Ranks, by
    accuracy too, are among the models that have a value.
    """

    model: str
    value: float | None
    accuracy: float
    accuracy_scored: float | None
    baseline: float | None
    lowest: float | None
    highest: float | None
    scored: int
    left_out: dict[str, int]
    ties: dict[str, int] = field(default_factory=lambda: {"groups": 0, "examples": 0, "rounded": 0})
    splits: list[Split] = field(default_factory=list)
    rank: int | None = None
    accuracy_rank: int | None = None
    accuracy_scored_rank: int | None = None

    def plain(self) -> dict[str, Any]:
        """The row as plain JSON data."""
        return vars(self) | {"splits": [vars(split) for split in self.splits]}

    def swaps_with(self, other: DifficultyRow) -> bool:
        """Whether it is better than the other by the metric and worse by accuracy."""
        return (self.rank or 0) < (other.rank or 0) and self.accuracy < other.accuracy


def split_row(
    question: DifficultyQuestion, model: str, answers: ModelAnswers, order: Order, division: Division
) -> DifficultyRow:
    """The row of a model whose examples are divided into splits."""
    rights, (shares, wholes) = answers.rights(order), answers.sums(order, question)
    parts = [between(pieces, shares) for pieces in division.pieces]
    totals = [between(pieces, wholes) for pieces in division.pieces]
    total = weigh(division.weights, totals) + _absent_weight(question, answers)
    value = question.score(weigh(division.weights, parts), total)
    row = _row(question, model, answers, order, value)
    if division.groups:
        row.lowest, row.highest = tie_limits(question, division, rights, shares, wholes, total)
    tied = [size for group in division.groups if (size := order.counted(*group))]
    row.ties = {"groups": len(tied), "examples": sum(tied), "rounded": 0}
    for at, (pieces, part, whole) in enumerate(zip(division.pieces, parts, totals, strict=True)):
        right, score = between(pieces, rights), question.score(part, whole)
        row.splits.append(_split(question, order, division, at, right, score))
    return row


def tie_limits(
    question: DifficultyQuestion, division: Division, rights: Sums, shares: Sums, wholes: Sums, total: float
) -> tuple[float | None, float | None]:
    """The least and the greatest value over all orders of the ties that boundaries run through.

    Whatever the order, a group fills the same places in the splits: the value is greatest where the right
    answers have the places that weigh most. All of a group must count alike, which confidences do not.
    """
    if question.factor == "confidence" and question.metric != CONFIDENCE:
        return None, None
    fixed: list[float] = []
    places: dict[tuple[int, int], list[tuple[float, int]]] = {group: [] for group in division.groups}
    for (low, high), weight in zip(itertools.pairwise(division.bounds), division.weights, strict=True):
        for start, end, share, size in pieces_of(low, high, division.groups):
            if size == 1:
                fixed.append(weight * (shares[end] - shares[start]))
            else:
                places[start, end].append((weight, share))
    least, most = list(fixed), list(fixed)
    for (start, end), free in places.items():
        count, unit = rights[end] - rights[start], (wholes[end] - wholes[start]) / (end - start)
        least.append(unit * _filled(count, sorted(free)))
        most.append(unit * _filled(count, sorted(free, reverse=True)))
    return question.score(math.fsum(least), total), question.score(math.fsum(most), total)


def _filled(count: int, places: Iterable[tuple[float, int]]) -> float:
    """The weight of `count` examples that take the places in the order given."""
    weight = 0.0
    for each, room in places:
        taken = min(count, room)
        weight += each * taken
        count -= taken
    return weight


def continuous_row(
    question: DifficultyQuestion, model: str, answers: ModelAnswers, order: Order
) -> DifficultyRow:
    """The row of a model whose examples have a weight each."""
    counted, factors = answers.counted(question), answers.factors(order, question)
    amounts = [weight * factor for weight, factor in zip(continuous(order, question), factors, strict=True)]
    right = math.fsum(amount for amount, at in zip(amounts, order.rows, strict=True) if counted[at])
    value = question.score(right, math.fsum(amounts) + _absent_weight(question, answers))
    return _row(question, model, answers, order, value)


def _absent_weight(question: DifficultyQuestion, answers: ModelAnswers) -> float:
    return answers.absent(question) * question.highest_weight * unit(question)


def _row(
    question: DifficultyQuestion,
    model: str,
    answers: ModelAnswers,
    order: Order,
    value: float | None,
) -> DifficultyRow:
    """What does not depend on the kind of splits."""
    examples, zeros = len(answers.right), len(order.dropped)
    scored = len(order.rows) - zeros + answers.absent(question)
    right = answers.rights(order, question.uses_confidence)[-1]
    return DifficultyRow(
        model=model,
        value=value,
        accuracy=per_cent(answers.correct, examples) or 0.0,
        accuracy_scored=per_cent(right, scored),
        baseline=question.score(right, scored),
        lowest=value,
        highest=value,
        scored=scored,
        left_out={
            "no_difficulty": examples - scored - zeros,
            "zero": zeros,
            "clipped": clipped(order, question),
        },
    )


def _split(
    question: DifficultyQuestion,
    order: Order,
    division: Division,
    at: int,
    right: float,
    score: float | None,
) -> Split:
    start, end = division.bounds[at], division.bounds[at + 1]
    low, high = split_ends(question, order, at, start, end)
    examples, weight = order.counted(start, end), division.weights[at]
    return Split(low, high, examples, weight, right, examples - right, score, per_cent(right, examples))


def per_cent(part: float, whole: float) -> float | None:
    """`part` of `whole` in per cent, rounded; None where there is no whole."""
    return round(100.0 * part / whole, DIGITS) if whole else None


def _accumulated(values: Iterable[int]) -> list[int]:
    return list(itertools.accumulate(values, initial=0))


def most_moved(weights: Sequence[float], question: DifficultyQuestion) -> float:
    """By how much one example can move a value at most, times their number; 0 where there is no value."""
    (reward, penalty), total = question.terms, math.fsum(weights)
    apart = 100.0 * (reward - penalty) / (reward or -penalty)
    return apart * len(weights) * max(weights, default=0.0) / total if total else 0.0


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """Ranks of values, the greatest first; equal ones share a rank, None has none."""
    ordered = sorted(-value for value in values if value is not None)
    return [None if value is None else bisect_left(ordered, -value) + 1 for value in values]


def influence(
    weights: Sequence[float], counted: Sequence[int], question: DifficultyQuestion
) -> list[float] | None:
    """By how much each example moves a value: n times its derivative by how often the example counts.

    They add up to 0; the sum of their squares over n^2 is about the variance of the value. `counted` has 1
    where an answer counts as right. None where there is no value.
    """
    (reward, penalty), total = question.terms, math.fsum(weights)
    value = question.score(math.fsum(itertools.compress(weights, counted)), total)
    if value is None:
        return None
    right, wrong = (100.0 * term / (reward or -penalty) for term in (reward, penalty))
    scale = len(weights) / total
    pairs = zip(weights, counted, strict=True)
    return [scale * weight * ((right if one else wrong) - value) for weight, one in pairs]
