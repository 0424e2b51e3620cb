"""Scores from predictions and gold labels, and what else a result says however it came about."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator import __version__
from evaluator.data.datasets import Dataset
from evaluator.data.tasks import FieldError, Prediction, get_task
from evaluator.data.tasks.answers import stated_confidence
from evaluator.records.predictions import PredictionSet
from evaluator.records.references import DatasetRef
from evaluator.records.result import Failure, Result, Score, TagScores
from evaluator.score import columns
from evaluator.score.metrics import Report, Value, definition, names_for, report
from evaluator.score.metrics.annotators import label_shares

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


#: Reasons to leave an example out that say people could not confirm a label for it.
NOT_VALIDATED = ("mixed", "no majority", "no gold label")
#: A tag with more values than this names examples rather than groups of them.
MOST_VALUES = 100


@dataclass(frozen=True)
class Inputs:
    """What metrics are computed from, one entry an example; None where a dataset or model has none.

    Labels are indices into the *gold* labels: where these are coarser than what models answer, answers
    and their probabilities have been merged (`Dataset.merge`).
    """

    predictions: Any
    references: Any
    probabilities: npt.NDArray[np.float64] | None = None
    distributions: npt.NDArray[np.float64] | None = None
    validated: npt.NDArray[np.bool_] | None = None
    sources: npt.NDArray[np.object_] | None = None
    no_answer: npt.NDArray[np.float64] | None = None

    def only(self, rows: npt.NDArray[np.int64]) -> Inputs:
        """The same for some of the examples."""
        return Inputs(*(None if column is None else column[rows] for column in vars(self).values()))


def score(
    dataset: Dataset,
    predictions: PredictionSet,
    names: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
) -> dict[str, Score]:
    """The task's metrics, or those named, as far as there is what they need; over all examples, or `rows`.

    Raises `evaluator.records.errors.UserError`, also where a package that a metric needs is missing.
    """
    inputs = _inputs(dataset, predictions)
    if rows is not None:
        inputs = inputs.only(np.array(rows))
    chosen = names if names is not None else metric_names(dataset, predictions)
    found = _report(dataset, inputs, chosen)
    return {
        name: Score(
            value=value.value,
            unit=value.unit,
            version=value.version,
            threshold=value.parts.get("threshold"),
        )
        for name, value in found.scores.items()
    }


def metric_names(dataset: Dataset, predictions: PredictionSet, requested: Sequence[str] = ()) -> list[str]:
    """The task's metrics, canonical first, and those of the registry that are `requested`, as far as
    dataset and predictions have what they need."""
    present = {
        "probabilities": predictions.probabilities is not None,
        "distributions": dataset.has_votes,
        "validated": bool(dataset.validated),
        "sources": dataset.has_inputs,
        "no_answer": predictions.no_answer is not None,
        "unanswerable": dataset.both_kinds,
    }
    task = get_task(dataset.task)
    known = names_for(task.kind)
    names = dict.fromkeys((*task.metrics, *(name for name in requested if name in known)))
    return [name for name in names if all(present[need] for need in definition(name).needs)]


def correct(dataset: Dataset, predictions: PredictionSet) -> npt.NDArray[np.bool_]:
    """Which examples' predicted labels are right; an invalid answer is not."""
    inputs = _inputs(dataset, predictions)
    return np.asarray(inputs.predictions == inputs.references)


def scores_by_example(dataset: Dataset, predictions: PredictionSet) -> dict[str, list[float]]:
    """For answers in words, those of the task's metrics that score an example on its own, as shares of 1."""
    names = [name for name in metric_names(dataset, predictions) if definition(name).unit == "%"]
    found = values_by_example(dataset, predictions, names)
    return {name: (values / 100).tolist() for name, values in found.items()}


def values_by_example(
    dataset: Dataset, predictions: PredictionSet, names: Sequence[str]
) -> dict[str, npt.NDArray[np.float64]]:
    """Those of the metrics `names` that score an example on its own: each example's value, in their units.

    Raises `evaluator.records.errors.UserError`.
    """
    found = _report(dataset, _inputs(dataset, predictions), names).scores
    return {name: value.per_item for name, value in found.items() if value.per_item is not None}


