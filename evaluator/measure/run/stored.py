"""What a stored result has and lacks, and how its timing stands among its scores."""

from __future__ import annotations

from evaluator.data.suites.make import Suite
from evaluator.measure.timing import PROTOCOL
from evaluator.records.measurement import Measurement
from evaluator.records.result import Result, Score
from evaluator.score.suites import PlannedSuite


def is_kept(result: Result | None, suite: Suite | PlannedSuite) -> bool:
    """Whether the result has scores on this very suite."""
    return result is not None and suite.hash in {scores.suite for scores in result.suites.values()}


def is_unmeasured(result: Result) -> bool:
    """Whether the result lacks a timing by this protocol."""
    return result.measurement is None or result.measurement.protocol != PROTOCOL


def timing_scores(measurement: Measurement | None) -> dict[str, Score]:
    """Throughput in examples a second and memory in GB of 10**9 bytes; none without a measurement."""
    if measurement is None:
        return {}
    version = f"protocol-{measurement.protocol}"
    return {
        "throughput": Score(value=measurement.throughput, unit="examples/s", version=version),
        "memory": Score(value=measurement.memory_bytes / 1e9, unit="GB", version=version),
    }
