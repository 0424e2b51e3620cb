"""What a unit lacks, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.measure.run.plan import Unit
from evaluator.records.result import Result
from evaluator.score.suites import PlannedSuite


@dataclass(frozen=True)
class Outcome:
    """What became of a unit, and the files written for it."""

    unit: Unit
    status: Literal["measured", "updated", "unchanged", "failed", "not run"]
    result: Result
    written: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Needs:
    """What a unit lacks: a timing, answers of any kind, scores on `suites`; `old` is the result it has."""

    old: Result | None
    timed: bool
    asked: bool
    suites: tuple[PlannedSuite, ...]
