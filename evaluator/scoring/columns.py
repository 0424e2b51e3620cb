"""Answers laid out as the columns of a `PredictionSet`, and read back from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.datasets import Dataset
from evaluator.records import PredictionSet, digest, parts
from evaluator.tasks import Prediction, get_task
from evaluator.tasks.quoting import quote, unquote

#: Probabilities of models run here: a few bytes an example, in git for ever. Confidences are kept as given.
THOUSANDTHS = 1_000
#: Predictions made elsewhere, which cannot be made again in more detail.
MILLIONTHS = 1_000_000


def resolution_for(dataset: Dataset) -> int:
    """How fine the probabilities of models run here are kept: finer where they meet a distribution.

    The logarithm of a small probability matters there; elsewhere files stay small.
    """
    return MILLIONTHS if dataset.has_votes else THOUSANDTHS


def prediction_set(
    dataset: Dataset, model: str, answers: Sequence[Prediction], resolution: int
) -> PredictionSet:
    """`answers`, one an example in the dataset's order, as columns."""
    common: dict[str, Any] = {
        "task": dataset.task,
        "model": model,
        "dataset": dataset.id,
        "dataset_revision": dataset.revision,
        "ids_sha256": digest([example["id"] for example in dataset.examples]),
        "labels": dataset.labels,
        "resolution": resolution,
    }
    sure = _confidence(answers)
    if get_task(dataset.task).answer == "text":
        fields = get_task(dataset.task).fields
        pieces = tuple(
            None if answer.text is None else quote(answer.text, _source(fields, example))
            for answer, example in zip(answers, dataset.examples, strict=True)
        )
        return PredictionSet(**common, quoted=fields, answers=pieces, exact_confidence=sure)
    predicted = tuple(answer.label for answer in answers)
    columns = _columns(dataset.labels, answers, resolution)
    return PredictionSet(**common, predicted=predicted, exact_confidence=sure, probabilities=columns)


def _confidence(answers: Sequence[Prediction]) -> tuple[float | None, ...] | None:
    """How sure the model is of its own answer, as it says, else by its probability."""
    column = tuple(map(_own_confidence, answers))
    return column if any(value is not None for value in column) else None


def _own_confidence(answer: Prediction) -> float | None:
    if answer.confidence is not None or answer.probabilities is None:
        return answer.confidence
    return answer.probabilities[answer.label]


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
    return np.column_stack([shares, 1.0 - shares.sum(axis=1)]).clip(0.0)


def _columns(
    labels: Sequence[str], answers: Sequence[Prediction], resolution: int
) -> dict[str, tuple[int | None, ...]] | None:
    rows = [_row(answer.probabilities, resolution) for answer in answers]
    if not any(rows):
        return None
    return {
        label: tuple(row[index] if row else None for row in rows) for index, label in enumerate(labels[:-1])
    }


def _row(shares: tuple[float, ...] | None, resolution: int) -> tuple[int, ...] | None:
    """Probabilities of all labels but the last in parts of `resolution`; the last one's is the rest.

    Differences of rounded running totals, so that they never add up to more than the whole.
    """
    if shares is None:
        return None
    total = math.fsum(shares)
    ends = range(len(shares))
    marks = [parts(min(1.0, math.fsum(shares[:end]) / total), resolution) for end in ends]
    return tuple(after - before for before, after in itertools.pairwise(marks))
