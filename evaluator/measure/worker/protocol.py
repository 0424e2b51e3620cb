"""Frames on the private socket: four bytes of length, big-endian, then that many bytes of UTF-8 JSON."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, cast, get_args

from evaluator.measure.worker.spec import AnswerErrorKind

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


def read_reply(body: bytes) -> ChildReply:
    """The reply in a frame's body; `ProtocolError` unless it is exactly of the form that a child writes."""
    reply = unpack(body)
    token = reply.get("id")
    if isinstance(token, str) and len(reply) == 2:
        if "ok" in reply:
            _check_text(body, reply["ok"])
            return ChildReply(token, reply["ok"], None)
        if "error" in reply:
            return ChildReply(token, None, _fault(reply["error"]))
    raise ProtocolError("a reply of the wrong form")


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
