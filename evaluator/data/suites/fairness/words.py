"""The words of a text and how they are written: what every transformation here looks at first."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate
from operator import add
from typing import Any, Literal

from evaluator.data.suites.base import Edit

LetterCase = Literal["lower", "upper", "mixed"]

_WORDS = re.compile(r"([^\W\d_]+)")

#: Neighbours that make a word part of something else: a handle, an address, a path, a compound.
_JOINED = frozenset("@#/\\_-‐‑") | frozenset("0123456789")
#: What may be between the end of a sentence and the first word of the next.
_OPENING = " \t\"'“‘«([{*_"
_ENDS = frozenset(".!?…:;\n\r\v\f\u2028\u2029—–|•") | frozenset("-")


@dataclass(frozen=True)
class Data:
    """What `data/words.json` holds, made ready to look up; all in lower case."""

    swapped: dict[str, str]
    neutral: dict[str, str]
    ordinary: frozenset[str]
    surnames: frozenset[str]


@cache
def data() -> Data:
    """The word lists shipped with the project."""
    raw = _read("words.json")
    both_ways = [*raw["pairs"], *(reversed(pair) for pair in raw["pairs"])]
    return Data(dict(both_ways), raw["neutral"], frozenset(raw["ordinary"]), frozenset(raw["surnames"]))


@cache
def _grammar() -> dict[str, Any]:
    return _read("grammar.json")


def grammar(name: str) -> frozenset[str]:
    """The words of `data/grammar.json` that do what `name` says, in lower case."""
    return frozenset(word for line in _grammar()[name] for word in line.split())


@cache
def version() -> str:
    """The hash of the word lists."""
    # Pages perturb texts too, and have nothing that hashes records.
    from evaluator.records.base import digest

    return digest([_read("words.json"), _grammar()])


def _read(name: str) -> dict[str, Any]:
    path = files("evaluator.data.suites.fairness").joinpath("data", name)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def read(texts: Mapping[str, str], vocabulary: AbstractSet[str]) -> dict[str, Field]:
    """The fields of an example, none of them if no word of any is in `vocabulary`."""
    fields = {key: Field(text) for key, text in texts.items()}
    for field in fields.values():
        if not vocabulary.isdisjoint(field.lower):
            return fields
    return {}


class Field:
    """A text cut into words: as written, in lower case, and what is before, between and after them."""

    __slots__ = ("_case", "_ends", "gaps", "lower", "text", "words")

    def __init__(self, text: str) -> None:
        parts = _WORDS.split(text)
        self.text = text
        self.gaps = parts[::2]
        self.words = parts[1::2]
        # One call for all words; no letter has a blank for its lower case.
        self.lower = " ".join(self.words).lower().split(" ") if self.words else []
        self._ends: list[int] = []
        self._case: LetterCase | None = None

    @property
    def case(self) -> LetterCase:
        """How much capitals mean: "upper" and "lower" texts have no other letters, so nothing."""
        if self._case is None:
            lower = self.text == self.text.lower()
            self._case = "lower" if lower else "upper" if self.text == self.text.upper() else "mixed"
        return self._case

    def start(self, place: int) -> int:
        """Where the word starts, in characters."""
        return self.end(place) - len(self.words[place])

    def end(self, place: int) -> int:
        """Where the word ends."""
        if not self._ends:
            lengths = map(len, map(add, self.gaps, self.words))
            self._ends = list(accumulate(lengths))
        return self._ends[place]

    def edit(self, place: int, new: str) -> Edit:
        """The edit that puts `new` in the word's place."""
        end = self.end(place)
        return Edit(end - len(self.words[place]), end, new)

    def plain(self, place: int) -> bool:
        """Whether the word is one by itself: not part of a compound, an address or a longer letter."""
        before, after = self.gaps[place], self.gaps[place + 1]
        if before and before != " " and (before[-1] in _JOINED or (before == "." and place)):
            return False
        if not after or after[0] == " ":
            return True
        stop = after == "." and place + 1 < len(self.words)
        return not (stop or after[0] in _JOINED or unicodedata.combining(after[0]))

    def after(self, place: int) -> str:
        """The two characters behind the word, as far as there are any."""
        end = self.end(place)
        return self.text[end : end + 2]

    def bare_apostrophe(self, place: int) -> bool:
        """Whether an apostrophe alone ends the word: a possessive of a word in -s, or a quotation mark."""
        after = self.after(place)
        return after[:1] in ("'", "’") and not after[1:].isalpha()

    def keeps_possessive(self, place: int, new: str) -> bool:
        """Whether `new` takes the possessive ending that the word has: ladies' but gentlemen's."""
        word = self.lower[place]
        if self.bare_apostrophe(place):
            return not word.endswith("s") or new.endswith("s")
        possessive = self.after(place).lower() in ("'s", "’s")
        return not (possessive and word.endswith("men") and new.endswith("s"))

    def next(self, place: int) -> str:
        """The next word in lower case if only blanks are between, else nothing."""
        gap = self.gaps[place + 1]
        return self.lower[place + 1] if gap.isspace() and place + 1 < len(self.words) else ""

    def previous(self, place: int) -> str:
        """The word before in lower case if only blanks are between, else nothing."""
        return self.lower[place - 1] if place and self.gaps[place].isspace() else ""

    def capital(self, place: int) -> bool:
        """Whether there is a word there that starts with a capital letter."""
        return 0 <= place < len(self.words) and self.words[place][0].isupper()

    def opens_sentence(self, place: int) -> bool:
        """Whether a capital letter would be there in any case."""
        at = self.start(place) - 1
        while at >= 0 and self.text[at] in _OPENING:
            at -= 1
        return at < 0 or self.text[at] in _ENDS


def written_like(word: str, new: str) -> str:
    """`new` with the capitals of `word`: all, the first, or none."""
    if len(word) > 1 and word.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if word[0].isupper() else new
