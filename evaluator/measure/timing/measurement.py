"""A whole measurement: blocks of the models of a run in turns, each in a worker of its own, and its latency.

The time of a request is in units of the reference workload beside it. A model's speed is exp(-mean x) over
the workload's usual time on this machine, where x is the logarithm of that time over a block. Blocks are
fresh workers, so what one start does to all of its requests is in how they differ: half the interval at 95 %
is Student's t of B - 1 degrees of freedom times S(x) / sqrt(B). Blocks are added until that is under `AIM`;
what they leave open (`Measurement.left_open`) is added in quadrature.

Percentiles of latency have exact intervals: order statistics and the binomial, nothing assumed of the shape.
Of n independent requests the number under the true p-quantile is binomial (n, p). So the l-th and the u-th
fastest enclose the quantile with probability P(l <= B < u), whatever the distribution.
"""

from __future__ import annotations

import functools
import math
import secrets
import statistics
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.data.tasks import get_task
from evaluator.measure.timing.machine import fingerprint, own_cpus, pinned_to, worker_cpus
from evaluator.measure.timing.noise import Machine, judge, machine_now, repeated_input_ratio
from evaluator.measure.timing.passes import Answers, Pass, draw_order, time_pass
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError
from evaluator.records.base import PROTOCOL
from evaluator.records.board import MeasureSettings
from evaluator.records.measurement import AIM, Latency, Measurement, Percentile, Repeat, half_width

#: The requests of the blocks that are planned take one part in so many of the time that there is; starting
#: workers and further blocks take the rest.
_SHARE = 4
#: What an interruption costs is taken off where the mean request is then known this well.
_SURE = 0.05
#: Seeds are drawn from so many bits, the most that any reader of JSON keeps exactly.
_SEED_BITS = 53


class Timing:
    """The timing of one model on `examples` by protocol `PROTOCOL`, block by block.

    Every answer goes to `answers`; the first block asks all that it misses. A request that the model fails
    counts as a request. `references` are those of `fingerprint`. Raises ValueError if `examples` is empty.
    """

    def __init__(
        self,
        spec: ModelToLoad,
        examples: Sequence[Mapping[str, Any]],
        answers: Answers,
        settings: MeasureSettings | None = None,
        limits: Limits | None = None,
        references: Mapping[str, int] | None = None,
    ) -> None:
        if not examples:
            raise ValueError("examples: none; give at least one to measure on")
        self.spec, self.examples, self.answers = spec, examples, answers
        self.settings, self.limits = settings or MeasureSettings(), limits or Limits()
        self._cpus = worker_cpus(self.settings.threads)
        self._machine = fingerprint(self.settings.threads, self._cpus, references)
        self._before: Machine | None = None
        self._after: Machine | None = None
        self._passes: list[Pass] = []
        self._seconds = 0.0
        self._lasting_s = self.settings.seconds / (_SHARE * self.settings.repeats)

    def add_block(self) -> None:
        """One more block. Raises a fatal `WorkerError` if a worker is lost."""
        self._before = self._before or machine_now()
        with pinned_to(own_cpus() - set(self._cpus)):
            began = time.monotonic()
            try:
                found = self._block()
            except WorkerError as error:
                if error.kind != "killed":
                    raise
                # A worker that somebody else ended says nothing of its model: it is tried once more.
                found = self._block()
        # What a model has to be asked in any case is not of the time that there is.
        self._seconds += time.monotonic() - began - max(0.0, found.elapsed_s - self._lasting_s)
        self._passes.append(found)
        self._after = machine_now()

    @property
    def enough(self) -> bool:
        """Whether there are blocks enough: their speed is known, or there is no more time for it."""
        if len(self._passes) < self.settings.repeats:
            return False
        known = half_width([one.throughput for one in self._records()])
        return self._seconds >= self.settings.seconds or (known is not None and known <= AIM)

    def measurement(self) -> Measurement:
        """What the blocks say, at least one."""
        assert self._before is not None
        assert self._after is not None
        passes, overhead, quiet = self._passes, overhead_ns(self.settings.threads), self._machine.reference_ns
        return Measurement(
            protocol=PROTOCOL,
            fingerprint=self._machine,
            sandbox=passes[0].loaded.sandbox,
            isolation=passes[0].loaded.isolation,
            overhead_ns=overhead,
            repeats=tuple(self._records()),
            latency=latency([quiet * time for one in passes for time in one.latencies(self._cost())]),
            repeated_input_ratio=repeated_input_ratio(passes),
            noise=judge(passes, self._before, self._after, overhead),
        )

    def _records(self) -> list[Repeat]:
        cost = self._cost()
        return [one.record(self._machine.reference_ns, cost) for one in self._passes]

    def _cost(self) -> float:
        return cost_of_interruption([time for one in self._passes for time in one.times()])

    def _block(self) -> Pass:
        settings = self.settings
        order = draw_order(len(self.examples), self.answers.missing(), secrets.randbits(_SEED_BITS))
        placement = Placement(settings.threads, self._cpus)
        return time_pass(
            self.spec, self.examples, order, self.answers, self._lasting_s, self.limits, placement
        )


