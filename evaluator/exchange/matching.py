"""Which tasks and metrics of a log are which datasets and metrics of the board."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.data.tasks import show
from evaluator.exchange.errors import InterchangeError
from evaluator.exchange.logs.base import EvaluationLog, LoggedTask
from evaluator.exchange.logs.checks import number, wrong
from evaluator.exchange.request import ImportRequest
from evaluator.rank.dynascore import LARGEST
from evaluator.records.board import Boards, DatasetSpec, MetricSpec

#: Metrics that tools name differently; in other names they have underscores for hyphens.
NAMES = {"acc": "accuracy", "em": "exact-match", "f1_score": "f1"}
#: How many names a message lists.
LISTED = 20


@dataclass(frozen=True)
class MatchedTask:
    """A task of a log, the dataset that it is, and the board's metrics by the tool's names for them.

    `scales` are the factors that were asked for, by the board's metric.
    """

    log: EvaluationLog
    task: LoggedTask
    dataset: DatasetSpec
    metrics: Mapping[str, MetricSpec]
    scales: Mapping[str, float]

    def published(self, key: str) -> float:
        """A number of the log in the unit of the board. Raises `InterchangeError`."""
        spec, where = self.metrics[key], f"results.{self.task.name}.{key}"
        value = number(self.log.path, where, self.task.values[key])
        self._check_direction(key, spec)
        scale = self.scale(key)
        if spec.name not in self.scales and scale != 1.0 and not self._is_share(key, value):
            fix = f"say what makes it per cent with --scale {spec.name}=1, or =100 if it is a share"
            raise wrong(self.log.path, where, value, "is not known to be a share of one", fix)
        scaled = self.scaled(key, value)
        if not abs(scaled) <= LARGEST:
            raise wrong(self.log.path, where, value, f"is beyond {LARGEST:g}", "leave this metric out")
        return scaled

    def standard_error(self, key: str) -> float | None:
        """That of the published number, in the board's unit; None where the tool gives none."""
        value = self.task.errors.get(key)
        if value is None or isinstance(value, str):  # The harness writes "N/A" where it computes none.
            return None
        where = f"results.{self.task.name}.{key}: standard error"
        found = self.scaled(key, number(self.log.path, where, value))
        if not 0 <= found <= LARGEST:
            raise wrong(self.log.path, where, value, "is no standard error", "run the evaluation again")
        return found

    def scale(self, key: str) -> float:
        """What makes a number of the log one of the board: as asked for, else 100 for per cent."""
        spec = self.metrics[key]
        return self.scales.get(spec.name, 100.0 if spec.unit == "%" else 1.0)

    def scaled(self, key: str, value: float) -> float:
        """To 15 digits, so that 0.29 becomes 29 per cent and not 28.999999999999996."""
        scale = self.scale(key)
        return value if scale == 1.0 else float(f"{value * scale:.15g}")

    def _is_share(self, key: str, value: float) -> bool:
        return key.partition(",")[0] in self.log.shares and 0 <= value <= 1

    def _check_direction(self, key: str, spec: MetricSpec) -> None:
        metric = key.partition(",")[0]
        if self.task.higher.get(metric, spec.direction == "higher") == (spec.direction == "higher"):
            return
        better = "higher" if self.task.higher[metric] else "lower"
        problem = f"the log says that {better} is better, the board that {spec.direction} is, of {spec.name}"
        where = f"higher_is_better.{self.task.name}.{metric}"
        raise wrong(self.log.path, where, better, problem, "map another metric")


def matched(log: EvaluationLog, request: ImportRequest, boards: Boards) -> list[MatchedTask]:
    """The tasks that are asked for. Raises `InterchangeError` for what is not there, or is not used."""
    found = []
    for name, dataset in _tasks(log, request, boards).items():
        task, spec = _read_once(log.task(name)), boards.dataset(dataset)
        metrics = _metrics(log, task, request, spec, _specs(boards, dataset))
        found.append(MatchedTask(log, task, spec, metrics, request.scales))
    _check_used(log, request, found)
    return found


def _read_once(task: LoggedTask) -> LoggedTask:
    """The task with examples that are kept once they are read: data and answers are made of the same."""
    return task if task.examples is None else replace(task, examples=functools.cache(task.examples))


