"""The separate process that holds one model. Gold labels never enter it.

`Worker` is the parent's side: it starts the process, asks it one example at a time, holds it to its
`Limits`, and turns every failure of a model into one `WorkerError`.
"""

from evaluator.measure.worker.process import Worker
from evaluator.measure.worker.protocol import (
    Limits,
    Loaded,
    MemoryUse,
    ModelToLoad,
    PhaseMemory,
    Placement,
    Reply,
    WorkerError,
    Written,
)
from evaluator.measure.worker.spawn import needs_portable

__all__ = [
    "Limits",
    "Loaded",
    "MemoryUse",
    "ModelToLoad",
    "PhaseMemory",
    "Placement",
    "Reply",
    "Worker",
    "WorkerError",
    "Written",
    "needs_portable",
]
