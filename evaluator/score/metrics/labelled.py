"""The inputs of classification metrics, checked once and shared by all metrics of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.score.metrics.averages import ConfusionCounts
from evaluator.score.metrics.base import Floats, Integers, MetricError


@dataclass(frozen=True, eq=False)
class Labelled:
    """n items with k `labels`: indices into them, `gold` (n,) and `predicted` (n,; -1: no valid answer).

    `probabilities` (n, k) are a model's, `distributions` (n, k) the annotators'; a row of NaN means
    none was given. `validated` (n,) says which items a human confirmed, and `unvalidated` how many
    further items nobody did.
    """

    labels: tuple[str, ...]
    gold: Integers
    predicted: Integers
    probabilities: Floats | None = None
    distributions: Floats | None = None
    validated: npt.NDArray[np.bool_] | None = None
    unvalidated: int = 0

    @cached_property
    def confusion(self) -> Integers:
        """Items by gold label (k rows) and predicted label (k + 1 columns, the first for no valid answer)."""
        width = len(self.labels) + 1
        cells = np.bincount(self.gold * width + self.predicted + 1, minlength=len(self.labels) * width)
        return cells.reshape(len(self.labels), width).astype(np.int64)

    @cached_property
    def counts(self) -> ConfusionCounts:
        """Right, predicted and gold items of each label."""
        valid = self.confusion[:, 1:]
        return ConfusionCounts(self.labels, np.diagonal(valid), valid.sum(axis=0), self.confusion.sum(axis=1))

    @cached_property
    def count_rows(self) -> Integers:
        """The same of each item (n, 3 k), one after the other."""
        names = np.arange(len(self.labels))
        gold, predicted = self.gold[:, None] == names, self.predicted[:, None] == names
        return np.hstack([gold & predicted, predicted, gold]).astype(np.int64)


def labelled(
    predictions: Any,
    references: Any,
    labels: Sequence[str] | None,
    probabilities: Any = None,
    distributions: Any = None,
    validated: Any = None,
    unvalidated: int = 0,
) -> Labelled:
    """The checked inputs; labels may be strings or indices, and are taken from the data if not given."""
    if labels is None:
        labels = _found_labels(predictions, references)
    names = tuple(labels)
    if len(set(names)) != len(names):
        raise MetricError(f"labels: {list(names)} names a label twice")
    predicted, gold = _indices(predictions, names), _indices(references, names)
    _check_indices(gold, predicted, references, predictions, names)
    if unvalidated < 0:
        raise MetricError(f"unvalidated: {unvalidated} is less than nothing")
    return Labelled(
        names,
        gold,
        predicted,
        _shares("probabilities", probabilities, len(gold), names),
        _shares("distributions", distributions, len(gold), names),
        _flags(validated, len(gold)),
        unvalidated,
    )


def _found_labels(predictions: Any, references: Any) -> list[str]:
    found = {label for column in (predictions, references) for label in _distinct(column)}
    if all(isinstance(label, str) for label in found):
        return sorted(found)
    if not all(isinstance(label, int | np.integer) for label in found):
        raise MetricError("predictions and references: some are strings, others numbers; give one kind")
    return [str(number) for number in range(int(max(found, default=-1)) + 1)]


def _distinct(column: Any) -> set[Any]:
    if isinstance(column, np.ndarray) and column.dtype != object:
        return set(np.unique(column).tolist())
    return set(column) - {None}


def _indices(column: Any, labels: tuple[str, ...]) -> Integers:
    """Indices into `labels`; -1 for None and for anything that is not a label."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return column.astype(np.int64, copy=False)
    values = column.tolist() if isinstance(column, np.ndarray) else column
    index: dict[Any, int] = {label: number for number, label in enumerate(labels)}
    index |= {number: number for number in range(len(labels))}
    try:
        return np.fromiter(map(index.get, values, repeat(-1)), dtype=np.int64, count=len(values))
    except TypeError:
        raise MetricError(
            "predictions and references: not all are labels (strings or whole numbers) or None"
        ) from None


def _check_indices(
    gold: Integers, predicted: Integers, references: Any, predictions: Any, labels: tuple[str, ...]
) -> None:
    if len(gold) != len(predicted):
        raise MetricError(f"{len(predicted)} predictions for {len(gold)} gold labels")
    if not len(gold):
        raise MetricError("no examples to score")
    for name, column, given, least in (
        ("references", gold, references, 0),
        ("predictions", predicted, predictions, -1),
    ):
        if column.min() < least or column.max() >= len(labels):
            first = int(np.flatnonzero((column < least) | (column >= len(labels)))[0])
            raise MetricError(f"{name}[{first}]: {given[first]!r} is none of {', '.join(labels)}")


def _shares(name: str, rows: Any, items: int, labels: tuple[str, ...]) -> Floats | None:
    """Rows of shares that sum to one, or are all NaN."""
    if rows is None:
        return None
    try:
        shares = np.asarray(rows, dtype=np.float64)
    except (ValueError, TypeError):
        raise MetricError(f"{name}: not {items} rows of {len(labels)} numbers each") from None
    if shares.shape != (items, len(labels)):
        raise MetricError(
            f"{name}: shape {shares.shape} where {items} items and {len(labels)} labels need "
            f"{(items, len(labels))}"
        )
    given = ~np.isnan(shares).all(axis=1)
    good = (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1) < 1e-3)
    if not good[given].all():
        row = int(np.flatnonzero(given & ~good)[0])
        raise MetricError(f"{name}[{row}]: {shares[row].tolist()} are not shares that sum to one")
    return shares


def _flags(validated: Any, items: int) -> npt.NDArray[np.bool_] | None:
    if validated is None:
        return None
    flags = np.asarray(validated, dtype=np.bool_)
    if flags.shape != (items,):
        raise MetricError(f"validated: {flags.size} flags for {items} items")
    return flags