@dataclass(frozen=True, eq=False)
class Influence:
    """By how much each example moves a metric (n,), in its unit; `right` (n,) where it is 0 or 1."""

    moved: npt.NDArray[np.float64]
    right: npt.NDArray[np.int64] | None


def influences(
    dataset: Dataset, predictions: PredictionSet, names: Sequence[str]
) -> dict[str, Influence | None]:
    """The influence values of metrics that dataset and predictions have what they need for.

    None for a metric that does not say. Raises `evaluator.records.errors.UserError`.
    """
    found = _report(dataset, _inputs(dataset, predictions), names).scores
    return {
        name: Influence(value.influence(), _right(name, value)) if value.influence else None
        for name, value in found.items()
    }


def _right(name: str, value: Value) -> npt.NDArray[np.int64] | None:
    """Where an example is right, if the value is the share of those that are."""
    each = value.per_item
    if each is None or definition(name).better == "lower" or not np.isin(each, (0.0, 100.0)).all():
        return None
    return (each > 0).astype(np.int64) if abs(each.mean() - value.value) < 1e-9 else None


def score_tags(dataset: Dataset, predictions: PredictionSet) -> dict[str, dict[str, TagScores]]:
    """Scores of the examples with each value of each tag: for labels accuracy and, where the examples
    have every label, macro-F1; for texts the task's first two metrics."""
    found = _groups(dataset)
    if not found:
        return {}
    inputs = _inputs(dataset, predictions)
    return {
        tag: {value: _tag_scores(dataset, inputs.only(rows)) for value, rows in groups.items()}
        for tag, groups in found.items()
    }


def _groups(dataset: Dataset) -> dict[str, dict[str, npt.NDArray[np.int64]]]:
    """Rows by tag and value; without tags that do not divide the examples, or divide them too finely."""
    rows: dict[str, dict[str, list[int]]] = {}
    for row, tags in enumerate(dataset.tags):
        for tag, value in tags.items():
            rows.setdefault(tag, {}).setdefault(value, []).append(row)
    return {
        tag: {value: np.array(found[value]) for value in sorted(found)}
        for tag, found in sorted(rows.items())
        if len(found) <= MOST_VALUES and not _is_whole(found, len(dataset.examples))
    }


def _is_whole(found: Mapping[str, list[int]], examples: int) -> bool:
    return len(found) == 1 and len(next(iter(found.values()))) == examples


def _tag_scores(dataset: Dataset, inputs: Inputs) -> TagScores:
    found = _report(dataset, inputs, _tag_metrics(dataset, inputs)).scores
    return TagScores(
        examples=len(inputs.references), scores={name: value.value for name, value in found.items()}
    )


def _tag_metrics(dataset: Dataset, inputs: Inputs) -> tuple[str, ...]:
    """The mean F1 of labels that do not occur says nothing."""
    task = get_task(dataset.task)
    if task.answer == "text":
        return task.metrics[:2]
    whole = len(np.unique(inputs.references)) == len(dataset.gold_labels)
    return ("accuracy", "macro-f1") if whole else ("accuracy",)


def _report(dataset: Dataset, inputs: Inputs, names: Sequence[str]) -> Report:
    return report(
        inputs.predictions,
        inputs.references,
        get_task(dataset.task).kind,
        names,
        labels=dataset.gold_labels or None,
        probabilities=inputs.probabilities,
        distributions=inputs.distributions,
        validated=inputs.validated,
        sources=inputs.sources,
        no_answer=inputs.no_answer,
        unvalidated=sum(dataset.dropped.get(reason, 0) for reason in NOT_VALIDATED),
    )


