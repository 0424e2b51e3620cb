"""A whole measurement: passes in workers of their own, and all that is needed to judge them.

Beside them the harness's own overhead, which is what a request costs when the model does nothing, and latency
percentiles with exact intervals: order statistics and the binomial, nothing assumed of the shape. Of n
independent requests the number under the true p-quantile is binomial (n, p). So the l-th and the u-th fastest
enclose the quantile with probability P(l <= B < u), whatever the distribution.
"""

from __future__ import annotations

import functools
import math
import os
import secrets
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.data.tasks import get_task
from evaluator.measure.timing.machine import fingerprint, own_cpus, pinned_to, worker_cpus
from evaluator.measure.timing.noise import judge, pressure_us, reading, repeated_input_ratio
from evaluator.measure.timing.passes import Answers, Pass, draw_order, time_pass
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker, WorkerError
from evaluator.records.base import PROTOCOL
from evaluator.records.board import MeasureSettings
from evaluator.records.result import Latency, Measurement, Percentile

#: A dataset that is too small for the minimum duration is asked in so many fresh workers at most.
MOST_WORKERS = 12
#: Seeds are drawn from so many bits, the most that any reader of JSON keeps exactly.
_SEED_BITS = 53


def measure(
    spec: ModelToLoad,
    examples: Sequence[Mapping[str, Any]],
    answers: Answers,
    settings: MeasureSettings | None = None,
    limits: Limits | None = None,
) -> Measurement:
    """Time the model of `spec` on `examples` by protocol `PROTOCOL`; every answer goes to `answers`.

    The first pass asks all that `answers` misses. A request that the model fails counts as a request.
    Raises a fatal `WorkerError` if a worker is lost, ValueError if `examples` is empty.
    """
    settings, limits = settings or MeasureSettings(), limits or Limits()
    if not examples:
        raise ValueError("examples: none; give at least one to measure on")
    cores = len(os.sched_getaffinity(0))
    cpus = worker_cpus(settings.threads)
    placement = Placement(settings.threads, cpus)
    machine = fingerprint(settings.threads, cpus)
    nothing = zero(settings.threads)

    def one_pass() -> Pass:
        order = draw_order(len(examples), answers.missing(), secrets.randbits(_SEED_BITS))
        return time_pass(spec, examples, order, answers, settings, limits, placement)

    with pinned_to(own_cpus() - set(cpus)):
        before = reading()
        passes = _passes(one_pass, settings)
        after = reading()
    return Measurement(
        protocol=PROTOCOL,
        fingerprint=machine,
        sandbox=passes[0].loaded.sandbox,
        isolation=passes[0].loaded.isolation,
        overhead_ns=nothing.overhead_ns,
        repeats=tuple(one.record() for one in passes),
        latency=latency([time for one in passes for time in one.latencies_ns]),
        repeated_input_ratio=repeated_input_ratio(passes),
        noise=judge(passes, before, after, settings.threads, cores, nothing.overhead_ns, nothing.pressure_us),
    )


def _passes(one_pass: Callable[[], Pass], settings: MeasureSettings) -> list[Pass]:
    """As many passes as the settings ask for, and more where these are short of requests or seconds."""
    passes: list[Pass] = []
    while True:
        requests, seconds = sum(len(one.latencies_ns) for one in passes), sum(one.steady_s for one in passes)
        enough = requests >= settings.min_requests and seconds >= settings.min_duration_s
        if len(passes) >= settings.repeats and (enough or len(passes) >= MOST_WORKERS):
            return passes
        try:
            passes.append(one_pass())
        except WorkerError as error:
            if error.kind != "killed":
                raise
            # A worker that somebody else ended says nothing of its model: it is tried once more.
            passes.append(one_pass())


NULL = ModelToLoad("null", Path(), {}, "sentiment", ("negative", "positive"))
TEXT = (
    "A gripping, well acted film that never quite says what it means to say, and is the better for it:"
    " two hours pass like one, and the last scene stays with you."
)
BATCH = 1000


@dataclass(frozen=True)
class Batch:
    """Round trips in nanoseconds, and the CPU pressure in microseconds that each of them made."""

    times_ns: list[int]
    pressure_us: float


@dataclass(frozen=True)
class Zero:
    """What the harness itself adds to every request.

    `overhead_ns` is the median round trip. `pressure_us` is how long the kernel counts a process as
    waiting for a CPU in each of them: the one that has just woken the other holds it a moment longer.
    """

    overhead_ns: int
    pressure_us: float


@functools.cache
def zero(threads: int) -> Zero:
    """Measured once a process."""
    found = batches(5, threads)
    times = [time for batch in found for time in batch.times_ns]
    return Zero(round(statistics.median(times)), statistics.median(batch.pressure_us for batch in found))


def batches(count: int, threads: int) -> list[Batch]:
    """`count` batches of `BATCH` requests to the null model on a typical text, after a warm-up."""
    cpus = worker_cpus(threads)
    own = own_cpus()
    with pinned_to(own - set(cpus)), Worker(NULL, placement=Placement(threads, cpus)) as worker:
        worker.start()
        with pinned_to(set(cpus) or own):
            return [_batch(worker) for _ in range(1 + count)][1:]


def _batch(worker: Worker) -> Batch:
    example = dict.fromkeys(get_task(NULL.task).fields, TEXT)
    before = pressure_us() or 0
    times = [worker.predict(example).elapsed_ns for _ in range(BATCH)]
    return Batch(times, ((pressure_us() or 0) - before) / BATCH)


_MISS = 0.01
_NEGLIGIBLE = 1e-18


def latency(latencies_ns: Sequence[int]) -> Latency:
    """Summarise the round trips of single requests, in nanoseconds; at least one."""
    ordered = sorted(latencies_ns)
    return Latency(
        requests=len(ordered),
        mean_ns=round(sum(ordered) / len(ordered)),
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
