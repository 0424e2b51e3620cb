"""Punctuation and WordCase: other marks at the end and around a text, other capitals in it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from evaluator.data.suites.base import Edit, Span, Transformation, each_text, touches
from evaluator.data.suites.robustness.words import WORD, fixed
from evaluator.records.errors import UserError

# Punctuation

MARKS = ".!?…,;:"
# What may follow the last mark, white space included, since tokenised texts write `fine . "`.
CLOSERS = "\"'”’»)]} \t\n"
STATING = (".", "!", "...", "!!", ";", ",")
ASKING = ("?", "??", "?!", "???")  # a question stays one, and nothing else becomes one
AROUND = (("(", ")"), ("[", "]"), ("{", "}"), ('"', '"'), ("“", "”"))
_LETTER = re.compile(r"[^\W_]")


def punctuation(surround: bool = True) -> Transformation:
    """The last mark changes, or one is put where there was none; what closes quotes or brackets stays.

    With `surround`, as in TextFlint, the whole text also gets brackets or quotes it does not use itself.
    A text that ends in a link, a tag, a number or an abbreviation keeps its end. Raises UserError unless
    `surround` is true or false.
    """
    if not isinstance(surround, bool):
        raise UserError("surround", f"{surround!r} is neither true nor false", "use one of them")

    def edit(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
        if not _LETTER.search(text):
            return []
        first, last = len(text) - len(text.lstrip()), len(text.rstrip())
        mark = _last_mark(text, last, rng)
        edits = [] if mark is None or touches(mark, protected) else [mark]
        if surround and not any(touches(Edit(end, end, "("), protected) for end in (first, last)):
            edits = _surrounded(text, first, last, edits, rng)
        return edits

    return Transformation("Punctuation", 1, each_text(edit), {"surround": surround})


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


# WordCase


def word_case(case: str = "upper") -> Transformation:
    """All letters change case but those protected, those of links, tags, numbers and abbreviations, and
    those that would become several ("ß").

    `case` is upper (TextFlint's), lower, title, or random, one of the three for each text. Raises
    UserError for any other.
    """
    if case not in (*CASES, "random"):
        raise UserError("case", f"{case!r} is not a case", f"use {', '.join(CASES)} or random")

    def edit(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
        name = tuple(CASES)[int(rng.random() * len(CASES))] if case == "random" else case
        after = CASES[name](text)
        kept = [*protected, *fixed(text)]
        if not kept:
            return [Edit(0, len(text), after)] if after != text else []
        gaps = _between(kept, len(text))
        return [
            Edit(start, end, after[start:end]) for start, end in gaps if text[start:end] != after[start:end]
        ]

    return Transformation("WordCase", 1, each_text(edit), {"case": case})


def _letterwise(convert: Callable[[str], str]) -> Callable[[str], str]:
    """The conversion, except of letters that would become several: converting never makes fewer."""

    def converted(text: str) -> str:
        after = convert(text)
        if len(after) == len(text):
            return after
        return "".join(new if len(new := convert(letter)) == 1 else letter for letter in text)

    return converted


_upper, _lower, _initial = (_letterwise(convert) for convert in (str.upper, str.lower, str.title))


def _title(text: str) -> str:
    """Every word with a capital and small letters: "Isn't", where `str.title` writes "Isn'T"."""
    return WORD.sub(lambda word: _initial(word[0][0]) + _lower(word[0][1:]), text)


CASES = {"upper": _upper, "lower": _lower, "title": _title}


def _between(spans: list[Span], length: int) -> list[Span]:
    """The stretches that no span covers, cut at empty spans too."""
    gaps, place = [], 0
    for start, end in sorted(spans):
        if place < start:
            gaps.append((place, start))
        place = max(place, end)
    return [*gaps, (place, length)] if place < length else gaps
