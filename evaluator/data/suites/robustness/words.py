"""The words of a text as spans, which of them noise may change, and changing a share of them.

Words of plain ASCII letters may be changed. Words with an apostrophe, words that negate, and whole chunks
(the text between white space) that hold a digit, a sign of a link, an address, a tag or markup, or a dot
inside, stay: "isn't", "not", "3rd", "$5.00!!!", "example.org", "me@example.org", "#tag", "@name", "U.S.".
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from evaluator.data.suites.base import Edit, Span, Transformation, each_text, overlaps
from evaluator.data.suites.reading import APOSTROPHES
from evaluator.records.errors import UserError

WORD = re.compile(rf"\w+(?:[{APOSTROPHES}]\w+)*")
_CHUNK = re.compile(r"\S+")
_SPACE = re.compile(r"\s")
_MARK = re.compile(r"[\d@#$&/\\_<>=]|\.\b")

# With the halves of "ca n't", "isn 't" and the like as tokenised texts write them.
_NEGATIONS = """
no not non never none nobody nothing nowhere neither nor nope nah cannot without
hardly barely scarcely rarely seldom lack lacks lacked lacking minus
aint arent cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neednt
oughtnt shant shouldnt wasnt werent wont wouldnt
ai ain aren ca couldn daren didn doesn don hadn hasn haven isn mightn mustn needn oughtn sha shan
shouldn wasn weren wo won wouldn n t nt
"""
NEGATIONS = frozenset(_NEGATIONS.split())


def _stumps(word: str) -> set[str]:
    """The word without up to two letters in a row: what is left of it by an alteration."""
    places = range(len(word) + 1)
    return {word[:start] + word[end:] for start in places for end in places[start : start + 3]}


_STUMPS = frozenset(stump for word in NEGATIONS for stump in _stumps(word))
_LONGEST_NEGATION = max(map(len, NEGATIONS))

# `Random.random`: everything is drawn through it, being the fastest and the same in every Python.
Draw = Callable[[], float]
# The stretch of a word to replace, and by what: two letters at most by two at most, or else the whole word.
Alteration = tuple[int, int, str]


@dataclass(frozen=True)
class Severity:
    """How many words of a text are changed: a share in (0, 1], at least `least`, at most `most`.

    `letters` is the length of the shortest word that may be changed. Raises UserError where they are not
    such numbers.
    """

    share: float
    least: int
    most: int
    letters: int

    def __post_init__(self) -> None:
        if not _is_number(self.share) or not 0 < self.share <= 1:
            raise UserError(
                "share", f"{self.share!r} is not a share of words", "use a number over 0, at most 1"
            )
        for name in ("least", "most", "letters"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise UserError(name, f"{value!r} is not a count", "use a whole number from 1")
        if self.most < self.least:
            raise UserError(
                "most", f"{self.most} is under least: {self.least}", "raise one or lower the other"
            )

    def count(self, words: int) -> int:
        """How many of so many words to change."""
        return min(max(int(self.share * words), self.least), self.most)


def altering(
    name: str,
    version: int,
    can: Callable[[str], bool],
    alter: Callable[[str, Draw], Alteration],
    severity: Severity,
    **options: Any,
) -> Transformation:
    """The transformation that alters one word in a share of each text's chunks, each chunk as likely.

    `can` says which plain words have an alteration, and `alter` draws one of them.
    """
    shortest, count = severity.letters, cache(severity.count)

    @lru_cache(maxsize=1 << 14)
    def words_of(chunk: str) -> list[tuple[int, str, bool]]:
        words = [] if _MARK.search(chunk) else WORD.finditer(chunk)
        return [
            (match.start(), match[0], _may_come_to_negate(match[0]))
            for match in words
            if len(match[0]) >= shortest and _may_change(match[0]) and can(match[0])
        ]

    # Written out rather than split up: at 50,000 texts a second every call counts.
    def edit(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
        draw = rng.random
        # The parts between single white spaces, empty ones included, so that places can be counted.
        parts = text.split(" ") if text.isprintable() else _SPACE.split(text)
        left = [place for place, part in enumerate(parts) if len(part) >= shortest]
        edits = count(len(parts) - parts.count(""))
        found: list[tuple[int, int, str]] = []
        while left and len(found) < edits:
            at = int(draw() * len(left))
            place, left[at] = left[at], left[-1]
            left.pop()
            words = words_of(parts[place])
            if not words:
                continue
            offset, word, near = words[0] if len(words) == 1 else words[int(draw() * len(words))]
            first, last, new = alter(word, draw)
            if near and (word[:first] + new + word[last:]).lower() in NEGATIONS:
                continue
            if place:
                offset += len(" ".join(parts[:place])) + 1
            if not protected or not overlaps(offset, offset + len(word), protected):
                found.append((offset + first, offset + last, new))
        found.sort()
        return [Edit(*change) for change in found]

    return Transformation(name, version, each_text(edit), {**vars(severity), **options})


def _may_change(word: str) -> bool:
    """Whether it is of English letters alone and does not negate."""
    return word.isascii() and word.isalpha() and word.lower() not in NEGATIONS


def _may_come_to_negate(word: str) -> bool:
    """Whether an alteration might turn it into a word that negates."""
    return len(word) <= _LONGEST_NEGATION + 2 and not _STUMPS.isdisjoint(_stumps(word.lower()))


def fixed(text: str) -> list[Span]:
    """The chunks that stay as they are: with digits, links, addresses, tags, markup, abbreviations."""
    if not _MARK.search(text):
        return []
    return [match.span() for match in _CHUNK.finditer(text) if _MARK.search(match[0])]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
