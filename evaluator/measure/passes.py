"""One timing pass: a fresh worker, from its load to the cheat check."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.measure.settings import Settings, beside
from evaluator.records import Memory, Repeat
from evaluator.worker import Limits, Loaded, MemoryUse, ModelToLoad, Placement, Worker, WorkerError

Example = Mapping[str, Any]
_CHECKED = 32


@dataclass(frozen=True)
class Pass:
    """What one pass measured; times in nanoseconds.

    `repeated` holds, for inputs of the steady state, the latency when first seen and when asked again.
    """

    loaded: Loaded
    first_call_ns: int
    warmup_requests: int
    latencies_ns: Sequence[int]
    repeated: Sequence[tuple[int, int]]
    memory: MemoryUse

    @property
    def requests(self) -> int:
        """All requests that were made, those outside the steady state included."""
        return 1 + self.warmup_requests + len(self.latencies_ns) + len(self.repeated)

    @property
    def steady_s(self) -> float:
        """Seconds that the requests of the steady state took."""
        return sum(self.latencies_ns) / 1e9

    @property
    def throughput(self) -> float:
        """Requests per second in the steady state."""
        return len(self.latencies_ns) / self.steady_s

    def record(self) -> Repeat:
        """This pass as it is stored."""
        steady = self.memory.phases["steady"]
        return Repeat(
            throughput=self.throughput,
            requests=len(self.latencies_ns),
            load_ns=self.loaded.load_ns,
            first_call_ns=self.first_call_ns,
            warmup_requests=self.warmup_requests,
            memory=Memory(
                mean_bytes=steady.mean_rss_bytes,
                peak_bytes=self.memory.peak_bytes,
                mean_pss_bytes=steady.mean_pss_bytes,
                loaded_bytes=self.memory.phases["loaded"].start_rss_bytes,
                interval_ms=self.memory.interval_ms,
                ticks=steady.ticks,
                missed_ticks=steady.missed_ticks,
            ),
        )


def request_order(count: int, seed: int) -> list[int]:
    """The positions 0 to `count` - 1 in the order that `seed` fixes."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order


def time_pass(
    spec: ModelToLoad, examples: Sequence[Example], settings: Settings, limits: Limits, placement: Placement
) -> Pass:
    """Time a fresh worker on `examples`, one request at a time, in the order of the seed.

    A request that fails counts and is timed; a fatal `WorkerError` passes through.
    """
    ordered = [examples[position] for position in request_order(len(examples), settings.seed)]
    # The warm-up keeps to a few inputs, so that the steady state begins with inputs not seen before.
    warm = max(1, min(settings.warmup_requests, len(ordered) // 2))
    inputs = ordered[warm:] + ordered[:warm]
    with Worker(spec, limits, placement) as worker:
        loaded = worker.start()
        with beside(placement.cpus):
            first_call = _timed(worker, ordered[0])
            warmup = _for_at_least(worker, ordered[:warm], settings.warmup_requests, settings.warmup_s)
            worker.phase("steady")
            steady = _for_at_least(worker, inputs, settings.min_requests, settings.min_duration_s)
            worker.phase("repeated")
            fresh = first_seen(ordered[:warm], inputs[: len(steady)])[-_CHECKED:]
            repeated = [(steady[position], _timed(worker, inputs[position])) for position in fresh]
        return Pass(loaded, first_call, len(warmup), steady, repeated, worker.memory())


def first_seen(before: Iterable[Example], inputs: Iterable[Example]) -> list[int]:
    """The positions in `inputs` of those seen for the first time, given that `before` were seen."""
    seen = {_content(example) for example in before}
    fresh = []
    for position, example in enumerate(inputs):
        content = _content(example)
        if content not in seen:
            seen.add(content)
            fresh.append(position)
    return fresh


def _content(example: Example) -> str:
    return json.dumps({name: value for name, value in example.items() if name != "id"}, sort_keys=True)


def _for_at_least(worker: Worker, inputs: Sequence[Example], requests: int, seconds: float) -> list[int]:
    """Latencies of asking `inputs` round and round for at least so many requests and seconds."""
    latencies: list[int] = []
    total, least = 0, seconds * 1e9
    for example in itertools.cycle(inputs):
        if len(latencies) >= requests and total >= least:
            break
        latencies.append(_timed(worker, example))
        total += latencies[-1]
    return latencies


def _timed(worker: Worker, example: Example) -> int:
    try:
        return worker.predict(example).elapsed_ns
    except WorkerError as error:
        if error.fatal or error.elapsed_ns is None:
            raise
        return error.elapsed_ns
