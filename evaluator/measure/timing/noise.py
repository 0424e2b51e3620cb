"""Whether the machine was quiet enough to believe the timing, and why not; pyperf's checks and more."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.measure.timing.passes import Pass
from evaluator.records.result import Noise

Verdict = Literal["ok", "suspect", "invalid"]
_VERDICTS: tuple[Verdict, ...] = ("ok", "suspect", "invalid")

# Suspect above the first, invalid above the second.
_SPREAD = (0.10, 0.50)
_STEAL = (0.01, 0.10)
_PRESSURE = (0.10, 0.50)
_SLOW_BLOCKS = (0.10, 0.50)
_MISSED_TICKS = (0.10, 0.50)
_BLOCKS, _BLOCK_REQUESTS, _SLOW = 20, 5, 1.5
# pyperf calls a single timing under a millisecond too short; this is a hundred of them.
_SHORTEST_S = 0.1
_CACHED, _NEARLY_ALL, _OVERHEADS = 0.5, 0.75, 3
_DIFFERING = (0.0, 0.05)
# A model that does something leaves the caches colder than the one that does nothing, so that handing
# over takes up to twice as long.
_COLD = 2


@dataclass(frozen=True)
class NoiseReason:
    """One reason for doubt: how bad (1 suspect, 2 invalid) and what it is."""

    severity: int
    reason: str


@dataclass(frozen=True)
class Reading:
    """The state of the machine at one moment; counters grow from boot."""

    at_ns: int
    load: float
    pressure_us: int | None
    steal_ticks: int
    all_ticks: int


def reading() -> Reading:
    """Read the 1-minute load average, CPU pressure and steal now."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return Reading(time.monotonic_ns(), os.getloadavg()[0], pressure_us(), ticks[7], sum(ticks))


def pressure_us() -> int | None:
    """Microseconds since boot in which some task waited for a CPU; None where the system does not count."""
    try:
        line = Path("/proc/pressure/cpu").read_text().splitlines()[0]
    except OSError:
        return None
    return int(line.rpartition("total=")[2])


def judge(
    passes: Sequence[Pass],
    before: Reading,
    after: Reading,
    threads: int,
    cores: int,
    overhead_ns: int,
    request_pressure_us: float = 0.0,
) -> Noise:
    """Weigh the readings around a measurement and its passes into a verdict with reasons.

    `request_pressure_us` is the pressure that the harness makes itself with each request; it is
    taken off what was read.
    """
    steal = (after.steal_ticks - before.steal_ticks) / max(1, after.all_ticks - before.all_ticks)
    requests = sum(one.requests for one in passes)
    pressure = _pressure_share(before, after, _COLD * requests * request_pressure_us)
    findings = [
        *_load(before.load, threads, cores),
        *_above(_STEAL, steal, "the host took {:.1%} of the CPU time away"),
        *_above(_PRESSURE, pressure or 0.0, "tasks waited for a CPU {:.0%} of the time"),
        *_above(_SPREAD, spread(passes), "throughput differs by {:.0%} between repeats"),
        *_above(_SLOW_BLOCKS, slow_blocks(passes), "{:.0%} of the blocks of requests were slowed down"),
        *_above(_MISSED_TICKS, _missed(passes), "the memory sampler missed {:.0%} of its ticks"),
        *_short(passes),
        *_cached(passes, overhead_ns),
        *_differing(passes),
    ]
    return Noise(
        verdict=_VERDICTS[max((finding.severity for finding in findings), default=0)],
        reasons=tuple(finding.reason for finding in findings),
        load_before=before.load,
        load_after=after.load,
        steal_share=min(1.0, max(0.0, steal)),
        pressure_share=pressure,
    )


def typical_ns(passes: Sequence[Pass]) -> dict[int, float]:
    """The median time of each input that more than one pass timed, by its position."""
    times: dict[int, list[int]] = {}
    for one in passes:
        for position, time_ns in zip(one.asked, one.latencies_ns, strict=True):
            times.setdefault(position, []).append(time_ns)
    return {position: statistics.median(found) for position, found in times.items() if len(found) > 1}


