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
from evaluator.score.scores import (
    correct,
    metric_names,
    score,
    score_tags,
    scores_by_example,
    values_by_example,
)

#: What stands for the id of a model that has none.
FUNCTION = "function"
CAUTION = (
    "Scored in this process: nothing was timed, and nothing kept the function from the right answers."
    " steelyard evaluate does both."
)
#: A column of a frame, by its name.
PredictionColumns = dict[str, Any]


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
        and ``METRIC (%)`` where the right answers may be. ``text`` and ``tag/NAME`` where texts may be.

        `dataset`, the one that was answered, fills in all of these, and the input fields, from its own file.
        Raises ValueError for another dataset or revision.
        """
        if dataset is not None:
            self._check(dataset)
        known = self._from_examples() if dataset is None else dataset_columns(dataset)
        answers = self._labels(dataset) if self.predictions.predicted is not None else self._texts(dataset)
        return pd.DataFrame({**known, **answers})

    def _check(self, dataset: Dataset) -> None:
        own = self.predictions.dataset, self.predictions.dataset_revision
        if (dataset.id, dataset.revision) != own:
            fix = "read the dataset that was answered"
            raise ValueError(f"dataset: {dataset.id} {dataset.revision} is not {' '.join(own)}; {fix}")

    def _from_examples(self) -> PredictionColumns:
        """What is known without the dataset's file."""
        kept = self.examples
        if kept is None:
            return {"id": [None] * self.predictions.examples}
        found: PredictionColumns = {"id": kept.ids}
        if kept.texts is not None:
            found["text"] = kept.texts
        found |= {f"tag/{name}": column for name, column in kept.tags.items()}
        if kept.gold is not None:
            found["gold"] = [kept.labels[place] for place in kept.gold]
        return found

    def _labels(self, dataset: Dataset | None) -> PredictionColumns:
        own = self.predictions
        labels = [*own.labels, None]  # the last place is for -1, no valid answer
        found: PredictionColumns = {"predicted": [labels[place] for place in own.predicted or ()]}
        if dataset is None and self.examples is not None and self.examples.gold is not None:
            dataset = dataset_of(self.examples, own.labels)
        if dataset is not None:
            found["correct"] = correct(dataset, own)
        return found | self._confidence() | self._probabilities()

    def _confidence(self) -> PredictionColumns:
        own = self.predictions
        return {} if own.exact_confidence is None else {"confidence": own.exact_confidence}

    def _probabilities(self) -> PredictionColumns:
        shares = probabilities(self.predictions)
        if shares is None:
            return {}
        return {f"probability/{label}": shares[:, at] for at, label in enumerate(self.predictions.labels)}

    def _texts(self, dataset: Dataset | None) -> PredictionColumns:
        own = self.predictions
        answers = texts(dataset, own) if dataset is not None else self._spelt_out()
        return {"answer": answers, **self._scores(dataset), **self._confidence()}

    def _scores(self, dataset: Dataset | None) -> PredictionColumns:
        """How right each text is, in per cent, as it was kept or from the right answers."""
        own = self.predictions
        if dataset is not None:
            shares: Mapping[str, Sequence[float]] = scores_by_example(dataset, own)
        else:
            kept = own.scores or {}
            shares = {name: [value / own.resolution for value in column] for name, column in kept.items()}
        return {f"{name} (%)": [100 * value for value in column] for name, column in shares.items()}

    def _spelt_out(self) -> list[str | None]:
        """The answers that quote nothing."""
        return [
            None
            if pieces is None or any(not isinstance(one, str) for one in pieces)
            else "".join(map(str, pieces))
            for pieces in self.predictions.answers or ()
        ]


def dataset_columns(dataset: Dataset) -> PredictionColumns:
    """Ids, input fields, tags and right answers of a dataset whose texts are at hand."""
    fields = get_task(dataset.task).fields if dataset.has_inputs else ()
    tags = dict.fromkeys(name for own in dataset.tags for name in own)
    return {
        "id": [example["id"] for example in dataset.examples],
        **{field: [example[field] for example in dataset.examples] for field in fields},
        **{f"tag/{name}": [own.get(name) for own in dataset.tags] for name in tags},
        "gold": list(dataset.gold),
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
    and returns a label (or a text), or ``{"label": ..., "confidence": ..., "probabilities": {...}}``. It runs
    in this process: no time, memory or isolation is claimed. An exception, or an answer that is none, is
    wrong and counted. The scores are those of the task, and of `metrics` of the registry. Raises ValueError
    for a dataset without texts and for a function that gives no valid answer at all, and
    `evaluator.records.errors.UserError` for metrics that do not exist or do not fit.
    """
    if not dataset.has_inputs:
        raise ValueError(f"dataset: {dataset.id} has no texts to ask about; read one that has")
    entries = [_entry(model, dataset, example) for example in dataset.examples]
    failures = failures_of(dataset, [entry.failure for entry in entries])
    if all(entry.failure for entry in entries):
        first = failures[0]
        raise ValueError(f"model: no answer is valid: {first.count} of {first.kind}, such as {first.message}")
    predictions = prediction_set(dataset, FUNCTION, [entry.answer for entry in entries], MILLIONTHS)
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


def _entry(model: Callable[[dict[str, Any]], Any], dataset: Dataset, example: Mapping[str, Any]) -> Entry:
    try:
        output = model(get_task(dataset.task).inputs(example))
    except Exception as error:
        return Entry(failure=("raised", f"{type(error).__name__}: {show(str(error))}"))
    return checked_entry(dataset.task, dataset.labels, output)
