"""What the machine did meanwhile, which is recorded, and whether a timing can be believed.

A busy machine takes no number away: it makes intervals wider. In doubt is a model that answered otherwise
than it is scored by, or that keeps answers; and memory of which there are too few samples.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.measure.timing.passes import Pass
from evaluator.records.measurement import Noise

Verdict = Literal["ok", "suspect", "invalid"]
_VERDICTS: tuple[Verdict, ...] = ("ok", "suspect", "invalid")

# Suspect above the first share, invalid above the second.
_DIFFERING = (0.0, 0.05)
_CACHED, _NEARLY_ALL, _OVERHEADS = 0.5, 0.75, 3
#: A mean of memory is of so many samples at least.
_SAMPLES = 3


@dataclass(frozen=True)
class NoiseReason:
    """One reason for doubt: how bad (1 suspect, 2 invalid) and what it is."""

    severity: int
    reason: str


@dataclass(frozen=True)
class Machine:
    """The state of the machine at one moment; counters grow from boot, and stay 0 where there are none."""

    load: float
    pressure_us: int | None
    steal_ticks: int
    all_ticks: int
    at_us: int


def machine_now() -> Machine:
    """Read the 1-minute load average, CPU pressure and steal."""
    ticks, pressure = [0] * 8, None
    with suppress(OSError):
        ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    with suppress(OSError):
        pressure = int(Path("/proc/pressure/cpu").read_text().splitlines()[0].rpartition("total=")[2])
    return Machine(os.getloadavg()[0], pressure, ticks[7], sum(ticks), time.monotonic_ns() // 1000)


def judge(passes: Sequence[Pass], before: Machine, after: Machine, overhead_ns: int) -> Noise:
    """What the machine did from `before` to `after`, and the verdicts on what the passes found."""
    steal = (after.steal_ticks - before.steal_ticks) / max(1, after.all_ticks - before.all_ticks)
    pressure = None
    if before.pressure_us is not None and after.pressure_us is not None:
        share = (after.pressure_us - before.pressure_us) / max(1, after.at_us - before.at_us)
        pressure = min(1.0, max(0.0, share))
    findings = [*_cached(passes, overhead_ns), *_differing(passes)]
    return Noise(
        verdict=_VERDICTS[max((finding.severity for finding in findings), default=0)],
        reasons=tuple(finding.reason for finding in findings),
        memory="ok" if _samples(passes) >= _SAMPLES else "invalid",
        load_before=before.load,
        load_after=after.load,
        steal_share=min(1.0, max(0.0, steal)),
        pressure_share=pressure,
    )


def repeated_input_ratio(passes: Sequence[Pass]) -> float | None:
    """Median of latency asked again / latency first seen over all checked inputs; None without any."""
    ratios = [again / first for one in passes for first, again in one.repeated]
    return statistics.median(ratios) if ratios else None


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
    severity = sum(count / max(1, requests) > limit for limit in _DIFFERING)
    if severity:
        yield NoiseReason(severity, said)


def _samples(passes: Sequence[Pass]) -> int:
    return sum(one.memory.phases["steady"].ticks for one in passes)
