"""How transformations see a text: composed (NFC), and with a letter for whatever joins letters unseen.

The same word may be written in one character a letter or with combining marks of its own, and may have a soft
hyphen or a zero-width space inside. Transformations look for words of plain letters; so that none cuts a word
at such a character, they get a text in which it is a letter like no other. What they change is then put into
the text as it was: all else keeps its form, and what is put in is decomposed where the whole text is.
Standard library only, as a page perturbs a visitor's text, too.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

#: A letter that is in no word of English, is neither small nor a capital, and leaves those around it alone.
STAND_IN = "\ua788"
APOSTROPHES = "'’‘ʼ`´′＇"
#: Marks, which are put on a letter, and characters that are not seen.
_JOINING = frozenset({"Mn", "Mc", "Me", "Cf"})
_NO_WORD = re.compile(r"[^\w\s\x00-\x7f]+")

Span = tuple[int, int]
#: ``text[start:end]`` becomes the third.
Change = tuple[int, int, str]


def read(text: str) -> Reading | None:
    """A text as transformations see it; None where that is the text itself."""
    if text.isascii():
        return None
    composed = unicodedata.normalize("NFC", text)
    seen = _NO_WORD.sub(_joined, composed)
    return None if seen == text else Reading(text, composed, seen)


def _joined(match: re.Match[str]) -> str:
    """The characters of a match, with those as letters that follow a letter or an apostrophe."""
    start = match.start()
    joined = start > 0 and (match.string[start - 1].isalnum() or match.string[start - 1] in APOSTROPHES)
    found = []
    for char in match[0]:
        mark = unicodedata.category(char) in _JOINING
        found.append(STAND_IN if joined and mark else char)
        joined = joined and (mark or char in APOSTROPHES)
    return "".join(found)


class Reading:
    """A text, and as what it is seen: `text`. Both are cut into pieces that compose apart from each other."""

    def __init__(self, original: str, composed: str, seen: str) -> None:
        self.text = seen
        self._original, self._composed = original, composed
        pieces = list(_pieces(original)) if original != composed else list(composed)
        sizes = (len(unicodedata.normalize("NFC", piece)) for piece in pieces)
        #: Where each piece starts, in the original and as it is seen; last, where the text ends.
        self._starts = [0, *accumulate(map(len, pieces))]
        self._seen_starts = [0, *accumulate(sizes)]

    def spans(self, spans: Iterable[Span]) -> list[Span]:
        """Where stretches of the original are in what is seen, with the whole of each piece in them."""
        return [_moved(span, self._starts, self._seen_starts) for span in spans]

    def changes(self, changes: Iterable[Change]) -> list[Change]:
        """Changes of what is seen as those of the original."""
        decomposed = self._original != self._composed and unicodedata.is_normalized("NFD", self._original)
        form: Literal["NFD", "NFC"] = "NFD" if decomposed else "NFC"
        # Each stretch of whole pieces that something changes in: where it starts and ends as it is seen, and
        # what it becomes up to the end of its last change.
        stretches: list[tuple[int, int, str, int]] = []
        for start, end, new in sorted(one for change in changes for one in self._smallest(change)):
            first, last = _moved((start, end), self._seen_starts, self._seen_starts)
            before, done = "", first
            if stretches and first < stretches[-1][1]:  # one more change of the same piece
                first, _, before, done = stretches.pop()
            stretches.append((first, last, before + self._composed[done:start] + new, end))
        return [
            (
                *_moved((first, last), self._seen_starts, self._starts),
                unicodedata.normalize(form, new + self._composed[done:last]),
            )
            for first, last, new, done in stretches
        ]

    def _smallest(self, change: Change) -> Iterator[Change]:
        """A change letter by letter as one of each letter that is another one afterwards."""
        start, end, new = change
        if len(new) != end - start:
            yield change
            return
        for at, (old, letter) in enumerate(zip(self.text[start:end], new, strict=True), start):
            if old != letter:
                yield at, at + 1, letter


def _pieces(text: str) -> Iterator[str]:
    """The text cut before each character that does not compose with what is before it."""
    piece = ""
    for char in text:
        if piece and (char.isascii() or not _composes(piece, char)):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def _composes(piece: str, char: str) -> bool:
    if unicodedata.combining(char):
        return True
    apart = unicodedata.normalize("NFC", piece) + unicodedata.normalize("NFC", char)
    return unicodedata.normalize("NFC", piece + char) != apart


def _moved(span: Span, here: Sequence[int], there: Sequence[int]) -> Span:
    """The pieces that a stretch has a part in, by where pieces start `here`, as a stretch of `there`."""
    start, end = span
    first, last = bisect_right(here, start) - 1, bisect_left(here, end)
    if start == end and here[first] == start:
        last = first
    return there[first], there[last]
