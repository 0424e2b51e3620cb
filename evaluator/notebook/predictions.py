"""What a model answered to each example of a dataset: a stored model, or a function of the notebook.

A function is asked, checked and scored in this very process. That is quick and proves less than ``steelyard
evaluate``, which runs a model apart from the right answers, without a network, and takes its time and memory.
Here a function can look at whatever it likes, and nothing is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task, show
from evaluator.notebook import markup
from evaluator.records.datasets import Examples
from evaluator.records.references import PredictionSet
from evaluator.records.result import Failure, Score, TagScores
from evaluator.score.answers import (
    MILLIONTHS,
    Entry,
    checked_entry,
    failures_of,
    prediction_set,
    probabilities,
    texts,
)
from evaluator.score.examples import dataset_of
from evaluator.score.judges import Verdicts
from evaluator.score.means import by_example, by_trial
from evaluator.score.scores import (
    correct,
    metric_names,
    score,
    score_tags,
    scores_by_example,
    values_by_example,
)

CAUTION = (
    "Scored in this process: nothing was timed, and nothing kept the function from the right answers."
    " steelyard evaluate does both."
)


@dataclass(frozen=True)
class ModelPredictions:
    """A model's answers: `predictions` as they are stored, and `examples` as far as they may be published."""

    predictions: PredictionSet
    examples: Examples | None

    def to_pandas(self, dataset: Dataset | None = None) -> pd.DataFrame:
        """One row an example, in the dataset's order.

        ``id`` is the example's. For labels: ``predicted`` (missing: no valid answer), ``confidence`` and
        ``probability/LABEL`` from 0 to 1 where the model gave them, ``gold`` and ``correct`` where the right
        answers may be published. For texts: ``answer``, missing where it quotes a text that is not published,
        and ``METRIC (%)`` where the right answers may be. ``text`` and ``tag/NAME`` where texts may be. For
        values in place of answers: ``METRIC``, missing where there is none, the mean over the trials where
        there are several, and then ``METRIC/1`` and so on, too.

        Of a model that answered several times there is a row for each ``run``, counted from 1.

        `dataset`, the one that was answered, fills in all of these, and the input fields, from its own file.
        Raises ValueError for another dataset or revision.
        """
        own, kept = self.predictions, self.examples
        if own.trials > 1 and own.has_answers:
            frames = [ModelPredictions(run, kept).to_pandas(dataset) for run in own.runs()]
            for run, frame in enumerate(frames, 1):
                frame.insert(1, "run", run)
            return pd.concat(frames, ignore_index=True)
        if dataset is not None:
            answered = own.dataset, own.dataset_revision
            if (dataset.id, dataset.revision) != answered:
                fix = "read the dataset that was answered"
                raise ValueError(
                    f"dataset: {dataset.id} {dataset.revision} is not {' '.join(answered)}; {fix}"
                )
            columns = _dataset_columns(dataset)
        elif kept is not None:
            columns = {"id": kept.ids}
            columns |= {} if kept.texts is None else {"text": kept.texts}
            columns |= {f"tag/{name}": column for name, column in kept.tags.items()}
            columns |= {} if kept.gold is None else {"gold": [kept.labels[place] for place in kept.gold]}
        else:
            columns = {"id": [None] * own.examples}
        shares = None
        if own.predicted is not None:
            labels = [*own.labels, None]  # the last place is for -1, no valid answer
            columns["predicted"] = [labels[place] for place in own.predicted]
            if dataset is None and kept is not None and kept.gold is not None:
                dataset = dataset_of(kept, own.labels)
            if dataset is not None:
                columns["correct"] = correct(dataset, own)
            shares = probabilities(own)
        elif own.values is not None:
            columns |= _value_columns(own)
        else:
            columns |= self._texts(dataset)
        if own.exact_confidence is not None:
            columns["confidence"] = own.exact_confidence
        if shares is not None:
            columns |= {f"probability/{label}": shares[:, at] for at, label in enumerate(own.labels)}
        return pd.DataFrame(columns)

    def _texts(self, dataset: Dataset | None) -> dict[str, Any]:
        """The texts, and how right each is, in per cent; without a dataset those that quote nothing."""
        own = self.predictions
        scores: Mapping[str, Sequence[float]]
        if dataset is not None:
            answers, scores = texts(dataset, own), scores_by_example(dataset, own)
        else:
            answers = [
                "".join(map(str, pieces))
                if pieces is not None and all(isinstance(one, str) for one in pieces)
                else None
                for pieces in own.answers or ()
            ]
            kept = own.scores or {}
            scores = {name: [value / own.resolution for value in column] for name, column in kept.items()}
        percents = {f"{name} (%)": [100 * value for value in column] for name, column in scores.items()}
        return {"answer": answers, **percents}


def _value_columns(own: PredictionSet) -> dict[str, Any]:
    """The values of each metric, and of each trial where there are several; of a judge's, people's labels."""
    found: dict[str, Any] = {}
    for name in own.values or {}:
        trials = by_trial(own, name)
        found[name] = by_example(trials)
        if own.trials > 1:
            found |= {f"{name}/{at + 1}": trials[:, at] for at in range(own.trials)}
        if name in own.human:
            found[f"{name} (people)"] = Verdicts.stored(own, name).labels
    return found


