"""Metrics over gold and predicted labels, one an item or several; ours, defined as scikit-learn's.

The inputs are checked once and shared by all metrics of a report. Averages of precision, recall and F1 have
``zero_division=0``: macro is the unweighted mean over the classes that occur in gold or predictions,
weighted weighs them by their gold items, micro pools the counts. An answer that is no class counts against
recall of its gold class and, belonging to no class, against no precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Literal

import numpy as np

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import (
    Flags,
    Floats,
    Integers,
    Metric,
    Scored,
    check_pairs,
    influence_of_sums,
    mean_of,
)

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
    validated: Flags | None = None
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
    names = _names(labels, lambda: {*_distinct(predictions), *_distinct(references)})
    predicted, gold = _indices(predictions, names), _indices(references, names)
    _check_indices(gold, predicted, references, predictions, names)
    if unvalidated < 0:
        raise UserError("unvalidated", f"{unvalidated} is less than nothing")
    return Labelled(
        names,
        gold,
        predicted,
        _shares("probabilities", probabilities, len(gold), names),
        _shares("distributions", distributions, len(gold), names),
        _flags(validated, len(gold)),
        unvalidated,
    )


def _names(labels: Sequence[str] | None, found: Callable[[], set[Any]]) -> tuple[str, ...]:
    """The labels as given, else those `found` in the data: words in their order, or numbers from 0."""
    if labels is not None:
        if len(set(labels)) != len(labels):
            raise UserError("labels", f"{list(labels)} names a label twice")
        return tuple(labels)
    known = found()
    if all(isinstance(label, str) for label in known):
        return tuple(sorted(known))
    if not all(isinstance(label, int | np.integer) for label in known):
        raise UserError("predictions and references", "some are strings, others numbers", "give one kind")
    return tuple(str(number) for number in range(int(max(known)) + 1))


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
        raise UserError(
            "predictions and references", "not all are labels (strings or whole numbers) or None"
        ) from None


def _check_indices(
    gold: Integers, predicted: Integers, references: Any, predictions: Any, labels: tuple[str, ...]
) -> None:
    check_pairs(predicted, gold)
    for name, column, given, least in (
        ("references", gold, references, 0),
        ("predictions", predicted, predictions, -1),
    ):
        if column.min() < least or column.max() >= len(labels):
            first = int(np.flatnonzero((column < least) | (column >= len(labels)))[0])
            raise UserError(f"{name}[{first}]", f"{given[first]!r} is none of {', '.join(labels)}")


def _shares(name: str, rows: Any, items: int, labels: tuple[str, ...]) -> Floats | None:
    """Rows of shares that sum to one, or are all NaN."""
    if rows is None:
        return None
    try:
        shares = np.asarray(rows, dtype=np.float64)
    except (ValueError, TypeError):
        raise UserError(name, f"not {items} rows of {len(labels)} numbers each") from None
    if shares.shape != (items, len(labels)):
        need = f"{items} items and {len(labels)} labels need {(items, len(labels))}"
        raise UserError(name, f"shape {shares.shape} where {need}")
    given = ~np.isnan(shares).all(axis=1)
    good = (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1) < 1e-3)
    if not good[given].all():
        row = int(np.flatnonzero(given & ~good)[0])
        raise UserError(f"{name}[{row}]", f"{shares[row].tolist()} are not shares that sum to one")
    return shares


def _flags(validated: Any, items: int) -> Flags | None:
    if validated is None:
        return None
    flags = np.asarray(validated, dtype=np.bool_)
    if flags.shape != (items,):
        raise UserError("validated", f"{flags.size} flags for {items} items")
    return flags


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
    check_pairs(predictions, references)
    predicted = [None if row is None else _row("predictions", i, row) for i, row in enumerate(predictions)]
    gold = [_row("references", i, row) for i, row in enumerate(references)]
    names = _names(labels, lambda: {label for row in (*gold, *predicted) for label in row or ()})
    places: dict[Any, int] = {name: place for place, name in enumerate(names)}
    places |= {place: place for place in range(len(names))}
    for number, row in enumerate(gold):
        if unknown := [label for label in row if label not in places]:
            raise UserError(f"references[{number}]", f"{unknown[0]!r} is none of {', '.join(names)}")
    valid = [row is not None and all(label in places for label in row) for row in predicted]
    answered = [row or [] for row in predicted]
    return MultiLabelled(names, _table(gold, places, names), _table(answered, places, names), np.array(valid))


def _row(name: str, number: int, row: Any) -> list[Any]:
    """One item's labels."""
    given = row.tolist() if isinstance(row, np.ndarray) else row
    if not isinstance(given, list | tuple | set | frozenset):
        raise UserError(f"{name}[{number}]", f"{row!r} is no list of labels")
    if not all(isinstance(label, str | int) for label in given):
        raise UserError(f"{name}[{number}]", f"{row!r} has something that is neither a string nor a number")
    return list(given)


def _table(rows: Sequence[Sequence[Any]], places: dict[Any, int], names: Sequence[str]) -> Flags:
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


METRICS = (
    Metric(
        "mcc",
        "MCC",
        "mcc-1",
        {"classification": mcc},
        unit="",
        width=2.0,
        description="Matthews' correlation coefficient, for any number of labels, -1 to 1",
    ),
    Metric(
        "vmer",
        "Validated model error rate",
        "vmer-1",
        {"classification": vmer},
        better="lower",
        needs=("validated",),
        description="share of all examples on which the model errs and people confirmed the label",
    ),
)
