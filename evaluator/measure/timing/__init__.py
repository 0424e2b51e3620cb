"""Throughput, latency and memory of one model, how noisy the machine was, and what machine it is.

`measure` follows protocol `PROTOCOL`; a change that could move a number raises that version.
"""

from evaluator.measure.timing.machine import fingerprint, worker_cpus
from evaluator.measure.timing.measurement import PROTOCOL, Zero, measure, zero
from evaluator.measure.timing.passes import Answers, AskingOrder, draw_order

__all__ = [
    "PROTOCOL",
    "Answers",
    "AskingOrder",
    "Zero",
    "draw_order",
    "fingerprint",
    "measure",
    "worker_cpus",
    "zero",
]
