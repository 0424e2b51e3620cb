"""Punctuation: another mark at the end of the text, and brackets or quotes around it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from evaluator.data.suites.base import Transformation, each_text
from evaluator.data.suites.edits import Edit, Span, touches
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness.words import fixed

NAME = "Punctuation"
MARKS = ".!?…,;:"
# What may follow the last mark, white space included, since tokenised texts write `fine . "`.
CLOSERS = "\"'”’»)]} \t\n"
STATING = (".", "!", "...", "!!", ";", ",")
ASKING = ("?", "??", "?!", "???")  # a question stays one, and nothing else becomes one
AROUND = (("(", ")"), ("[", "]"), ("{", "}"), ('"', '"'), ("“", "”"))
_LETTER = re.compile(r"[^\W_]")


def transformation(surround: bool = True) -> Transformation:
    """The last mark changes, or one is put where there was none; what closes quotes or brackets stays.

    With `surround`, as in TextFlint, the whole text also gets brackets or quotes it does not use itself.
    A text that ends in a link, a tag, a number or an abbreviation keeps its end. Raises SuiteError unless
    `surround` is true or false.
    """
    if not isinstance(surround, bool):
        raise SuiteError(f"surround: {surround!r} is neither true nor false; use one of them")

    def edit(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
        if not _LETTER.search(text):
            return []
        first, last = len(text) - len(text.lstrip()), len(text.rstrip())
        mark = _last_mark(text, last, rng)
        edits = [] if mark is None or touches(mark, protected) else [mark]
        if surround and not any(touches(Edit(end, end, "("), protected) for end in (first, last)):
            edits = _surrounded(text, first, last, edits, rng)
        return edits

    return Transformation(NAME, 1, each_text(edit), {"surround": surround})


def _last_mark(text: str, last: int, rng: random.Random) -> Edit | None:
    """Another mark for the last one, or one more behind all; None where the last chunk is to stay."""
    end = len(text[:last].rstrip(CLOSERS))
    start = len(text[:end].rstrip(MARKS))
    if fixed(text[:start].rpartition(" ")[2]):
        return None
    old = text[start:end]
    others = [mark for mark in (ASKING if "?" in old else STATING) if mark != old]
    new = others[int(rng.random() * len(others))]
    return Edit(start, end, new) if old else Edit(last, last, new)


def _surrounded(text: str, first: int, last: int, edits: list[Edit], rng: random.Random) -> list[Edit]:
    """The edits and a pair of brackets or quotes around all; both at the end of the text are one edit."""
    unused = [pair for pair in AROUND if pair[0] not in text and pair[1] not in text]
    if not unused:
        return edits
    opening, closing = unused[int(rng.random() * len(unused))]
    if edits and edits[0].start == last:
        return [Edit(first, first, opening), Edit(last, last, edits[0].text + closing)]
    return [Edit(first, first, opening), *edits, Edit(last, last, closing)]
