"""What a ranking by difficulty says of one model: value, accuracies, splits, and what ties may change.

One of the modules behind `evaluator.difficulty`; standard library only.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.difficulty_order import (
    DIGITS,
    DifficultyQuestion,
    Division,
    Order,
    Sums,
    between,
    continuous,
    split_ends,
    tie_limits,
    weigh,
)

#: Factors count in parts of this, as whole numbers: their sums do not depend on the order.
PARTS = 10**9


@dataclass(frozen=True)
class ModelAnswers:
    """A model's answers: 1 where one is right, else 0; its confidence in each, 0 to 1, None if not given."""

    right: list[int]
    confidence: list[float | None]
    _sums: dict[tuple[Order, str], tuple[Sums, Sums]] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, record: Mapping[str, Any], gold: Sequence[str], merge: Mapping[str, str]) -> ModelAnswers:
        """From a plain `PredictionSet`; `gold` are the labels, and `merge` is as in `Examples`."""
        predicted, names = record["predicted"], record.get("labels", [])
        merged = [merge.get(name, name) for name in names]
        right = [int(at >= 0 and merged[at] == label) for at, label in zip(predicted, gold, strict=True)]
        return cls(right, _confidences(record, predicted, names))

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

    def factors(self, order: Order, factor: str) -> list[int]:
        """What multiplies reward and penalty along an order, in `PARTS` unless it is one."""
        if factor == "one":
            return [1] * len(order.rows)
        if factor == "difficulty":
            return [round(value * PARTS) for value in order.values]
        return [round((self.confidence[row] or 0.0) * PARTS) for row in order.rows]

    def sums(self, order: Order, factor: str) -> tuple[Sums, Sums]:
        """Sums of factors along an order: of the right answers, and of all. Kept, as orders do not change."""
        known = self._sums.get((order, factor))
        if known is None:
            factors = self.factors(order, factor)
            rights = [self.right[row] * part for row, part in zip(order.rows, factors, strict=True)]
            total = range(len(order.rows) + 1) if factor == "one" else _accumulated(factors)
            known = self._sums[order, factor] = _accumulated(rights), total
        return known


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
    ties: dict[str, int] = field(default_factory=lambda: {"groups": 0, "examples": 0})
    splits: list[Split] = field(default_factory=list)
    rank: int | None = None
    accuracy_rank: int | None = None
    accuracy_scored_rank: int | None = None

    def plain(self) -> dict[str, Any]:
        """The row as plain JSON data."""
        return vars(self) | {"splits": [vars(split) for split in self.splits]}


def split_row(
    question: DifficultyQuestion, model: str, answers: ModelAnswers, order: Order, division: Division
) -> DifficultyRow:
    """The row of a model whose examples are divided into splits."""
    rights, _ = answers.sums(order, "one")
    shares, wholes = answers.sums(order, question.factor)
    parts = [between(pieces, shares) for pieces in division.pieces]
    totals = [between(pieces, wholes) for pieces in division.pieces]
    total = weigh(division.weights, totals)
    value = question.score(weigh(division.weights, parts), total)
    row = _row(question, model, answers, order, rights, value)
    if division.groups:
        row.lowest, row.highest = tie_limits(question, division, rights, shares, wholes, total)
    tied = sum(end - start for start, end in division.groups)
    row.ties = {"groups": len(division.groups), "examples": tied}
    for at, (pieces, part, whole) in enumerate(zip(division.pieces, parts, totals, strict=True)):
        right, score = between(pieces, rights), question.score(part, whole)
        row.splits.append(_split(question, order, division, at, right, score))
    return row


def continuous_row(
    question: DifficultyQuestion, model: str, answers: ModelAnswers, order: Order
) -> DifficultyRow:
    """The row of a model whose examples have a weight each."""
    rights, _ = answers.sums(order, "one")
    weights, left_out = continuous(order, question)
    factors = answers.factors(order, question.factor)[: len(weights)]
    amounts = [weight * factor for weight, factor in zip(weights, factors, strict=True)]
    right = math.fsum(amount for amount, at in zip(amounts, order.rows, strict=False) if answers.right[at])
    value = question.score(right, math.fsum(amounts))
    row = _row(question, model, answers, order, rights[: len(weights) + 1], value)
    row.left_out |= left_out
    return row


def _row(
    question: DifficultyQuestion,
    model: str,
    answers: ModelAnswers,
    order: Order,
    rights: Sums,
    value: float | None,
) -> DifficultyRow:
    """What does not depend on the kind of splits; `rights` are of the examples that count."""
    examples, scored = len(answers.right), len(rights) - 1
    return DifficultyRow(
        model=model,
        value=value,
        accuracy=per_cent(answers.correct, examples) or 0.0,
        accuracy_scored=per_cent(rights[-1], scored),
        baseline=question.score(rights[-1], scored),
        lowest=value,
        highest=value,
        scored=scored,
        left_out={"no_difficulty": examples - len(order.rows), "zero": 0, "clipped": 0},
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
    examples, weight = end - start, division.weights[at]
    return Split(low, high, examples, weight, right, examples - right, score, per_cent(right, examples))


def per_cent(part: float, whole: float) -> float | None:
    """`part` of `whole` in per cent, rounded; None where there is no whole."""
    return round(100.0 * part / whole, DIGITS) if whole else None


def _accumulated(values: Iterable[int]) -> list[int]:
    return list(itertools.accumulate(values, initial=0))


def _confidences(
    record: Mapping[str, Any], predicted: Sequence[int], names: Sequence[str]
) -> list[float | None]:
    """A model's confidence in each of its answers, in [0, 1]; None where it gives none."""
    whole = record["resolution"]
    if record.get("confidence") is not None:
        return [None if part is None else part / whole for part in record["confidence"]]
    columns = record.get("probabilities")
    if not columns:
        return [None] * len(predicted)
    shares = [columns[name] for name in names if name in columns]
    return [_share(parts, at, whole) for at, parts in zip(predicted, zip(*shares, strict=True), strict=True)]


def _share(parts: Sequence[int | None], at: int, whole: int) -> float | None:
    """The probability of the answer; the last label's is what remains beside the others."""
    known = [part for part in parts if part is not None]
    if at < 0 or len(known) < len(parts):
        return None
    return (parts[at] if at < len(parts) else max(0, whole - sum(known))) / whole  # type: ignore[operator]
