"""Percentiles: when they are refused, and that their intervals hold what they promise."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measure.timing.measurement import histogram, interval, percentile


@pytest.mark.parametrize(("p", "least"), [(0.50, 11), (0.90, 64), (0.95, 130), (0.99, 662)])
def test_a_percentile_is_refused_below_the_count_that_supports_it(p: float, least: int) -> None:
    """p90 needs 64 requests, p95 130, p99 662; one fewer is refused."""
    assert percentile(range(least - 1), p) is None
    assert percentile(range(least), p) is not None


@given(st.integers(11, 400), st.sampled_from([0.5, 0.9, 0.99]))
def test_interval_ranks_are_exact(n: int, p: float) -> None:
    """The ranks are the tightest that leave at most 0.5 % on each side, by the sum of every term."""
    mass = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    lows = [low for low in range(1, n + 1) if math.fsum(mass[:low]) <= 0.005]
    highs = [high for high in range(1, n + 1) if math.fsum(mass[high:]) <= 0.005]
    assert interval(n, p) == (max(lows, default=1), min(highs, default=n))


@pytest.mark.parametrize(("n", "p"), [(200, 0.5), (200, 0.9)])
def test_intervals_cover_the_truth(n: int, p: float) -> None:
    """In 2,000 simulated measurements of a skewed latency at least 98.5 % of intervals hold the quantile."""
    rng = random.Random(7)
    truth = 1e6 * math.exp(0.5 * _normal_quantile(p))
    covered = 0
    for _ in range(2000):
        sample = sorted(round(1e6 * rng.lognormvariate(0, 0.5)) for _ in range(n))
        found = percentile(sample, p)
        assert found is not None
        covered += found.low_ns <= truth <= found.high_ns
    assert covered / 2000 >= 0.985


def _normal_quantile(p: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


@given(st.lists(st.integers(0, 10**12), max_size=200))
def test_the_histogram_counts_every_request(values: list[int]) -> None:
    """Buckets are in order and their counts add up."""
    buckets = histogram(values)
    assert sum(count for _, count in buckets) == len(values)
    assert list(buckets) == sorted(buckets)
