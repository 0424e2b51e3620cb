"""The noise verdict, on passes that are quiet, slowed, short or served from a cache."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaluator.measure.timing.noise import Reading, judge, repeated_input_ratio
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


def test_a_quiet_machine_is_ok() -> None:
    """Equal repeats on an idle machine give no reason for doubt."""
    found = verdict([a_pass()] * 3)
    assert (found.verdict, found.reasons) == ("ok", ())


@pytest.mark.parametrize(
    ("change", "expected", "word"),
    [
        ({"pressure_us": 2_000_000}, "suspect", "waited"),
        ({"pressure_us": 8_000_000}, "invalid", "waited"),
        ({"steal_ticks": 40}, "suspect", "host"),
        ({"steal_ticks": 400}, "invalid", "host"),
    ],
)
def test_a_busy_machine_is_noticed(change: dict[str, int], expected: str, word: str) -> None:
    """Pressure and steal while measuring make the verdict, and the reason says which."""
    after = Reading(**{**vars(LATER), **change})
    found = verdict([a_pass()] * 3, after=after)
    assert found.verdict == expected
    assert word in found.reasons[0]


def test_a_load_from_before_is_noticed() -> None:
    """A machine that was busy before the start is suspect."""
    found = verdict([a_pass()] * 3, before=Reading(**{**vars(QUIET), "load": 6.0}))
    assert found.verdict == "suspect"
    assert "load average was 6.00" in found.reasons[0]


def test_repeats_that_differ_are_suspect() -> None:
    """A spread of throughput over a tenth is a reason."""
    found = verdict([a_pass(), a_pass(), a_pass((12 * MS,) * 200)])
    assert found.verdict == "suspect"
    assert "between repeats" in found.reasons[0]


def test_slowed_blocks_are_suspect() -> None:
    """Stretches that took longer than the same inputs in other passes are noticed, whichever pass."""
    slowed = [*(10 * MS,) * 140, *(20 * MS,) * 60]
    found = verdict([a_pass(), a_pass(slowed), a_pass(slowed[::-1])])
    assert any("blocks" in reason for reason in found.reasons)


def test_examples_of_unequal_length_are_no_noise() -> None:
    """Slow inputs are slow in every pass and raise no doubt, in whatever order they were asked."""
    uneven = [*(10 * MS,) * 150, *(50 * MS,) * 50]
    backwards = a_pass(uneven[::-1], asked=range(199, -1, -1))
    assert verdict([a_pass(uneven), backwards, a_pass(uneven)]).verdict == "ok"


def test_a_short_measurement_is_suspect() -> None:
    """Less than a tenth of a second of timed requests, over all passes, is too short to believe."""
    found = verdict([a_pass((MS // 10,) * 200)] * 3)
    assert found.verdict == "suspect"
    assert "too short" in found.reasons[0]
    assert verdict([a_pass((MS // 10,) * 200)] * 6).verdict == "ok"


@pytest.mark.parametrize(("differing", "expected"), [(1, "suspect"), (40, "invalid")])
def test_answers_that_are_not_those_that_are_scored_are_noticed(differing: int, expected: str) -> None:
    """One is reason for doubt; many may be what made the model fast."""
    found = verdict([a_pass(), a_pass(differing=differing), a_pass()])
    assert found.verdict == expected
    assert f"{differing} of 633 answers given while it was timed" in found.reasons[0]


def test_a_cache_is_suspect() -> None:
    """Inputs that come back in a fraction of their first time are a reason that names the ratio."""
    cached = [a_pass(repeated=[(10 * MS, MS)] * 32)] * 3
    assert repeated_input_ratio(cached) == pytest.approx(0.1)
    found = verdict(cached)
    assert found.verdict == "suspect"
    assert "keeps answers" in found.reasons[0]


def test_a_model_that_is_slowed_by_others_is_no_cache() -> None:
    """Noise makes first and second times long alike, now the one and now the other."""
    noisy = [(30 * MS, 10 * MS), (10 * MS, 10 * MS), (30 * MS, 10 * MS), (10 * MS, 30 * MS)] * 8
    noisy += [(30 * MS, 10 * MS)] * 6
    assert repeated_input_ratio([a_pass(repeated=noisy)]) == pytest.approx(1 / 3)
    assert not any("keeps answers" in reason for reason in verdict([a_pass(repeated=noisy)]).reasons)


def test_the_harness_s_own_pressure_is_taken_off() -> None:
    """Pressure that the requests themselves make is not held against the machine."""
    after = Reading(**{**vars(LATER), "pressure_us": 2_000_000})
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
