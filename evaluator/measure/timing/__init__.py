"""Throughput, latency and memory of one model, what the machine did meanwhile, and what machine it is.

`Timing` follows protocol `evaluator.records.base.PROTOCOL`.
"""

from evaluator.measure.timing.machine import fingerprint, worker_cpus
from evaluator.measure.timing.measurement import Timing, overhead_ns
from evaluator.measure.timing.passes import Answers, AskingOrder, draw_order

__all__ = [
    "Answers",
    "AskingOrder",
    "Timing",
    "draw_order",
    "fingerprint",
    "overhead_ns",
    "worker_cpus",
]
