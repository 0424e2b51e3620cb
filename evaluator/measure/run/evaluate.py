"""Drives the units of a plan: prepare the model, predict, measure, score, store.

What is finished is on disk and is not repeated: a result whose `inputs` are unchanged is kept (only
metrics it lacks are computed, from its stored predictions, and its name and card brought up to date),
and a unit that was interrupted goes on after the last example in its journal.
"""

from __future__ import annotations

import fcntl
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from evaluator.measure.run.asking import Steps
from evaluator.measure.run.inputs import EvaluationInputs
from evaluator.measure.run.isolated import check_isolation
from evaluator.measure.run.outcome import Outcome
from evaluator.measure.run.plan import Unit, check_metrics
from evaluator.measure.run.unit_run import UnitRun
from evaluator.measure.run.untimed import KeptAnswers, ask
from evaluator.records.board import Boards
from evaluator.records.scratch import ready_to_write
from evaluator.records.store import Store
from evaluator.score.covariances import keep_covariances
from evaluator.score.errors import PlanError
from evaluator.score.examples import check_ids, keep_examples
from evaluator.score.people import keep_estimate
from evaluator.score.suites import planned_suites


class Progress(Steps, Protocol):
    """Receives the progress of an evaluation; the command line shows it."""

    def unit(self, number: int, total: int, unit: Unit) -> None: ...
    def all_units(self) -> None: ...
    def say(self, line: str) -> None: ...
    def outcome(self, outcome: Outcome) -> None: ...


class Drive(Protocol):
    """Brings units up to date, as `on_this_machine` does."""

    def __call__(
        self, runs: Sequence[UnitRun], work: Path, progress: Progress, remeasure: bool
    ) -> Generator[tuple[int, UnitRun], None, None]: ...


def evaluate(
    units: Sequence[Unit],
    boards: Boards,
    store: Store,
    work: Path,
    progress: Progress,
    remeasure: bool = False,
    drive: Drive | None = None,
) -> list[Outcome]:
    """Bring the result of every unit up to date and return what became of each, in order.

    `work` holds prepared models and interrupted runs; `remeasure` times models again whose
    predictions are up to date; `drive` has models asked elsewhere. A model that fails gets a result that
    says so; the others go on.
    Before anything is measured raises `PlanError` if another evaluation is using `work`, a stored result
    was not measured (it is not ours to overwrite), a board shows a metric that nothing computes, or the
    board file requires an isolation that this machine does not have;
    `UserError` if a result cannot be read; `UserError` if none could be written;
    `evaluator.data.suites.SuiteError` if a suite cannot be made;
    `DatasetError` if ids are not fit to be published.
    """
    with _lock(work):
        check_metrics(units, boards, store)
        if drive is None:
            check_isolation(boards.measure)
        ready_to_write(store.root, *(store.root / unit.dataset.task / unit.dataset.id for unit in units))
        for unit in units:
            _check_ours(unit, store)
            check_ids(unit.dataset, boards.dataset(unit.dataset.id))
            planned_suites(boards.suites_of(unit.dataset.id), unit.dataset, work)
        inputs = EvaluationInputs(work)
        runs = [UnitRun(unit, boards, store, inputs, progress) for unit in units]
        for unit in units:
            keep_estimate(unit.dataset, boards.dataset(unit.dataset.id), store)
        with closing((drive or on_this_machine)(runs, work, progress, remeasure)) as changed:
            for number, run in changed:
                progress.unit(number, len(units), run.unit)
                progress.outcome(_finished(run))
                _keep_examples(run)
        for dataset in {unit.dataset.id: unit.dataset for unit in units}.values():
            keep_covariances(dataset, boards, store)
    return list(map(_finished, runs))


def on_this_machine(
    runs: Sequence[UnitRun], work: Path, progress: Progress, remeasure: bool
) -> Generator[tuple[int, UnitRun], None, None]:
    """Bring units up to date; yields each with its number, from 1, whenever its outcome is another."""
    for number, run in enumerate(runs, start=1):
        progress.unit(number, len(runs), run.unit)
        if run.begin(remeasure):
            yield number, run
    # What is not timed keeps all cores busy, so it waits until every model is timed.
    with closing(_ask_untimed(runs, work / "answers", progress)) as finished:
        for number, run, before in finished:
            if run.outcome is not before:
                yield number, run


def _ask_untimed(
    runs: Sequence[UnitRun], directory: Path, progress: Progress
) -> Generator[tuple[int, UnitRun, Outcome | None], None, None]:
    """Finish every unit; yields each with its number, from 1, and the outcome that it had before."""
    wanted = []
    for number, run in enumerate(runs, start=1):
        # A model may have to be prepared before it can be asked.
        progress.unit(number, len(runs), run.unit)
        wanted.append((number, run, run.questions()))
    progress.all_units()
    for number, run, questions in wanted:
        if questions is None:
            yield number, run, _finish(run, None)
    asking = [(number, run, questions) for number, run, questions in wanted if questions is not None]
    if asking:
        with closing(ask([questions for _, _, questions in asking], directory, progress)) as answered:
            for places, answers in answered:
                for number, run, _ in (asking[place] for place in places):
                    yield number, run, _finish(run, answers)


def _keep_examples(run: UnitRun) -> None:
    dataset = run.unit.dataset
    if _finished(run).result.predictions is not None:
        keep_examples(dataset, run.boards.dataset(dataset.id), run.store)


def _finish(run: UnitRun, answers: KeptAnswers | None) -> Outcome | None:
    """Finish a unit; the outcome that it had before."""
    before = run.outcome
    run.finish(answers)
    return before


def _finished(run: UnitRun) -> Outcome:
    assert run.outcome is not None
    return run.outcome


def _check_ours(unit: Unit, store: Store) -> None:
    """Raise `PlanError` if the model's result on the dataset did not come from running it."""
    store.check_new(store.path(unit.dataset.task, unit.dataset.id, unit.model.id))
    old = store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
    if old is not None and old.provenance != "measured":
        path = store.path(unit.dataset.task, unit.dataset.id, unit.model.id)
        fix = "give the model another id in the board file, or delete that result"
        raise PlanError(f"{path}: provenance: holds a result that is {old.provenance}; {fix}")


@contextmanager
def _lock(work: Path) -> Iterator[None]:
    """Hold the working directory; the operating system releases it however the process ends."""
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PlanError(f"{work} is in use by another evaluation; wait for it to end") from None
        yield
