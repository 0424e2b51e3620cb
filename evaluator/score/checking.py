"""Whether a board file can be computed and stored results hold together.

Files can be read, references lead to them, rows are of examples.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from evaluator.data.tasks import TASKS, show
from evaluator.records.base import TIMING
from evaluator.records.board import Boards, DatasetSpec
from evaluator.records.datasets import Difficulty, Examples
from evaluator.records.errors import UserError
from evaluator.records.kinds import (
    BROWSER_CHECKS,
    COVARIANCES,
    DIFFICULTIES,
    DIFFICULTY_TABLES,
    EXAMPLES,
    SUITE_CARDS,
)
from evaluator.records.names import did_you_mean
from evaluator.records.predictions import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import is_no_id
from evaluator.score.metrics import definition, names_for


def metric_problems(boards: Boards, datasets: Collection[str], stored: Collection[str]) -> Iterator[str]:
    """Metrics of boards with one of `datasets` that neither the registry nor timing nor a suite computes
    and no `stored` result has, and those that are ranked in the wrong direction.

    Gives a message for each. Boards of unknown tasks are left out.
    """
    for board in boards.boards:
        asked = [boards.dataset(dataset) for dataset in board.datasets if dataset in datasets]
        if not asked or board.task not in TASKS:
            continue
        computed = names_for(TASKS[board.task].kind)
        everywhere = {*computed, *TIMING, *set.intersection(*(set(one.suites) for one in asked))}
        for metric in board.metrics:
            where = f"boards: {board.id}: metrics: {metric.name}"
            if metric.name not in everywhere and metric.name not in stored:
                known = ", ".join(sorted(everywhere))
                near = did_you_mean(metric.name, everywhere)
                yield f"{where}: nothing computes it; there are {known}{near}"
                continue
            better = definition(metric.name).better if metric.name in computed else metric.direction
            if metric.direction != better:
                yield f'{where}: direction: {metric.direction!r}; for this metric say "{better}"'


def known_metrics(boards: Boards, datasets: Collection[str], stored: Collection[str]) -> set[str]:
    """The metrics that results on any of `datasets` may have: computed, timed, of suites, or `stored`."""
    specs = [boards.dataset(dataset) for dataset in datasets]
    computed = {name for spec in specs for name in names_for(TASKS[spec.task].kind)}
    return {*computed, *TIMING, *stored, *(suite for spec in specs for suite in spec.suites)}


def folder_problem(directory: Path, boards: Boards, root: Path, data: Path) -> str | None:
    """Why a folder cannot be a model's: it is not there, or holds what a model must not see.

    `root` is the board file's folder, `data` where the paths of datasets start.
    """
    if not directory.is_dir():
        return f"{directory} is no folder; correct it in board.toml"
    files = [data / spec.path for spec in boards.datasets if spec.path is not None]
    for what, kept in [("the results", root / boards.results), *(("the data", file) for file in files)]:
        if kept.resolve().is_relative_to(directory.resolve()):
            return (
                f"{directory} holds {what}, {kept}, which a model must not see; give it a folder of its own"
            )
    return None


FIX = "run steelyard evaluate, which writes them again"
Found = TypeVar("Found")


def stored_problems(store: Store, boards: Boards) -> Iterator[str]:
    """What is wrong with each file of the store, if anything: a line each, with its path and the fix."""
    specs = {spec.id: spec for spec in boards.datasets}
    for kind in (SUITE_CARDS, COVARIANCES, DIFFICULTY_TABLES, BROWSER_CHECKS):
        for path in store.record_paths(kind):
            yield from _read(store.load_record, kind, path)[1]
    examples = {}
    for path in store.record_paths(EXAMPLES):
        found, problems = _read(store.load_record, EXAMPLES, path)
        if found is not None:
            examples[found.task, found.dataset, found.revision] = found
            problems += [f"{path}: {problem}" for problem in _kept_back(found, specs.get(found.dataset))]
        yield from problems
    for path in store.record_paths(DIFFICULTIES):
        difficulty, problems = _read(store.load_record, DIFFICULTIES, path)
        if difficulty is not None:
            about = difficulty.task, difficulty.dataset, difficulty.revision
            spec = specs.get(difficulty.dataset)
            problems += [f"{path}: {one}" for one in _of_difficulty(difficulty, examples.get(about), spec)]
        yield from problems
    for path in store.paths():
        yield from _of_result(path, store, examples, specs)


def _read(read: Callable[..., Found], *of: Any) -> tuple[Found | None, list[str]]:
    """What `read` finds, or None and why it cannot be read."""
    try:
        return read(*of), []
    except UserError as error:
        return None, [str(error)]


def _kept_back(examples: Examples, spec: DatasetSpec | None) -> Iterator[str]:
    """What is stored of a dataset that must not be published."""
    if examples.gold is not None and not (spec and spec.show_gold):
        yield f"gold: is published, which the board file does not allow (show_gold); {FIX}"
    if examples.texts is not None and not (spec and spec.show_text):
        yield f"texts: are published, which the board file does not allow (show_text); {FIX}"
    if not (spec and spec.show_text):
        for id_ in filter(is_no_id, examples.ids):
            yield f"ids: {show(id_)} may be text of the dataset; give it ids that are none"
            return


def _of_difficulty(difficulty: Difficulty, kept: Examples | None, spec: DatasetSpec | None) -> Iterator[str]:
    """Why a difficulty does not fit its examples."""
    if difficulty.algorithm != "wood" and not (spec and spec.show_gold):
        yield "values: reveal gold labels, which the board file keeps back (show_gold); remove the file"
    if kept is None:
        yield f"is of examples that are not kept; {FIX}, or remove it"
        return
    if kept.ids_sha256 != difficulty.ids_sha256:
        yield "ids_sha256: is not that of the examples; compute or import it again"
    for column in difficulty.columns.values():
        if len(column) != len(kept.ids):
            yield f"has {len(column)} values for {len(kept.ids)} examples; compute or import it again"
            return


def _of_result(
    path: Path, store: Store, examples: Mapping[Any, Examples], specs: Mapping[str, DatasetSpec]
) -> Iterator[str]:
    result, problems = _read(store.load, path)
    yield from problems
    if result is None:
        return
    belongs = store.path(result.task, result.dataset.id, result.model.id)
    if path != belongs:
        yield f"{path}: is the result of another file, {belongs}; move it there, or remove it"
    for name in result.suites:
        yield from _read(store.variants, result, name)[1]
    if result.predictions is None:
        return
    predictions, problems = _read(store.predictions, result)
    yield from problems
    if predictions is not None:
        kept = examples.get((result.task, result.dataset.id, result.dataset.revision))
        spec = specs.get(result.dataset.id)
        yield from (f"{path}: {problem}" for problem in _of_predictions(result, predictions, kept, spec))


def _of_predictions(
    result: Result, predictions: PredictionSet, kept: Examples | None, spec: DatasetSpec | None
) -> Iterator[str]:
    """Why a result, its predictions and their examples do not fit together."""
    about = (predictions.task, predictions.model, predictions.dataset, predictions.dataset_revision)
    if about != (result.task, result.model.id, result.dataset.id, result.dataset.revision):
        yield f"predictions: are about {', '.join(about)}; restore both files"
    if predictions.scores is not None and not (spec and spec.show_gold):
        yield f"predictions: scores: are published, which the board file does not allow (show_gold); {FIX}"
    if kept is None:
        return
    if kept.ids_sha256 != predictions.ids_sha256:
        yield f"predictions: ids_sha256: is not that of the examples; {FIX}, or evaluate the model again"
    elif len(kept.ids) != predictions.examples:
        yield f"predictions: has {predictions.examples} rows for {len(kept.ids)} examples; restore the file"
    counted = [kept.merge.get(label, label) for label in predictions.labels]
    unknown = [label for label in counted if label not in kept.labels]
    if kept.gold is not None and unknown:
        yield f"predictions: labels: {unknown[0]!r} is none of the gold labels {kept.labels}; {FIX}"
