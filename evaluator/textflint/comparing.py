"""Our transformations and TextFlint's on the same texts of a dataset, and how a model answers to both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluator.data.datasets import Dataset
from evaluator.data.suites.compare import BackendComparison, Labels, compare, perturb_with
from evaluator.data.suites.robustness import robustness
from evaluator.data.tasks import FieldError, get_task
from evaluator.measure.run.loading import prepared_model
from evaluator.measure.run.plan import Unit
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError
from evaluator.textflint import TextFlint
from evaluator.textflint.client import NAMES

OURS = "steelyard"


def compare_backends(
    dataset: Dataset, environment: Path, seed: int, limit: int, unit: Unit | None, models: Path
) -> list[BackendComparison]:
    """Compare on the first `limit` texts of the fields that a perturbation may touch.

    With a `unit` its model labels the texts; `models` is where prepared models are. Raises
    `evaluator.data.suites.SuiteError`, and `WorkerError` if the model cannot be asked.
    """
    places = [
        (row, name) for row in range(len(dataset.examples)) for name in get_task(dataset.task).perturbable
    ]
    places = places[:limit]
    texts = [dataset.examples[row][name] for row, name in places]
    with TextFlint(environment, seed) as theirs:
        backends = {OURS: perturb_with(robustness(), seed), theirs.backend: theirs.perturb}
        if unit is None:
            return compare(texts, backends, list(NAMES))
        with Worker(_spec(unit, models), Limits(), Placement()) as worker:
            worker.start()
            return compare(texts, backends, list(NAMES), _labels(worker, dataset, places))


def _spec(unit: Unit, models: Path) -> ModelToLoad:
    model, dataset = unit.model, unit.dataset
    prepared = prepared_model(model, unit.directory, unit.train, models)
    return ModelToLoad(prepared.adapter, prepared.directory, prepared.options, dataset.task, dataset.labels)


def _labels(worker: Worker, dataset: Dataset, places: Sequence[tuple[int, str]]) -> Labels:
    """What the model answers to a text in place of its original; an error counts as an answer too."""
    task = get_task(dataset.task)

    def label(place: int, text: str) -> str:
        row, name = places[place]
        try:
            output = worker.predict(task.inputs({**dataset.examples[row], name: text})).output
            answer = task.check_output(output, dataset.labels)
        except FieldError:
            return "no answer"
        except WorkerError as error:
            if error.fatal:
                raise
            return "no answer"
        return dataset.labels[answer.label] if answer.text is None else answer.text

    return lambda places: [label(place, text) for place, text in places]
