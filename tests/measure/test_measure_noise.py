"""The noise verdict, on passes that are quiet, slowed, short or served from a cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from evaluator.measure.timing.noise import Reading, judge
from evaluator.measure.timing.passes import Pass, draw_order
from evaluator.measure.worker import Loaded, MemoryUse, PhaseMemory
from evaluator.records.result import Isolation, Noise

MS = 1_000_000
QUIET = Reading(at_ns=0, load=0.1, pressure_us=0, steal_ticks=0, all_ticks=0)
LATER = Reading(at_ns=10**10, load=1.0, pressure_us=0, steal_ticks=0, all_ticks=2000)


def a_pass(
    latencies: Sequence[int] = (10 * MS,) * 200,
    repeated: Sequence[tuple[int, int]] = ((10 * MS, 10 * MS),),
    missed: int = 0,
    asked: Sequence[int] | None = None,
    differing: int = 0,
) -> Pass:
    steady = PhaseMemory(1, 1, 1, ticks=100, missed_ticks=missed)
    return Pass(
        loaded=Loaded(1, 1, {}, False, Isolation(layers=())),
        seed=1,
        first_call_ns=1,
        warmup_requests=10,
        asked=range(len(latencies)) if asked is None else asked,
        latencies_ns=latencies,
        repeated=repeated,
        requests=len(latencies) + 11,
        differing=differing,
        memory=MemoryUse(25.0, 1, {"steady": steady}),
    )


def verdict(passes: Sequence[Pass], before: Reading = QUIET, after: Reading = LATER) -> Noise:
    return judge(passes, before, after, threads=1, cores=4, overhead_ns=50_000)


UNEVEN = [*(10 * MS,) * 150, *(50 * MS,) * 50]
SLOWED = [*(10 * MS,) * 140, *(20 * MS,) * 60]
#: Noise makes first and second times long alike, now the one and now the other.
NOISY = [(30 * MS, 10 * MS), (10 * MS, 10 * MS), (30 * MS, 10 * MS), (10 * MS, 30 * MS)] * 8


@pytest.mark.parametrize(
    ("passes", "before", "after", "expected", "said"),
    [
        ([a_pass()] * 3, {}, {"pressure_us": 2_000_000}, "suspect", "tasks waited for a CPU 20%"),
        ([a_pass()] * 3, {}, {"pressure_us": 8_000_000}, "invalid", "waited"),
        ([a_pass()] * 3, {}, {"steal_ticks": 40}, "suspect", "host"),
        ([a_pass()] * 3, {}, {"steal_ticks": 400}, "invalid", "host"),
        ([a_pass()] * 3, {"load": 6.0}, {}, "suspect", "load average was 6.00"),
        ([a_pass(), a_pass(), a_pass((12 * MS,) * 200)], {}, {}, "suspect", "between repeats"),
        ([a_pass(), a_pass(SLOWED), a_pass(SLOWED[::-1])], {}, {}, "suspect", "blocks"),
        ([a_pass((MS // 10,) * 200)] * 3, {}, {}, "suspect", "too short"),
        ([a_pass(), a_pass(differing=1), a_pass()], {}, {}, "suspect", "1 of 633 answers given while"),
        ([a_pass(), a_pass(differing=40), a_pass()], {}, {}, "invalid", "40 of 633 answers"),
        ([a_pass(repeated=[(10 * MS, MS)] * 32)] * 3, {}, {}, "suspect", "10% of its first time"),
    ],
)
def test_what_raises_doubt_is_named(
    passes: Sequence[Pass], before: dict[str, Any], after: dict[str, Any], expected: str, said: str
) -> None:
    """Pressure and steal while measuring, load before it, repeats and blocks that differ, too little time,
    answers that are not those that are scored, and a cache."""
    found = verdict(passes, replace(QUIET, **before), replace(LATER, **after))
    assert found.verdict == expected
    assert any(said in reason for reason in found.reasons)


@pytest.mark.parametrize(
    "passes",
    [
        [a_pass()] * 3,
        # Slow inputs are slow in every pass, in whatever order they were asked.
        [a_pass(UNEVEN), a_pass(UNEVEN[::-1], asked=range(199, -1, -1)), a_pass(UNEVEN)],
        [a_pass((MS // 10,) * 200)] * 6,
        [a_pass(repeated=[*NOISY, *[(30 * MS, 10 * MS)] * 6])] * 3,
    ],
    ids=["quiet", "inputs of unequal length", "long enough together", "slowed by others"],
)
def test_what_is_no_noise_raises_no_doubt(passes: Sequence[Pass]) -> None:
    """Equal repeats, whatever their inputs are; and repeated inputs that are slow now and then."""
    found = verdict(passes)
    assert (found.verdict, found.reasons) == ("ok", ())


def test_the_harness_s_own_pressure_is_taken_off() -> None:
    """Pressure that the requests themselves make is not held against the machine."""
    after = replace(LATER, pressure_us=2_000_000)
    requests = 3 * a_pass().requests
    assert verdict([a_pass()] * 3, after=after).pressure_share == 0.2
    own = judge([a_pass()] * 3, QUIET, after, 1, 4, 50_000, 1_000_000 / requests)
    assert (own.pressure_share, own.verdict) == (0.0, "ok")


def test_the_order_depends_on_the_seed_alone() -> None:
    """An order has every position once, what is missing first, and is pinned against change."""
    assert sorted(draw_order(100, (), 1).positions) == list(range(100))
    assert draw_order(100, (), 1) == draw_order(100, (), 1) != draw_order(100, (), 2)
    assert draw_order(8, (), 0).positions == [4, 1, 5, 2, 0, 3, 7, 6]
    order = draw_order(8, (2, 7), 0)
    assert (order.positions, order.least) == ([2, 7, 4, 1, 5, 0, 3, 6], 2)