def _dataset_columns(dataset: Dataset) -> dict[str, Any]:
    """Ids, input fields, tags and right answers of a dataset whose texts are at hand."""
    fields = get_task(dataset.task).fields if dataset.has_inputs else ()
    tags = dict.fromkeys(name for own in dataset.tags for name in own)
    return {
        "id": [example["id"] for example in dataset.examples],
        **{field: [example[field] for example in dataset.examples] for field in fields},
        **{f"tag/{name}": [own.get(name) for own in dataset.tags] for name in tags},
        **({"gold": list(dataset.gold)} if dataset.gold else {}),
    }


@dataclass(frozen=True, repr=False)
class FunctionEvaluation:
    """What a function answered to a dataset, and its scores.

    `scores` are by metric, `tags` those of the examples with each value of each tag, `values` each example's
    own by metric, in the metric's unit. `failures` are answers that are none, which count as wrong;
    `messages` has what was wrong with each example's, None where nothing was.
    """

    dataset: Dataset
    scores: dict[str, Score]
    tags: dict[str, dict[str, TagScores]]
    values: Mapping[str, npt.NDArray[np.float64]]
    failures: tuple[Failure, ...]
    messages: tuple[str | None, ...]
    predictions: ModelPredictions = field(repr=False)

    def to_pandas(self) -> pd.DataFrame:
        """One row an example: its fields, the right answer, the function's, and the scores of that.

        The columns are those of `ModelPredictions.to_pandas`, ``METRIC (UNIT)`` for each metric that scores
        an example on its own, and ``failure``, missing where the answer is one.
        """
        frame = self.predictions.to_pandas(self.dataset)
        for name, values in self.values.items():
            frame[markup.with_unit(name, self.scores[name].unit)] = values
        frame["failure"] = self.messages
        return frame

    def scores_to_pandas(self) -> pd.DataFrame:
        """One row a metric, over all examples and by tag: ``value`` in ``unit``, and ``examples``."""
        rows: list[tuple[str | None, str | None, str, float, int]] = [
            (None, None, name, one.value, len(self.dataset.examples)) for name, one in self.scores.items()
        ]
        rows += [
            (tag, value, name, number, scored.examples)
            for tag, groups in self.tags.items()
            for value, scored in groups.items()
            for name, number in scored.scores.items()
        ]
        frame = pd.DataFrame(rows, columns=["tag", "tag_value", "metric", "value", "examples"])
        frame.insert(4, "unit", [self.scores[name].unit for name in frame.metric])
        return frame

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {one.value:.2f} {one.unit}".rstrip() for name, one in self.scores.items())
        return f"<FunctionEvaluation on {self.dataset.id}: {scores}>"

    def _repr_html_(self) -> str:
        rows = [(name, markup.figure(one.value, 4), one.unit) for name, one in self.scores.items()]
        failures = [f"{one.count} of {one.kind}: {one.message}" for one in self.failures]
        caption = f"A function on {self.dataset.id}, {len(self.dataset.examples)} examples"
        return markup.table(caption, ["metric", "value", "unit"], rows, [*failures, CAUTION])


def evaluate(
    model: Callable[[dict[str, Any]], Any], dataset: Dataset, metrics: Sequence[str] = ()
) -> FunctionEvaluation:
    """Ask a function for the answer to every example of a dataset, and score what it says.

    It is called as the `predict` of a model's ``handler.py`` is: with an object of the task's input fields,
    and returns a label (or a text), or ``{"label": ..., "confidence": ..., "probabilities": {...}}``. An
    exception, or an answer that is none, is wrong and counted. Raises ValueError for a dataset without texts
    and for a function that gives no valid answer at all, and `UserError` for `metrics` of the registry that
    do not exist or do not fit.
    """
    if not dataset.has_inputs:
        raise ValueError(f"dataset: {dataset.id} has no texts to ask about; read one that has")
    entries = []
    for example in dataset.examples:
        try:
            output = model(get_task(dataset.task).inputs(example))
        except Exception as error:
            entries.append(Entry(failure=("raised", f"{type(error).__name__}: {show(str(error))}")))
        else:
            entries.append(checked_entry(dataset.task, dataset.labels, output))
    failures = failures_of(dataset, [entry.failure for entry in entries])
    if all(entry.failure for entry in entries):
        first = failures[0]
        raise ValueError(f"model: no answer is valid: {first.count} of {first.kind}, such as {first.message}")
    predictions = prediction_set(dataset, "function", [entry.answer for entry in entries], MILLIONTHS)
    names = list(dict.fromkeys([*metric_names(dataset, predictions), *metrics]))
    return FunctionEvaluation(
        dataset,
        score(dataset, predictions, names),
        score_tags(dataset, predictions),
        values_by_example(dataset, predictions, names),
        tuple(failures),
        tuple(entry.failure[1] if entry.failure else None for entry in entries),
        ModelPredictions(predictions, None),
    )
