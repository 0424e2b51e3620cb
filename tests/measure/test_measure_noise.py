"""What a timing is made of: time waited for a CPU, interruptions, intervals, verdicts."""

from __future__ import annotations

import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from evaluator.measure.timing.clock import Lap, Reading, Threads, lap
from evaluator.measure.timing.measurement import cost_of_interruption
from evaluator.measure.timing.noise import Machine, judge
from evaluator.measure.timing.passes import Pass, Stretch, draw_order
from evaluator.measure.worker import Loaded, MemoryUse, PhaseMemory, Written
from evaluator.records.measurement import Isolation, Noise, half_width

MS = 1_000_000
QUIET = Machine(load=0.1, pressure_us=0, steal_ticks=0, all_ticks=0, at_us=0)
LATER = Machine(load=1.0, pressure_us=0, steal_ticks=0, all_ticks=2000, at_us=10**7)


def a_pass(
    times: Sequence[int] = (10 * MS,) * 200,
    repeated: Sequence[tuple[int, int]] = ((10 * MS, 10 * MS),),
    ticks: int = 100,
    differing: int = 0,
    waited: int | None = 0,
    reference: float = 10.0 * MS,
    written: Written | None = None,
) -> Pass:
    laps = [Lap(time, waited) for time in times]
    return Pass(
        loaded=Loaded(1, {}, False, Isolation(layers=())),
        seed=1,
        first_call_ns=1,
        warmup_requests=10,
        stretches=(Stretch(range(len(times)), laps, reference, [written] * len(times)),),
        repeated=repeated,
        requests=len(times) + 11,
        differing=differing,
        memory=MemoryUse(25.0, 1, dict.fromkeys(("loaded", "steady"), PhaseMemory(1, 1, 1, ticks, 0))),
    )


def verdict(passes: Sequence[Pass], before: Machine = QUIET, after: Machine = LATER) -> Noise:
    return judge(passes, before, after, overhead_ns=50_000)


def test_a_request_is_shared_out_between_its_first_token_and_the_others() -> None:
    """Of 20 ms with half of the work until the first of 6 tokens, 10 are before it and 2 each of the others takes,
    whatever the machine is slowed by; a model that writes nothing has neither number."""
    for slowed in (1, 3):
        block = a_pass((20 * slowed * MS,) * 50, reference=10.0 * slowed * MS, written=Written(6, 0.5))
        record = block.record(quiet_ns=10 * MS, cost=0.0)
        assert record.time_to_first_token == pytest.approx(0.010)
        assert record.tokens_per_s == pytest.approx(500)
    record = a_pass().record(quiet_ns=10 * MS, cost=0.0)
    assert (record.time_to_first_token, record.tokens_per_s) == (None, None)


# --- Time less what was waited --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "threads", "cpus", "waited"),
    [
        ((1, 3), {}, 1, 3),
        ((1, 0), {1: (5, 2)}, 1, 2),
        ((1, 3), {1: (4, 2)}, 1, 5),
        # A thread that waits behind another of its model waits for nobody else.
        ((1, 0), {1: (5, 0), 2: (0, 5)}, 1, 0),
        ((1, 0), {1: (4, 1), 2: (1, 6)}, 1, 2),
        # No model takes less time than its threads ran.
        ((1, 9), {1: (8, 0)}, 1, 2),
        ((1, 9), {1: (8, 0), 2: (8, 0)}, 2, 2),
        ((1, 9), {1: (12, 0)}, 1, 0),
    ],
)
def test_what_was_waited_for_others_is_taken_off(
    own: tuple[int, int], threads: dict[int, tuple[int, int]], cpus: int, waited: int
) -> None:
    """Of ten nanoseconds on the clock, by what this thread and those of a model ran and waited."""
    before = Reading((5, 5), dict.fromkeys(threads, (100, 100)))
    after = Reading(
        (5 + own[0], 5 + own[1]), {name: (100 + ran, 100 + late) for name, (ran, late) in threads.items()}
    )
    assert lap(10, before, after, cpus) == Lap(10, waited)


def test_without_counters_time_is_that_of_the_clock() -> None:
    """As on macOS: nothing is taken off, and nothing is called interrupted."""
    found = lap(10 * MS, Reading(None, {}), Reading(None, {}))
    assert (found, found.net_ns, found.interrupted) == (Lap(10 * MS, None), 10 * MS, False)


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this system counts no waiting")
def test_work_beside_another_process_takes_its_own_time() -> None:
    """What two processes on one CPU wait for one another is nearly all of what they lose by the clock."""
    own = os.sched_getaffinity(0)
    cpu = max(own)
    os.sched_setaffinity(0, {cpu})
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        with Threads() as threads:
            laps = [threads.time_own(lambda: sum(range(2_000_000))) for _ in range(8)]
    finally:
        other.kill()
        other.wait()
        os.sched_setaffinity(0, own)
    assert sum(one.elapsed_ns for one in laps) > 1.3 * sum(one.net_ns for one in laps)
    assert any(one.interrupted for one in laps)


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this system counts no waiting")
def test_threads_of_other_processes_are_counted_until_they_end() -> None:
    """What a thread ran stays counted after its end; a process without counters is left out."""
    asleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(asleep) as other, Threads() as threads:
        threads.look([other.pid, 2**22])
        alive = threads.read()
        other.kill()
        other.wait()
        assert [*threads.read().threads] == [*alive.threads] == [other.pid]


# --- What an interruption costs -------------------------------------------------------------------------


