"""What ``steelyard import`` does with logs of evaluation tools: what was found, and what is stored of it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli.options import Project
from evaluator.cli.printing import by_file, is_quiet, is_verbose, print_table, summarise
from evaluator.rank.formats import counted
from evaluator.records.errors import printable

#: More results than these have no line each.
FEW_RESULTS = 40

if TYPE_CHECKING:
    from evaluator.exchange.importing import ImportedLog, ImportedTask, PlannedLog
    from evaluator.exchange.logs.base import EvaluationLog
    from evaluator.exchange.logs.finding import FoundLogs
    from evaluator.exchange.logs_board import LogsBoard
    from evaluator.exchange.matching import ImportRequest
    from evaluator.exchange.naming import NamedModel
    from evaluator.records.board.imports import ImportSpec
    from evaluator.records.references import Source


def import_found(
    project: Project,
    paths: Sequence[Path],
    model: str | None,
    requested: Callable[[EvaluationLog, NamedModel], ImportRequest],
    skip_malformed: bool,
) -> list[ImportedLog]:
    """Store what the logs in files, folders and archives say. Of several, print first what they are.

    `requested` says what is asked of a log of a model. Raises `UserError`, and then nothing is stored.
    """
    from evaluator.exchange.importing import import_logs, planned_logs
    from evaluator.exchange.logs.finding import found_logs
    from evaluator.exchange.naming import named_models
    from evaluator.score.scores import now

    store = project.writable_store()
    with found_logs(paths) as found:
        _check_found(found, paths, skip_malformed)
        names = named_models(found.logs, project.boards.models, model)
        asked = [(log, requested(log, name)) for log, name in zip(found.logs, names, strict=True)]
        planned = planned_logs(asked, project.boards)
        if not project.as_json and (len(asked) > 1 or found.others):
            _print_found(planned, found)
        done = import_logs(planned, project.boards, store, project.data, now())
    return [one for one in done if one.tasks]


def import_logs_again(project: Project, skip_malformed: bool) -> list[ImportedLog]:
    """Store what the logs under [[imports]] of the board file say now. Raises `UserError`."""
    from evaluator.exchange.logs_board import keys_of
    from evaluator.exchange.matching import ImportRequest

    shown = {metric.name for board in project.boards.boards for metric in board.metrics}
    done: list[ImportedLog] = []
    for spec in project.boards.imports:
        if spec.rows == "logs":

            def requested(log: EvaluationLog, model: NamedModel, spec: ImportSpec = spec) -> ImportRequest:
                return ImportRequest(
                    model.id,
                    model.label,
                    metrics={
                        key: ours for keys in keys_of(log, shown).values() for key, ours in keys.items()
                    },
                    citation=spec.source.citation if spec.source else None,
                    link=spec.source.link if spec.source else None,
                    accept_differences=spec.accept_differences,
                )

            paths = [project.data / path for path in spec.path]
            done += import_found(project, paths, None, requested, skip_malformed)
    return done


@dataclass(frozen=True)
class MadeLogs:
    """A board of logs: what they hold, and the tables of its board file."""

    found: FoundLogs
    board: LogsBoard
    models: Sequence[NamedModel]
    tables: str
    source: Source | None
    accept_differences: bool
    as_json: bool

    @property
    def plain(self) -> dict[str, Any]:
        """What the logs hold, as plain data."""
        return {
            "models": {one.id: one.label for one in self.models},
            "datasets": self.board.datasets,
            "metrics": self.board.keys,
            "left_out": {name: keys for name, keys in self.board.left_out.items() if keys},
        }

    def store(self, board_file: bytes, results: Path) -> list[ImportedLog]:
        """Store the logs' numbers in a folder, made if need be, for a board file with the tables.

        Raises `UserError`, and then nothing is written.
        """
        from evaluator.exchange.importing import import_logs, planned_logs
        from evaluator.exchange.logs_board import keys_of
        from evaluator.exchange.matching import ImportRequest
        from evaluator.records.board import load_boards
        from evaluator.records.store import Store
        from evaluator.score.scores import now

        with TemporaryDirectory() as folder:
            path = Path(folder, "board.toml")
            path.write_bytes(board_file)
            boards = load_boards(path)
        asked = []
        for log, name in zip(self.found.logs, self.models, strict=True):
            keys = keys_of(log, self.board.metrics)
            tasks = {task: self.board.datasets[task] for task in keys if task in self.board.datasets}
            if tasks:
                request = ImportRequest(
                    name.id,
                    name.label,
                    tasks,
                    {key: ours for task in tasks for key, ours in keys[task].items()},
                    citation=self.source.citation if self.source else None,
                    link=self.source.link if self.source else None,
                    accept_differences=self.accept_differences,
                )
                asked.append((log, request))
        with self.found.errors_named():
            planned = planned_logs(asked, boards)
            if not self.as_json:
                _print_found(planned, self.found)
                _print_metrics(self.board)
            return import_logs(planned, boards, Store(results), Path(), now())

    def say(self, done: Sequence[Any]) -> None:
        """Print what was stored, unless JSON is printed."""
        if not self.as_json:
            summarise(summary(done))


def are_logs(files: Sequence[Path]) -> bool:
    """Whether files, folders or archives have logs of tools, and are no tables of results."""
    from evaluator.exchange.logs import is_of_tool
    from evaluator.exchange.logs.finding import is_archive

    return any(is_archive(path) or is_of_tool(path) for path in files)


def make_logs_board(
    files: Sequence[Path],
    directory: Path,
    title: str,
    source: Source | None,
    accept_differences: bool,
    skip_malformed: bool,
    as_json: bool,
) -> MadeLogs:
    """The board that logs make, in the folder that it is to have. Raises `UserError`.

    Archives are unpacked until the command ends.
    """
    from evaluator.exchange.logs.finding import found_logs
    from evaluator.exchange.logs_board import board_of_logs, tables_of
    from evaluator.exchange.naming import named_models
    from evaluator.records.base import slug

    found = click.get_current_context().with_resource(found_logs(files))
    with found.errors_named():
        found.check_tasks()
        _check_found(found, files, skip_malformed)
        models = named_models(found.logs, (), None)
        board = board_of_logs(found.logs, [one.id for one in models])
    paths = [Path(os.path.relpath(path.resolve(), directory.resolve())).as_posix() for path in files]
    tables = tables_of(board, slug(directory.resolve().name).lower(), title, paths)
    return MadeLogs(found, board, models, tables, source, accept_differences, as_json)


def _print_metrics(board: LogsBoard) -> None:
    """A row for each metric of a board that logs make, and what of the logs is not on it."""
    rows = [
        (one.name, one.unit or "-", one.direction, ", ".join(sorted(_theirs(board, one.name))))
        for one in board.metrics.values()
    ]
    if not is_quiet():
        print_table([("metric", "unit", "better", "called there"), *rows], left={0, 1, 2, 3})
    for name, keys in board.left_out.items():
        if keys:
            more = f", and {len(keys) - 10} more" if len(keys) > 10 else ""
            summarise(printable(f"left out: metrics of {name}: {', '.join(keys[:10])}{more}"))
    by = "each dataset's main metric" if board.base == "score" else board.base
    summarise(f"ranked by: {by}")


def _theirs(board: LogsBoard, name: str) -> set[str]:
    return {printable(key) for keys in board.keys.values() for key, ours in keys.items() if ours == name}


def worth_a_line(one: ImportedTask, number: int) -> bool:
    """Whether a result is printed: of many only those that something is to be said about."""
    differs = any(not pair.is_same for pair in one.compared)
    return number <= FEW_RESULTS or is_verbose() or differs or bool(one.unused or one.lost)


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
        fix = "nothing was stored; correct or move them, or leave them out with --skip-malformed"
        about = UserError(counted(len(found.unfit), "file") + " cannot be used", "", fix)
        raise UnfitLogsError([*found.unfit, about])
    if not found.logs:
        raise UserError(paths[0], f"has no log of a tool that is known{_others(found)}", KNOWN)


def _print_found(planned: Sequence[PlannedLog], found: FoundLogs) -> None:
    """A row for each model and task of the board, or for each task where these are too many; how many logs
    have none, and how many files are no logs."""
    rows = [row for one in planned for row in _rows(one)]
    head: tuple[str, ...] = ("model", "id", "tool", "task", "dataset", "metrics", "examples")
    if len(rows) > FEW_RESULTS:
        models = Counter(row[2:] for row in rows)
        rows = [(str(number), *row) for row, number in models.items()]
        head = ("models", *head[2:])
    if not is_quiet():
        numbers = {at for at, name in enumerate(head) if name in ("models", "examples")}
        print_table([head, *rows], left=set(range(len(head))) - numbers)
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
