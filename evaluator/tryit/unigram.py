"""Unigram language models: of all ways to split a word into pieces the likeliest; standard library only.

Kudo 2018, "Subword Regularization". The likeliest way is found by Viterbi's algorithm, which adds the scores,
natural logarithms, from the left as the library tokenizers does, so that sums and ties are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

from evaluator.tryit.bpe import KEPT

#: How much less than the least score of a piece a letter has that is in none.
PENALTY = 10.0


class Unigram:
    """The model of a description that `unigram_export.described` makes."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.numbers = {piece: number for number, piece in enumerate(spec["vocabulary"])}
        self.scores, self.unknown = spec["scores"], spec["unknown"]
        self.least = min(self.scores) - PENALTY
        self.bytes = [self.numbers[f"<0x{byte:02X}>"] for byte in range(256)] if spec["bytes"] else []
        self.longest: dict[str, int] = {}
        for piece in filter(None, self.numbers):
            self.longest[piece[0]] = max(len(piece), self.longest.get(piece[0], 0))
        self.of_word = lru_cache(KEPT)(self._of_word)

    def _of_word(self, word: str) -> list[int]:
        """The numbers of a word's pieces."""
        return [number for piece in self._pieces(word) for number in self._of_piece(piece)]

    def _of_piece(self, piece: str) -> list[int]:
        number = self.numbers.get(piece)
        if number is not None:
            return [number]
        return [self.bytes[byte] for byte in piece.encode()] if self.bytes else [self.unknown]

    def _pieces(self, word: str) -> Iterator[str]:
        """The likeliest pieces; unknown ones that follow one another are one."""
        steps = self._likeliest(word)
        found, end = [], len(word)
        while end:
            start, number = steps[end]
            found.append((word[start:end], number == self.unknown))
            end = start
        for unknown, run in groupby(reversed(found), lambda one: one[1]):
            texts = [text for text, _ in run]
            yield from ["".join(texts)] if unknown else texts

    def _likeliest(self, word: str) -> list[tuple[int, int]]:
        """For each end the start and the number of the last piece of the likeliest way there."""
        best = [0.0, *[-math.inf] * len(word)]
        steps = [(0, self.unknown)] * len(best)
        for start in range(len(word)):
            for end, number, score in self._starting(word, start):
                # Of equal ones the first stays.
                if best[start] + score > best[end]:
                    best[end], steps[end] = best[start] + score, (start, number)
        return steps

    def _starting(self, word: str, start: int) -> Iterator[tuple[int, int, float]]:
        """The end, number and score of each piece that starts at a place, or of the unknown letter there."""
        numbers = self.numbers
        for end in range(start + 1, min(len(word), start + self.longest.get(word[start], 0)) + 1):
            number = numbers.get(word[start:end])
            if number is not None:
                yield end, number, self.scores[number]
        if word[start] not in numbers:
            yield start + 1, self.unknown, self.least
