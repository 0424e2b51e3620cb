"""What goes into a worker and what comes back, as plain values, and how: by frames on a private socket.

A frame is four bytes of length, big-endian, then that many bytes of UTF-8 JSON.
"""

from __future__ import annotations

import functools
import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, cast, get_args

if TYPE_CHECKING:
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
    """A worker that is ready, and the nanoseconds that the model took to load.

    `sandbox` says which limits hold, `batches` whether `Worker.predict_batch` works, `isolation` what
    keeps the model in.
    """

    load_ns: int
    sandbox: dict[str, str]
    batches: bool
    isolation: Isolation


class Written(NamedTuple):
    """Of a text that a model wrote: its tokens, and the share of all work that was done at the first."""

    tokens: int
    first_share: float


@dataclass(frozen=True)
class Reply:
    """One answer, and its round trip in nanoseconds from the request's first byte to the answer's last.

    `written` is None where no text was written, or its tokens were not counted.
    """

    output: Any
    elapsed_ns: int
    written: Written | None = None


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
        rest: dict[str, Any] = {"fatal": self.fatal, "detail": self.detail, "elapsed_ns": self.elapsed_ns}
        return functools.partial(WorkerError, **rest), (self.kind, self.message)


_LENGTH = struct.Struct(">I")
HEADER_BYTES = _LENGTH.size
#: The most characters of a failure's message and detail.
MESSAGE_CHARS, DETAIL_CHARS = 1000, 4000
#: Room for the largest failure a child sends: every character may take six bytes as \uXXXX.
FAILURE_BYTES = 8 * (MESSAGE_CHARS + DETAIL_CHARS)
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class ProtocolError(Exception):
    """Bytes that are no frame of this protocol."""


def frame(body: bytes) -> bytes:
    """`body` with its length before it."""
    return _LENGTH.pack(len(body)) + body


def pack(message: dict[str, Any]) -> bytes:
    """A message as a frame. ValueError or TypeError if it holds NaN or is no JSON data."""
    return frame(_ENCODER.encode(message).encode())


def unpack(body: bytes) -> dict[str, Any]:
    """The message in a frame's body; `ProtocolError` if it is no JSON object."""
    try:
        message = _DECODER.decode(body.decode())
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not JSON: {error}") from error
    if not isinstance(message, dict):
        raise ProtocolError(f"a JSON {type(message).__name__} where an object belongs")
    return message


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def printable(text: str) -> str:
    """`text` with what no file can hold, halves of characters, written as an escape such as \\ud800."""
    return text.encode("utf-8", "backslashreplace").decode()


class Frames:
    """Cuts frames out of a stream of bytes."""

    def __init__(self, receive: Callable[[], bytes]) -> None:
        """`receive` returns the next bytes, at least one, or none when the stream has ended."""
        self._receive = receive
        self._buffer = b""

    def next(self, limit: int) -> bytes:
        """The body of the next frame, at most `limit` bytes long.

        Raises EOFError when the stream ends, `ProtocolError` when a frame announces more than
        `limit` bytes, and whatever `receive` raises.
        """
        self._fill(HEADER_BYTES)
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > limit:
            raise ProtocolError(f"a frame of {length} bytes where at most {limit} are allowed")
        end = HEADER_BYTES + length
        self._fill(end)
        body, self._buffer = self._buffer[HEADER_BYTES:end], self._buffer[end:]
        return body

    def _fill(self, size: int) -> None:
        if len(self._buffer) >= size:
            return
        chunks, have = [self._buffer], len(self._buffer)
        while have < size:
            chunk = self._receive()
            if not chunk:
                raise EOFError
            chunks.append(chunk)
            have += len(chunk)
        self._buffer = b"".join(chunks)


Fault = tuple[AnswerErrorKind, str, str]
#: What only the parent can say of a worker.
_OURS = {"timeout", "memory", "killed", "exited", "protocol", "closed"}
_KINDS = frozenset(get_args(AnswerErrorKind)) - _OURS
_FAULT = {"kind", "message", "detail"}


class ChildReply(NamedTuple):
    """The request that a reply is to, and the answer or the kind, message and detail of a failure."""

    token: str
    output: Any
    fault: Fault | None
    written: Written | None = None


def read_reply(body: bytes) -> ChildReply:
    """The reply in a frame's body; `ProtocolError` unless it is exactly of the form that a child writes."""
    reply = unpack(body)
    token, written = reply.get("id"), reply.pop("written", None)
    if isinstance(token, str) and len(reply) == 2:
        if "ok" in reply:
            _check_text(body, reply["ok"])
            return ChildReply(token, reply["ok"], None, _written(written))
        if "error" in reply:
            return ChildReply(token, None, _fault(reply["error"]))
    raise ProtocolError("a reply of the wrong form")


def _written(said: object) -> Written | None:
    match said:
        case None:
            return None
        case [int(tokens), float(share)] if tokens > 0 and 0 <= share <= 1:
            return Written(tokens, share)
    raise ProtocolError("a count of tokens of the wrong form")


def _fault(error: object) -> Fault:
    if (
        not isinstance(error, dict)
        or error.keys() != _FAULT
        or not all(isinstance(part, str) for part in error.values())
        or error["kind"] not in _KINDS
    ):
        raise ProtocolError("a failure of the wrong form")
    return cast(AnswerErrorKind, error["kind"]), printable(error["message"]), printable(error["detail"])


def _check_text(body: bytes, output: Any) -> None:
    """Refuse halves of characters, which JSON can only carry as escapes, and no file can hold."""
    if b"\\u" not in body:
        return
    try:
        json.dumps(output, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise ProtocolError("text that is no Unicode") from None
