"""Numbers of lm-evaluation-harness as `reported` results of a board's datasets.

Reported numbers are ranked together only if their sources are the same (`evaluator.board.comparability`),
so the source names all that must be equal: harness, task and its version, shots, metrics, and a limit if
there was one. What differs between models, their arguments and the date, is in the source's note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from evaluator import __version__
from evaluator.board import Boards, DatasetSpec, MetricSpec
from evaluator.dynascore import LARGEST
from evaluator.interchange.errors import InterchangeError
from evaluator.interchange.lm_eval import LmEvalReport, TaskReport, number, read_report, wrong
from evaluator.records import (
    HUMAN,
    DatasetRef,
    ModelCard,
    ModelRef,
    Result,
    Score,
    Slug,
    Source,
    name_problem,
)
from evaluator.store import Store
from evaluator.tasks import is_text, show

HARNESS = "lm-evaluation-harness"
HOME = "https://github.com/EleutherAI/lm-evaluation-harness"
#: Metrics that the harness gives as shares of one in most tasks, and boards in per cent.
SHARES = frozenset({"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match", "f1"})
#: Metrics that the harness names differently; in other names it has underscores for hyphens.
NAMES = {"acc": "accuracy"}


@dataclass(frozen=True)
class ReportRequest:
    """How to import a file.

    `tasks` maps the harness's tasks to datasets, `metrics` its metrics (with or without ``,filter``) to those
    of boards; empty ones mean equal names. A number is multiplied by the entry in `scales` for its board
    metric. `citation` replaces the one that names the harness, task and metrics.
    """

    model: str
    label: str | None = None
    tasks: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    citation: str | None = None
    link: str | None = None

    def __post_init__(self) -> None:
        try:
            TypeAdapter(Slug).validate_python(self.model)
        except ValidationError:
            fix = "give 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or digit"
            raise InterchangeError(f"model: {show(self.model)} is not an id; {fix}") from None
        if self.model == HUMAN:
            raise InterchangeError(f"model: {HUMAN!r} stands for people; choose another id")
        if problem := name_problem(self.model):
            raise InterchangeError(f"model: {problem}")
        for name, scale in self.scales.items():
            if not 0 < scale <= LARGEST:
                raise InterchangeError(
                    f"scale {name}: {scale} is not a number above 0; give one, such as 100"
                )
        for name, text in (("label", self.label), ("citation", self.citation), ("link", self.link)):
            if text is not None and not (text and is_text(text)):
                raise InterchangeError(f"{name}: {show(text)} is not text; give valid UTF-8, or leave it out")


@dataclass(frozen=True)
class Reported:
    """What an import made of a file; `left_out` names its tasks and metrics that were not requested."""

    results: tuple[tuple[Result, Literal["imported", "unchanged"]], ...]
    left_out: tuple[str, ...]


def import_report(path: Path, request: ReportRequest, boards: Boards, store: Store, created: str) -> Reported:
    """Store a file's numbers as results made at `created` (as in the record).

    Nothing is written unless all of it fits. Raises `InterchangeError` if anything requested is not
    there or does not fit the board, or would replace a result that is not from the harness; `StoreError`
    if the model's id cannot be the name of a new file.
    """
    report = read_report(path)
    results = _results(report, request, boards, created)
    old = [_replaced(store, result) for result in results]
    done: list[tuple[Result, Literal["imported", "unchanged"]]] = []
    for result, before in zip(results, old, strict=True):
        if before is not None and before.model_copy(update={"created": created}) == result:
            done.append((before, "unchanged"))
        else:
            store.save(result)
            done.append((result, "imported"))
    return Reported(tuple(done), tuple(_left_out(report, results)))


def _replaced(store: Store, result: Result) -> Result | None:
    """The stored result that this one replaces, which must be from the harness too."""
    store.check_new(store.path(result.task, result.dataset.id, result.model.id))
    old = store.find(result.task, result.dataset.id, result.model.id)
    if old is not None and (old.provenance != "reported" or HARNESS not in old.model.made_from):
        place = store.path(result.task, result.dataset.id, result.model.id)
        kind = f"{old.provenance}, not from {HARNESS}"
        fix = "import under another model id, or delete it first"
        raise InterchangeError(f"{place}: provenance: holds a result that is {kind}; {fix}")
    return old


def _results(report: LmEvalReport, request: ReportRequest, boards: Boards, created: str) -> list[Result]:
    results = []
    for name, dataset in _tasks(report, request, boards).items():
        task = report.task(name)
        found = _metrics(report, task, request, boards.dataset(dataset), _specs(boards, dataset))
        results.append(_result(report, task, found, request, boards, dataset, created))
    _check_used(report, request, results)
    return results


def _check_used(report: LmEvalReport, request: ReportRequest, results: list[Result]) -> None:
    """Raise `InterchangeError` for a requested metric or scale that is not used."""
    taken = {key for result in results for key in result.model.made_from["metrics"].values()}
    there = {*taken, *(key.partition(",")[0] for key in taken)}
    scored = {name for result in results for name in result.scores}
    unused = [name for name in request.metrics if name not in there]
    unused += [f"--scale {name}" for name in request.scales if name not in scored]
    if unused:
        fix = "see the names in the file, or leave it out"
        raise InterchangeError(f"{report.path}: {unused[0]}: applies to none of the imported numbers; {fix}")


def _left_out(report: LmEvalReport, results: list[Result]) -> Iterator[str]:
    """The tasks and metrics of a file that are in none of its results."""
    used = {result.model.made_from["task"]: result.model.made_from["metrics"] for result in results}
    if tasks := [name for name in report.tasks if name not in used]:
        yield f"tasks {', '.join(map(_plain, tasks))}"
    for task, metrics in used.items():
        if others := [key for key in report.task(task).values if key not in metrics.values()]:
            yield f"metrics of {task}: {', '.join(map(_plain, others))}"


def _plain(name: str) -> str:
    return name if name.isprintable() else show(name)


def _tasks(report: LmEvalReport, request: ReportRequest, boards: Boards) -> dict[str, str]:
    """The datasets of the board by the harness's tasks, each of them once."""
    known = [spec.id for spec in boards.datasets]
    tasks = dict(request.tasks) or {name: name for name in report.tasks if name in known}
    there = ", ".join(map(_plain, report.tasks))
    if not tasks:
        fix = "say which task is which dataset with --task TASK=DATASET"
        raise InterchangeError(f"{report.path}: results: no task is called like a dataset: {there}; {fix}")
    for task, dataset in tasks.items():
        if task not in report.tasks:
            raise InterchangeError(f"{report.path}: results: has no task {show(task)}; it has {there}")
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
    report: LmEvalReport,
    task: TaskReport,
    request: ReportRequest,
    dataset: DatasetSpec,
    specs: Mapping[str, MetricSpec],
) -> dict[str, MetricSpec]:
    """Which numbers of a task are which metrics of a board."""
    there = ", ".join(map(_plain, task.values)) or "none"
    where = f"{report.path}: results.{task.name}"
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
            among = ", ".join(map(_plain, keys))
            raise InterchangeError(f"{where}: {_plain(name)} is there more than once: {among}; {fix}")
        if specs[ours] in found.values():
            fix = f"the second is {_plain(keys[0])}; give one of them"
            raise InterchangeError(f"{where}: two metrics go to {ours}; {fix}")
        found[keys[0]] = specs[ours]
    if not found:
        fix = "say which metric is which with --metric METRIC,FILTER=OURS"
        raise InterchangeError(f"{where}: has none of the metrics asked for; it has {there}; {fix}")
    return found


