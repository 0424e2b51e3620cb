"""What a model answered: checked, laid out as the columns of a `PredictionSet`, and read back from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import FieldError, Prediction, get_task
from evaluator.data.tasks.answers import stated_confidence
from evaluator.data.tasks.quoting import quote, unquote
from evaluator.records.base import digest, parts
from evaluator.records.references import PredictionSet
from evaluator.records.result import Failure

NO_ANSWER = Prediction()


@dataclass(frozen=True)
class Entry:
    """What became of one example: a checked answer, or (kind, message) of what went wrong.

    Then `answer` says nothing, except for how sure the model was of what is no answer, if it said so.
    """

    answer: Prediction = NO_ANSWER
    failure: tuple[str, str] | None = None


def checked_entry(
    task: str, labels: Sequence[str], output: Any, describe: Callable[[FieldError], str] = str
) -> Entry:
    """An output of a model as an entry; an invalid answer keeps its confidence.

    `describe` says what is wrong with it.
    """
    try:
        return Entry(get_task(task).check_output(output, labels))
    except FieldError as error:
        return Entry(Prediction(confidence=stated_confidence(output)), ("invalid-answer", describe(error)))


def failures_of(dataset: Dataset, failures: Iterable[tuple[str, str] | None]) -> list[Failure]:
    """The failures, grouped by kind: the first message and the first few examples. `failures` has one or
    None for each example, or for each trial of each."""
    found: dict[str, tuple[str, list[str]]] = {}
    each = list(failures)
    trials = max(1, len(each) // max(1, len(dataset.examples)))
    ids = (id_ for id_ in dataset.ids for _ in range(trials))
    for id_, failure in zip(ids, each, strict=True):
        if failure:
            kind, message = failure
            found.setdefault(kind, (message, []))[1].append(id_)
    return [
        Failure(kind=kind, message=message, count=len(ids), first_ids=tuple(dict.fromkeys(ids))[:5])
        for kind, (message, ids) in sorted(found.items())
    ]


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
    dataset: Dataset, model: str, answers: Sequence[Prediction], resolution: int, trials: int = 1
) -> PredictionSet:
    """`answers`, so many `trials` of each example in the dataset's order, as columns."""
    fields, in_words = get_task(dataset.task).fields, get_task(dataset.task).answer == "text"
    confidences: list[float | None] = []
    shares: list[tuple[int, ...] | None] = []
    for label, confidence, stated, _ in answers:
        shares.append(None if stated is None else _parts(stated, resolution))
        # How sure a model is of its own answer is what it says, else its probability.
        confidence = stated[label] if confidence is None and stated is not None else confidence
        confidences.append(None if confidence is None else float(confidence))
    common: dict[str, Any] = {
        "task": dataset.task,
        "model": model,
        "dataset": dataset.id,
        "dataset_revision": dataset.revision,
        "ids_sha256": digest(dataset.ids),
        "labels": dataset.labels,
        "resolution": resolution,
        "trials": trials,
        "exact_confidence": None if all(one is None for one in confidences) else tuple(confidences),
    }
    if in_words:
        examples = (example for example in dataset.examples for _ in range(trials))
        pairs = zip(answers, examples, strict=True)
        pieces = (
            None if answer.text is None else quote(answer.text, _source(fields, example))
            for answer, example in pairs
        )
        return PredictionSet(**common, quoted=fields, answers=tuple(pieces))
    columns = {
        label: tuple(None if row is None else row[place] for row in shares)
        for place, label in enumerate(dataset.labels[:-1])
    }
    predicted = tuple(answer.label for answer in answers)
    stated_any = any(row is not None for row in shares)
    return PredictionSet(**common, predicted=predicted, probabilities=columns if stated_any else None)


def as_trials(parts: Sequence[PredictionSet]) -> PredictionSet:
    """Predictions of the same examples by one model as so many trials of each, in the order of `parts`.

    What one part says and another does not is missing there; scores by example are left out.
    """
    count, changes = parts[0].examples, dict[str, Any]()

    def column(each: Sequence[Sequence[Any] | None]) -> tuple[Any, ...] | None:
        if all(one is None for one in each):
            return None
        filled = [
            one if one is not None else (None,) * (count * part.trials)
            for one, part in zip(each, parts, strict=True)
        ]
        return tuple(
            value
            for at in range(count)
            for one, part in zip(filled, parts, strict=True)
            for value in one[at * part.trials : (at + 1) * part.trials]
        )

    for name in ("predicted", "answers", "exact_confidence"):
        changes[name] = column([getattr(part, name) for part in parts])
    for name in ("probabilities", "values"):
        tables = [getattr(part, name) or {} for part in parts]
        keys = dict.fromkeys(key for table in tables for key in table)
        changes[name] = {key: column([table.get(key) for table in tables]) for key in keys} or None
    trials = sum(part.trials for part in parts)
    return parts[0].model_copy(update={**changes, "trials": trials, "scores": None})


def _source(fields: Sequence[str], example: Mapping[str, Any]) -> str:
    """What an answer in words may quote: all that the model was shown."""
    return "\n".join(example[field] for field in fields)


def texts(dataset: Dataset, predictions: PredictionSet) -> list[str | None]:
    """The answers of one trial of a task that asks for texts, read back; None where there is none."""
    pairs = zip(predictions.answers or (), dataset.examples, strict=True)
    return [
        None if pieces is None else unquote(pieces, _source(predictions.quoted, example))
        for pieces, example in pairs
    ]


def answers_of(dataset: Dataset, predictions: PredictionSet) -> list[tuple[int, str | None]]:
    """What was said of each example, in one trial: the index of a label, or -1 and a text; -1 and None where
    nothing."""
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


def _parts(shares: tuple[float, ...], resolution: int) -> tuple[int, ...]:
    """Probabilities of all labels but the last in parts of `resolution`; the last one's is the rest.

    Differences of rounded running totals, so that they never add up to more than the whole.
    """
    total = math.fsum(shares)
    if len(shares) == 2:  # as most are
        return (parts(min(1.0, shares[0] / total), resolution),)
    ends = range(len(shares))
    marks = [parts(min(1.0, math.fsum(shares[:end]) / total), resolution) for end in ends]
    return tuple(after - before for before, after in itertools.pairwise(marks))
