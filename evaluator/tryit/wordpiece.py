"""A BERT tokeniser: cleaning, words, WordPiece, special tokens, truncation; standard library only.

It gives the numbers that the library tokenizers gives. What it knows of characters was read off that library
when the copy was made (`wordpiece_export`), so that the library's version of Unicode decides and not
Python's. WordPiece takes the longest known piece from the start of what is left of a word, until nothing is
left (Wu et al. 2016, "Google's Neural Machine Translation System"; Devlin et al. 2019, "BERT").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from evaluator.tryit.assembling import assembled
from evaluator.tryit.characters import HANGUL, Runs, in_pattern, is_in


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
        """As `assembling.Tokenizer` says."""
        numbers = [list(self._numbers(text)) for text in texts]
        return assembled(numbers, self.templates[len(texts)], most)

    def _numbers(self, text: str) -> Iterator[int]:
        for part in self.parting.split(text) if self.parting else [text]:
            if part in self.special:
                yield self.special[part]
            else:
                for word in self.words.findall(self.marks.ordered(part).translate(self.characters)):
                    yield from self.pieces.of_word(word)


def _word_pattern(spaces: Runs, punctuation: Runs) -> re.Pattern[str]:
    """A mark of punctuation, or a run of what is neither that nor a space."""
    space, mark = in_pattern(spaces), in_pattern(punctuation)
    return re.compile(f"[{mark}]|[^{mark}{space}]+")
