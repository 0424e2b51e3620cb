"""One timing pass: a fresh worker, asked in an order that nobody knows beforehand."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from evaluator.measure.timing.machine import own_cpus, pinned_to
from evaluator.measure.worker import (
    Limits,
    Loaded,
    MemoryUse,
    ModelToLoad,
    Placement,
    Reply,
    Worker,
    WorkerError,
)
from evaluator.records.board import MeasureSettings
from evaluator.records.result import Memory, Repeat

Example = Mapping[str, Any]
#: A warm-up has so many requests at least, and lasts so long, or as long as what is timed, if that is less.
WARMUP_REQUESTS, WARMUP_S = 10, 0.5
#: Inputs that are asked a second time, right after the first, to see whether the model keeps answers.
_CHECKED = 32


class Answers(Protocol):
    """What a model has answered so far: the answers that are timed are the answers that are scored."""

    def missing(self) -> Sequence[int]:
        """The positions of the examples that have no answer yet."""
        ...

    def took(self, position: int, outcome: Reply | WorkerError) -> bool:
        """Take an answer in; False if the example has been answered before, and otherwise."""
        ...


@dataclass(frozen=True)
class AskingOrder:
    """The positions of the examples to ask, in order, and the secret `seed` that they were drawn with.

    The first `least` of them are asked in any case, the others until the measurement is long enough.
    """

    seed: int
    positions: Sequence[int]
    least: int


def draw_order(count: int, missing: Iterable[int], seed: int) -> AskingOrder:
    """All positions from 0 to `count` - 1, shuffled by `seed`: first the `missing`, which must be asked."""
    shuffled = list(range(count))
    random.Random(seed).shuffle(shuffled)
    wanting = set(missing)
    return AskingOrder(seed, sorted(shuffled, key=lambda position: position not in wanting), len(wanting))


@dataclass(frozen=True)
class Pass:
    """What one pass measured; times in nanoseconds.

    `asked` holds the positions of the steady state, all new to the worker, and `latencies_ns` their
    times. `repeated` holds pairs of such a time and the time when the input was asked again at once.
    `differing` counts answers that are not those that are scored.
    """

    loaded: Loaded
    seed: int
    first_call_ns: int
    warmup_requests: int
    asked: Sequence[int]
    latencies_ns: Sequence[int]
    repeated: Sequence[tuple[int, int]]
    requests: int
    differing: int
    memory: MemoryUse

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
            order_seed=self.seed,
            differing=self.differing,
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


def time_pass(
    spec: ModelToLoad,
    examples: Sequence[Example],
    order: AskingOrder,
    answers: Answers,
    settings: MeasureSettings,
    limits: Limits,
    placement: Placement,
) -> Pass:
    """Time a fresh worker on `examples`, one request at a time; every answer goes to `answers`.

    Only inputs that the worker has not seen are timed: the warm-up keeps to a few, and an input that
    comes a second time is asked if it must be, untimed. A request that fails counts and is timed; a fatal
    `WorkerError` passes through, after it has gone to `answers` unless somebody else ended the worker.
    """
    # A tenth of the inputs at most, so that nearly all can be timed; at least one of two.
    warm = order.positions[: min(WARMUP_REQUESTS, (len(order.positions) + 8) // 10)]
    with Worker(spec, limits, placement) as worker:
        loaded = worker.start()
        asker = _Asker(worker, examples, answers)
        # This thread sleeps until an answer comes, so it takes nothing from the model; and handing over on
        # one CPU costs a third of waking another, idle one.
        with pinned_to(set(placement.cpus) or own_cpus()):
            first_call = asker.ask(order.positions[0])
            warmup = asker.warm_up(warm, settings)
            worker.phase("steady")
            steady = asker.steady(order, len(warm), settings)
        return Pass(
            loaded=loaded,
            seed=order.seed,
            first_call_ns=first_call,
            warmup_requests=warmup,
            asked=steady.asked,
            latencies_ns=steady.latencies,
            repeated=steady.repeated,
            requests=asker.requests,
            differing=asker.differing,
            memory=worker.memory(),
        )


@dataclass
class _Steady:
    """The steady state so far."""

    asked: list[int] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)
    repeated: list[tuple[int, int]] = field(default_factory=list)
    total_ns: int = 0

    def add(self, position: int, latency: int) -> None:
        self.asked.append(position)
        self.latencies.append(latency)
        self.total_ns += latency

    def long_enough(self, settings: MeasureSettings) -> bool:
        enough = len(self.latencies) >= settings.min_requests
        return enough and self.total_ns >= settings.min_duration_s * 1e9


class _Asker:
    """Asks one worker, takes the time, and hands every answer on."""

    def __init__(self, worker: Worker, examples: Sequence[Example], answers: Answers) -> None:
        self.worker, self.examples, self.answers = worker, examples, answers
        self.requests = 0
        self.differing = 0

    def ask(self, position: int) -> int:
        """The nanoseconds that one request took."""
        elapsed, outcome = self._outcome(position)
        self.requests += 1
        self.differing += not self.answers.took(position, outcome)
        return elapsed

    def _outcome(self, position: int) -> tuple[int, Reply | WorkerError]:
        try:
            reply = self.worker.predict(self.examples[position])
        except WorkerError as error:
            if error.fatal or error.elapsed_ns is None:
                if error.kind != "killed":
                    self.answers.took(position, error)
                raise
            return error.elapsed_ns, error
        return reply.elapsed_ns, reply

    def warm_up(self, positions: Sequence[int], settings: MeasureSettings) -> int:
        """Ask a few inputs round and round until the warm-up is over; how many requests that took."""
        requests, total = 0, 0
        least = max(len(positions), WARMUP_REQUESTS)
        lasts_ns = min(WARMUP_S, settings.min_duration_s) * 1e9
        for position in itertools.cycle(positions):
            if requests >= least and total >= lasts_ns:
                break
            total += self.ask(position)
            requests += 1
        return requests

    def steady(self, order: AskingOrder, start: int, settings: MeasureSettings) -> _Steady:
        """Ask what comes after the warm-up, until the pass is long enough or everything was asked."""
        found = _Steady()
        # Inputs that stand at no earlier position. Where all examples say the same, nothing is new after the
        # warm-up.
        timed = set(order.positions[start:])
        fresh = set(_first_of_each(self.examples, order.positions)) & timed or timed
        every = max(1, min(len(fresh), settings.min_requests) // _CHECKED)
        for place, position in enumerate(order.positions[start:], start):
            if place >= order.least and found.long_enough(settings):
                break
            if position in fresh:
                found.add(position, self.ask(position))
                if len(found.latencies) % every == 0 and len(found.repeated) < _CHECKED and start:
                    found.repeated.append((found.latencies[-1], self.ask(position)))
            elif place < order.least:
                self.ask(position)
        return found


def _first_of_each(examples: Sequence[Example], positions: Sequence[int]) -> Iterator[int]:
    seen = set()
    for position in positions:
        content = _content(examples[position])
        if content not in seen:
            seen.add(content)
            yield position


def _content(example: Example) -> str:
    return json.dumps({name: value for name, value in example.items() if name != "id"}, sort_keys=True)
