"""Brings the units of a plan up to date: prepare the model, predict, measure, score, store.

What is finished is on disk and is not repeated: a result whose `inputs` are unchanged is kept (only
metrics it lacks are computed, from its stored predictions, and its name and card brought up to date),
and a unit that was interrupted goes on after the last example in its journal. `forecast` says beforehand what
there is to do, and about how long it would take by the speeds of earlier evaluations.
"""

from __future__ import annotations

import fcntl
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evaluator.data.tasks.known import SCORED
from evaluator.measure.endpoint.asking import ask_endpoints
from evaluator.measure.models.base import MissingPackage
from evaluator.measure.models.preparing import is_prepared
from evaluator.measure.run.asking import Steps, TimedAnswers, TimedQuestions, ask_timed
from evaluator.measure.run.plan import Unit, check_isolation, check_metrics
from evaluator.measure.run.trials import Repetition
from evaluator.measure.run.unit import Outcome, Remeasure, UnitRun
from evaluator.measure.run.untimed import EvaluationInputs, KeptAnswers, Questions, Unasked, ask
from evaluator.measure.timing.machine import fingerprint, own_cpus, worker_cpus
from evaluator.records.base import EVALUATED, PROTOCOL
from evaluator.records.board import Boards
from evaluator.records.errors import UserError
from evaluator.records.measurement import Measurement
from evaluator.records.scratch import ready_to_write
from evaluator.records.store import Store
from evaluator.score.examples import check_ids, keep_examples
from evaluator.score.keeping import keep_covariances
from evaluator.score.rescoring import keep_estimate, rescore, vary_again
from evaluator.score.suites import PlannedSuite, path_of, planned_suites


class Progress(Steps, Protocol):
    """Receives the progress of an evaluation; the command line shows it."""

    def unit(self, number: int, total: int, unit: Unit) -> None: ...
    def all_units(self) -> None: ...
    def say(self, line: str) -> None: ...
    def outcome(self, outcome: Outcome) -> None: ...


class Asker(Protocol):
    """Has models asked: on this machine, or elsewhere."""

    def timed(
        self, asked: Iterable[tuple[UnitRun, TimedQuestions]]
    ) -> Iterator[tuple[UnitRun, TimedAnswers | Unasked]]:
        """What was answered while models were timed, as it comes. A model is prepared when it is drawn."""
        ...

    def untimed(
        self, asked: Sequence[tuple[UnitRun, Questions]]
    ) -> Generator[tuple[UnitRun, KeptAnswers], None, None]:
        """What was answered, as it comes. Whoever closes this ends what is still at work."""
        ...


@dataclass(frozen=True)
class ThisMachine:
    """Asks models here. What is not timed keeps all cores busy."""

    work: Path
    progress: Progress

    def timed(
        self, asked: Iterable[tuple[UnitRun, TimedQuestions]]
    ) -> Iterator[tuple[UnitRun, TimedAnswers | Unasked]]:
        """In turns, once all are ready: what the machine does meanwhile it does to all of them."""
        drawn = list(asked)
        if drawn:
            self.progress.all_units()
            turns = [(questions, run.directory) for run, questions in drawn]
            for place, found in ask_timed(turns, self.progress):
                yield drawn[place][0], found

    def untimed(
        self, asked: Sequence[tuple[UnitRun, Questions]]
    ) -> Generator[tuple[UnitRun, KeptAnswers], None, None]:
        """All at once; what several units ask a model alike is asked once."""
        if not asked:
            return
        with closing(
            ask([questions for _, questions in asked], self.work / "answers", self.progress)
        ) as found:
            for places, answers in found:
                for place in places:
                    yield asked[place][0], answers


