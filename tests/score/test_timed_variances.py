"""How throughput and memory vary: by a model's own blocks."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluator.records.result import Result
from evaluator.score.scores import scores_line, timing_words
from evaluator.score.timing_variances import freedom, relative_variances

GOLDEN = Result.model_validate_json((Path(__file__).parents[1] / "golden" / "result.json").read_bytes())


def timed(speeds: Sequence[float], waited: int | None = 0) -> Result:
    """The golden result with such blocks."""
    assert GOLDEN.measurement is not None
    block = GOLDEN.measurement.repeats[0].model_copy(update={"waited_ns": waited})
    memory = [
        block.memory.model_copy(update={"mean_bytes": round(1e9 * speed / speeds[0])}) for speed in speeds
    ]
    repeats = tuple(
        block.model_copy(update={"throughput": speed, "memory": one})
        for speed, one in zip(speeds, memory, strict=True)
    )
    measurement = GOLDEN.measurement.model_copy(update={"repeats": repeats})
    return GOLDEN.model_copy(update={"measurement": measurement})


STEADY, SHAKY = (100.0, 101.0, 99.0, 100.0), (100.0, 140.0, 80.0, 120.0, 70.0, 110.0)


def variance(speeds: Sequence[float]) -> float:
    return statistics.variance(map(math.log, speeds)) / len(speeds)


def left_open(result: Result) -> float:
    """The variance that no block shows: 3.5 % and a twentieth of the harness's share, at 95 %."""
    assert result.measurement is not None
    share = result.measurement.throughput * result.measurement.overhead_ns / 1e9
    return ((0.035 + 0.05 * share) / 1.96) ** 2


def test_a_model_varies_by_its_own_blocks() -> None:
    """A steady model is known better than a shaky one, and memory, which is a median, apart from what blocks
    leave open of a speed, by half as much again."""
    results = [timed(STEADY), timed(SHAKY), None]
    expected = [variance(STEADY), variance(SHAKY)]
    *found, nothing = relative_variances("throughput", results)
    with_rest = [one + left_open(timed(STEADY)) for one in expected]
    assert (found, nothing) == (pytest.approx(with_rest, rel=1e-3), None)
    *found, nothing = relative_variances("memory", results)
    assert (found, nothing) == (pytest.approx([math.pi / 2 * one for one in expected], rel=1e-5), None)


def test_one_block_says_nothing() -> None:
    """Neither of its own model nor of others."""
    assert relative_variances("throughput", [timed(STEADY[:1]), timed(SHAKY)])[0] is None


def test_what_blocks_leave_open_has_degrees_of_freedom() -> None:
    """A steady model's variance is nearly known, a shaky one's hardly better than its blocks say."""
    found = freedom({"throughput": [], "memory": []}, [timed(STEADY), timed(SHAKY)])["freedom"]
    assert found["throughput"][0] > 100
    assert found["throughput"][1] == 5
    assert found["memory"] == [3, 5]


def test_an_interval_is_never_narrower_than_the_machine_allows() -> None:
    """Blocks that agree to the last digit say nothing of what slowed all of them; more so of a fast model."""
    slow, fast = timed((100.0,) * 6).measurement, timed((20_000.0,) * 6).measurement
    assert slow is not None
    assert fast is not None
    assert slow.spread() == fast.spread() == pytest.approx(0.0)
    assert slow.known_within == pytest.approx(0.035, rel=0.02)
    assert fast.known_within == pytest.approx(0.035 + 0.05 * 20_000 * fast.overhead_ns / 1e9)


def test_a_throughput_is_said_with_its_interval() -> None:
    """By how much it may be off, and whether waiting could be taken off."""
    said = scores_line(timed(SHAKY))
    assert "examples/s ±31 %" in said
    assert "±" not in scores_line(timed(SHAKY[:1]))
    assert timing_words(timed(SHAKY)) == ""
    assert timing_words(timed(SHAKY, waited=None)) == "; by the clock alone"


def test_the_throughput_of_blocks_is_their_geometric_mean() -> None:
    """Its interval is that of the logarithms."""
    found = timed((50.0, 200.0)).measurement
    assert found is not None
    assert found.throughput == pytest.approx(100.0)
    interval = found.interval("throughput")
    assert interval is not None
    assert interval[0] * interval[1] == pytest.approx(100.0**2)
