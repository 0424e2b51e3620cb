"""One block of a model's timing: a fresh worker, asked in an order that nobody knows beforehand.

Every second of it has the fixed workload of this machine on both sides, run where the model runs and while
the model is stopped. What the machine has slowed, it has slowed both of them.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from evaluator.measure.timing.clock import Lap, Threads, lap
from evaluator.measure.timing.machine import own_cpus, pinned_to, reference
from evaluator.measure.worker import (
    Limits,
    Loaded,
    MemoryUse,
    ModelToLoad,
    Placement,
    Reply,
    Worker,
    WorkerError,
    Written,
)
from evaluator.records.measurement import Memory, Repeat

Example = Mapping[str, Any]
#: A warm-up has so many requests at least, and lasts so long, or as long as what is timed, if that is less.
WARMUP_REQUESTS, WARMUP_S = 10, 0.5
#: Requests of about so many seconds are between two runs of the reference workload.
STRETCH_S = 1.0
#: Inputs that are asked a second time, right after the first, to see whether the model keeps answers.
_CHECKED, _EVERY = 32, 5


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

    The first `least` of them are asked in any case, the others until the block is long enough.
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
class Stretch:
    """Requests one after another, their examples, the time of the reference workload beside them, and what
    was counted of texts that were written."""

    asked: Sequence[int]
    laps: Sequence[Lap]
    reference_ns: float
    written: Sequence[Written | None]


@dataclass(frozen=True)
class Pass:
    """What one block measured; times in nanoseconds.

    `stretches` have the requests of the steady state, whose inputs are all new to the worker. `repeated`
    holds pairs of such a time and the time when the input was asked again at once. `differing` counts answers
    that are not those that are scored.
    """

    loaded: Loaded
    seed: int
    first_call_ns: int
    warmup_requests: int
    stretches: Sequence[Stretch]
    repeated: Sequence[tuple[int, int]]
    requests: int
    differing: int
    memory: MemoryUse

    @property
    def laps(self) -> list[Lap]:
        """All requests of the steady state."""
        return [lap for stretch in self.stretches for lap in stretch.laps]

    @property
    def elapsed_s(self) -> float:
        """Seconds of these by the clock."""
        return sum(one.elapsed_ns for one in self.laps) / 1e9

    def times(self) -> Iterator[tuple[int, float, bool]]:
        """Of each request its example, its time in those of the reference workload, and whether it was
        interrupted."""
        for stretch in self.stretches:
            for position, one in zip(stretch.asked, stretch.laps, strict=True):
                yield position, one.net_ns / stretch.reference_ns, one.interrupted

    def latencies(self, cost: float) -> list[float]:
        """The times of single requests in those of the reference workload; an interruption costs so much."""
        return [max(time / 10, time - cost * interrupted) for _, time, interrupted in self.times()]

    def _of_tokens(self, latencies: Sequence[float], quiet_s: float) -> dict[str, float]:
        """Seconds to the first token, and tokens a second from there on, where texts were written.

        A request's time is shared out by the work that its model says it did until the first token.
        """
        written = [one for stretch in self.stretches for one in stretch.written]
        timed = [(one, time) for one, time in zip(written, latencies, strict=True) if one is not None]
        if not timed:
            return {}
        first = math.fsum(one.first_share * time for one, time in timed) * quiet_s
        # What ends after one token says nothing of the pace of others.
        longer = [(one, time) for one, time in timed if one.tokens > 1]
        rest = math.fsum((1 - one.first_share) * time for one, time in longer) * quiet_s
        tokens = sum(one.tokens - 1 for one, _ in longer)
        found = {"time_to_first_token": first / len(timed), "tokens_per_s": tokens / rest if rest else 0.0}
        return {name: value for name, value in found.items() if value > 0}

    def record(self, quiet_ns: int, cost: float) -> Repeat:
        """This block as it is stored, where the reference workload usually takes `quiet_ns`."""
        steady, laps, latencies = self.memory.phases["steady"], self.laps, self.latencies(cost)
        net, elapsed = sum(one.net_ns for one in laps), sum(one.elapsed_ns for one in laps)
        reference = net / math.fsum(time for _, time, _ in self.times())
        return Repeat(
            throughput=len(laps) * 1e9 / (math.fsum(latencies) * quiet_ns),
            **self._of_tokens(latencies, quiet_ns / 1e9),
            requests=len(laps),
            time_ns=elapsed,
            waited_ns=None if any(one.waited_ns is None for one in laps) else elapsed - net,
            interrupted_ns=max(0, round(net - math.fsum(latencies) * reference)),
            reference_ns=round(reference),
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
    lasting_s: float,
    limits: Limits,
    placement: Placement,
) -> Pass:
    """Time a fresh worker on `examples`, one request at a time, for `lasting_s` of requests if there are
    enough; every answer goes to `answers`.

    Only inputs that the worker has not seen are timed: the warm-up keeps to a few, and an input that
    comes a second time is asked if it must be, untimed. A request that fails counts and is timed; a fatal
    `WorkerError` passes through, after it has gone to `answers` unless somebody else ended the worker.
    """
    # A tenth of the inputs at most, so that nearly all can be timed; at least one of two.
    warm = order.positions[: min(WARMUP_REQUESTS, (len(order.positions) + 8) // 10)]
    with Worker(spec, limits, placement) as worker, Threads() as threads:
        loaded = worker.start()
        asker = _Asker(worker, threads, placement.threads, examples, answers)
        # This thread sleeps until an answer comes, so it takes nothing from the model; and handing over on
        # one CPU costs a third of waking another, idle one.
        with pinned_to(set(placement.cpus) or own_cpus()):
            threads.look(worker.processes())
            first_call = asker.ask(order.positions[0]).net_ns
            warmup = asker.warm_up(warm, lasting_s)
            worker.phase("steady")
            steady = asker.steady(order, len(warm), lasting_s)
        return Pass(
            loaded=loaded,
            seed=order.seed,
            first_call_ns=first_call,
            warmup_requests=warmup,
            stretches=steady.stretches,
            repeated=steady.repeated,
            requests=asker.requests,
            differing=asker.differing,
            memory=worker.memory(),
        )


@dataclass
class _Steady:
    """The steady state so far: `laps` are those since the reference workload ran last."""

    stretches: list[Stretch] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    laps: list[Lap] = field(default_factory=list)
    written: list[Written | None] = field(default_factory=list)
    repeated: list[tuple[int, int]] = field(default_factory=list)
    requests: int = 0
    total_ns: int = 0
    since_ns: int = 0

    def add(self, position: int, found: Lap, written: Written | None) -> None:
        self.asked.append(position)
        self.laps.append(found)
        self.written.append(written)
        self.requests += 1
        self.total_ns += found.elapsed_ns
        self.since_ns += found.elapsed_ns


class _Asker:
    """Asks one worker, takes the time, and hands every answer on."""

    def __init__(
        self, worker: Worker, threads: Threads, cpus: int, examples: Sequence[Example], answers: Answers
    ) -> None:
        self.worker, self.threads, self.cpus = worker, threads, cpus
        self.examples, self.answers = examples, answers
        self.requests = 0
        self.differing = 0
        self.written: Written | None = None

    def ask(self, position: int) -> Lap:
        """The time that one request took."""
        before = self.threads.read()
        elapsed, outcome = self._outcome(position)
        self.written = outcome.written if isinstance(outcome, Reply) else None
        found = lap(elapsed, before, self.threads.read(), self.cpus)
        self.requests += 1
        self.differing += not self.answers.took(position, outcome)
        return found

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

    def warm_up(self, positions: Sequence[int], lasting_s: float) -> int:
        """Ask a few inputs round and round until the warm-up is over; how many requests that took."""
        requests, total = 0, 0
        least = max(len(positions), WARMUP_REQUESTS)
        lasts_ns = min(WARMUP_S, lasting_s) * 1e9
        for position in itertools.cycle(positions):
            if requests >= least and total >= lasts_ns:
                break
            total += self.ask(position).elapsed_ns
            requests += 1
        return requests

    def steady(self, order: AskingOrder, start: int, lasting_s: float) -> _Steady:
        """Ask what comes after the warm-up, until the block is long enough or everything was asked."""
        found, last = _Steady(), self._reference()
        # Inputs that stand at no earlier position. Where all examples say the same, nothing is new after the
        # warm-up.
        timed = set(order.positions[start:])
        fresh = set(_first_of_each(self.examples, order.positions)) & timed or timed
        for place, position in enumerate(order.positions[start:], start):
            if place >= order.least and found.requests and found.total_ns >= lasting_s * 1e9:
                break
            if position in fresh:
                found.add(position, self.ask(position), self.written)
                if found.requests % _EVERY == 0 and len(found.repeated) < _CHECKED and start:
                    found.repeated.append((found.laps[-1].net_ns, self.ask(position).net_ns))
                if found.since_ns >= STRETCH_S * 1e9:
                    last = self._end(found, last)
            elif place < order.least:
                self.ask(position)
        if found.laps:
            self._end(found, last)
        return found

    def _end(self, found: _Steady, before_ns: float) -> float:
        """End a stretch; what the reference workload takes now."""
        after = self._reference()
        beside = (before_ns + after) / 2
        found.stretches.append(Stretch(tuple(found.asked), tuple(found.laps), beside, tuple(found.written)))
        found.asked.clear()
        found.laps.clear()
        found.written.clear()
        found.since_ns = 0
        return after

    def _reference(self) -> float:
        with self.worker.stopped():
            found = reference(self.threads)
        self.threads.look(self.worker.processes())
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
