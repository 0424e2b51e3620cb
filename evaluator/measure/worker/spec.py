"""What goes into a worker and what comes back, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from evaluator.records.result import Isolation


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
    isolation: Isolation


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


AnswerErrorKind = Literal[
    "raised",  # predict raised an exception
    "not-json",  # the answer holds something JSON cannot carry
    "not-a-number",  # the answer holds NaN or an infinity
    "too-large",  # the answer is over Limits.reply_bytes
    "bad-batch",  # predict_batch did not return one answer an example
    "network",  # the model tried to use the network
    "missing-package",  # a package the model imports is not installed
    "load-failed",  # loading raised an exception
    "timeout",  # a limit of time passed
    "memory",  # the process tree passed Limits.memory_bytes
    "killed",  # somebody else ended the process by a signal, or the system did for want of memory
    "isolation",  # a layer of isolation could not be put in place
    "exited",  # the process ended by itself: exit, crash, signal
    "node-lost",  # the nodes of a cluster that were to run it were lost
    "protocol",  # the model meddled with the worker's connection or with the process that watches it
    "closed",  # the worker was used before `start` or after `close`
]


class WorkerError(Exception):
    """A model failed.

    `message` is one readable sentence that says what happened and what to do. `fatal` means that
    the worker is gone; otherwise it takes the next request. `detail` is the model's traceback or
    the last lines it printed. `elapsed_ns` is the round trip of a request that failed but was
    answered, else None.
    """

    def __init__(
        self,
        kind: AnswerErrorKind,
        message: str,
        *,
        fatal: bool,
        detail: str = "",
        elapsed_ns: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: AnswerErrorKind = kind
        self.message = message
        self.fatal = fatal
        self.detail = detail
        self.elapsed_ns = elapsed_ns

    def __reduce__(self) -> tuple[Any, ...]:
        """It travels from the nodes of a cluster."""
        return _again, (self.kind, self.message, self.fatal, self.detail, self.elapsed_ns)


def _again(
    kind: AnswerErrorKind, message: str, fatal: bool, detail: str, elapsed_ns: int | None
) -> WorkerError:
    return WorkerError(kind, message, fatal=fatal, detail=detail, elapsed_ns=elapsed_ns)
