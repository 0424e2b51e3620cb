"""Texts that are nearly the same, found exactly and in little time.

Two texts are near-duplicates where the sets of their stretches of five letters, case and punctuation aside,
have a Jaccard index of `NEAR` or more. Only texts that share a rare stretch are compared: the prefix filter
(Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007), which misses nothing.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

#: The least Jaccard index of near-duplicates, and the letters of a stretch.
NEAR, LETTERS = 0.7, 5

Stretches = frozenset[str]


def plain(text: str) -> str:
    """The words of a text in lower case, with one space between them, as texts are compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(char if char.isalnum() else " " for char in folded).split())


def stretches(text: str) -> Stretches:
    """All stretches of `LETTERS` letters of a text as it is compared; a shorter text is one."""
    words = plain(text)
    return frozenset(words[at : at + LETTERS] for at in range(max(1, len(words) - LETTERS + 1)))


def likeness(one: Stretches, other: Stretches) -> float:
    """The Jaccard index of two sets, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


class NearTexts:
    """Texts to compare others with, by number."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._sets = [stretches(text) for text in texts]
        self._frequency = Counter(stretch for one in self._sets for stretch in one)
        self._with: dict[str, list[int]] = {}
        for number, one in enumerate(self._sets):
            for stretch in self._rarest(one):
                self._with.setdefault(stretch, []).append(number)

    def near(self, text: str) -> Iterator[tuple[int, float]]:
        """The numbers of the texts that are near-duplicates of `text`, in order, with their likeness."""
        one = stretches(text)
        found = {number for stretch in self._rarest(one) for number in self._with.get(stretch, ())}
        for number in sorted(found):
            alike = likeness(one, self._sets[number])
            if alike >= NEAR:
                yield number, alike

    def pairs(self, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Pairs of numbers of these very `texts` that are near-duplicates, the smaller number first."""
        for number, text in enumerate(texts):
            yield from ((other, number) for other, _ in self.near(text) if other < number)

    def _rarest(self, one: Stretches) -> list[str]:
        """As many of the rarest stretches that a near-duplicate has one of them among its own rarest."""
        order = sorted(one, key=lambda stretch: (self._frequency[stretch], stretch))
        # The index is at least NEAR only if that share of the stretches is common; of the same order.
        return order[: len(one) - math.ceil(NEAR * len(one) - 1e-9) + 1]
