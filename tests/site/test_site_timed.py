"""What a model's page says of its timing: how well it is known, what was taken off, and what is in doubt."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from evaluator.records.measurement import Measurement
from evaluator.records.result import Result
from site_src.generator.pages.model import measured_view

GOLDEN = Result.model_validate_json(
    (Path(__file__).parents[1] / "golden" / "result.json").read_bytes()
).measurement
BLOCK = {"time_ns": 400, "waited_ns": 100, "interrupted_ns": 20, "reference_ns": 12_500_000}


def timed(blocks: int, verdict: str = "ok", **block: Any) -> Measurement:
    """The golden measurement with so many blocks, one a little faster than the other."""
    assert GOLDEN is not None
    repeats = tuple(
        GOLDEN.repeats[0].model_copy(update={"throughput": 100.0 + place % 2, **block})
        for place in range(blocks)
    )
    noise = GOLDEN.noise.model_copy(
        update={"verdict": verdict, "reasons": ("it differs",) * (verdict != "ok")}
    )
    return GOLDEN.model_copy(update={"repeats": repeats, "noise": noise})


@pytest.mark.parametrize(
    ("measurement", "verdict", "why"),
    [
        (timed(6, **BLOCK), "Throughput is known within 3.7 %", ", from 6 blocks."),
        (
            timed(6, **{**BLOCK, "waited_ns": None}),
            "Throughput is known within 3.7 %",
            ", by the clock, as this system does not tell how long processes wait for a CPU; from 6 blocks.",
        ),
        (timed(1, **BLOCK), "Timed once", ": nothing says how well its throughput is known."),
        (timed(6, "suspect", **BLOCK), "The timing is suspect", ": it differs"),
        (timed(3, "invalid", **BLOCK), "The timing is not to be trusted", ": it differs"),
    ],
)
def test_a_page_says_how_well_a_throughput_is_known(measurement: Measurement, verdict: str, why: str) -> None:
    """From blocks by their interval, and what is in doubt first."""
    found = measured_view(measurement)
    assert (found.verdict, found.why) == (verdict, why)


def test_a_page_shows_what_was_taken_off() -> None:
    """By block."""
    facts = dict(measured_view(timed(2, **BLOCK)).timing)
    assert facts["Waiting for a CPU, taken off"] == "25.0 % · 25.0 %"
    assert facts["Interruptions, taken off"] == "5.0 % · 5.0 %"
    assert facts["Reference workload beside it"] == "12.5 ms · 12.5 ms"


def test_memory_is_known_by_its_blocks() -> None:
    """Half the interval of two blocks is t(0.975, 1) = 12.706 times half the difference of their logarithms; one
    block has none."""
    both = timed(2, **BLOCK)
    low, high = (
        repeat.model_copy(update={"memory": repeat.memory.model_copy(update={"mean_bytes": size})})
        for repeat, size in zip(both.repeats, (10_000_000, 10_100_000), strict=True)
    )
    known = both.model_copy(update={"repeats": (low, high)}).memory_within
    assert known == pytest.approx(12.7062 * math.log(1.01) / 2, rel=1e-4)
    assert timed(6, **BLOCK).memory_within == 0.0
    assert timed(1, **BLOCK).memory_within is None
