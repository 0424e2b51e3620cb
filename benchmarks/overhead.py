"""Overhead of the harness: round trips of a model that does nothing, and the share that JSON takes.

python benchmarks/overhead.py [REQUESTS]
"""

from __future__ import annotations

import json
import statistics
import sys
import time

from evaluator.measure.percentiles import latency
from evaluator.measure.zero import BATCH, NULL, TEXT, batches
from evaluator.records import Percentile
from evaluator.tasks import get_task
from evaluator.worker import answers
from evaluator.worker.protocol import HEADER_BYTES, pack, unpack

TOKEN = "0123456789abcdef"


def json_in_child_ns(runs: int = 5000) -> float:
    """Median nanoseconds in which the child reads one request and writes one answer."""
    request = pack({"id": TOKEN, "example": dict.fromkeys(get_task(NULL.task).fields, TEXT)})[HEADER_BYTES:]
    times = []
    for _ in range(runs):
        began = time.perf_counter_ns()
        unpack(request)
        answers.success(TOKEN, {"label": "negative"}, 65536)
        times.append(time.perf_counter_ns() - began)
    return statistics.median(times)


def line(name: str, found: Percentile | None) -> str:
    """A line with a percentile in microseconds and its interval."""
    if found is None:
        return f"{name}: refused, too few requests"
    return (
        f"{name}: {found.value_ns / 1e3:.1f} µs (99 %: {found.low_ns / 1e3:.1f} to {found.high_ns / 1e3:.1f})"
    )


def main(requests: int) -> None:
    """Measure and print."""
    rounds = batches(max(1, requests // BATCH), threads=1)
    summary = latency([time for batch in rounds for time in batch.times_ns])
    print(f"{summary.requests} round trips of the null model, {len(json.dumps(TEXT))} characters of text")
    for name in ("p50", "p90", "p99"):
        print(line(name, getattr(summary, name)))
    inside = json_in_child_ns()
    share = inside / summary.p50.value_ns if summary.p50 else float("nan")
    print(f"JSON inside the round trip: {inside / 1e3:.1f} µs, {share:.0%} of the median")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
