"""The pieces of a tokeniser of the library tokenizers, in the order of their numbers."""

from __future__ import annotations

from collections.abc import Container, Mapping

from evaluator.tryit.errors import NotInBrowserError

#: The pieces that stand for single bytes.
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


def vocabulary(numbers: Mapping[str, int]) -> list[str]:
    """The pieces by number. Raises `NotInBrowserError` where a number is missing."""
    if sorted(numbers.values()) != list(range(len(numbers))):
        raise NotInBrowserError("the pieces of its tokeniser are not numbered one after the other")
    return sorted(numbers, key=numbers.__getitem__)


def has_bytes(pieces: Container[str]) -> bool:
    """Whether there is a piece for every byte. Raises `NotInBrowserError` where only some have one."""
    has = [piece in pieces for piece in BYTES]
    if any(has) != all(has):
        raise NotInBrowserError(f"its tokeniser has {sum(has)} of the 256 pieces of single bytes")
    return all(has)
