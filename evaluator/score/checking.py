"""Whether a board file can be computed, stored results hold together, and a round is what it should be.

Files can be read, references lead to them, rows are of examples. A round of a dynamic benchmark is balanced
over the labels, and sampled so that the model in the loop is at chance on it, which people are not (after
DynaSent, Potts et al. 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from evaluator.data.datasets import Dataset
from evaluator.data.tasks import TASKS, show
from evaluator.data.tasks.known import SCORED
from evaluator.records.base import HUMAN, TIMING
from evaluator.records.board import COST, TAKEN, Boards, DatasetSpec
from evaluator.records.board.score import SCORE
from evaluator.records.datasets import Difficulty, Examples
from evaluator.records.errors import UserError, did_you_mean
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import (
    BROWSER_CHECKS,
    COVARIANCES,
    DIFFICULTIES,
    DIFFICULTY_TABLES,
    EXAMPLES,
    SUITE_CARDS,
    Store,
)
from evaluator.score.examples import is_no_id
from evaluator.score.means import revision_of_values
from evaluator.score.metrics import definition, names_for
from evaluator.score.scores import correct
from evaluator.score.standard_errors import wilson


def metric_problems(boards: Boards, datasets: Collection[str], stored: Collection[str]) -> Iterator[str]:
    """Metrics of boards with one of `datasets` that neither the registry nor timing nor a suite computes
    and no `stored` result has, and those that are ranked in the wrong direction.

    Gives a message for each. Boards of unknown tasks are left out.
    """
    for board in boards.boards:
        asked = [boards.dataset(dataset) for dataset in board.datasets if dataset in datasets]
        if not asked or any(one.task not in TASKS for one in asked):
            continue
        computed = set.intersection(*(set(names_for(TASKS[one.task].kind)) for one in asked))
        everywhere = {*computed, SCORE, *TIMING, *set.intersection(*(set(one.suites) for one in asked))}
        if all(one.task == SCORED.name for one in asked):  # whose numbers come with the results
            everywhere = {SCORE, *stored}
        if any(model.is_remote and model.task in {one.task for one in asked} for model in boards.models):
            everywhere |= {*TAKEN, COST}
        for metric in board.metrics:
            where = f"boards: {board.id}: metrics: {metric.name}"
            if metric.trials:  # of a metric of the board
                continue
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
    taken = {*TAKEN, COST} if any(model.is_remote for model in boards.models) else set()
    return {*computed, *TIMING, *taken, *stored, *(suite for spec in specs for suite in spec.suites)}


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
NO_DATASET = "give its dataset a table in the board file, or remove the file"
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
        yield from problems
        if found is not None:
            examples[found.task, found.dataset, found.revision] = found
            yield from (f"{path}: {one}" for one in _kept_back(found, specs.get(found.dataset)))
    for path in store.record_paths(DIFFICULTIES):
        hard, problems = _read(store.load_record, DIFFICULTIES, path)
        yield from problems
        if hard is not None:
            kept = examples.get((hard.task, hard.dataset, hard.revision))
            yield from (f"{path}: {one}" for one in _of_difficulty(hard, kept, specs.get(hard.dataset)))
    for path in store.paths():
        result, problems = _read(store.load, path)
        yield from problems
        if result is None:
            continue
        belongs = store.path(result.task, result.dataset.id, result.model.id)
        if path != belongs:
            yield f"{path}: is the result of another file, {belongs}; move it there, or remove it"
        for name in result.suites:
            yield from _read(store.variants, result, name)[1]
        predictions, problems = _read(store.predictions, result) if result.predictions else (None, [])
        yield from problems
        if predictions is not None:
            kept = examples.get((result.task, result.dataset.id, result.dataset.revision))
            spec = specs.get(result.dataset.id)
            yield from (f"{path}: {one}" for one in _of_predictions(result, predictions, kept, spec))


def _read(read: Callable[..., Found], *of: Any) -> tuple[Found | None, list[str]]:
    """What `read` finds, or None and why it cannot be read."""
    try:
        return read(*of), []
    except UserError as error:
        return None, [str(error)]


def _kept_back(examples: Examples, spec: DatasetSpec | None) -> Iterator[str]:
    """What is stored of a dataset that must not be published, or is not what its revision says."""
    if examples.task == SCORED.name:
        tags = {name: examples.tags[name] for name in sorted(examples.tags)}
        if examples.revision != revision_of_values(examples.ids, tags, examples.clusters):
            yield "revision: is not that of these ids, tags and clusters; import the values again"
    fix = FIX if spec else NO_DATASET
    if examples.gold is not None and not (spec and spec.show_gold):
        yield f"gold: is published, which the board file does not allow (show_gold); {fix}"
    if examples.texts is not None and not (spec and spec.show_text):
        yield f"texts: are published, which the board file does not allow (show_text); {fix}"
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


def _of_predictions(
    result: Result, predictions: PredictionSet, kept: Examples | None, spec: DatasetSpec | None
) -> Iterator[str]:
    """Why a result, its predictions and their examples do not fit together."""
    about = (predictions.task, predictions.model, predictions.dataset, predictions.dataset_revision)
    if about != (result.task, result.model.id, result.dataset.id, result.dataset.revision):
        yield f"predictions: are about {', '.join(about)}; restore both files"
    stated = result.predictions.trials if result.predictions else predictions.trials
    if stated != predictions.trials:
        what = f"{stated} is stored, but {predictions.trials} answers or values of each example are kept"
        yield f"predictions: trials: {what}; run steelyard evaluate, or {result.made_again_by}"
    if predictions.scores is not None and not (spec and spec.show_gold):
        fix = FIX if spec else NO_DATASET
        yield f"predictions: scores: are published, which the board file does not allow (show_gold); {fix}"
    if kept is None:
        return
    if kept.ids_sha256 != predictions.ids_sha256:
        again = f"{FIX}, or remove the result and {result.made_again_by}"
        yield f"predictions: ids_sha256: is not that of the examples; {again}"
    elif len(kept.ids) != predictions.examples:
        yield f"predictions: has {predictions.examples} rows for {len(kept.ids)} examples; restore the file"
    counted = [kept.merge.get(label, label) for label in predictions.labels]
    unknown = [label for label in counted if label not in kept.labels]
    if kept.gold is not None and unknown:
        yield f"predictions: labels: {unknown[0]!r} is none of the gold labels {kept.labels}; {FIX}"


@dataclass(frozen=True)
class Balance:
    """How many examples each gold label has; `even` if no share is further than allowed from an equal one."""

    counts: dict[str, int]
    even: bool


@dataclass(frozen=True)
class Standing:
    """A model on the round: accuracy as a share with its 95 % interval, and the canonical metric.

    `chance` says where the interval is: "at", "above" or "below" the accuracy of guessing evenly
    among the labels. `solved`: the model reaches people on the metric; None without an estimate.
    """

    model: str
    accuracy: float
    low: float
    high: float
    chance: str
    score: float
    solved: bool | None


@dataclass(frozen=True)
class Round:
    """All that is checked of a round."""

    dataset: Dataset
    metric: str
    balance: Balance
    people: Result | None
    standings: tuple[Standing, ...]

    @property
    def guessing(self) -> float:
        """Accuracy of guessing evenly among the gold labels, as a share."""
        return 1 / len(self.dataset.gold_labels)


def look_at(dataset: Dataset, metric: str, store: Store, tolerance: float) -> Round:
    """The round with every stored result on it; `tolerance` is in points of the examples' share.

    Only results on this very revision of the dataset, with their predictions kept, are compared.
    """
    results = store.results_on(dataset.task, dataset.id)
    current = [result for result in results if result.dataset.revision == dataset.revision]
    people = next((result for result in current if result.model.id == HUMAN), None)
    counts = {label: dataset.gold.count(label) for label in dataset.gold_labels}
    examples, guessing = len(dataset.gold), 1 / len(counts)
    furthest = max(abs(100 * count / examples - 100 / len(counts)) for count in counts.values())
    standings = []
    for result in current:
        if result.predictions is None or metric not in result.scores:
            continue
        runs = store.predictions(result).runs()
        right = round(sum(int(correct(dataset, run).sum()) for run in runs) / len(runs))
        low, high = wilson(right, examples)
        chance = "at" if low <= guessing <= high else "above" if low > guessing else "below"
        score = result.scores[metric].value
        solved = score >= people.scores[metric].value if people and metric in people.scores else None
        standings.append(Standing(result.model.id, right / examples, low, high, chance, score, solved))
    return Round(dataset, metric, Balance(counts, furthest <= tolerance), people, tuple(standings))
