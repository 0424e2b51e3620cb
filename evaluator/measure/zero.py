"""The zero of the instrument: what a request costs when the model does nothing."""

from __future__ import annotations

import functools
import statistics
from pathlib import Path

from evaluator.measure.settings import apart_from, worker_cpus
from evaluator.tasks import get_task
from evaluator.worker import ModelSpec, Placement, Worker

NULL = ModelSpec("null", Path(), {}, "sentiment", ("negative", "positive"))
TEXT = (
    "A gripping, well acted film that never quite says what it means to say, and is the better for it:"
    " two hours pass like one, and the last scene stays with you."
)
_WARM, _REQUESTS = 100, 1000


def round_trips(requests: int, threads: int) -> list[int]:
    """Round trips of the null model in nanoseconds, after a short warm-up, on a typical text."""
    example = dict.fromkeys(get_task(NULL.task).fields, TEXT)
    cpus = worker_cpus(threads)
    with apart_from(cpus), Worker(NULL, placement=Placement(threads, cpus)) as worker:
        worker.start()
        times = [worker.predict(example).elapsed_ns for _ in range(_WARM + requests)]
    return times[_WARM:]


@functools.cache
def overhead(threads: int) -> int:
    """Median round trip of a model that does nothing, in nanoseconds; measured once a process."""
    return round(statistics.median(round_trips(_REQUESTS, threads)))
