"""What the library tokenizers knows of characters, found by asking the library about every one.

So its version of Unicode decides in a browser, and not Python's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from evaluator.measure.models.base import need
from evaluator.tryit.characters import Runs
from evaluator.tryit.normalising import Normalise

#: One step of a normaliser or a pre-tokeniser, as the page's modules read it.
Step = dict[str, Any]
#: Every code point that a text may have.
CODES = (*range(0xD800), *range(0xE000, 0x110000))
#: A combining mark that every other one comes after in NFD, and one that every mark of the same class comes
# before.
FIRST, LAST = "\u0334", "\u0301"


def each(normalise: Normalise) -> Iterator[tuple[int, str]]:
    """Every code point, and what a normaliser makes of it; most blocks it leaves as they are, or removes."""
    for block in blocks():
        whole = normalise(block)
        for character in block:
            if whole in ("", block):
                yield ord(character), character if whole else ""
            else:
                yield ord(character), normalise(character)


def blocks() -> Iterator[str]:
    """All characters, 256 at a time."""
    for start in range(0, len(CODES), 256):
        yield "".join(map(chr, CODES[start : start + 256]))


@cache
def matching(pattern: str) -> Runs:
    """The characters that a regular expression for one, such as ``\\p{L}``, matches in the library."""
    library = need("tokenizers")
    remove = library.normalizers.Replace(library.Regex(pattern), "").normalize_str
    return runs(code for block in blocks() for code in _missing(block, remove(block)))


def spaces() -> str:
    """All characters that are spaces in the library."""
    return "".join(chr(code) for first, last in matching(r"\s") for code in range(first, last + 1))


def _missing(block: str, left: str) -> Iterator[int]:
    kept = set(left)
    return (ord(character) for character in block if character not in kept)


def is_moved(mark: str, decompose: Normalise) -> bool:
    """Whether the library puts a mark in order; one that came into Unicode later it leaves where it is."""
    alone = decompose(mark)
    before, after = decompose(mark + FIRST), decompose(LAST + mark)
    return before == FIRST + alone != mark + FIRST or after == alone + LAST != LAST + mark


def runs(codes: Iterable[int]) -> list[list[int]]:
    """Ascending code points as the first and the last of each run."""
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found
