"""A whole measurement: passes in workers of their own, and all that is needed to judge them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluator.measure.timing.machine import fingerprint
from evaluator.measure.timing.noise import judge, reading, repeated_input_ratio
from evaluator.measure.timing.passes import Answers, Pass, draw_order, time_pass
from evaluator.measure.timing.percentiles import latency
from evaluator.measure.timing.settings import Settings, apart_from, worker_cpus
from evaluator.measure.timing.zero import zero
from evaluator.measure.worker import Limits, ModelToLoad, Placement, WorkerError
from evaluator.records.measurement import Measurement

PROTOCOL = "2"
#: A dataset that is too small for the minimum duration is asked in so many fresh workers at most.
MOST_WORKERS = 12
#: Seeds are drawn from so many bits, the most that any reader of JSON keeps exactly.
_SEED_BITS = 53


def measure(
    spec: ModelToLoad,
    examples: Sequence[Mapping[str, Any]],
    answers: Answers,
    settings: Settings | None = None,
    limits: Limits | None = None,
) -> Measurement:
    """Time the model of `spec` on `examples` by protocol `PROTOCOL`; every answer goes to `answers`.

    The first pass asks all that `answers` misses. A request that the model fails counts as a request.
    Raises a fatal `WorkerError` if a worker is lost, ValueError if `examples` is empty.
    """
    settings, limits = settings or Settings(), limits or Limits()
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

    with apart_from(cpus):
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


def _passes(one_pass: Callable[[], Pass], settings: Settings) -> list[Pass]:
    """As many passes as the settings ask for, and more where these are short of requests or seconds."""
    passes: list[Pass] = []
    while len(passes) < settings.repeats or (len(passes) < MOST_WORKERS and _short(passes, settings)):
        passes.append(_once_more_if_killed(one_pass))
    return passes


def _short(passes: Sequence[Pass], settings: Settings) -> bool:
    requests = sum(len(one.latencies_ns) for one in passes)
    return requests < settings.min_requests or sum(one.steady_s for one in passes) < settings.min_duration_s


def _once_more_if_killed(one_pass: Callable[[], Pass]) -> Pass:
    """A worker that somebody else ended says nothing of its model."""
    try:
        return one_pass()
    except WorkerError as error:
        if error.kind != "killed":
            raise
    return one_pass()
