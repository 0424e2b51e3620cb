"""Overhead of the harness: round trips of a model that does nothing, the share that JSON takes, and what
isolation costs a start and a request.

python benchmarks/overhead.py [REQUESTS]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from evaluator.data.tasks import get_task
from evaluator.measure.isolation.launcher import LAYERS, Plan
from evaluator.measure.isolation.probing import ROOT
from evaluator.measure.timing.measurement import BATCH, NULL, TEXT, batches, latency
from evaluator.measure.worker import Worker
from evaluator.measure.worker.child import success
from evaluator.measure.worker.protocol import HEADER_BYTES, pack, unpack
from evaluator.measure.worker.spawn import LAUNCH
from evaluator.records.result import Percentile

PAIRS = 21
TOKEN = "0123456789abcdef"


def json_in_child_ns(runs: int = 5000) -> float:
    """Median nanoseconds in which the child reads one request and writes one answer."""
    request = pack({"id": TOKEN, "example": dict.fromkeys(get_task(NULL.task).fields, TEXT)})[HEADER_BYTES:]
    times = []
    for _ in range(runs):
        began = time.perf_counter_ns()
        unpack(request)
        success(TOKEN, {"label": "negative"}, 65536)
        times.append(time.perf_counter_ns() - began)
    return statistics.median(times)


@dataclass(frozen=True)
class Life:
    """Nanoseconds until a worker's interpreter runs, and those of a round trip: the median of `BATCH`."""

    start_ns: int
    request_ns: float


def life(without: frozenset[str]) -> Life:
    """The null model's, in a worker that has not the layers `without`."""
    example = dict.fromkeys(get_task(NULL.task).fields, TEXT)
    with Worker(NULL, without=without) as worker:
        started = worker.start().spawn_ns
        times = [worker.predict(example).elapsed_ns for _ in range(2 * BATCH)][BATCH:]
    return Life(started, statistics.median(times))


def launcher_ns() -> float:
    """What the launcher alone adds to a start: the median of `PAIRS`, of a program that does nothing."""
    nothing: dict[str, Any] = {name: [] for name in ("cpus", "namespaces", "read")}
    nothing |= {"landlock": False, "seccomp": False, "scratch": "/", "size": 0, "command": ["/bin/true"]}
    plan = Plan(parent=os.getpid(), link=0, **nothing)
    through = [sys.executable, "-I", "-S", "-c", LAUNCH, ROOT, plan.to_text()]
    return statistics.median(run_ns(through) - run_ns(["/bin/true"]) for _ in range(PAIRS))


def run_ns(command: list[str]) -> int:
    """How long a command runs."""
    began = time.perf_counter_ns()
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
    return time.perf_counter_ns() - began


def cost_of_isolation(pairs: int) -> None:
    """Print what all layers cost, from workers with and without them by turns in this one run."""
    life(frozenset())
    kept, free = [], []
    for _ in range(pairs):
        kept.append(life(frozenset()))
        free.append(life(frozenset(LAYERS)))
    extra = [(one.start_ns - other.start_ns) / 1e6 for one, other in zip(kept, free, strict=True)]
    ratio = [one.request_ns / other.request_ns for one, other in zip(kept, free, strict=True)]
    starts = (statistics.median(one.start_ns for one in lives) / 1e6 for lives in (kept, free))
    print("start behind all layers {:.1f} ms, behind none {:.1f} ms".format(*starts), end="")
    print(f": {statistics.median(extra):+.1f} ms (median of {pairs} pairs)")
    print(f"the launcher itself, which both have: {launcher_ns() / 1e6:+.1f} ms")
    print(f"request behind all layers / behind none: {statistics.median(ratio):.3f}")


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
    cost_of_isolation(PAIRS)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
