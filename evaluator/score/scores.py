"""Scores from predictions and gold labels, and what else a result says however it came about."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator import __version__
from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task
from evaluator.records.base import parts
from evaluator.records.measurement import percent_off
from evaluator.records.references import DatasetRef, PredictionSet
from evaluator.records.result import Failure, Result, Score, TagScores
from evaluator.score import answers
from evaluator.score.metrics import Report, Value, definition, names_for, report
from evaluator.score.metrics.annotators import label_shares
from evaluator.score.metrics.wordless import wordless
from evaluator.score.runs import Runs

#: Reasons to leave an example out that say people could not confirm a label for it.
NOT_VALIDATED = ("mixed", "no majority", "no gold label")
#: A tag with more values than this names examples rather than groups of them.
MOST_VALUES = 100


#: What metrics are computed from: columns of `report`, an entry an example. Labels are indices into the
#: *gold* labels: where these are coarser than what models answer, answers and their probabilities have been
#: merged (`Dataset.merge`). What a dataset or a model does not have is not there.
Inputs = dict[str, Any]


def _only(inputs: Inputs, rows: npt.NDArray[np.int64]) -> Inputs:
    """The same for some of the examples."""
    return {name: column[rows] for name, column in inputs.items()}


def score(
    dataset: Dataset,
    predictions: PredictionSet,
    names: Sequence[str] | None = None,
    rows: Sequence[int] | None = None,
) -> dict[str, Score]:
    """The task's metrics, or those named, as far as there is what they need; over all examples, or `rows`.

    Of several trials of each example, a score is the mean over those of each trial.

    Raises `evaluator.records.errors.UserError`, also where a package that a metric needs is missing.
    """
    chosen = names if names is not None else metric_names(dataset, predictions)
    trials = [_scores(dataset, run, chosen, rows) for run in predictions.runs()]
    if len(trials) == 1:
        return trials[0]
    return {
        name: first.model_copy(
            update={"value": mean_of_trials([one[name].value for one in trials]), "threshold": None}
        )
        for name, first in trials[0].items()
    }


def _scores(
    dataset: Dataset, run: PredictionSet, chosen: Sequence[str], rows: Sequence[int] | None
) -> dict[str, Score]:
    """Of one trial."""
    inputs = _inputs(dataset, run)
    if rows is not None:
        inputs = _only(inputs, np.array(rows))
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


def mean_of_trials(values: Sequence[float]) -> float:
    """The mean of a number over trials; that number where all are the same."""
    return values[0] if len({*values}) == 1 else math.fsum(values) / len(values)


def _column_of_trials(columns: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The same of a number an example."""
    first = columns[0]
    if all(np.array_equal(first, one) for one in columns):
        return first
    return np.array(
        [mean_of_trials(values) for values in zip(*(one.tolist() for one in columns), strict=True)]
    )


def word_notes(dataset: Dataset, predictions: PredictionSet, names: Iterable[str]) -> list[str]:
    """A line for those metrics whose tokenisers find no words in answers, or in right answers."""
    if get_task(dataset.task).answer != "text":
        return []
    gold = [text for one in dataset.gold for text in ([one] if isinstance(one, str) else one)]
    said = [text for run in predictions.runs() for text in answers.texts(dataset, run)]
    return list(wordless([*map(str, said), *gold], names))


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
    """Which examples' predicted labels are right, of one trial; an invalid answer is not."""
    inputs = _inputs(dataset, predictions)
    return np.asarray(inputs["predictions"] == inputs["references"])


def scores_by_example(dataset: Dataset, predictions: PredictionSet) -> dict[str, list[float]]:
    """For answers in words, those of the task's metrics that score an example on its own, as shares of 1."""
    names = [name for name in metric_names(dataset, predictions) if definition(name).unit == "%"]
    found = values_by_example(dataset, predictions, names)
    return {name: (values / 100).tolist() for name, values in found.items()}


def values_by_example(
    dataset: Dataset, predictions: PredictionSet, names: Sequence[str]
) -> dict[str, npt.NDArray[np.float64]]:
    """Those of the metrics `names` that score an example on its own: each example's value, in their units.

    It is the mean over the example's trials. Raises `evaluator.records.errors.UserError`.
    """
    trials = [_values(dataset, run, names) for run in predictions.runs()]
    return {name: _column_of_trials([one[name] for one in trials]) for name in trials[0]}


