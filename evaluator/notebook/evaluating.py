"""A function of the notebook as a model: asked, checked and scored in this very process.

That is quick and proves less than ``steelyard evaluate``, which runs a model apart from the right answers,
without a network, and takes its time and memory. Here a function can look at whatever it likes, and nothing
is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import get_task, show
from evaluator.notebook import markup
from evaluator.notebook.packages import required
from evaluator.notebook.predictions import ModelPredictions
from evaluator.records.result import Failure, Score, TagScores
from evaluator.score.columns import MILLIONTHS, prediction_set
from evaluator.score.scores import (
    Entry,
    checked_entry,
    failures_of,
    metric_names,
    score,
    score_tags,
    values_by_example,
)

if TYPE_CHECKING:
    from pandas import DataFrame

#: What stands for the id of a model that has none.
FUNCTION = "function"
CAUTION = (
    "Scored in this process: nothing was timed, and nothing kept the function from the right answers."
    " steelyard evaluate does both."
)


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

    def to_pandas(self) -> DataFrame:
        """One row an example: its fields, the right answer, the function's, and the scores of that.

        The columns are those of `ModelPredictions.to_pandas`, ``METRIC (UNIT)`` for each metric that scores
        an example on its own, and ``failure``, missing where the answer is one.
        """
        frame = self.predictions.to_pandas(self.dataset)
        for name, values in self.values.items():
            frame[markup.with_unit(name, self.scores[name].unit)] = values
        frame["failure"] = self.messages
        return frame

    def scores_to_pandas(self) -> DataFrame:
        """One row a metric, over all examples and by tag: ``value`` in ``unit``, and ``examples``."""
        rows = [
            _score_row(None, None, name, one.value, one.unit, len(self.dataset.examples))
            for name, one in self.scores.items()
        ]
        rows += [
            _score_row(tag, value, name, number, self.scores[name].unit, scored.examples)
            for tag, groups in self.tags.items()
            for value, scored in groups.items()
            for name, number in scored.scores.items()
        ]
        return required("pandas").DataFrame(rows)

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {one.value:.2f} {one.unit}".rstrip() for name, one in self.scores.items())
        return f"<FunctionEvaluation on {self.dataset.id}: {scores}>"

    def _repr_html_(self) -> str:
        rows = [(name, markup.figure(one.value, 4), one.unit) for name, one in self.scores.items()]
        failures = [f"{one.count} of {one.kind}: {one.message}" for one in self.failures]
        caption = f"A function on {self.dataset.id}, {len(self.dataset.examples)} examples"
        return markup.table(caption, ["metric", "value", "unit"], rows, [*failures, CAUTION])


def _score_row(
    tag: str | None, tag_value: str | None, metric: str, value: float, unit: str, examples: int
) -> dict[str, Any]:
    return {
        "tag": tag,
        "tag_value": tag_value,
        "metric": metric,
        "value": value,
        "unit": unit,
        "examples": examples,
    }


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
