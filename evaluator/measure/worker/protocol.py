"""Frames on the private socket: four bytes of length, big-endian, then that many bytes of UTF-8 JSON."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from typing import Any, NoReturn

_LENGTH = struct.Struct(">I")
HEADER_BYTES = _LENGTH.size
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
