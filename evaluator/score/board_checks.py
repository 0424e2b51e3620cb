"""What a board file asks for that cannot be computed, and folders where no model may be."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from evaluator.data.tasks import TASKS
from evaluator.records.base import TIMING
from evaluator.records.board import Boards, MetricSpec
from evaluator.records.names import did_you_mean
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
            elif wrong := _wrong_direction(metric, computed):
                yield f"{where}: direction: {wrong}"


def known_metrics(boards: Boards, datasets: Collection[str], stored: Collection[str]) -> set[str]:
    """The metrics that results on any of `datasets` may have: computed, timed, of suites, or `stored`."""
    specs = [boards.dataset(dataset) for dataset in datasets]
    computed = {name for spec in specs for name in names_for(TASKS[spec.task].kind)}
    return {*computed, *TIMING, *stored, *(suite for spec in specs for suite in spec.suites)}


def _wrong_direction(metric: MetricSpec, computed: Collection[str]) -> str | None:
    better = definition(metric.name).better if metric.name in computed else metric.direction
    return None if metric.direction == better else f'{metric.direction!r}; for this metric say "{better}"'


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
