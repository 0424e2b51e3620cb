"""Throughput, latency and memory of one model, what the machine did meanwhile, and what machine it is.

`Timing` follows protocol `evaluator.records.base.PROTOCOL`.
"""

from evaluator.measure.timing.machine import fingerprint, worker_cpus
from evaluator.measure.timing.measurement import Timing, overhead_ns

__all__ = [
    "Timing",
    "fingerprint",
    "overhead_ns",
    "worker_cpus",
]