def _own_name(metric: str) -> str:
    return NAMES.get(metric, metric.replace("_", "-"))


def _result(
    report: LmEvalReport,
    task: TaskReport,
    metrics: Mapping[str, MetricSpec],
    request: ReportRequest,
    boards: Boards,
    dataset: str,
    created: str,
) -> Result:
    known = boards.model(request.model)
    label = request.label or (known.label if known else request.model)
    for name in (task.name, *metrics):
        if not name.isprintable() or len(name) > 200:
            fix = "give at most 200 characters that can be seen"
            raise wrong(report.path, "results", name, "is not a name", fix)
    return Result(
        task=boards.dataset(dataset).task,
        model=ModelRef(
            id=request.model,
            label=label,
            made_from=_made_from(report, task, metrics),
            card=known.card if known else ModelCard(),
        ),
        dataset=DatasetRef(id=dataset, examples=task.effective),
        provenance="reported",
        scores={
            spec.name: Score(
                value=_value(report, task, key, spec, request.scales.get(spec.name)),
                unit=spec.unit,
                version=f"lm-eval {task.name} {task.version or '?'} {key}",
            )
            for key, spec in metrics.items()
        },
        source=Source(
            citation=_citation(report, task, metrics, request.citation),
            link=request.link or HOME,
            note=_note(report, metrics),
        ),
        created=created,
        tool=f"steelyard {__version__}",
    )