def cost_of_interruption(times: Sequence[tuple[int, float, bool]]) -> float:
    """By how much longer requests take, waiting apart, that others interrupted: these took their caches.

    `times` are of an example, its time and whether it was interrupted. Requests of one example are compared
    with one another, as long ones are interrupted more often. 0 where that does not say it to `_SURE` of a
    request.
    """
    positions, spent, interrupted = (np.array(column, dtype=float) for column in zip(*times, strict=True))
    _, place, counts = np.unique(positions, return_inverse=True, return_counts=True)
    hit = interrupted - (np.bincount(place, interrupted) / counts)[place]
    long = spent - (np.bincount(place, spent) / counts)[place]
    varied, free = float(hit @ hit), len(spent) - len(counts) - 1
    if varied <= 0 or free < 1:
        return 0.0
    cost = float(hit @ long) / varied
    left = long - cost * hit
    error = math.sqrt(float(left @ left) / free / varied)
    sure = error * float(interrupted.mean()) <= _SURE * float(spent.mean())
    return max(0.0, cost) if sure else 0.0


NULL = ModelToLoad("null", Path(), {}, "sentiment", ("negative", "positive"))
TEXT = (
    "A gripping, well acted film that never quite says what it means to say, and is the better for it:"
    " two hours pass like one, and the last scene stays with you."
)
BATCH = 1000


@functools.cache
def overhead_ns(threads: int) -> int:
    """What the harness itself adds to every request, the median round trip; measured once a process."""
    return round(statistics.median(time for batch in batches(5, threads) for time in batch))


def batches(count: int, threads: int) -> list[list[int]]:
    """`count` batches of `BATCH` requests to the null model on a typical text, after a warm-up.

    Round trips in nanoseconds.
    """
    cpus = worker_cpus(threads)
    own = own_cpus()
    with pinned_to(own - set(cpus)), Worker(NULL, placement=Placement(threads, cpus)) as worker:
        worker.start()
        with pinned_to(set(cpus) or own):
            example = dict.fromkeys(get_task(NULL.task).fields, TEXT)
            found = [[worker.predict(example).elapsed_ns for _ in range(BATCH)] for _ in range(1 + count)]
            return found[1:]


_MISS = 0.01
_NEGLIGIBLE = 1e-18


def latency(latencies_ns: Sequence[float]) -> Latency:
    """Summarise the round trips of single requests, in nanoseconds; at least one."""
    ordered = sorted(map(round, latencies_ns))
    return Latency(
        requests=len(ordered),
        mean_ns=round(math.fsum(latencies_ns) / len(ordered)),
        p50=percentile(ordered, 0.50),
        p90=percentile(ordered, 0.90),
        p99=percentile(ordered, 0.99),
        histogram=histogram(ordered),
    )


def percentile(ordered: Sequence[int], p: float) -> Percentile | None:
    """The p-quantile of sorted values with its two-sided 99 % interval; None if they are too few.

    They are too few when not even the second largest bounds the quantile from above at 99 %, that
    is when P(B >= n - 1) > 0.01: below 64 values for p90, 130 for p95, 662 for p99.
    """
    count = len(ordered)
    if count < 2 or p ** (count - 1) * (p + count * (1 - p)) > _MISS:
        return None
    low, high = interval(count, p)
    value = ordered[max(1, math.ceil(count * p)) - 1]
    return Percentile(value_ns=value, low_ns=ordered[low - 1], high_ns=ordered[high - 1])


def interval(count: int, p: float) -> tuple[int, int]:
    """Ranks (from 1) of the order statistics that enclose the p-quantile at 99 %, half the miss a side.

    Where no rank reaches far enough on a side, the outermost is given.
    """
    first, mass = _binomial(count, p)
    low, below = 1, 0.0
    for k, weight in enumerate(mass, first):
        below += weight
        if below > _MISS / 2:
            break
        low = k + 1
    high, above = count, 0.0
    for k in range(first + len(mass) - 1, first - 1, -1):
        above += mass[k - first]
        if above > _MISS / 2:
            break
        high = k
    return low, high


def histogram(latencies_ns: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Counts in buckets a factor 10**(1/10) wide, by bucket (see `Latency`)."""
    counts = Counter(math.floor(10 * math.log10(max(1, value))) for value in latencies_ns)
    return tuple(sorted(counts.items()))


def _binomial(count: int, p: float) -> tuple[int, list[float]]:
    """The first k whose probability matters, and the probabilities from there on."""
    mode = min(count, math.floor((count + 1) * p))
    log_peak = (
        math.lgamma(count + 1) - math.lgamma(mode + 1) - math.lgamma(count - mode + 1)
        + mode * math.log(p) + (count - mode) * math.log1p(-p)
    )  # fmt: skip
    odds = p / (1 - p)
    down, up = [math.exp(log_peak)], [math.exp(log_peak)]
    for k in range(mode, 0, -1):
        if down[-1] < _NEGLIGIBLE:
            break
        down.append(down[-1] * k / (count - k + 1) / odds)
    for k in range(mode, count):
        if up[-1] < _NEGLIGIBLE:
            break
        up.append(up[-1] * (count - k) / (k + 1) * odds)
    return mode - len(down) + 1, down[:0:-1] + up
