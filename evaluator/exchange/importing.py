"""Numbers of other evaluation tools as results of a board's datasets, checked against the tools' examples.

Where a tool kept the examples and the board has the data, its answers are stored and scored here
(`evaluator.exchange.by_example`); of datasets without data the tool's own values of each example are stored
(`evaluator.exchange.valued`); else its numbers are reported (`evaluator.exchange.reported`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeVar

from evaluator.data.datasets import Dataset, read_dataset
from evaluator.data.tasks.known import SCORED
from evaluator.exchange.by_example import scored_result, write_data
from evaluator.exchange.logs.base import NONE, EvaluationLog
from evaluator.exchange.matching import ImportRequest, MatchedTask, check_used, left_out, matched, no_task
from evaluator.exchange.reported import PublishedNumber, reported_result, short_name
from evaluator.exchange.valued import ValuedTask, examples_of, keep, valued_task
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.references import PredictionSet
from evaluator.records.result import Result
from evaluator.records.store import Store
from evaluator.score.examples import dataset_source, keep_examples
from evaluator.score.importing import is_stored, with_added_scores
from evaluator.score.keeping import keep_covariances
from evaluator.score.rescoring import keep_estimate
from evaluator.score.suites import lost_suites, with_kept_suites
from evaluator.score.values import ScoredExamples

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@dataclass(frozen=True)
class ImportedTask:
    """What an import made of a task: the result, and how its numbers compare with the log's examples.

    `lost` are suites of the result before, whose agreement was with other answers. `unused` says what of the
    log's examples could not be used to check its numbers; "" where there is nothing to say.
    """

    status: Literal["imported", "unchanged"]
    result: Result
    compared: tuple[PublishedNumber, ...]
    lost: tuple[str, ...] = ()
    unused: str = ""


@dataclass(frozen=True)
class ImportedLog:
    """What an import made of a log; `left_out` names its tasks and metrics that were not requested."""

    tasks: tuple[ImportedTask, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class _Made:
    """A task that fits: its result, with the predictions and the dataset where its answers are stored."""

    match: MatchedTask
    result: Result
    compared: tuple[PublishedNumber, ...]
    predictions: PredictionSet | None = None
    dataset: Dataset | None = None
    unused: str = ""


Ready = tuple[_Made, Result | None]


@dataclass(frozen=True)
class PlannedLog:
    """A log, what is asked of it, and its tasks that are datasets of the board; none where no task is."""

    log: EvaluationLog
    request: ImportRequest
    tasks: tuple[MatchedTask, ...]


class UnfitLogsError(UserError):
    """Some of several logs cannot be used: `errors` says why."""

    def __init__(self, errors: Sequence[UserError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(map(str, errors)))


def planned_logs(asked: Sequence[tuple[EvaluationLog, ImportRequest]], boards: Boards) -> list[PlannedLog]:
    """Which tasks of logs are which datasets.

    Raises `UserError` for what is asked for and is in no log, for two logs of one model and dataset, and for
    what does not fit the board, `UnfitLogsError` where that is so in several logs.
    """
    planned = each(asked, lambda log, request: PlannedLog(log, request, tuple(matched(log, request, boards))))
    check_used([log for log, _ in asked], asked[0][1], [one for log in planned for one in log.tasks])
    if not any(log.tasks for log in planned):
        raise no_task(asked[0][0])
    first: dict[tuple[str, str], EvaluationLog] = {}
    twice: dict[Path, UserError] = {}
    for plan in planned:
        for one in plan.tasks:
            other = first.setdefault((plan.request.model.casefold(), one.dataset.id), plan.log)
            if other is not plan.log:
                problem = f"has {plan.request.model} on {one.dataset.id}, and so has {other.path}"
                fix = "move one of them away, or import one alone, under another id with --model"
                twice.setdefault(plan.log.path, UserError(plan.log.path, problem, fix))
    if twice:
        raise UnfitLogsError([*twice.values()])
    return planned


def import_logs(
    planned: Sequence[PlannedLog], boards: Boards, store: Store, data: Path, created: str
) -> list[ImportedLog]:
    """Store the numbers of logs as results made at `created` (as in the record).

    Dataset paths start at `data`. No result is written unless all of them fit. Raises `UserError` for what is
    not what a log's examples imply, or would replace a result that is not from the tool; if the model's id
    cannot be the name of a new file; for what `evaluator.score.importing.import_predictions` refuses of
    answers; and `UnfitLogsError` for several of these.
    """
    every = [(one, log.request) for log in planned for one in log.tasks]

    def ready(one: MatchedTask, request: ImportRequest) -> ValuedTask | Ready:
        if one.dataset.task == SCORED.name and request.examples != "none":
            valued = valued_task(one, request, boards, created)
            if valued is not None:
                _replaced(store, one, request.model)
                return valued
        made = _made(one, request, boards, store, data, created)
        before = _replaced(store, one, request.model)
        return _with_added(made, before, store), before

    with _new_data(every, data):
        made = each(every, ready)
        valued = _examples_of([one for one in made if isinstance(one, ValuedTask)], store)
        with TemporaryDirectory() as scratch:  # beside the store, so that a bad value leaves nothing behind
            each(valued, lambda one, examples: keep(one, examples, boards, Store(Path(scratch)), created))
    by_values = iter([_kept_values(one, examples, boards, store, created) for one, examples in valued])
    done = iter([
        next(by_values) if isinstance(one, ValuedTask) else _kept(*one, boards, store) for one in made
    ])  # fmt: skip
    for dataset in {examples.id: examples for _, examples in valued}.values():
        keep_covariances(dataset.dataset(), boards, store)
    return [
        ImportedLog(tuple(next(done) for _ in log.tasks), tuple(left_out(log.log, log.tasks)))
        for log in planned
    ]


def each(given: Iterable[tuple[A, B]], function: Callable[[A, B], C]) -> list[C]:
    """What a function makes of each pair. Raises its `UserError`, or `UnfitLogsError` of several."""
    found: list[C] = []
    errors: list[UserError] = []
    for one, other in given:
        try:
            found.append(function(one, other))
        except UserError as error:
            errors.append(error)
    if errors:
        raise errors[0] if len(errors) == 1 else UnfitLogsError(errors)
    return found


@contextmanager
def _new_data(found: Sequence[tuple[MatchedTask, ImportRequest]], data: Path) -> Iterator[None]:
    """Make the data files that are missing, if that is asked for; without them again if an error follows."""
    written: list[Path] = []
    try:
        for one, request in found:
            file = _data_file(one, data) if request.write_data else None
            if file is not None and not file.exists() and one.task.examples is not None:
                with _way_round():
                    write_data(file, one.dataset, one.task.examples().whole(), request.examples)
                written.append(file)
        yield
    except BaseException:
        for file in written:
            file.unlink()
        raise


@contextmanager
def _way_round() -> Iterator[None]:
    """Say of every error that is about examples how the numbers are had without them."""
    try:
        yield
    except UserError as error:
        if "--examples none" in str(error):
            raise
        raise UserError(f"{error}, {NONE}") from None


def _data_file(one: MatchedTask, data: Path) -> Path | None:
    """Where the file of a dataset is, if it is read from one."""
    return data / one.dataset.path if one.dataset.readable and one.dataset.path else None


def _made(
    one: MatchedTask, request: ImportRequest, boards: Boards, store: Store, data: Path, created: str
) -> _Made:
    """The result of a task: of its answers where there are some and the board has the data."""
    no_answers = one.task.examples is None or not one.of_answers
    if no_answers or request.examples == "none" or not one.dataset.readable:
        _check_asked_for(one, request)
        result, compared, unused = reported_result(one, request, boards, created)
        return _Made(one, result, tuple(compared), unused=unused)
    file = _data_file(one, data)
    if file is not None and not file.exists():
        fix = "give the file, make it of the examples in the log with --write-data"
        raise UserError(f"dataset {one.dataset.id}: {file}", "is missing", f"{fix}, {NONE}")
    for key in one.metrics:  # what is wrong with these has no way round
        one.published(key)
    with _way_round():
        dataset = read_dataset(dataset_source(one.dataset, data))
        result, predictions, compared = scored_result(one, dataset, request, boards, store, created)
    return _Made(one, result, tuple(compared), predictions, dataset)


def _check_asked_for(one: MatchedTask, request: ImportRequest) -> None:
    """Raise `UserError` if something was asked for that takes examples or data, and there are none."""
    asked = "--write-data" if request.write_data else "--examples verdicts"
    if request.examples == "none" or not (request.write_data or request.examples == "verdicts"):
        return
    lacks = f"{one.log.path} keeps no examples of {one.task.name}"
    if one.task.examples is not None:
        lacks = f"the board file does not say how {one.dataset.id} is read"
    raise UserError(f"{asked}: {lacks}; leave it out, or give what is missing")


def _examples_of(tasks: Sequence[ValuedTask], store: Store) -> list[tuple[ValuedTask, ScoredExamples]]:
    """Each task with the examples of its dataset, which are the same for all models."""
    by_dataset: dict[str, list[ValuedTask]] = {}
    for one in tasks:
        by_dataset.setdefault(one.match.dataset.id, []).append(one)
    known = {id_: examples_of(mine[0].match.dataset, mine, store) for id_, mine in by_dataset.items()}
    return [(one, known[one.match.dataset.id]) for one in tasks]


def _kept_values(
    one: ValuedTask, examples: ScoredExamples, boards: Boards, store: Store, created: str
) -> ImportedTask:
    done = keep(one, examples, boards, store, created)
    return ImportedTask(done.status, done.result, one.compared)


def _replaced(store: Store, one: MatchedTask, model: str) -> Result | None:
    """The stored result that a new one replaces, which must be from the same tool."""
    tool = one.log.tool
    place = store.path(one.dataset.task, one.dataset.id, model)
    store.check_new(place)
    old = store.find(one.dataset.task, one.dataset.id, model)
    if old is not None and (
        old.provenance not in ("reported", "predictions") or tool not in old.model.made_from
    ):
        kind = f"{old.provenance}, not from {tool}"
        fix = "import under another model id, or delete it first"
        raise UserError(f"{place}: provenance: holds a result that is {kind}; {fix}")
    return old


def _with_added(made: _Made, before: Result | None, store: Store) -> _Made:
    tool = short_name(made.match.log.tool)
    return replace(made, result=with_added_scores(made.result, before, store, tool))


def _kept(made: _Made, before: Result | None, boards: Boards, store: Store) -> ImportedTask:
    """Write a result, and what else is kept of a dataset with answers, where it is not there already."""
    made = replace(made, result=with_kept_suites(made.result, before))
    dataset = made.dataset
    if dataset is not None:
        keep_estimate(dataset, boards.dataset(dataset.id), store)
    if before is None:
        is_there = False
    elif made.predictions is not None:
        is_there = is_stored(before, made.result, store)
    else:
        is_there = before.model_copy(update={"created": made.result.created}) == made.result
    if before is not None and is_there:
        done = ImportedTask("unchanged", before, made.compared, unused=made.unused)
    else:
        store.save(made.result, made.predictions)
        lost = lost_suites(made.result, before)
        done = ImportedTask("imported", made.result, made.compared, lost, made.unused)
    if dataset is not None:
        keep_examples(dataset, made.match.dataset, store)
        keep_covariances(dataset, boards, store)
    return done
