"""Items with any number of labels each: checked inputs, and metrics equal to scikit-learn's.

Averages over labels are those of single labels (`score.metrics.averages`); averages over items are here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from evaluator.score.metrics.averages import AverageMeasure, ConfusionCounts, ratio
from evaluator.score.metrics.base import Flags, Integers, MetricError, Scored, mean_of


@dataclass(frozen=True, eq=False)
class MultiLabelled:
    """n items with k `labels`: which of them are `gold` and `predicted` (n, k).

    `valid` (n,) says whose prediction is there and has nothing but labels.
    """

    labels: tuple[str, ...]
    gold: Flags
    predicted: Flags
    valid: Flags

    @cached_property
    def counts(self) -> ConfusionCounts:
        """Right, predicted and gold items of each label."""
        return ConfusionCounts.of(self.labels, self.count_rows.sum(axis=0))

    @cached_property
    def count_rows(self) -> Integers:
        """The same of each item (n, 3 k), one after the other."""
        return np.hstack([self.gold & self.predicted, self.predicted, self.gold]).astype(np.int64)


def multi_labelled(predictions: Any, references: Any, labels: Sequence[str] | None) -> MultiLabelled:
    """The checked inputs; labels are strings or indices, and taken from the data if not given."""
    if len(predictions) != len(references):
        raise MetricError(f"{len(predictions)} predictions for {len(references)} references")
    if not len(predictions):
        raise MetricError("no examples to score")
    predicted = [None if row is None else _row("predictions", i, row) for i, row in enumerate(predictions)]
    gold = [_row("references", i, row) for i, row in enumerate(references)]
    names = tuple(labels) if labels is not None else _found(gold + [row or [] for row in predicted])
    if len(set(names)) != len(names):
        raise MetricError(f"labels: {list(names)} names a label twice")
    places: dict[Any, int] = {name: place for place, name in enumerate(names)}
    places |= {place: place for place in range(len(names))}
    for number, row in enumerate(gold):
        if unknown := [label for label in row if label not in places]:
            raise MetricError(f"references[{number}]: {unknown[0]!r} is none of {', '.join(names)}")
    valid = [row is not None and all(label in places for label in row) for row in predicted]
    answered = [row or [] for row in predicted]
    return MultiLabelled(names, _flags(gold, places, names), _flags(answered, places, names), np.array(valid))


def _row(name: str, number: int, row: Any) -> list[Any]:
    """One item's labels."""
    given = row.tolist() if isinstance(row, np.ndarray) else row
    if not isinstance(given, list | tuple | set | frozenset):
        raise MetricError(f"{name}[{number}]: {row!r} is no list of labels")
    if not all(isinstance(label, str | int) for label in given):
        raise MetricError(f"{name}[{number}]: {row!r} has something that is neither a string nor a number")
    return list(given)


def _found(rows: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    found = {label for row in rows for label in row}
    if all(isinstance(label, str) for label in found):
        return tuple(sorted(found))
    if not all(isinstance(label, int) and label >= 0 for label in found):
        raise MetricError("predictions and references: some labels are strings, others numbers; give labels")
    return tuple(str(number) for number in range(max(found) + 1))


def _flags(rows: Sequence[Sequence[Any]], places: dict[Any, int], names: Sequence[str]) -> Flags:
    flags = np.zeros((len(rows), len(names)), dtype=np.bool_)
    for number, row in enumerate(rows):
        flags[number, [places[label] for label in row if label in places]] = True
    return flags


def subset_accuracy(items: MultiLabelled) -> Scored:
    """Share of items with all right labels and no other, in per cent."""
    return mean_of(100.0 * ((items.gold == items.predicted).all(axis=1) & items.valid))


def over_items(measure: AverageMeasure) -> Callable[[MultiLabelled], Scored]:
    """A metric's function: each item's own measure, averaged over items, in per cent.

    0 where it is undefined, as scikit-learn's with ``average="samples"`` and ``zero_division=0``.
    """

    def compute(items: MultiLabelled) -> Scored:
        columns = (items.gold & items.predicted, items.predicted, items.gold)
        return mean_of(100.0 * ratio(measure, *(column.sum(axis=1) for column in columns)))

    return compute