def evaluate(
    units: Sequence[Unit],
    boards: Boards,
    store: Store,
    work: Path,
    progress: Progress,
    remeasure: Remeasure = "none",
    asker: Asker | None = None,
    trials: int = 1,
) -> list[Outcome]:
    """Bring the result of every unit up to date and return what became of each, in order.

    `work` holds prepared models and interrupted runs; `remeasure` says which timings are made again though
    predictions are up to date; `asker` has models asked elsewhere. Models that do not always answer the same
    are asked until each example has so many `trials`. A model that fails gets a result that says so; the
    others go on.
    Before anything is measured raises `UserError` if another evaluation is using `work`, a stored result
    was not measured (it is not ours to overwrite), a board shows a metric that nothing computes, the
    board file requires an isolation that this machine does not have, a result cannot be read or none could be
    written, or a suite cannot be made; `DatasetError` if ids are not fit to be published.
    """
    with _lock(work):
        check_metrics(units, boards, store)
        if asker is None:
            check_isolation(boards.measure)
        ready_to_write(store.root, *(store.root / unit.dataset.task / unit.dataset.id for unit in units))
        for unit in units:
            _check_ours(unit, store)
            check_ids(unit.dataset, boards.dataset(unit.dataset.id))
            planned_suites(boards.suites_of(unit.dataset.id), unit.dataset, work)
        inputs = EvaluationInputs(work)
        machine = _machine(boards, remeasure) if asker is None else None
        references = _references(store)
        runs = [UnitRun(unit, boards, store, inputs, progress, machine, references) for unit in units]
        for unit in units:
            keep_estimate(unit.dataset, boards.dataset(unit.dataset.id), store)
        _bring_up_to_date(runs, asker or ThisMachine(work, progress), progress, remeasure, trials)
        for dataset in {unit.dataset.id: unit.dataset for unit in units}.values():
            keep_covariances(dataset, boards, store)
    return [run.outcome for run in runs if run.outcome is not None]


def _bring_up_to_date(
    runs: Sequence[UnitRun], asker: Asker, progress: Progress, remeasure: Remeasure, trials: int
) -> None:
    """Time models, then ask what is not timed; each outcome is shown as soon as it is another."""
    numbers = {run: number for number, run in enumerate(runs, start=1)}

    def show(run: UnitRun) -> None:
        progress.unit(numbers[run], len(runs), run.unit)

    def changed(run: UnitRun) -> None:
        show(run)
        assert run.outcome is not None
        progress.outcome(run.outcome)
        if run.outcome.result.predictions is not None:
            dataset = run.unit.dataset
            keep_examples(dataset, run.boards.dataset(dataset.id), run.store)

    def to_time() -> Iterator[tuple[UnitRun, TimedQuestions]]:
        # What is known worst comes first, in case somebody ends this.
        first = sorted(runs, key=lambda run: -run.spread) if remeasure == "worst" else runs
        for run in first:
            show(run)
            if questions := run.begin(remeasure):
                yield run, questions
            elif run.outcome is not None:
                changed(run)

    for run, answers in asker.timed(to_time()):
        run.timed(answers)
        changed(run)
    wanted: list[tuple[UnitRun, Questions]] = []
    for run in runs:
        # A model may have to be prepared before it can be asked.
        show(run)
        if questions := run.questions():
            wanted.append((run, questions))
        elif run.finish(KeptAnswers({})):
            changed(run)
    for run, kept in _untimed(wanted, asker, progress):
        if run.finish(kept):
            changed(run)
    for run in _asked_again(runs, trials, asker, progress):
        changed(run)


def _untimed(
    wanted: Sequence[tuple[UnitRun, Questions]], asker: Asker, progress: Progress
) -> Iterator[tuple[UnitRun, KeptAnswers]]:
    """What is answered untimed, as it comes; by models behind endpoints last."""
    progress.all_units()
    here, elsewhere = ([one for one in wanted if one[0].unit.model.is_remote == far] for far in (False, True))
    with closing(asker.untimed(here)) as answered:
        yield from answered
    if elsewhere:
        run = elsewhere[0][0]
        asked = [questions for _, questions in elsewhere]
        for places, kept in ask_endpoints(asked, run.boards, run.work, progress):
            for place in places:
                yield elsewhere[place][0], kept


def _asked_again(runs: Sequence[UnitRun], trials: int, asker: Asker, progress: Progress) -> Iterator[UnitRun]:
    """Ask until every example has so many trials; those whose outcome is another now.

    Each trial is a run of its own, in new workers. Models are asked a sample first, unless it is known that
    their answers vary.
    """
    left = [one for run in runs if (one := Repetition.of(run, trials))]
    for trial in (0, *range(2, trials + 1)):  # 0: the sample
        wanted = {one.run: one for one in left if one.lacks(trial)}
        asked = [(run, questions) for run, one in wanted.items() if (questions := one.questions(trial))]
        for run, kept in _untimed(asked, asker, progress):
            wanted[run].took(trial, kept)
        for one in [one for one in left if one.is_over]:
            left.remove(one)
            yield one.run
    for one in left:
        one.finish()
        yield one.run


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
        if spec.task == SCORED.name and spec.id in others and (not datasets or spec.id in datasets):
            vary_again(spec.id, boards, store)
        if spec.readable and spec.id in others and (not datasets or spec.id in datasets):
            for result, changed in rescore(spec, boards, data, store):
                if changed:
                    yield Outcome("updated", result)


