"""RFC 8785 canonical JSON and its hash, of columns of a million values too.

`rfc8785` writes everything but long lists of plain values. These go to the standard library's encoder, a
block at a time, which writes the same, except for some numbers.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import rfc8785

#: Lists shorter than this are written by `rfc8785` alone, longer ones in blocks of so many items.
SHORT, BLOCK = 100, 10_000
_PLAIN = {int, bool, str, float, type(None)}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
#: Whole numbers that may be too large for JSON, which `rfc8785` decides.
_LARGE = re.compile(r"(?<![\d.])\d{16,}(?![\d.])")
#: Floats that Python writes otherwise than RFC 8785: with an exponent, or with nothing after the point.
_EXPONENT = re.compile(r"-?[\d.]+e[-+]?\d+")
_NEGATIVE_ZERO = re.compile(r"-0\.0(?!\d)")
_NO_FRACTION = re.compile(r"\.0(?!\d)")


def canonical(document: Any) -> bytes:
    """RFC 8785 canonical JSON of plain data. NaN and infinities raise ValueError."""
    return b"".join(_pieces(document))


def digest(document: Any) -> str:
    """``sha256:`` and the hash of the canonical JSON of plain data."""
    state = hashlib.sha256()
    for piece in _pieces(document):
        state.update(piece)
    return "sha256:" + state.hexdigest()


def _pieces(document: Any) -> Iterator[bytes]:
    if isinstance(document, dict) and any(
        isinstance(value, dict | list | tuple) for value in document.values()
    ):
        yield from _fields(document)
    elif isinstance(document, list | tuple) and len(document) >= SHORT:
        yield from _blocks(document)
    else:
        yield rfc8785.dumps(document)


def _fields(document: dict[str, Any]) -> Iterator[bytes]:
    before = b"{"
    for name in sorted(document, key=lambda name: name.encode("utf-16-be")):
        yield before + rfc8785.dumps(name) + b":"
        yield from _pieces(document[name])
        before = b","
    yield b"}"


def _blocks(items: Sequence[Any]) -> Iterator[bytes]:
    before = b"["
    for start in range(0, len(items), BLOCK):
        yield before + _items(items[start : start + BLOCK])
        before = b","
    yield b"]"


def _items(items: Sequence[Any]) -> bytes:
    """The items of a list, without the brackets around them."""
    kinds = _kinds(items)
    # Digits in a text would be taken for numbers below.
    if not kinds <= _PLAIN or {str, float} <= kinds:
        return rfc8785.dumps(items)[1:-1]
    text = _ENCODER.encode(items)[1:-1]
    if int in kinds and _LARGE.search(text):
        return rfc8785.dumps(items)[1:-1]
    return (_with_floats(text) if float in kinds else text).encode()


def _kinds(items: Sequence[Any]) -> set[type]:
    """The types of the items, and of those of lists among them."""
    kinds = set(map(type, items))
    if not kinds & {list, tuple}:
        return kinds
    inner = list(itertools.chain.from_iterable(one for one in items if isinstance(one, list | tuple)))
    return (kinds - {list, tuple}) | _kinds(inner)


def _with_floats(text: str) -> str:
    """Numbers as Python writes them, as RFC 8785 does."""
    if "e" in text:
        text = _EXPONENT.sub(lambda found: rfc8785.dumps(float(found[0])).decode(), text)
    return _NO_FRACTION.sub("", _NEGATIVE_ZERO.sub("0", text))
