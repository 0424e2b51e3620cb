"""Where the library tokenizers ends a character as a reader sees it (Unicode Standard Annex 29), for
`evaluator.tryit.charsmap`.

The library does not say it. It is read off the normaliser Precompiled, which changes a cluster of fewer than
six bytes as a whole, but each character of a longer one by itself: given a map that makes one letter of
whatever begins with any byte, the length of what comes out tells the clusters.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache

from evaluator.measure.models.base import need
from evaluator.tryit.characters import Runs
from evaluator.tryit.characters_export import blocks, runs

#: A mark of two bytes, what joins emoji, one that can be joined, a consonant and what joins consonants.
MARK, JOINER, EMOJI, CONSONANT, VIRAMA = "\u0300", "\u200d", "\u00a9", "\u0915", "\u094d"
#: Smaller characters are no consonants that are joined.
LEAST_CONSONANT = "\u0800"


@cache
def clusters() -> dict[str, Runs]:
    """The characters of each kind, by the name that `charsmap.pattern` knows it by."""
    count = _counter()
    attached = [one for one, found in _unusual("a", "", 2) if found == 1]
    linking = [c for c in attached if count(f"{CONSONANT}{c}{CONSONANT}{MARK}") == 4]
    passed = [c for c in attached if count(f"{CONSONANT}{c}{VIRAMA}{CONSONANT}{MARK}") == 5]
    consonants = [c for c, found in _unusual("", VIRAMA + CONSONANT + MARK, 3) if found == 4]
    emoji = [c for c, found in _unusual(EMOJI + JOINER, "", 2) if found == 3]
    kinds = {
        "attached": attached,
        "extending": [c for c in attached if count(f"{EMOJI}{c}{JOINER}{EMOJI}{MARK}") == 5],
        "control": [c for c, found in _unusual("", MARK + MARK, 3) if found == 2],
        "prepended": [c for c, found in _unusual("", "a", 2) if found == 1],
        "emoji": sorted({*emoji} - {*attached}),
        "consonants": [c for c in consonants if c >= LEAST_CONSONANT],
        "linking": linking,
        "passed": sorted({*passed} - {*linking}),
    }
    return {name: runs(map(ord, characters)) for name, characters in kinds.items()}


def _unusual(before: str, after: str, usual: int) -> Iterator[tuple[str, int]]:
    """The characters that do not count the usual number between two texts, each with the number."""
    count = _counter()
    for block in filter(_is_used, blocks()):
        # What ends a line is a cluster by itself.
        together = "".join(f"\n{before}{character}{after}" for character in block)
        if count(together) != len(block) * (1 + usual):
            counts = ((character, count(f"{before}{character}{after}")) for character in block)
            yield from ((character, found) for character, found in counts if found != usual)


def _is_used(block: str) -> bool:
    """Not one of a plane that is empty, or for private use: those would take most of the time."""
    return ord(block[0]) < 0x40000 or 0xE0000 <= ord(block[0]) < 0xE1000


@cache
def _counter() -> Callable[[str], int]:
    """How many clusters a text has; the characters of those of six bytes or more count one by one."""
    # A double array: the root, from 256 on a unit for each byte, at 512 the leaf of all, then nothing.
    units = [0] * 768
    units[0] = 256 << 10
    for byte in range(1, 256):
        units[256 ^ byte] = (256 ^ byte ^ 512) << 10 | 1 << 8 | byte
    trie = struct.pack(f"<{len(units)}I", *units)
    map_ = struct.pack("<I", len(trie)) + trie + b"X\0"
    normalise = need("tokenizers").normalizers.Precompiled(map_).normalize_str
    return lambda text: len(normalise(text))
