"""Timings that cannot be believed: which numbers of a board they made, and why.

The verdict is that of the measurement (`measure.timing.noise`): a number of an invalid timing counts as
missing wherever a board is ranked, one of a suspect timing is ranked and marked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evaluator.records.base import TIMING
from evaluator.records.result import Result

#: What a maintainer does about a number that is kept apart; visitors are not told.
AGAIN = "; evaluate it again"


@dataclass(frozen=True)
class DoubtfulTiming:
    """A timing on a dataset that is suspect or invalid, with the metrics of the board that it made."""

    dataset: str
    metrics: tuple[str, ...]
    verdict: Literal["suspect", "invalid"]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        fix = AGAIN if self.verdict == "invalid" else ""
        return f"{self.about}: its timing is {self.verdict}: {self.why}{fix}"

    @property
    def about(self) -> str:
        return f"{' and '.join(self.metrics)} on {self.dataset}"

    @property
    def why(self) -> str:
        return "; ".join(self.reasons) or "no reason is given"


def doubtful_timing(result: Result, metrics: Iterable[str]) -> DoubtfulTiming | None:
    """Why those of `metrics` that were timed are in doubt; None where none was timed, or all is well."""
    timed = tuple(name for name in metrics if name in TIMING and name in result.scores)
    noise = result.measurement.noise if result.measurement else None
    if not timed or noise is None or noise.verdict == "ok":
        return None
    return DoubtfulTiming(result.dataset.id, timed, noise.verdict, noise.reasons)
