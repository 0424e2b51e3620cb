"""What an evaluation would do, and about how long it would take by the speeds of earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.measure.models.base import MissingPackage
from evaluator.measure.models.preparing import is_prepared
from evaluator.measure.run.plan import Unit
from evaluator.measure.run.unit import UnitRun
from evaluator.measure.run.untimed import EvaluationInputs
from evaluator.measure.timing.machine import own_cpus
from evaluator.records.board import Boards, MeasureSettings
from evaluator.records.errors import UserError
from evaluator.records.result import Measurement
from evaluator.records.store import Store
from evaluator.score.suites import PlannedSuite, path_of


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
    units: Sequence[Unit], boards: Boards, store: Store, work: Path, remeasure: bool = False
) -> list[Forecast]:
    """What `evaluator.measure.run.evaluate` would do, given the same; starts and writes nothing.

    Raises `UserError` if a stored result cannot be read, and for a suite that cannot be.
    """
    inputs = EvaluationInputs(work)
    return [_forecast(UnitRun(unit, boards, store, inputs), remeasure) for unit in units]


def _forecast(run: UnitRun, remeasure: bool) -> Forecast:
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
    """The first pass asks everything, the others as much as the settings want."""
    earlier = _earlier(run)
    if earlier is None:
        return None
    settings: MeasureSettings = run.boards.measure
    whole = len(run.unit.dataset.examples) / earlier.throughput
    least = max(settings.min_duration_s, settings.min_requests / earlier.throughput)
    loads = sum(repeat.load_ns for repeat in earlier.repeats) / 1e9
    return whole + (settings.repeats - 1) * min(whole, least) + loads


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
