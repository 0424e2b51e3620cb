"""What there is to do: one unit of work for each model and dataset, and what makes it up to date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.data.datasets import Dataset, DatasetSource, read_dataset
from evaluator.measure.isolation.probing import Layers, probe
from evaluator.measure.models.prepared import directory_files
from evaluator.measure.run.loading import with_shots
from evaluator.records.base import digest
from evaluator.records.board import Boards, MeasureSettings, ModelSpec
from evaluator.records.errors import UserError, or_one_of
from evaluator.records.store import Store
from evaluator.score.checking import folder_problem, metric_problems
from evaluator.score.examples import dataset_source, training_source


@dataclass(frozen=True)
class Unit:
    """One model on one dataset. `inputs` hashes everything that decides its predictions.

    The options of a `model` that reads prompts have the examples that it is shown.
    """

    model: ModelSpec
    dataset: Dataset
    source: DatasetSource
    train: DatasetSource | None
    directory: Path | None
    inputs: str


def plan(
    boards: Boards,
    root: Path,
    data: Path,
    models: Sequence[str] = (),
    datasets: Sequence[str] = (),
    skip_malformed: bool = False,
) -> list[Unit]:
    """The units of a board file, in its order; `models` and `datasets` narrow them down by id.

    None if no model fits a dataset with texts. `root` is where model directories start, `data` where dataset
    files do. Reads and checks every dataset, so that a bad file is found before anything is measured. Raises
    `UserError` and `evaluator.data.datasets.DatasetError`.
    """
    known = {"model": [one.id for one in boards.models], "dataset": [one.id for one in boards.datasets]}
    for field, name in [*(("model", name) for name in models), *(("dataset", name) for name in datasets)]:
        if name not in known[field]:
            fix = or_one_of(name, known[field]).removeprefix("; ")
            raise UserError(f"{field} {name}", f"the board file has no such {field}", fix)
    for model in boards.models:
        if model.id in models and model.removed is not None:
            fix = "delete `removed` in the board file to evaluate it again"
            raise UserError(f"model {model.id}", model.removed.words, fix)
    chosen = [m for m in boards.models if m.runs and (not models or m.id in models)]
    units = []
    for spec in boards.datasets:
        takers = [model for model in chosen if spec in boards.datasets_for(model)]
        if not takers or (datasets and spec.id not in datasets):
            continue
        source = dataset_source(spec, data)
        dataset = read_dataset(source, skip_malformed)
        if dataset.has_inputs:
            units += [_unit(model, dataset, source, boards, root, data) for model in takers]
    order = [model.id for model in boards.models]
    return sorted(units, key=lambda unit: order.index(unit.model.id))


def check_metrics(units: Sequence[Unit], boards: Boards, store: Store) -> None:
    """Raise `UserError` if a board of these datasets shows a metric that neither the registry nor timing
    nor a suite computes and no stored result has, or ranks one in the wrong direction."""
    stored = {name for result in store.results() for name in result.scores}
    for problem in metric_problems(boards, {unit.dataset.id for unit in units}, stored):
        raise UserError(problem)


def _unit(
    model: ModelSpec, dataset: Dataset, source: DatasetSource, boards: Boards, root: Path, data: Path
) -> Unit:
    train = training_source(boards, model, data)
    learnt = read_dataset(train) if train else None
    directory = root / model.directory if model.directory else None
    if directory and (problem := folder_problem(directory, boards, root, data)):
        raise UserError(f"models: {model.id}: directory", problem)
    model = with_shots(model, directory, learnt, dataset)
    made_from: dict[str, Any] = {
        "recipe": model.recipe,
        "adapter": model.adapter,
        "options": model.options,
        "seed": model.seed,
        "train": learnt.revision if learnt else None,
        "files": directory_files(directory) if directory else None,
    }
    inputs = digest({"model": made_from, "dataset": dataset.revision, "task": dataset.task})
    return Unit(model, dataset, source, train, directory, inputs)


def check_isolation(settings: MeasureSettings, layers: Layers | None = None) -> None:
    """Raise `UserError` if all layers are required and one of `layers`, those that work here, is missing."""
    if settings.isolation != "required":
        return
    missing = (layers or probe()).missing
    if missing:
        reasons = "\n".join(f"  {layer}: {why}" for layer, why in missing.items())
        raise UserError(
            "measure.isolation",
            f'"required", but on this machine models cannot be isolated by {", ".join(missing)}:\n{reasons}\n'
            'make these work, or say isolation = "best" in the board file',
        )