def _inputs(dataset: Dataset, predictions: PredictionSet) -> Inputs:
    if get_task(dataset.task).answer == "text":
        answers = np.array(columns.texts(dataset, predictions), dtype=object)
        no_answer = None if predictions.no_answer is None else np.array(predictions.no_answer)
        return Inputs(answers, _objects(dataset.gold), no_answer=no_answer, sources=_sources(dataset))
    merged = _merged(dataset)
    predicted = np.array([*merged, -1])[np.array(predictions.predicted)]
    places = {label: place for place, label in enumerate(dataset.gold_labels)}
    gold = np.fromiter(map(places.__getitem__, dataset.gold), np.int64, len(dataset.gold))
    return Inputs(
        predicted,
        gold,
        _merged_shares(columns.probabilities(predictions), merged, len(dataset.gold_labels)),
        # What shares of the annotators chose each gold label, where every example keeps their responses.
        np.array([label_shares(votes, dataset.gold_labels) for votes in dataset.votes])
        if dataset.has_votes
        else None,
        np.array(dataset.validated) if dataset.validated else None,
    )


def _sources(dataset: Dataset) -> npt.NDArray[np.object_] | None:
    """What each example asks about, where the dataset holds it."""
    fields = get_task(dataset.task).fields
    if not dataset.has_inputs:
        return None
    return _objects(["\n".join(example[field] for field in fields) for example in dataset.examples])


def _merged(dataset: Dataset) -> list[int]:
    """For each label a model may answer, the index of the gold label it counts as."""
    return [dataset.gold_labels.index(dataset.merge.get(label, label)) for label in dataset.labels]


def _merged_shares(
    shares: npt.NDArray[np.float64] | None, merged: Sequence[int], width: int
) -> npt.NDArray[np.float64] | None:
    if shares is None or list(merged) == list(range(width)):
        return shares
    return shares @ np.eye(width)[list(merged)]


def _objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    """An array of tuples, which NumPy would otherwise take for another dimension."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


TOOL = f"steelyard {__version__}"


def dataset_ref(dataset: Dataset) -> DatasetRef:
    """What a result says of its dataset."""
    return DatasetRef(
        id=dataset.id,
        revision=dataset.revision,
        examples=len(dataset.examples),
        skipped=len(dataset.skipped),
        dropped=dict(dataset.dropped),
    )


def failures_of(dataset: Dataset, failures: Iterable[tuple[str, str] | None]) -> list[Failure]:
    """The failures, one or None an example, grouped by kind: the first message and the first few examples."""
    found: dict[str, tuple[str, list[str]]] = {}
    for id_, failure in zip(dataset.ids, failures, strict=True):
        if failure:
            kind, message = failure
            found.setdefault(kind, (message, []))[1].append(id_)
    return [
        Failure(kind=kind, message=message, count=len(ids), first_ids=tuple(ids[:5]))
        for kind, (message, ids) in sorted(found.items())
    ]


def now() -> str:
    """The time in UTC, from the clock unless SOURCE_DATE_EPOCH is set."""
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now_after(old: Result | None) -> str:
    """The time in UTC, once it is not that of `old`: two results of one second look like one that was edited.

    A time given by SOURCE_DATE_EPOCH stands still, and is not waited for.
    """
    while old is not None and now() == old.created and "SOURCE_DATE_EPOCH" not in os.environ:
        time.sleep(0.05)
    return now()


def scores_line(result: Result) -> str:
    """``accuracy 81.55 %, throughput 1122 examples/s``: every score, to four significant digits."""
    parts = (f"{name} {_rounded(score.value)} {score.unit}" for name, score in result.scores.items())
    return ", ".join(map(str.rstrip, parts))


def lost_line(suite: str) -> str:
    """That a result has lost a suite as its answers are others now, and what to do."""
    return (
        f"  {suite} was about other answers, and is gone; import answers to its variants again, with --suite"
    )


def failure_line(failure: Failure) -> str:
    """How many answers were none, why, and where first. Ids and messages may hold any characters."""
    ids = ", ".join(failure.first_ids)
    return f"  {failure.count} {failure.kind}, counted as wrong: {failure.message} (first: {ids})"


def _rounded(value: float) -> str:
    """Four significant digits, without an exponent."""
    return f"{value:.4g}" if 0.001 <= abs(value) < 10_000 else f"{value:.0f}"
