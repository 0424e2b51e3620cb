"""A BERT tokeniser: cleaning, words, WordPiece, special tokens, truncation; standard library only.

It gives the numbers that the library tokenizers gives. What it knows of characters was read off that library
when the copy was made (`wordpiece_export`), so that the library's version of Unicode decides and not
Python's. WordPiece takes the longest known piece from the start of what is left of a word, until nothing is
left (Wu et al. 2016, "Google's Neural Machine Translation System"; Devlin et al. 2019, "BERT").
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

#: Sorted code points, as the first and the last of each run.
Runs = Sequence[Sequence[int]]
#: Syllables, which NFD takes apart by a rule.
HANGUL = range(0xAC00, 0xD7A4)


def is_in(runs: Runs, code: int) -> bool:
    """Whether a code point is in one of the runs."""
    place = bisect_right(runs, code, key=lambda run: run[0])
    return place > 0 and code <= runs[place - 1][1]


class Characters(dict[int, str]):
    """What a normaliser makes of each character by itself, for `str.translate`; found when it is first met.

    `spec`: texts by `changed` character, runs of those `removed` and of those `spaced`, which get a space on
    either side, and whether syllables of `hangul` are taken apart.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        super().__init__({ord(character): text for character, text in spec["changed"].items()})
        self.removed, self.spaced, self.hangul = spec["removed"], spec["spaced"], spec["hangul"]

    def __missing__(self, code: int) -> str:
        self[code] = found = self._found(code)
        return found

    def _found(self, code: int) -> str:
        if is_in(self.removed, code):
            return ""
        if is_in(self.spaced, code):
            return f" {chr(code)} "
        return unicodedata.normalize("NFD", chr(code)) if self.hangul and code in HANGUL else chr(code)


@dataclass(frozen=True)
class Marks:
    """The combining marks that a normaliser does not remove, which NFD puts in order (Unicode Standard,
    3.11).

    `staying`: the characters that have one, as few texts do. Runs: `cleaned` characters are removed before
    that; `known` are those that the library's NFD changes or moves.
    """

    staying: frozenset[str]
    cleaned: Runs
    known: Runs

    def ordered(self, text: str) -> str:
        """The text with its marks in order; as it is where it has none that stay."""
        if self.staying.isdisjoint(text):
            return text
        kept = [character for character in text if not is_in(self.cleaned, ord(character))]
        # What Python knows to be a mark but the library does not is left where it is.
        runs = [(known, "".join(run)) for known, run in groupby(kept, self._is_known)]
        return "".join(unicodedata.normalize("NFD", run) if known else run for known, run in runs)

    def _is_known(self, character: str) -> bool:
        is_plain = unicodedata.is_normalized("NFD", character) and not unicodedata.combining(character)
        return is_plain or ord(character) in HANGUL or is_in(self.known, ord(character))


@dataclass(frozen=True)
class Pieces:
    """The known pieces by number, those that continue a word with `prefix`; words longer than `longest` are
    unknown.
    """

    numbers: Mapping[str, int]
    unknown: int
    prefix: str
    longest: int

    def of_word(self, word: str) -> list[int]:
        """The numbers of a word's pieces; that of the unknown one where the word has no such pieces."""
        found: list[int] = []
        start = 0
        while start < len(word) <= self.longest:
            number, start = self._next(word, start)
            if number is None:
                return [self.unknown]
            found.append(number)
        return found or [self.unknown]

    def _next(self, word: str, start: int) -> tuple[int | None, int]:
        prefix = self.prefix if start else ""
        for end in range(len(word), start, -1):
            number = self.numbers.get(prefix + word[start:end])
            if number is not None:
                return number, end
        return None, start


class WordPiece:
    """A tokeniser of the description that `wordpiece_export.described` makes."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        numbers = {piece: number for number, piece in enumerate(spec["vocabulary"])}
        self.pieces = Pieces(numbers, numbers[spec["unknown"]], spec["prefix"], spec["longest_word"])
        self.special: Mapping[str, int] = spec["special"]
        self.templates = {1: spec["single"], 2: spec["pair"]}
        self.characters = Characters(spec["characters"])
        marks = spec["marks"]
        self.marks = Marks(frozenset(marks["staying"]), marks["cleaned"], marks["known"])
        self.words = _word_pattern(spec["spaces"], spec["punctuation"])
        # The longest that starts at a place counts.
        names = sorted(self.special, key=len, reverse=True)
        self.parting = re.compile(f"({'|'.join(map(re.escape, names))})") if names else None

    def encode(self, texts: Sequence[str], most: int) -> dict[str, list[int]]:
        """`ids`, `type_ids` and `attention_mask` of one or two texts, each list of at most `most` numbers."""
        template = self.templates[len(texts)]
        room = most - sum("token" in part for part in template)
        cut = truncated([list(self._numbers(text)) for text in texts], room)
        found = [
            (number, part["type"])
            for part in template
            for number in ([part["token"]] if "token" in part else cut[part["text"]])
        ]
        return {
            "ids": [number for number, _ in found],
            "type_ids": [type_ for _, type_ in found],
            "attention_mask": [1] * len(found),
        }

    def _numbers(self, text: str) -> Iterator[int]:
        for part in self.parting.split(text) if self.parting else [text]:
            if part in self.special:
                yield self.special[part]
            else:
                for word in self.words.findall(self.marks.ordered(part).translate(self.characters)):
                    yield from self.pieces.of_word(word)


def _word_pattern(spaces: Runs, punctuation: Runs) -> re.Pattern[str]:
    """A mark of punctuation, or a run of what is neither that nor a space."""
    space, mark = _characters(spaces), _characters(punctuation)
    return re.compile(f"[{mark}]|[^{mark}{space}]+")


def _characters(runs: Runs) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in runs)


def truncated(texts: Sequence[list[int]], room: int) -> Sequence[list[int]]:
    """One or two texts cut at their ends to `room` tokens together, as `models.base.SequenceClassifier` says.

    Where the second alone leaves no room the longer one is cut first, and both to half if that is not enough.
    """
    if len(texts) == 1:
        return [texts[0][:room]]
    lengths = [len(text) for text in texts]
    if sum(lengths) <= room:
        return texts
    if lengths[1] < room:
        return [texts[0][: room - lengths[1]], texts[1]]
    shorter = min(lengths)
    kept = [shorter, max(shorter, room - shorter)] if shorter <= room else [shorter, shorter]
    if sum(kept) > room:
        kept = [room // 2, room - room // 2]
    if lengths[0] > lengths[1]:
        kept.reverse()
    return [text[:count] for text, count in zip(texts, kept, strict=True)]
