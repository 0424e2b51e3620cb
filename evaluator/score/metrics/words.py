"""Texts as numbers: each word (or character) an integer, the same word the same integer.

Everything that compares texts works on these. Words are what `str.split` gives; a word of up to sixteen
bytes is read as two 64-bit numbers and has its place in a table as its number, so that no Python object
is made for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise

import numpy as np
import numpy.typing as npt

from evaluator.score.metrics.base import Integers

# Identities are below 2 ** 21; those below 0x110000 can be written as characters of a string.
IDENTITY_BITS = 21
_TABLE_BITS = 18
PORTION = 1024  # texts read together: enough for numpy, few enough for the cache
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2 ** 64 over the golden ratio: spreads neighbours apart
_SPARE_BITS = np.arange(64, -8, -8, dtype=np.uint64)  # of eight bytes, by those that a word has
_OTHER_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of t texts end to end: `ids` (w,), of which text i has ``ids[starts[i]:starts[i + 1]]``."""

    ids: Integers
    starts: Integers

    @cached_property
    def lengths(self) -> Integers:
        """Tokens of each text (t,)."""
        return np.diff(self.starts)

    @cached_property
    def strings(self) -> Sequence[Sequence[object]]:
        """Each text as a string of which every character stands for a token, for rapidfuzz.

        Lists of numbers instead where there are more different tokens than characters.
        """
        ids = self.ids
        if ids.max(initial=0) > 0x10FFFF:
            ids = np.unique(ids, return_inverse=True)[1]
        bounds = self.starts.tolist()
        whole: Sequence[object] = (
            ids.tolist()
            if ids.max(initial=0) > 0x10FFFF
            else ids.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        )
        return [whole[start:end] for start, end in pairwise(bounds)]


def words(texts: Sequence[str]) -> Tokens:
    """The whitespace-separated words of each text."""
    numbers = _Numbers()
    portions = [numbers.of(texts[at : at + PORTION]) for at in range(0, len(texts), PORTION)]
    ids, lengths = zip(*portions, strict=True) if portions else ([], [])
    starts = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *lengths]))
    return Tokens(np.concatenate([np.empty(0, dtype=np.int64), *ids]), starts)


def characters(texts: Sequence[str]) -> Tokens:
    """The characters of each text."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return Tokens(codes.astype(np.int64), np.cumsum([0, *map(len, texts)]))


class _Numbers:
    """Numbers given to words so far: their place in `table`, or one above the table's from `others`.

    `table` has the first eight bytes of the word at each place, and the next eight. `others` has the
    words of more than sixteen bytes, and those whose place another word took.
    """

    def __init__(self) -> None:
        self.table = np.zeros((2, 1 << _TABLE_BITS), dtype=np.uint64)
        self.others: defaultdict[bytes, int] = defaultdict(count(1 << _TABLE_BITS).__next__)

    def of(self, texts: Sequence[str]) -> tuple[Integers, Integers]:
        """The numbers of the texts' words, and how many words each text has."""
        joined, sizes = _joined(texts)
        buffer = np.frombuffer(joined.replace(b"\0", b"\xff"), dtype=np.uint8)
        begins, ends = _spans(buffer)
        text_ends = np.searchsorted(begins, np.cumsum(sizes + 1))
        return self._numbers(joined, buffer, begins, ends), np.diff(text_ends, prepend=0)

    def _numbers(
        self, joined: bytes, buffer: npt.NDArray[np.uint8], begins: Integers, ends: Integers
    ) -> Integers:
        sizes = ends - begins
        wide = np.flatnonzero(sizes >= 8)
        first, then = _eight(buffer, begins, sizes), np.zeros(len(begins), dtype=np.uint64)
        then[wide] = _eight(buffer, begins[wide] + 8, sizes[wide] - 8)
        mixed = first * _MULTIPLIER
        mixed[wide] ^= then[wide] * _MULTIPLIER
        places = (mixed >> np.uint64(64 - _TABLE_BITS)).astype(np.int64)
        known = self.table[0][places] == first
        known[wide] &= (self.table[1][places[wide]] == then[wide]) & (sizes[wide] <= 16)
        new = np.flatnonzero(~known)
        free = new[(sizes[new] <= 16) & (self.table[0][places[new]] == 0)]
        self.table[:, places[free]] = first[free], then[free]
        taken = (self.table[:, places[new]] != (first[new], then[new])).any(axis=0)
        rest = new[taken | (sizes[new] > 16)]
        spans = zip(begins[rest].tolist(), ends[rest].tolist(), strict=True)
        places[rest] = [self.others[joined[begin:end]] for begin, end in spans]
        return places


