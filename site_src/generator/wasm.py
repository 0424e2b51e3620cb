"""Just enough of WebAssembly's binary format to leave exports out of a module."""

from __future__ import annotations

from collections.abc import Collection, Iterator

HEADER = b"\0asm\1\0\0\0"
#: The number of the section of exports, and the kind of those that are functions.
EXPORT, FUNCTIONS = 7, 0


def with_exports(binary: bytes, named: Collection[str]) -> bytes:
    """The module, whose functions have no other names for others than these.

    Raises ValueError for what is no module of version 1.
    """
    if not binary.startswith(HEADER):
        raise ValueError("not a WebAssembly module of version 1")
    parts = [HEADER]
    at = len(HEADER)
    while at < len(binary):
        number, (size, start) = binary[at], _number(binary, at + 1)
        at = start + size
        content = binary[start:at]
        if number == EXPORT:
            kept = [entry for name, kind, entry in _exports(content) if kind != FUNCTIONS or name in named]
            content = _varint(len(kept)) + b"".join(kept)
        parts += [bytes([number]), _varint(len(content)), content]
    return b"".join(parts)


def _exports(section: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Name, kind and bytes of each export."""
    count, at = _number(section, 0)
    for _ in range(count):
        size, start = _number(section, at)
        end = start + size
        after = _number(section, end + 1)[1]
        yield section[start:end].decode(), section[end], section[at:after]
        at = after


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _number(binary: bytes, at: int) -> tuple[int, int]:
    """The number that is written at a place, and where what follows it begins."""
    value = shift = 0
    while True:
        byte = binary[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
