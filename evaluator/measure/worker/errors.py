"""What a model can do wrong, as one exception."""

from __future__ import annotations

from typing import Any, Literal

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
