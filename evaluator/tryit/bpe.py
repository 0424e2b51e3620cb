"""Byte pair encoding: neighbours are merged, by rank, until none can be; standard library only.

Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units". What a word's letters
are, the splitting before has decided: bytes, each written as a character, or characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Any

#: Words whose tokens are kept.
KEPT = 10_000


class BytePairs:
    """The model of a description that `bpe_export.described` makes."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.numbers = numbers = {piece: number for number, piece in enumerate(spec["vocabulary"])}
        self.unknown, self.fuses = numbers.get(spec["unknown"]), spec["fuses_unknown"]
        self.bytes = [numbers[f"<0x{byte:02X}>"] for byte in range(256)] if spec["bytes"] else []
        self.knows_words = spec["knows_words"]
        self.merges: dict[tuple[int, int], tuple[int, int]] = {}
        for rank, (number, length) in enumerate(zip(spec["merged"], spec["lengths"], strict=True)):
            piece = spec["vocabulary"][number]
            self.merges[numbers[piece[:length]], numbers[piece[length:]]] = rank, number
        self.of_word = lru_cache(KEPT)(self._of_word)

    def _of_word(self, word: str) -> list[int]:
        """The numbers of a word's pieces."""
        if self.knows_words and word in self.numbers:
            return [self.numbers[word]]
        return self._merged(list(self._letters(word)))

    def _letters(self, word: str) -> Iterator[int]:
        """The number of each letter; of one that has none those of its bytes, the unknown one, or nothing."""
        was_unknown = False
        for letter in word:
            number = self.numbers.get(letter)
            if number is not None:
                yield number
            elif self.bytes:
                yield from (self.bytes[byte] for byte in letter.encode())
            elif self.unknown is not None and not (was_unknown and self.fuses):
                yield self.unknown
            was_unknown = number is None

    def _merged(self, numbers: list[int]) -> list[int]:
        """Of all pairs that can be merged the one of the least rank is, and of several the first."""
        chain = _Chain(numbers)
        queue = [offer for first in range(len(numbers)) for offer in self._offer(chain, first)]
        heapify(queue)
        while queue:
            rank, first, number = heappop(queue)
            # Either neighbour may have become part of another piece since.
            if self.merges.get(chain.pair(first)) == (rank, number):
                chain.merge(first, number)
                for changed in (chain.before[first], first):
                    for offer in self._offer(chain, changed):
                        heappush(queue, offer)
        return [number for number in chain.numbers if number >= 0]

    def _offer(self, chain: _Chain, first: int) -> Iterator[tuple[int, int, int]]:
        merge = self.merges.get(chain.pair(first))
        if merge:
            yield merge[0], first, merge[1]


class _Chain:
    """The pieces of a word at the places of their first letters; elsewhere, and around the word, is -1."""

    def __init__(self, numbers: list[int]) -> None:
        # Place -1 is the last one, which nothing stands at.
        self.numbers = [*numbers, -1]
        self.after = [*range(1, len(numbers) + 1), len(numbers)]
        self.before = [*range(-1, len(numbers) - 1), len(numbers) - 1]

    def pair(self, first: int) -> tuple[int, int]:
        """The piece at a place and the next one."""
        return self.numbers[first], self.numbers[self.after[first]]

    def merge(self, first: int, number: int) -> None:
        """Make one piece of that at a place and the next one."""
        second = self.after[first]
        self.numbers[first], self.numbers[second] = number, -1
        self.after[first] = third = self.after[second]
        self.before[third] = first