def requests(seed: int, cost: float, examples: int, asked: int) -> list[tuple[int, float, bool]]:
    """Requests whose lengths differ by example; the longer, the more of them are interrupted."""
    chance = random.Random(seed)
    lengths = [chance.uniform(0.2, 2.0) for _ in range(examples)]
    found = []
    for number in range(asked):
        position = number % examples
        hit = chance.random() < 0.2 + 0.3 * lengths[position]
        found.append((position, lengths[position] * chance.gauss(1.0, 0.01) + cost * hit, hit))
    return found


def test_interruptions_cost_what_they_cost_whatever_is_interrupted() -> None:
    """Long requests are interrupted more often, which does not count as a cost."""
    for cost in (0.0, 0.1):
        assert cost_of_interruption(requests(1, cost, 100, 1000)) == pytest.approx(cost, abs=0.005)


@pytest.mark.parametrize(
    "times",
    [
        requests(2, 0.1, 200, 200),
        [(0, 1.0, False)] * 50,
        [(0, 1.0, True)] * 50,
        [(number % 5, 1.0 + (number * 37 % 11), number % 3 == 0) for number in range(30)],
    ],
    ids=["no example twice", "none interrupted", "all interrupted", "too uneven to say"],
)
def test_what_an_interruption_costs_is_nothing_where_it_is_not_known(
    times: list[tuple[int, float, bool]],
) -> None:
    """Too little is taken off rather than too much."""
    assert cost_of_interruption(times) == 0.0


# --- Speed and its interval -----------------------------------------------------------------------------


def test_a_block_is_in_units_of_the_reference_workload() -> None:
    """A machine at half its speed, or a model that waited half of the time, changes no throughput."""
    usual = a_pass()
    for slowed in (
        a_pass((20 * MS,) * 200, reference=20.0 * MS),
        a_pass((20 * MS,) * 200, waited=10 * MS),
    ):
        record = slowed.record(10 * MS, 0.0)
        assert record.throughput == pytest.approx(usual.record(10 * MS, 0.0).throughput) == pytest.approx(100)
        assert record.waited_ns is not None
        left = record.time_ns - record.waited_ns - record.interrupted_ns
        assert record.throughput == pytest.approx(1e9 * record.requests / left * record.reference_ns / 1e7)
    assert a_pass(waited=None).record(10 * MS, 0.0).waited_ns is None


def test_the_interval_is_students() -> None:
    """It covers the true speed in 95 of 100 measurements of six blocks; one block says nothing."""
    chance = np.random.default_rng(1)
    logs = 0.1 * chance.standard_normal((1000, 6))
    held = [abs(x.mean()) <= (half_width(np.exp(x).tolist()) or 0.0) for x in logs]
    assert 0.93 <= statistics.fmean(held) <= 0.97
    assert half_width([5.0]) is None
    assert half_width([1.0, math.e]) == pytest.approx(12.7062 * math.sqrt(0.5) / math.sqrt(2), rel=1e-5)


# --- Verdicts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passes", "expected", "said"),
    [
        ([a_pass(), a_pass(differing=1), a_pass()], "suspect", "1 of 633 answers given while"),
        ([a_pass(), a_pass(differing=40), a_pass()], "invalid", "40 of 633 answers"),
        ([a_pass(repeated=[(10 * MS, MS)] * 32)] * 3, "suspect", "10% of its first time"),
    ],
)
def test_what_raises_doubt_is_named(passes: Sequence[Pass], expected: str, said: str) -> None:
    """Answers that are not those that are scored, and a cache."""
    found = verdict(passes)
    assert found.verdict == expected
    assert any(said in reason for reason in found.reasons)


#: Noise makes first and second times long alike, now the one and now the other.
NOISY = [(30 * MS, 10 * MS), (10 * MS, 10 * MS), (30 * MS, 10 * MS), (10 * MS, 30 * MS)] * 8


def test_a_busy_machine_raises_no_doubt_and_is_recorded() -> None:
    """Load, pressure, steal, and blocks or repeated inputs that differ take no number away."""
    busy = replace(LATER, load=20.0, pressure_us=8_000_000, steal_ticks=400)
    passes = [a_pass(), a_pass((50 * MS,) * 200), a_pass(repeated=[*NOISY, *[(30 * MS, 10 * MS)] * 6])]
    found = verdict(passes, replace(QUIET, load=20.0), busy)
    assert (found.verdict, found.memory, found.reasons) == ("ok", "ok", ())
    assert (found.load_before, found.steal_share, found.pressure_share) == (20.0, 0.2, 0.8)


def test_memory_has_a_verdict_of_its_own() -> None:
    """It is doubted for want of samples, and not for what makes a timing doubtful."""
    assert (verdict([a_pass(ticks=1)]).verdict, verdict([a_pass(ticks=1)]).memory) == ("ok", "invalid")
    wrong = verdict([a_pass(differing=40)])
    assert (wrong.verdict, wrong.memory) == ("invalid", "ok")


def test_the_order_depends_on_the_seed_alone() -> None:
    """An order has every position once, what is missing first, and is pinned against change."""
    assert sorted(draw_order(100, (), 1).positions) == list(range(100))
    assert draw_order(100, (), 1) == draw_order(100, (), 1) != draw_order(100, (), 2)
    assert draw_order(8, (), 0).positions == [4, 1, 5, 2, 0, 3, 7, 6]
    order = draw_order(8, (2, 7), 0)
    assert (order.positions, order.least) == ([2, 7, 4, 1, 5, 0, 3, 6], 2)
