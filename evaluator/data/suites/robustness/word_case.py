"""WordCase: the text in upper, lower or title case."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from evaluator.data.suites.base import Transformation, each_text
from evaluator.data.suites.edits import Edit, Span
from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.robustness.words import WORD, fixed

NAME = "WordCase"


def transformation(case: str = "upper") -> Transformation:
    """All letters change case but those protected, those of links, tags, numbers and abbreviations, and
    those that would become several ("ß").

    `case` is upper (TextFlint's), lower, title, or random, one of the three for each text. Raises
    SuiteError for any other.
    """
    if case not in (*CASES, "random"):
        raise SuiteError(f"case: {case!r} is not a case; use {', '.join(CASES)} or random")

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

    return Transformation(NAME, 1, each_text(edit), {"case": case})


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
