"""The harness's overhead: what a request costs when the model does nothing."""

from __future__ import annotations

import functools
import statistics
from dataclasses import dataclass
from pathlib import Path

from evaluator.data.tasks import get_task
from evaluator.measure.timing.noise import pressure_us
from evaluator.measure.timing.settings import apart_from, beside, worker_cpus
from evaluator.measure.worker import ModelToLoad, Placement, Worker

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
    with apart_from(cpus), Worker(NULL, placement=Placement(threads, cpus)) as worker:
        worker.start()
        with beside(cpus):
            return [_batch(worker) for _ in range(1 + count)][1:]


def _batch(worker: Worker) -> Batch:
    example = dict.fromkeys(get_task(NULL.task).fields, TEXT)
    before = pressure_us() or 0
    times = [worker.predict(example).elapsed_ns for _ in range(BATCH)]
    return Batch(times, ((pressure_us() or 0) - before) / BATCH)
