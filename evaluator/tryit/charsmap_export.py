"""The normaliser Precompiled of the library tokenizers, described for `evaluator.tryit.charsmap`."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from evaluator.tryit.characters import Runs, is_in
from evaluator.tryit.charsmap import LONG
from evaluator.tryit.clusters_export import clusters
from evaluator.tryit.errors import NotInBrowserError

#: Letters and syllables of Hangul, which form clusters by rules of their own.
HANGUL: Runs = ((0x1100, 0x11FF), (0xA960, 0xA97C), (0xAC00, 0xD7FB))


def described(precompiled: str) -> dict[str, Any]:
    """The map in base64, as ``tokenizer.json`` has it: what each key that can match is `changed` to.

    Raises `NotInBrowserError` where a key is no text, or begins with Hangul or what may stand before it.
    """
    content = base64.b64decode(precompiled)
    (size,) = struct.unpack_from("<I", content)
    units = struct.unpack_from(f"<{size // 4}I", content, 4)
    texts = content[4 + size :]
    try:
        changed = {key.decode(): _text(texts, place) for key, place in _keys(units, 0, b"")}
    except UnicodeDecodeError as error:
        raise NotInBrowserError(
            f"its tokeniser has the normalizer Precompiled with broken text: {error}"
        ) from None
    for key in changed:
        if is_in(HANGUL, ord(key[0])) or is_in(clusters()["prepended"], ord(key[0])):
            raise NotInBrowserError(f"its tokeniser has the normalizer Precompiled that changes {key!r}")
    return {"type": "charsmap", "changed": changed, "clusters": clusters()}


def _keys(units: Sequence[int], node: int, key: bytes) -> Iterator[tuple[bytes, int]]:
    """The keys from a node of the double array on, each with the place of its text.

    The shortest that matches counts, so those that continue one, and long ones, are left out.
    """
    base = node ^ _offset(units[node])
    for byte in range(1, 256):
        child = base ^ byte
        if child >= len(units) or units[child] & 0x800000FF != byte:
            continue
        longer = key + bytes([byte])
        if units[child] >> 8 & 1:
            yield longer, units[child ^ _offset(units[child])] & 0x7FFFFFFF
        elif len(longer) < LONG - 1:
            yield from _keys(units, child, longer)


def _offset(unit: int) -> int:
    """How far a node's children are, as the library Darts-clone packs it."""
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def _text(texts: bytes, place: int) -> str:
    return texts[place : texts.index(b"\0", place)].decode()