def _check_ours(unit: Unit, store: Store) -> None:
    """Raise `UserError` if the model's result on the dataset did not come from running it."""
    path = store.path(unit.dataset.task, unit.dataset.id, unit.model.id)
    store.check_new(path)
    old = store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
    if old is not None and old.provenance not in EVALUATED:
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


@dataclass(frozen=True)
class Forecast:
    """What one unit needs: `timed` with a worker of its own, or `asked` without; and which `suites`.

    `seconds` leaves preparing out, and is None where nothing tells how fast the model is, or how many
    variants a suite has.
    """

    unit: Unit
    prepared: bool
    timed: bool
    asked: bool
    suites: tuple[str, ...]
    seconds: float | None

    @property
    def up_to_date(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.timed or self.asked or self.suites)


def forecast(
    units: Sequence[Unit], boards: Boards, store: Store, work: Path, remeasure: Remeasure = "none"
) -> list[Forecast]:
    """What `evaluator.measure.run.evaluate` would do, given the same; starts and writes nothing.

    Raises `UserError` if a stored result cannot be read, and for a suite that cannot be.
    """
    inputs, machine = EvaluationInputs(work), _machine(boards, remeasure)
    runs = [UnitRun(unit, boards, store, inputs, machine=machine) for unit in units]
    return [_forecast(run, remeasure) for run in runs]


def _machine(boards: Boards, remeasure: Remeasure) -> str | None:
    """The key of this machine, where timings are looked at by it."""
    if remeasure != "worst":
        return None
    threads = boards.measure.threads
    return fingerprint(threads, worker_cpus(threads)).key


def _references(store: Store) -> dict[str, int]:
    """What the reference workload of each machine took when models were last timed there."""
    timed = [one for one in store.results() if one.measurement and one.measurement.protocol == PROTOCOL]
    return {
        one.measurement.fingerprint.key: one.measurement.fingerprint.reference_ns
        for one in sorted(timed, key=lambda one: one.created)
        if one.measurement
    }


def _forecast(run: UnitRun, remeasure: Remeasure) -> Forecast:
    unit, needs = run.unit, run.needs(remeasure)
    parts = [_suite_seconds(run, suite) for suite in needs.suites]
    if needs.timed:
        parts.append(_timing_seconds(run))
    elif needs.asked:
        parts.append(_asking_seconds(run, len(unit.dataset.examples)))
    known = [part for part in parts if part is not None]
    return Forecast(
        unit=unit,
        prepared=_is_prepared(run),
        timed=needs.timed,
        asked=needs.asked and not needs.timed,
        suites=tuple(suite.definition.name for suite in needs.suites),
        seconds=sum(known) if len(known) == len(parts) else None,
    )


def _is_prepared(run: UnitRun) -> bool:
    model = run.unit.model
    if model.recipe is None:
        return True
    try:
        return is_prepared(
            model.recipe, model.options, run.unit.train, model.seed, run.models, run.unit.directory
        )
    except (UserError, MissingPackage):
        # The evaluation says why it cannot be, and goes on with the others.
        return False


def _earlier(run: UnitRun) -> Measurement | None:
    """How the model was timed before: on this dataset, or on another."""
    model, here = run.unit.model, run.unit.dataset
    others = [dataset.id for dataset in run.boards.datasets_for(model) if dataset.id != here.id]
    results = (run.store.find(here.task, dataset, model.id) for dataset in (here.id, *others))
    return next((result.measurement for result in results if result and result.measurement), None)


def _timing_seconds(run: UnitRun) -> float | None:
    """The first block asks everything, the others take the time that there is, at most."""
    earlier = _earlier(run)
    if earlier is None:
        return None
    whole = len(run.unit.dataset.examples) / earlier.throughput
    return earlier.load_s + whole + run.boards.measure.seconds


def _asking_seconds(run: UnitRun, inputs: int) -> float | None:
    """One by one, on all cores: batches may be faster."""
    earlier = _earlier(run)
    return inputs / earlier.throughput / len(own_cpus()) if earlier else None


def _suite_seconds(run: UnitRun, suite: PlannedSuite) -> float | None:
    path = path_of(suite, run.work)
    if path.exists():
        # One line says what the suite is, each other is a variant.
        return _asking_seconds(run, len(path.read_bytes().splitlines()) - 1)
    unit = run.unit
    old = run.store.find(unit.dataset.task, unit.dataset.id, unit.model.id)
    before = old.suites.get(suite.definition.name) if old else None
    return _asking_seconds(run, before.variants) if before else None
