"""What is asked of an import: whose numbers they are, and what theirs are called here."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from evaluator.data.nodes import finite, wrong
from evaluator.data.tasks import FieldError, is_text, show
from evaluator.exchange.logs.base import EvaluationLog, LoggedTask
from evaluator.rank.dynascore import LARGEST
from evaluator.records.base import HUMAN, TIMING, Slug, slug
from evaluator.records.board import Boards, DatasetSpec, MetricSpec
from evaluator.records.errors import UserError, name_problem

#: What of each example is stored: the model's answer, whether the tool found it right, or nothing.
ExampleUse = Literal["answers", "verdicts", "none"]


@dataclass(frozen=True)
class ImportRequest:
    """How to import what a tool wrote.

    `label` is what a model is called that the board file does not know; None: its id.
    `tasks` maps the tool's tasks to datasets, `metrics` its metrics (with or without ``,filter``) to those
    of boards; empty ones mean equal names. A number is multiplied by the entry in `scales` for its board
    metric. `citation` replaces the one that names the tool, task and metrics. `examples` says what is
    stored of each example where the tool kept them and the board has the data. With `accept_differences`
    a number that is not what the examples imply is taken, and marked. With `write_data` the data file of
    a dataset is made of the log's own examples where it is missing.
    """

    model: str
    label: str | None = None
    tasks: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    citation: str | None = None
    link: str | None = None
    examples: ExampleUse = "answers"
    accept_differences: bool = False
    write_data: bool = False

    def __post_init__(self) -> None:
        try:
            TypeAdapter(Slug).validate_python(self.model)
        except ValidationError:
            fix = "give 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or digit"
            raise UserError(f"model: {show(self.model)} is not an id; {fix}") from None
        if self.model == HUMAN:
            raise UserError(f"model: {HUMAN!r} stands for people; choose another id")
        if problem := name_problem(self.model):
            raise UserError(f"model: {problem}")
        for name, scale in self.scales.items():
            if not 0 < scale <= LARGEST:
                raise UserError(f"scale {name}: {scale} is not a number above 0; give one, such as 100")
        for name, text in (("citation", self.citation), ("link", self.link)):
            if text is not None and not (text and is_text(text)):
                raise UserError(f"{name}: {show(text)} is not text; give valid UTF-8, or leave it out")


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

    @property
    def of_answers(self) -> Mapping[str, MetricSpec]:
        """The metrics that answers imply, and no time or use of tokens."""
        return {key: spec for key, spec in self.metrics.items() if key not in self.task.units}

    def rounding(self, key: str) -> float:
        """How far a published number may be off because it was rounded, in the board's unit."""
        said = repr(self.task.values[key])
        decimals = len(said.partition(".")[2]) if said.partition(".")[2].isdecimal() else 0
        return 0.5 * 10.0**-decimals * self.scale(key) * (1 + 1e-6) if self.task.rounded else 0.0

    def published(self, key: str) -> float:
        """A number of the log in the unit of the board. Raises `UserError`."""
        spec, where = self.metrics[key], f"results.{self.task.name}.{key}"
        value = finite(where, self.task.values[key], str(self.log.path))
        metric = key.partition(",")[0]
        better = {True: "higher", False: "lower"}.get(self.task.higher.get(metric), spec.direction)  # type: ignore[arg-type]
        if better != spec.direction:
            field = f"higher_is_better.{self.task.name}.{metric}"
            problem = f"the log says that {better} is better, the board {spec.direction}, of {spec.name}"
            raise FieldError(field, better, problem, "map another metric", str(self.log.path))
        is_known = key in self.task.percents or (key in self.task.shares and 0 <= value <= 1)
        if spec.name not in self.scales and spec.unit == "%" and not is_known:
            fix = f"say what makes it per cent with --metric THEIRS={spec.name}*1, or *100 if it is a share"
            raise wrong(where, value, "is not known to be a share of one", fix, str(self.log.path))
        unit = self.task.units.get(key, spec.unit)
        if spec.name not in self.scales and unit != spec.unit:
            problem = f"is in {unit}, and {spec.name} of the board in {spec.unit or 'no unit'}"
            fix = f"give that the unit {unit}, or say what makes it one of the board with --metric"
            raise wrong(where, value, problem, f"{fix} {metric}={spec.name}*FACTOR", str(self.log.path))
        scaled = self.scaled(key, value)
        if not abs(scaled) <= LARGEST:
            raise wrong(where, value, f"is beyond {LARGEST:g}", "leave this metric out", str(self.log.path))
        return scaled

    def standard_error(self, key: str) -> float | None:
        """That of the published number, in the board's unit; None where the tool gives none.

        Tools write "N/A" or NaN where they can compute none, such as of one example.
        """
        value = self.task.errors.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= LARGEST:
            return None
        found = self.scaled(key, float(value))
        return found if found <= LARGEST else None

    def scale(self, key: str) -> float:
        """What makes a number of the log one of the board: as asked for, else 100 for a share in per cent."""
        spec = self.metrics[key]
        is_share = spec.unit == "%" and key not in self.task.percents
        return self.scales.get(spec.name, 100.0 if is_share else 1.0)

    def scaled(self, key: str, value: float) -> float:
        """To 15 digits, so that 0.29 becomes 29 per cent and not 28.999999999999996."""
        scale = self.scale(key)
        return value if scale == 1.0 else float(f"{value * scale:.15g}")


