"""A whole measurement: repeats in workers of their own, and all that is needed to judge them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.measure.machine import fingerprint
from evaluator.measure.noise import judge, reading, repeated_input_ratio
from evaluator.measure.passes import time_pass
from evaluator.measure.percentiles import latency
from evaluator.measure.settings import Settings, apart_from, worker_cpus
from evaluator.measure.zero import zero
from evaluator.records import Measurement
from evaluator.worker import Limits, ModelToLoad, Placement

PROTOCOL = "1"


def measure(
    spec: ModelToLoad,
    examples: Sequence[Mapping[str, Any]],
    settings: Settings | None = None,
    limits: Limits | None = None,
) -> Measurement:
    """Time the model of `spec` on `examples` by protocol `PROTOCOL`.

    A request that the model fails counts as a request. Raises a fatal `WorkerError` if a worker is
    lost, ValueError if `examples` is empty.
    """
    settings, limits = settings or Settings(), limits or Limits()
    if not examples:
        raise ValueError("examples: none; give at least one to measure on")
    cores = len(os.sched_getaffinity(0))
    cpus = worker_cpus(settings.threads)
    placement = Placement(settings.threads, cpus)
    machine = fingerprint(settings.threads, cpus)
    nothing = zero(settings.threads)
    with apart_from(cpus):
        before = reading()
        passes = [time_pass(spec, examples, settings, limits, placement) for _ in range(settings.repeats)]
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
