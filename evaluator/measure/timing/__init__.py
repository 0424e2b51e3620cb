"""Throughput, latency and memory of one model, how noisy the machine was, and what machine it is.

`measure` follows protocol `PROTOCOL`; a change that could move a number raises that version.
"""

from evaluator.measure.timing.machine import fingerprint
from evaluator.measure.timing.measurement import PROTOCOL, measure
from evaluator.measure.timing.passes import Answers, AskingOrder, draw_order
from evaluator.measure.timing.settings import Settings, worker_cpus
from evaluator.measure.timing.zero import Zero, zero

__all__ = [
    "PROTOCOL",
    "Answers",
    "AskingOrder",
    "Settings",
    "Zero",
    "draw_order",
    "fingerprint",
    "measure",
    "worker_cpus",
    "zero",
]
