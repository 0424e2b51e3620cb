"""Answers laid out as the columns of a `PredictionSet`, and read back from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import Prediction, get_task
from evaluator.data.tasks.quoting import quote, unquote
from evaluator.records.base import parts
from evaluator.records.canonical import digest
from evaluator.records.predictions import PredictionSet

#: Probabilities of models run here: a few bytes an example, in git for ever. Confidences are kept as given.
THOUSANDTHS = 1_000
#: Predictions made elsewhere, which cannot be made again in more detail.
MILLIONTHS = 1_000_000


def resolution_for(dataset: Dataset) -> int:
    """How fine the probabilities of models run here are kept: finer where they meet a distribution.

    The logarithm of a small probability matters there; elsewhere files stay small.
    """
    return MILLIONTHS if dataset.has_votes else THOUSANDTHS


class AnswerColumns:
    """Answers laid out as columns as they come, in any order; an example for which none comes has none.

    Columns are arrays, in which -1 and NaN stand for nothing: a million numbers take 8 MB, as objects 32.
    """

    def __init__(self, dataset: Dataset, resolution: int) -> None:
        examples, task = len(dataset.examples), get_task(dataset.task)
        self.dataset, self.resolution, self.fields = dataset, resolution, task.fields
        self.in_words = task.answer == "text"
        self.sure = np.full(examples, np.nan)
        self.labels = np.full(0 if self.in_words else examples, -1, dtype=np.int64)
        self.pieces: list[Any] = [None] * examples if self.in_words else []
        self.shares: dict[str, npt.NDArray[np.int64]] = {}

    def put(self, row: int, answer: Prediction) -> None:
        """Take what was answered to the example in a row of the dataset."""
        label, confidence, shares, text = answer
        if shares is not None:
            self._put_shares([row], np.array([_row(shares, self.resolution)]))
            # How sure a model is of its own answer is what it says, else its probability.
            confidence = shares[label] if confidence is None else confidence
        self.sure[row] = math.nan if confidence is None else confidence
        if not self.in_words:
            self.labels[row] = label
        elif text is not None:
            self.pieces[row] = quote(text, _source(self.fields, self.dataset.examples[row]))

    def put_all(
        self,
        rows: Sequence[int],
        labels: npt.NDArray[np.int64],
        confidences: npt.NDArray[np.float64],
        shares: npt.NDArray[np.float64] | None,
    ) -> None:
        """Take the labels that were answered in some rows, all at once: NaN stands for no confidence.

        `shares` has the probabilities of the labels (rows, labels), if there are any.
        """
        if shares is not None:
            self._put_shares(rows, _rows(shares, self.resolution))
            own = shares[np.arange(len(rows)), labels]
            confidences = np.where(np.isnan(confidences), own, confidences)
        self.sure[rows] = confidences
        self.labels[rows] = labels

    def _put_shares(self, rows: Sequence[int], shares: npt.NDArray[np.int64]) -> None:
        if not self.shares:
            empty = np.full(len(self.sure), -1, dtype=np.int64)
            self.shares = {label: empty.copy() for label in self.dataset.labels[:-1]}
        for column, share in zip(self.shares.values(), shares.T, strict=True):
            column[rows] = share

    def prediction_set(self, model: str) -> PredictionSet:
        """All answers, as those of a model."""
        common: dict[str, Any] = {
            "task": self.dataset.task,
            "model": model,
            "dataset": self.dataset.id,
            "dataset_revision": self.dataset.revision,
            "ids_sha256": digest(self.dataset.ids),
            "labels": self.dataset.labels,
            "resolution": self.resolution,
            "exact_confidence": None if np.isnan(self.sure).all() else _known(self.sure),
        }
        if self.in_words:
            return PredictionSet(**common, quoted=self.fields, answers=tuple(self.pieces))
        columns = {label: _known(column) for label, column in self.shares.items()}
        return PredictionSet(**common, predicted=tuple(self.labels.tolist()), probabilities=columns or None)


def _known(column: npt.NDArray[Any]) -> tuple[Any, ...]:
    """The numbers of a column, None where it has none: -1 and NaN, neither of which is 0 or more."""
    if (column >= 0).all():
        return tuple(column.tolist())
    return tuple(value if value >= 0 else None for value in column.tolist())


def prediction_set(
    dataset: Dataset, model: str, answers: Sequence[Prediction], resolution: int
) -> PredictionSet:
    """`answers`, one an example in the dataset's order, as columns."""
    columns = AnswerColumns(dataset, resolution)
    for row, answer in enumerate(answers):
        columns.put(row, answer)
    return columns.prediction_set(model)


def _source(fields: Sequence[str], example: Mapping[str, Any]) -> str:
    """What an answer in words may quote: all that the model was shown."""
    return "\n".join(example[field] for field in fields)


def texts(dataset: Dataset, predictions: PredictionSet) -> list[str | None]:
    """The answers of a task that asks for texts, read back; None where there is none."""
    pairs = zip(predictions.answers or (), dataset.examples, strict=True)
    return [
        None if pieces is None else unquote(pieces, _source(predictions.quoted, example))
        for pieces, example in pairs
    ]


def answers_of(dataset: Dataset, predictions: PredictionSet) -> list[tuple[int, str | None]]:
    """What was said of each example: the index of a label, or -1 and a text; -1 and None where nothing."""
    if get_task(dataset.task).answer == "text":
        return [(-1, text) for text in texts(dataset, predictions)]
    return [(label, None) for label in predictions.predicted or ()]


def probabilities(predictions: PredictionSet) -> npt.NDArray[np.float64] | None:
    """Examples x labels, each row summing to 1; a row of NaN where a model gave none; None without any."""
    if predictions.probabilities is None:
        return None
    known = [predictions.probabilities[label] for label in predictions.labels[:-1]]
    shares = np.array(known, dtype=np.float64).T / predictions.resolution
    rows = np.column_stack([shares, 1.0 - shares.sum(axis=1)])
    return rows.clip(0.0, out=rows)


def _row(shares: tuple[float, ...], resolution: int) -> tuple[int, ...]:
    """Probabilities of all labels but the last in parts of `resolution`; the last one's is the rest.

    Differences of rounded running totals, so that they never add up to more than the whole.
    """
    total = math.fsum(shares)
    if len(shares) == 2:  # as most are
        return (parts(min(1.0, shares[0] / total), resolution),)
    ends = range(len(shares))
    marks = [parts(min(1.0, math.fsum(shares[:end]) / total), resolution) for end in ends]
    return tuple(after - before for before, after in itertools.pairwise(marks))


def _rows(shares: npt.NDArray[np.float64], resolution: int) -> npt.NDArray[np.int64]:
    """The same for many rows."""
    if shares.shape[1] != 2:
        return np.array([_row(row, resolution) for row in map(tuple, shares.tolist())])
    first = shares[:, 0] / shares.sum(axis=1)
    counts: npt.NDArray[np.int64] = np.rint(np.minimum(1.0, first) * resolution).astype(np.int64)
    return counts[:, np.newaxis]