def spread(passes: Sequence[Pass]) -> float:
    """(slowest - fastest) / median of the passes, each compared with the others on the inputs it shares.

    0 for a single pass. Passes ask different inputs, of different length, so that their throughput alone
    says nothing. Of many passes a sixth is left out at each end: the range of twelve is wider than that of
    three on the same machine.
    """
    slowness = sorted(sum(times) / sum(usual) for times, usual in _shared(passes))
    apart = len(slowness) // 6
    slowness = slowness[apart : len(slowness) - apart]
    return (max(slowness) - min(slowness)) / statistics.median(slowness) if slowness else 0.0


def slow_blocks(passes: Sequence[Pass]) -> float:
    """Share of blocks of consecutive requests that took half as long again as in the typical pass.

    0 for a single pass or too few requests.
    """
    slow = count = 0
    for times, usual in _shared(passes):
        blocks = min(_BLOCKS, len(times) // _BLOCK_REQUESTS)
        size = len(times) // max(1, blocks)
        count += blocks
        for start in range(0, blocks * size, size):
            block = slice(start, start + size)
            slow += sum(times[block]) > _SLOW * sum(usual[block])
    return slow / count if count else 0.0


def _shared(passes: Sequence[Pass]) -> Iterator[tuple[list[int], list[float]]]:
    """For each pass, its times on inputs that others timed too, in its order, and the typical times."""
    typical = typical_ns(passes)
    for one in passes:
        pairs = [
            (time_ns, typical[position])
            for position, time_ns in zip(one.asked, one.latencies_ns, strict=True)
            if position in typical
        ]
        if pairs:
            times, usual = zip(*pairs, strict=True)
            yield list(times), list(usual)


def repeated_input_ratio(passes: Sequence[Pass]) -> float | None:
    """Median of latency asked again / latency first seen over all checked inputs; None without any."""
    ratios = [again / first for one in passes for first, again in one.repeated]
    return statistics.median(ratios) if ratios else None


def _above(limits: tuple[float, float], value: float, reason: str) -> Iterator[NoiseReason]:
    severity = sum(value > limit for limit in limits)
    if severity:
        yield NoiseReason(severity, reason.format(value))


def _load(load: float, threads: int, cores: int) -> Iterator[NoiseReason]:
    # The model measured just before this one still shows in the average with its own threads.
    allowed = max(threads, cores - threads) + 0.5
    if load > allowed:
        yield NoiseReason(1, f"the load average was {load:.2f} before the start, on {cores} CPUs")


def _short(passes: Sequence[Pass]) -> Iterator[NoiseReason]:
    total = sum(one.steady_s for one in passes)
    if total < _SHORTEST_S:
        yield NoiseReason(
            1, f"too short: the timed requests lasted {total:.2f} s in all, less than {_SHORTEST_S:g} s"
        )


def _cached(passes: Sequence[Pass], overhead_ns: int) -> Iterator[NoiseReason]:
    """A model that keeps answers gives nearly all of them faster; noise slows first and second alike."""
    pairs = [pair for one in passes for pair in one.repeated]
    if not pairs:
        return
    faster = sum(again < _CACHED * first for first, again in pairs) / len(pairs)
    saved = statistics.median(first - again for first, again in pairs)
    if faster > _NEARLY_ALL and saved > _OVERHEADS * overhead_ns:
        ratio = repeated_input_ratio(passes)
        yield NoiseReason(
            1, f"an input asked again took {ratio:.0%} of its first time: the model keeps answers"
        )


def _differing(passes: Sequence[Pass]) -> Iterator[NoiseReason]:
    """A model may be fast in one pass and right in another only by answering differently."""
    count, requests = sum(one.differing for one in passes), sum(one.requests for one in passes)
    said = f"{count} of {requests} answers given while it was timed were not those that are scored"
    yield from _above(_DIFFERING, count / max(1, requests), said)


def _missed(passes: Sequence[Pass]) -> float:
    steady = [one.memory.phases["steady"] for one in passes]
    missed = sum(phase.missed_ticks for phase in steady)
    return missed / max(1, missed + sum(phase.ticks for phase in steady))


def _pressure_share(before: Reading, after: Reading, own_us: float) -> float | None:
    if before.pressure_us is None or after.pressure_us is None:
        return None
    others_us = after.pressure_us - before.pressure_us - own_us
    share = others_us * 1000 / max(1, after.at_ns - before.at_ns)
    return min(1.0, max(0.0, share))
