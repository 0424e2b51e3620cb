"""Throughput, latency and memory of one model, how noisy the machine was, and what machine it is.

`measure` follows protocol `evaluator.records.base.PROTOCOL`.
"""

from evaluator.measure.timing.machine import fingerprint, worker_cpus
from evaluator.measure.timing.measurement import Zero, measure, zero
from evaluator.measure.timing.passes import Answers, AskingOrder, draw_order

__all__ = [
    "Answers",
    "AskingOrder",
    "Zero",
    "draw_order",
    "fingerprint",
    "measure",
    "worker_cpus",
    "zero",
]