def matched(log: EvaluationLog, request: ImportRequest, boards: Boards) -> list[MatchedTask]:
    """The tasks that are asked for, each of them for a dataset of its own.

    None where no task of the log is asked for (`no_task`). Raises `UserError` for a metric that does not fit.
    """
    found = []
    for name, dataset in _tasks(log, request, boards).items():
        task, spec = log.read_task(name), boards.dataset(dataset)
        if task.examples is not None:  # data and answers are made of the same ones
            task = replace(task, examples=functools.cache(task.examples))
        metrics = _metrics(log, task, request, spec, _specs(boards, dataset))
        found.append(MatchedTask(log, task, spec, metrics, request.scales))
    return found


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


def check_used(logs: Sequence[EvaluationLog], request: ImportRequest, found: Sequence[MatchedTask]) -> None:
    """Raise `UserError` for a task, metric or scale that was asked for and that none of the logs has."""
    where = str(logs[0].path) if len(logs) == 1 else f"{len(logs)} logs"
    there_are = {name for log in logs for name in (*log.tasks, *log.short)}
    for task in request.tasks:
        if task not in there_are:
            has = listed(list(dict.fromkeys(name for log in logs for name in log.tasks)))
            raise UserError(f"{where}: results: has no task {show(task)}; it has {has}")
    taken = {key for one in found for key in one.metrics}
    there = {*taken, *(key.partition(",")[0] for key in taken)}
    scored = {spec.name for one in found for spec in one.metrics.values()}
    unused = [name for name in request.metrics if name not in there]
    unused += [f"--metric THEIRS={name}*FACTOR" for name in request.scales if name not in scored]
    if unused:
        fix = "see the names in the file, or leave it out"
        raise UserError(f"{where}: {unused[0]}: applies to none of the imported numbers; {fix}")


def no_task(log: EvaluationLog) -> UserError:
    """The error for a log of which no task was asked for."""
    fix = "say which task is which dataset with --dataset TASK=DATASET"
    return UserError(f"{log.path}: results: no task is called like a dataset: {listed(log.tasks)}; {fix}")


def _tasks(log: EvaluationLog, request: ImportRequest, boards: Boards) -> dict[str, str]:
    """The datasets of the board by the log's tasks, each of them once."""
    known = [spec.id for spec in boards.datasets]
    asked_for = request.tasks or _called_alike(log, boards)
    tasks = {log.short.get(name, name): dataset for name, dataset in asked_for.items()}
    tasks = {task: dataset for task, dataset in tasks.items() if task in log.tasks}
    for task, dataset in tasks.items():
        if dataset not in known:
            fix = f"it has {', '.join(known) or 'none'}"
            raise UserError(f"task {task}: the board file has no dataset {show(dataset)}; {fix}")
        if list(tasks.values()).count(dataset) > 1:
            raise UserError(f"task {task}: two tasks go to dataset {dataset}; give each its own")
    return tasks


def _called_alike(log: EvaluationLog, boards: Boards) -> dict[str, str]:
    """The datasets that have the name of a task of the log, as their id or label, or as an id made of it."""
    ids = {spec.label: spec.id for spec in boards.datasets} | {spec.id: spec.id for spec in boards.datasets}
    found = {}
    for name in (*log.tasks, *log.short):
        alike = [one for one in (name, slug(name), slug(name).lower()) if one in ids]
        if alike:
            found[name] = ids[alike[0]]
    return found


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
    names = [key.partition(",")[0] for key in task.values]
    own = {name: NAMES.get(name, name.replace("_", "-")) for name in names}
    chosen = request.metrics or {name: ours for name, ours in own.items() if ours in specs}
    found: dict[str, MetricSpec] = {}
    for name, ours in chosen.items():
        keys = [key for key in task.values if name in (key, key.partition(",")[0])]
        if not keys:
            continue
        if ours not in specs:
            fix = f"boards with {dataset.id} have {', '.join(specs) or 'none'}"
            raise UserError(f"metric {name}: no board shows {show(ours)} of {dataset.id}; {fix}")
        if len(keys) > 1:
            fix = f"say which with --metric METRIC,FILTER={ours}"
            raise UserError(f"{where}: {plain(name)} is there more than once: {listed(keys)}; {fix}")
        if ours in TIMING and keys[0] in task.units:
            fix = "give what the log says a column of its own"
            raise UserError(f"metric {name}: {ours} is what is measured here; {fix}")
        if specs[ours] in found.values():
            fix = f"the second is {plain(keys[0])}; give one of them"
            raise UserError(f"{where}: two metrics go to {ours}; {fix}")
        found[keys[0]] = specs[ours]
    if not found:
        fix = "say which metric is which with --metric METRIC,FILTER=OURS"
        there = listed(list(task.values)) or "none"
        raise UserError(f"{where}: has none of the metrics asked for; it has {there}; {fix}")
    for name in (task.name, *found):
        if not name.isprintable() or len(name) > 200:
            fix = "give at most 200 characters that can be seen"
            raise wrong("results", name, "is not a name", fix, str(log.path))
    return found