def left_out(log: EvaluationLog, found: Sequence[MatchedTask]) -> Iterator[str]:
    """The tasks and metrics of a log that are not imported."""
    used = [one.task.name for one in found]
    if tasks := [name for name in log.tasks if name not in used]:
        yield f"tasks {listed(tasks)}"
    for one in found:
        if others := [key for key in one.task.values if key not in one.metrics]:
            yield f"metrics of {plain(one.task.name)}: {listed(others)}"


def listed(names: Sequence[str]) -> str:
    """Names for a message, the first few of many."""
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(plain, names[:LISTED])) + more


def plain(name: str) -> str:
    """A name as it is, unless it holds what cannot be seen."""
    return name if name.isprintable() else show(name)


def _check_used(log: EvaluationLog, request: ImportRequest, found: Sequence[MatchedTask]) -> None:
    """Raise `InterchangeError` for a requested metric or scale that is not used."""
    taken = {key for one in found for key in one.metrics}
    there = {*taken, *(key.partition(",")[0] for key in taken)}
    scored = {spec.name for one in found for spec in one.metrics.values()}
    unused = [name for name in request.metrics if name not in there]
    unused += [f"--scale {name}" for name in request.scales if name not in scored]
    if unused:
        fix = "see the names in the file, or leave it out"
        raise InterchangeError(f"{log.path}: {unused[0]}: applies to none of the imported numbers; {fix}")


def _tasks(log: EvaluationLog, request: ImportRequest, boards: Boards) -> dict[str, str]:
    """The datasets of the board by the tool's tasks, each of them once."""
    known = [spec.id for spec in boards.datasets]
    tasks = dict(request.tasks) or {name: name for name in log.tasks if name in known}
    there = listed(log.tasks)
    if not tasks:
        fix = "say which task is which dataset with --task TASK=DATASET"
        raise InterchangeError(f"{log.path}: results: no task is called like a dataset: {there}; {fix}")
    for task, dataset in tasks.items():
        if task not in log.tasks:
            raise InterchangeError(f"{log.path}: results: has no task {show(task)}; it has {there}")
        if dataset not in known:
            fix = f"it has {', '.join(known) or 'none'}"
            raise InterchangeError(f"task {task}: the board file has no dataset {show(dataset)}; {fix}")
        if list(tasks.values()).count(dataset) > 1:
            raise InterchangeError(f"task {task}: two tasks go to dataset {dataset}; give each its own")
    return tasks


def _specs(boards: Boards, dataset: str) -> dict[str, MetricSpec]:
    """The metrics that boards show of a dataset, by name."""
    found: dict[str, MetricSpec] = {}
    for board in boards.boards:
        if dataset in board.datasets:
            for spec in board.metrics:
                found.setdefault(spec.name, spec)
    return found


def _metrics(
    log: EvaluationLog,
    task: LoggedTask,
    request: ImportRequest,
    dataset: DatasetSpec,
    specs: Mapping[str, MetricSpec],
) -> dict[str, MetricSpec]:
    """Which numbers of a task are which metrics of a board."""
    where = f"{log.path}: results.{task.name}"
    chosen = request.metrics or {
        name: ours for key in task.values if (ours := _own_name(name := key.partition(",")[0])) in specs
    }
    found: dict[str, MetricSpec] = {}
    for name, ours in chosen.items():
        keys = [key for key in task.values if name in (key, key.partition(",")[0])]
        if not keys:
            continue
        if ours not in specs:
            fix = f"boards with {dataset.id} have {', '.join(specs) or 'none'}"
            raise InterchangeError(f"metric {name}: no board shows {show(ours)} of {dataset.id}; {fix}")
        if len(keys) > 1:
            fix = f"say which with --metric METRIC,FILTER={ours}"
            raise InterchangeError(f"{where}: {plain(name)} is there more than once: {listed(keys)}; {fix}")
        if specs[ours] in found.values():
            fix = f"the second is {plain(keys[0])}; give one of them"
            raise InterchangeError(f"{where}: two metrics go to {ours}; {fix}")
        found[keys[0]] = specs[ours]
    if not found:
        fix = "say which metric is which with --metric METRIC,FILTER=OURS"
        there = listed(list(task.values)) or "none"
        raise InterchangeError(f"{where}: has none of the metrics asked for; it has {there}; {fix}")
    for name in (task.name, *found):
        if not name.isprintable() or len(name) > 200:
            fix = "give at most 200 characters that can be seen"
            raise wrong(log.path, "results", name, "is not a name", fix)
    return found


def _own_name(metric: str) -> str:
    return NAMES.get(metric, metric.replace("_", "-"))
