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
from evaluator.measure.run.plan import Unit, check_isolation, check_metrics
from evaluator.measure.run.unit import Outcome, UnitRun
from evaluator.measure.run.untimed import EvaluationInputs, KeptAnswers, ask
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.scratch import ready_to_write
from evaluator.records.store import Store
from evaluator.score.covariances import keep_covariances
from evaluator.score.examples import check_ids, keep_examples
from evaluator.score.rescoring import keep_estimate, rescore
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
    Before anything is measured raises `UserError` if another evaluation is using `work`, a stored result
    was not measured (it is not ours to overwrite), a board shows a metric that nothing computes, or the
    board file requires an isolation that this machine does not have;
    `UserError` if a result cannot be read; `UserError` if none could be written;
    `UserError` if a suite cannot be made;
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
                assert run.outcome is not None
                progress.outcome(run.outcome)
                if run.outcome.result.predictions is not None:
                    dataset = run.unit.dataset
                    keep_examples(dataset, boards.dataset(dataset.id), store)
        for dataset in {unit.dataset.id: unit.dataset for unit in units}.values():
            keep_covariances(dataset, boards, store)
    return [run.outcome for run in runs if run.outcome is not None]


def on_this_machine(
    runs: Sequence[UnitRun], work: Path, progress: Progress, remeasure: bool
) -> Generator[tuple[int, UnitRun], None, None]:
    """Bring units up to date; yields each with its number, from 1, whenever its outcome is another."""
    for number, run in enumerate(runs, start=1):
        progress.unit(number, len(runs), run.unit)
        if run.begin(remeasure):
            yield number, run
    # What is not timed keeps all cores busy, so it waits until every model is timed.
    wanted = []
    for number, run in enumerate(runs, start=1):
        # A model may have to be prepared before it can be asked.
        progress.unit(number, len(runs), run.unit)
        wanted.append((number, run, run.questions()))
    progress.all_units()
    for number, run, questions in wanted:
        if questions is None and _finishes(run, None):
            yield number, run
    asked = [(number, run, questions) for number, run, questions in wanted if questions is not None]
    if asked:
        with closing(ask([questions for _, _, questions in asked], work / "answers", progress)) as answered:
            for places, answers in answered:
                for number, run, _ in (asked[place] for place in places):
                    if _finishes(run, answers):
                        yield number, run


def _finishes(run: UnitRun, answers: KeptAnswers | None) -> bool:
    """Finish a unit; whether its outcome is another now."""
    before = run.outcome
    return run.finish(answers) is not before


def rescore_stored(
    units: Sequence[Unit],
    boards: Boards,
    data: Path,
    store: Store,
    models: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> Iterator[Outcome]:
    """Bring results up to date that belong to none of the `units`, such as imported ones: no model is asked.

    Metrics that they lack are computed from their stored predictions; yields those that changed. `models` and
    `datasets` narrow them down by id. Raises `evaluator.data.datasets.DatasetError` and `StoreError`.
    """
    own = {(unit.dataset.id, unit.model.id) for unit in units}
    others = {
        result.dataset.id
        for result in store.results()
        if result.predictions is not None
        and (result.dataset.id, result.model.id) not in own
        and (not models or result.model.id in models)
    }
    for spec in boards.datasets:
        if spec.readable and spec.id in others and (not datasets or spec.id in datasets):
            for result, changed in rescore(spec, boards, data, store):
                if changed:
                    yield Outcome("updated", result)


def _check_ours(unit: Unit, store: Store) -> None:
    """Raise `UserError` if the model's result on the dataset did not come from running it."""
    path = store.path(unit.dataset.task, unit.dataset.id, unit.model.id)
    store.check_new(path)
    old = store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
    if old is not None and old.provenance != "measured":
        fix = "give the model another id in the board file, or delete that result"
        raise UserError(path, f"provenance: holds a result that is {old.provenance}", fix)


@contextmanager
def _lock(work: Path) -> Iterator[None]:
    """Hold the working directory; the operating system releases it however the process ends."""
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(work, "in use by another evaluation", "wait for it to end") from None
        yield
