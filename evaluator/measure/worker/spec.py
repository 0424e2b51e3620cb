"""What goes into a worker and what comes back, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The record's own imports would weigh on the model's measured memory.
    from evaluator.records.measurement import Isolation


@dataclass(frozen=True)
class ModelToLoad:
    """Everything a worker needs to open a model, and all it ever knows of a task.

    `adapter` names a way to open `directory` (see `evaluator.measure.models.ADAPTERS`), or is ``"null"``: a
    model that answers ``{"label": labels[0]}`` without looking. `options` is JSON data.
    """

    adapter: str
    directory: Path
    options: Mapping[str, Any]
    task: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Limits:
    """How much a model may take; passing a limit of time or memory ends its worker.

    `load_s`, `request_s` and `total_s` are seconds: for starting and loading, for one answer, and
    for the whole life of the worker. `memory_bytes` caps the resident memory of the process tree,
    pages shared between its processes counted once. `reply_bytes` caps one answer as UTF-8 JSON.
    """

    load_s: float = 300.0
    request_s: float = 30.0
    total_s: float | None = None
    memory_bytes: int | None = None
    reply_bytes: int = 65536


@dataclass(frozen=True)
class Placement:
    """Where a worker runs: `threads` for OpenMP, MKL and torch; `cpus` it is pinned to, if any."""

    threads: int = 1
    cpus: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loaded:
    """A worker that is ready: nanoseconds to start the interpreter and to load the model.

    `sandbox` says which limits hold, `batches` whether `Worker.predict_batch` works, `isolation` what
    keeps the model in.
    """

    spawn_ns: int
    load_ns: int
    sandbox: dict[str, str]
    batches: bool
    isolation: Isolation | None = None


@dataclass(frozen=True)
class Reply:
    """One answer, and its round trip in nanoseconds from the request's first byte to the answer's last."""

    output: Any
    elapsed_ns: int


@dataclass(frozen=True)
class MemoryUse:
    """Memory of the process tree by phase, and the highest of sampled RSS and VmHWM, in bytes."""

    interval_ms: float
    peak_bytes: int
    phases: Mapping[str, PhaseMemory]


@dataclass(frozen=True)
class PhaseMemory:
    """Memory of the process tree over one phase, in bytes; PSS is None where the system has none."""

    start_rss_bytes: int
    mean_rss_bytes: int
    mean_pss_bytes: int | None
    ticks: int
    missed_ticks: int