def _value(report: LmEvalReport, task: TaskReport, key: str, spec: MetricSpec, scale: float | None) -> float:
    """A number of the harness in the unit of the board."""
    where, metric = f"results.{task.name}.{key}", key.partition(",")[0]
    value = number(report.path, where, task.values[key])
    if metric in task.higher and task.higher[metric] != (spec.direction == "higher"):
        better = "higher" if task.higher[metric] else "lower"
        problem = (
            f"the harness says that {better} is better, the board that {spec.direction} is, of {spec.name}"
        )
        raise wrong(
            report.path, f"higher_is_better.{task.name}.{metric}", better, problem, "map another metric"
        )
    if scale is None and spec.unit == "%":
        if metric not in SHARES or not 0 <= value <= 1:
            fix = f"say what makes it per cent with --scale {spec.name}=1, or =100 if it is a share"
            raise wrong(report.path, where, value, "is not known to be a share of one", fix)
        scale = 100.0
    scaled = value if scale in (None, 1.0) else _product(value, scale)
    if not abs(scaled) <= LARGEST:
        raise wrong(report.path, where, value, f"is beyond {LARGEST:g}", "leave this metric out")
    return scaled


def _product(value: float, scale: float) -> float:
    """To 15 digits, so that 0.29 becomes 29 per cent and not 28.999999999999996."""
    return float(f"{value * scale:.15g}")


def _made_from(
    report: LmEvalReport, task: TaskReport, metrics: Mapping[str, MetricSpec]
) -> dict[str, object]:
    facts = {
        HARNESS: report.harness,
        "file": report.sha256,
        "git": report.git,
        "date": report.date,
        "kind": report.model_kind,
        "arguments": report.model_arguments or None,
        "chat template": report.chat_template or None,
        "task": task.name,
        "task version": task.version,
        "shots": task.shots,
        "metrics": {spec.name: key for key, spec in metrics.items()},
    }
    return {name: value for name, value in facts.items() if value is not None}


def _citation(
    report: LmEvalReport, task: TaskReport, metrics: Mapping[str, MetricSpec], given: str | None
) -> str:
    """All that must be equal for two reported numbers to be compared."""
    version = f" version {task.version}" if task.version else ""
    shots = f", {task.shots}-shot" if task.shots is not None else ""
    named = f"{HARNESS} {report.harness}: {task.name}{version}{shots}; {', '.join(sorted(metrics))}"
    if task.effective is not None and task.effective != task.original:
        part = f" (on {task.effective} of {task.original} examples)"
    else:
        part = f" (limit {report.limit})" if task.effective is None and report.limit else ""
    return (given or named) + part


def _note(report: LmEvalReport, metrics: Mapping[str, MetricSpec]) -> str:
    """What is true of this run alone."""
    arguments = ", ".join(f"{name}={value}" for name, value in report.model_arguments.items())
    model = " ".join(filter(None, [report.model_kind, arguments]))
    parts = [
        f"run on {report.date}" if report.date else "",
        f"model {model}" if model else "",
        "with a chat template" if report.chat_template else "",
        f"{HARNESS} {report.harness}" + (f", git {report.git}" if report.git else ""),
        ", ".join(f"{spec.name} is {key}" for key, spec in metrics.items()),
    ]
    return "; ".join(filter(None, parts))