def trial_values(dataset: Dataset, predictions: PredictionSet, name: str) -> npt.NDArray[np.float64] | None:
    """The value of each trial (examples, trials) by a metric; None where it scores no example on its own.

    Raises `evaluator.records.errors.UserError`.
    """
    found = [_values(dataset, run, [name]).get(name) for run in predictions.runs()]
    known = [one for one in found if one is not None]
    return np.stack(known, axis=1) if len(known) == len(found) else None


def _values(dataset: Dataset, run: PredictionSet, names: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Of one trial."""
    found = _report(dataset, _inputs(dataset, run), names).scores
    return {name: value.per_item for name, value in found.items() if value.per_item is not None}


def with_scores(dataset: Dataset, predictions: PredictionSet, show_gold: bool) -> PredictionSet:
    """`predictions` with the scores of each answer in words, if `show_gold`; without any, if not."""
    if not show_gold or get_task(dataset.task).answer == "label":
        return predictions.model_copy(update={"scores": None})
    trials = [scores_by_example(dataset, run) for run in predictions.runs()]
    scores = {
        name: tuple(
            parts(min(1.0, value), predictions.resolution)
            for shares in zip(*(one[name] for one in trials), strict=True)
            for value in shares
        )
        for name in trials[0]
    }
    return predictions.model_copy(update={"scores": scores or None})


#: From the independent unit that each example is of (n,), by how much a number may be too high on average.
Bias = Callable[[npt.NDArray[np.int64]], float]


@dataclass(frozen=True, eq=False)
class Influence:
    """By how much each example moves a metric (n,), in its unit; `right` (n,) where it is 0 or 1.

    `bias` and `sides` are those of `Scored`; `runs` says how it differs over several trials.
    """

    moved: npt.NDArray[np.float64]
    right: npt.NDArray[np.int64] | None
    bias: Bias | None = None
    sides: tuple[npt.NDArray[np.bool_], ...] = ()
    runs: Runs | None = None


def influences(
    dataset: Dataset, predictions: PredictionSet, names: Sequence[str]
) -> dict[str, Influence | None]:
    """The influence values of metrics that dataset and predictions have what they need for.

    None for a metric that does not say. Several trials of an example are no further examples: it moves the
    mean over trials by the mean of what it moves each by. Raises `evaluator.records.errors.UserError`.
    """
    trials = [_report(dataset, _inputs(dataset, run), names).scores for run in predictions.runs()]
    return {name: _influence(name, [one[name] for one in trials]) for name in trials[0]}


def _influence(name: str, trials: Sequence[Value]) -> Influence | None:
    """Of a metric, from its value of each trial."""
    moved = [one.influence() for one in trials if one.influence]
    if len(moved) < len(trials):
        return None
    columns, right = [one.per_item for one in trials if one.per_item is not None], None
    if len(columns) == len(trials) and definition(name).better == "higher":
        each = _column_of_trials(columns)
        value = mean_of_trials([one.value for one in trials])
        if np.isin(each, (0.0, 100.0)).all() and abs(each.mean() - value) < 1e-9:
            # The value is the share of examples that are right.
            right = (each > 0).astype(np.int64)
    biases = [one.bias for one in trials if one.bias]
    # As many of each trial's items are of either side: sides are of the right answers.
    by_run = np.stack([one.value + each for one, each in zip(trials, moved, strict=True)], axis=1)
    return Influence(
        _column_of_trials(moved),
        right,
        _mean_bias(biases) if biases else None,
        trials[0].sides,
        Runs.of(by_run),
    )


def _mean_bias(biases: Sequence[Bias]) -> Bias:
    """By how much the mean over trials may be too high: by the mean of what each trial may be."""
    return lambda units: mean_of_trials([bias(units) for bias in biases])


def score_tags(dataset: Dataset, predictions: PredictionSet) -> dict[str, dict[str, TagScores]]:
    """Scores of the examples with each value of each tag: for labels accuracy and, where the examples
    have every label, macro-F1; for texts the task's first two metrics."""
    found = tag_rows(dataset)
    if not found:
        return {}
    trials = [_inputs(dataset, run) for run in predictions.runs()]
    return {
        tag: {
            value: _mean_tag_scores([_tag_scores(dataset, _only(inputs, rows)) for inputs in trials])
            for value, rows in groups.items()
        }
        for tag, groups in found.items()
    }


def _mean_tag_scores(trials: Sequence[TagScores]) -> TagScores:
    first = trials[0]
    scores = {name: mean_of_trials([one.scores[name] for one in trials]) for name in first.scores}
    return first.model_copy(update={"scores": scores})


def tag_rows(dataset: Dataset) -> dict[str, dict[str, npt.NDArray[np.int64]]]:
    """Rows by tag and value; without tags that do not divide the examples, or divide them too finely."""
    rows: dict[str, dict[str, list[int]]] = {}
    for row, tags in enumerate(dataset.tags):
        for tag, value in tags.items():
            rows.setdefault(tag, {}).setdefault(value, []).append(row)
    return {
        tag: {value: np.array(found[value]) for value in sorted(found)}
        for tag, found in sorted(rows.items())
        if len(found) <= MOST_VALUES and list(map(len, found.values())) != [len(dataset.examples)]
    }


def _tag_scores(dataset: Dataset, inputs: Inputs) -> TagScores:
    task = get_task(dataset.task)
    # The mean F1 of labels that do not occur says nothing.
    whole = task.answer == "label" and len(np.unique(inputs["references"])) == len(dataset.gold_labels)
    names = task.metrics[:2] if task.answer == "text" else ("accuracy", "macro-f1")[: 1 + whole]
    found = _report(dataset, inputs, names).scores
    values = {name: value.value for name, value in found.items()}
    return TagScores(examples=len(inputs["references"]), scores=values)


def _report(dataset: Dataset, inputs: Inputs, names: Sequence[str]) -> Report:
    return report(
        task=get_task(dataset.task).kind,
        metrics=names,
        labels=dataset.gold_labels or None,
        unvalidated=sum(dataset.dropped.get(reason, 0) for reason in NOT_VALIDATED),
        **inputs,
    )


def _inputs(dataset: Dataset, predictions: PredictionSet) -> Inputs:
    task = get_task(dataset.task)
    if task.answer == "text":
        found: Inputs = {
            "predictions": np.array(answers.texts(dataset, predictions), dtype=object),
            "references": _objects(dataset.gold),
        }
        if predictions.no_answer is not None:
            found["no_answer"] = np.array(predictions.no_answer)
        if dataset.has_inputs:
            asked = ["\n".join(example[field] for field in task.fields) for example in dataset.examples]
            found["sources"] = _objects(asked)
        return found
    # For each label that a model may answer, the index of the gold label that it counts as.
    merged = [dataset.gold_labels.index(dataset.merge.get(label, label)) for label in dataset.labels]
    places = {label: place for place, label in enumerate(dataset.gold_labels)}
    found = {
        "predictions": np.array([*merged, -1])[np.array(predictions.predicted)],
        "references": np.array([places[label] for label in dataset.gold], dtype=np.int64),
    }
    shares = answers.probabilities(predictions)
    if shares is not None:
        width = len(dataset.gold_labels)
        found["probabilities"] = shares if merged == list(range(width)) else shares @ np.eye(width)[merged]
    if dataset.has_votes:  # what shares of the annotators chose each gold label
        votes = [label_shares(each, dataset.gold_labels) for each in dataset.votes]
        found["distributions"] = np.array(votes)
    if dataset.validated:
        found["validated"] = np.array(dataset.validated)
    return found


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
    """``accuracy 81.55 %, throughput 1122 examples/s ±3.2 %``: every score, to four significant digits."""
    timed = result.measurement
    off = f" {percent_off(timed.known_within)}" if timed and timed.known_within is not None else ""
    found = {name: (score.value, score.unit) for name, score in result.scores.items()}
    parts = (
        f"{name} {value:{'.4g' if 1e-6 <= abs(value) < 10_000 else '.0f'}} {unit}".rstrip()
        + (off if name == "throughput" else "")
        for name, (value, unit) in found.items()
    )
    return ", ".join(parts)


def timing_words(result: Result) -> str:
    """That the timing cannot be believed, or is by the clock alone; nothing where all is well."""
    timed = result.measurement
    if timed is None:
        return ""
    doubt = "" if timed.noise.verdict == "ok" else f"; timing {timed.noise.verdict}"
    return doubt + ("; by the clock alone" if timed.on_the_clock else "")


def lost_line(suite: str) -> str:
    """That a result has lost a suite as its answers are others now, and what to do."""
    return (
        f"  {suite} was about other answers, and is gone; import answers to its variants again, with --suite"
    )


def failure_line(failure: Failure) -> str:
    """How many answers were none, why, and where first. Ids and messages may hold any characters."""
    ids = ", ".join(failure.first_ids)
    return f"  {failure.count} {failure.kind}, counted as wrong: {failure.message} (first: {ids})"
