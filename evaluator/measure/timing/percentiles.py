"""Latency percentiles with exact intervals: order statistics and the binomial, nothing assumed of the shape.

Of n independent requests the number under the true p-quantile is binomial (n, p). So the l-th and
the u-th fastest enclose the quantile with probability P(l <= B < u), whatever the distribution.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from evaluator.records.measurement import Latency, Percentile

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
