"""What ``steelyard import`` does with logs of evaluation tools: what was found, and what is stored of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.cli.options import Project
from evaluator.cli.printing import by_file, is_quiet, print_table, printable, summarise
from evaluator.rank.formats import counted

if TYPE_CHECKING:
    from evaluator.exchange.importing import ImportedLog, PlannedLog
    from evaluator.exchange.logs.finding import FoundLogs
    from evaluator.exchange.matching import ImportRequest
    from evaluator.exchange.naming import NamedModel


def import_found(
    project: Project,
    paths: Sequence[Path],
    model: str | None,
    requested: Callable[[NamedModel], ImportRequest],
    skip_malformed: bool,
) -> list[ImportedLog]:
    """Store what the logs in files, folders and archives say. Of several, print first what they are.

    `requested` says what is asked of the logs of a model. Raises `UserError`, and then nothing is stored.
    """
    from evaluator.exchange.importing import import_logs, planned_logs
    from evaluator.exchange.logs.finding import found_logs
    from evaluator.exchange.naming import named_models
    from evaluator.score.scores import now

    store = project.writable_store()
    with found_logs(paths) as found:
        _check_found(found, paths, skip_malformed)
        names = named_models(found.logs, project.boards, model)
        asked = [(log, requested(name)) for log, name in zip(found.logs, names, strict=True)]
        planned = planned_logs(asked, project.boards)
        if not project.as_json and (len(asked) > 1 or found.others):
            _print_found(planned, found)
        done = import_logs(planned, project.boards, store, project.data, now())
    return [one for one in done if one.tasks]


def summary(done: Sequence[ImportedLog]) -> str:
    """``5 results of 3 models on 2 datasets: 4 imported, 1 unchanged``."""
    results = [one for log in done for one in log.tasks]
    models = {one.result.model.id for one in results}
    datasets = {one.result.dataset.id for one in results}
    about = f"{counted(len(results), 'result')} of {counted(len(models), 'model')}"
    kinds = Counter(one.status for one in results)
    statuses = ", ".join(f"{number} {status}" for status, number in kinds.items())
    return f"{about} on {counted(len(datasets), 'dataset')}: {statuses}"


def _check_found(found: FoundLogs, paths: Sequence[Path], skip_malformed: bool) -> None:
    """Raise `UserError` for logs that cannot be used, unless they are to be left out."""
    from evaluator.exchange.importing import UnfitLogsError
    from evaluator.exchange.logs import KNOWN
    from evaluator.records.errors import UserError

    if found.unfit and not skip_malformed:
        fix = "nothing was imported; correct or move them, or leave them out with --skip-malformed"
        about = UserError(counted(len(found.unfit), "file") + " cannot be used", "", fix)
        raise UnfitLogsError([*found.unfit, about])
    if not found.logs:
        raise UserError(paths[0], f"has no log of a tool that is known{_others(found)}", KNOWN)


def _print_found(planned: Sequence[PlannedLog], found: FoundLogs) -> None:
    """A row for each model and task of the board; how many logs have none, and how many files are no logs."""
    head = ("model", "id", "tool", "task", "dataset", "metrics", "examples")
    rows = [row for one in planned for row in _rows(one)]
    if not is_quiet():
        print_table([head, *rows], left={0, 1, 2, 3, 4, 5})
    for one in planned:
        if not one.tasks:
            names = ", ".join(map(printable, one.log.tasks[:3])) + (", ..." if len(one.log.tasks) > 3 else "")
            place = printable(found.shown(str(one.log.path)))
            summarise(f"left out: {place}: no task is called like a dataset: {names}")
    for line in by_file(found.shown(str(error)) for error in found.unfit):
        summarise(f"left out: {printable(line)}")
    if found.others:
        summarise(f"left out: {_others(found).removeprefix('; ')}")


def _rows(one: PlannedLog) -> Iterator[tuple[str, ...]]:
    request, log = one.request, one.log
    for task in one.tasks:
        metrics = ", ".join(
            key if key == spec.name else f"{key} = {spec.name}" for key, spec in task.metrics.items()
        )
        examples = "?" if task.task.effective is None else f"{task.task.effective:,}"
        label = request.label or request.model
        cells = (label, request.model, log.tool, task.task.name, task.dataset.id, metrics, examples)
        yield tuple(map(printable, cells))


def _others(found: FoundLogs) -> str:
    """``; 2 hidden files, 3 other files``; empty where there are none."""
    counts = ((found.hidden, "hidden file"), (found.unrelated, "other file"))
    listed = ", ".join(counted(number, what) for number, what in counts if number)
    return f"; {listed}" if listed else ""