def _joined(texts: Sequence[str]) -> tuple[bytes, Integers]:
    """The texts as bytes with a newline between them (and some to spare), and how many bytes each has."""
    whole = "\n".join(texts)
    if whole.isascii():
        return whole.encode() + b"\n" * 9, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    pieces = [_OTHER_SPACES.sub(" ", text).encode("utf-8", "surrogatepass") for text in texts]
    return b"\n".join(pieces) + b"\n" * 9, np.array([len(piece) for piece in pieces])


def _spans(buffer: npt.NDArray[np.uint8]) -> tuple[Integers, Integers]:
    """Where words begin and end."""
    # \t to \r and \x1c to space: in eight bits, what is below the range wraps to above it.
    space = (buffer - np.uint8(9) < 5) | (buffer - np.uint8(28) < 5)
    edges = np.flatnonzero(np.diff(space, prepend=True))
    return edges[::2], edges[1::2]


def _eight(buffer: npt.NDArray[np.uint8], begins: Integers, sizes: Integers) -> npt.NDArray[np.uint64]:
    """Up to eight bytes from each beginning as one number, the rest of it zero."""
    windows = np.ndarray((len(buffer) - 7,), dtype="<u8", buffer=buffer, strides=(1,))
    keys: npt.NDArray[np.uint64] = windows[begins] << _SPARE_BITS[np.minimum(sizes, 8)]
    return keys


# Tokens looked at together: enough that numpy's overhead is nothing, few enough for the cache.
CHUNK = 1 << 18


def matches(tokens: Tokens, first: Integers, others: Integers, unit: Integers, orders: int) -> Integers:
    """Clipped matches (u, orders) of n-grams of 1 to `orders` tokens.

    Text ``first[i]`` is compared with each ``others[j]`` whose ``unit[j]`` is i (ascending): an n-gram
    of the first text matches as often as it occurs there, at most as often as in the other text that
    has it most.
    """
    found = np.zeros((len(first), orders), dtype=np.int64)
    for low, high, left, right in _chunks(tokens, first, unit):
        among = unit[left:right] - low
        nth = 1 + np.arange(left, right) - np.searchsorted(unit, unit[left:right])
        found[low:high] = _chunk_matches(
            tokens,
            np.concatenate([first[low:high], others[left:right]]),
            np.concatenate([np.arange(high - low), among]),
            np.concatenate([np.zeros(high - low, dtype=np.int64), nth]),
            high - low,
            orders,
        )
    return found


def _chunks(tokens: Tokens, first: Integers, unit: Integers) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of units, and of the others that belong to them, of about CHUNK tokens of first texts."""
    ends = np.cumsum(tokens.lengths[first] + 1)
    low = 0
    while low < len(first):
        begun = ends[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(ends, begun + CHUNK)))
        left, right = np.searchsorted(unit, [low, high])
        yield low, high, int(left), int(right)
        low = high


def _chunk_matches(
    tokens: Tokens, texts: Integers, units: Integers, sides: Integers, many: int, orders: int
) -> Integers:
    lengths = tokens.lengths[texts]
    begins = np.cumsum(lengths) - lengths
    ids = tokens.ids[np.repeat(tokens.starts[texts] - begins, lengths) + np.arange(lengths.sum())]
    unit, side = np.repeat(units, lengths), np.repeat(sides, lengths)
    left = np.repeat(begins + lengths, lengths) - np.arange(len(ids))  # tokens from here to the text's end
    found = np.zeros((many, orders), dtype=np.int64)
    at, group, width = np.arange(len(ids)), unit, int(sides.max(initial=0)) + 1
    for order in range(orders):
        group, groups = _numbered((group << IDENTITY_BITS) | ids[at + order])
        counts = np.bincount(group * width + side[at], minlength=groups * width).reshape(groups, width)
        common = np.minimum(counts[:, 0], counts[:, 1:].max(axis=1))
        unit_of = np.zeros(groups, dtype=np.int64)
        unit_of[group] = unit[at]
        found[:, order] = np.bincount(unit_of, weights=common, minlength=many)
        # An n-gram can only match where its beginning did.
        go_on = (common[group] > 0) & (left[at] > order + 1)
        at, group = at[go_on], group[go_on]
        if not len(at):
            break
    return found


def _numbered(keys: Integers) -> tuple[Integers, int]:
    """Numbers from 0 for the keys, equal for equal keys, and how many there are."""
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.empty(len(keys), dtype=np.int64)
    new[:1] = 0
    new[1:] = ordered[1:] != ordered[:-1]
    number = np.empty(len(keys), dtype=np.int64)
    number[order] = np.cumsum(new)
    return number, int(number[order[-1]]) + 1 if len(keys) else 0
