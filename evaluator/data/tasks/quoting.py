"""Answers kept as quotations: where in a text their words are, not the words.

A text that quotes a dataset may then be stored and published where the dataset may not, and anyone who has
the dataset reads it back without loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

#: Shorter agreements are chance, and a pair of numbers says no less than they do.
SHORTEST = 4

QuoteCase = Literal["lower", "upper"]
QuotePiece = int | str | tuple[int, int, QuoteCase]
QuotePieces = tuple[QuotePiece, ...]


class QuotationError(ValueError):
    """Pieces that do not fit the text they are said to quote."""


def quote(answer: str, text: str) -> QuotePieces:
    """`answer` as pieces: two numbers are the start and end of a quotation from `text`, in characters;
    ``(start, end, "lower")`` or ``"upper"`` is one in that case; a string stands for itself.

    One quotation if `text` contains the answer, else the longest ones from left to right.
    """
    sources = _sources(text)
    shortest = min(SHORTEST, len(answer))
    pieces: list[QuotePiece] = []
    place, own = 0, ""
    while place < len(answer):
        length, case = _longest(answer, place, sources, shortest)
        if not length:
            own += answer[place]
            place += 1
            continue
        pieces += [own] if own else []
        start = sources[case].index(answer[place : place + length])
        pieces += [start, start + length] if case is None else [(start, start + length, case)]
        place, own = place + length, ""
    return (*pieces, own) if own else tuple(pieces)


def unquote(pieces: Sequence[QuotePiece], text: str) -> str:
    """The answer that `quote` made `pieces` of. Raises `QuotationError` if they do not fit `text`."""
    answer, rest = "", list(pieces)
    sources = _sources(text)
    while rest:
        first = rest.pop(0)
        if isinstance(first, str):
            answer += first
        elif isinstance(first, int):
            answer += _stretch(text, first, rest.pop(0) if rest else None)
        else:
            start, end, case = first
            answer += _stretch(sources.get(case, ""), start, end)
    return answer


def _stretch(text: str, start: int, end: object) -> str:
    if not isinstance(end, int) or not 0 <= start <= end <= len(text):
        raise QuotationError(f"{start}, {end!r} is no stretch of a text of {len(text)} characters")
    return text[start:end]


def _sources(text: str) -> dict[QuoteCase | None, str]:
    """The text as it is, and in the cases that keep every character's place."""
    cases: dict[QuoteCase | None, str] = {"lower": text.lower(), "upper": text.upper()}
    return {None: text} | {case: other for case, other in cases.items() if len(other) == len(text)}


def _longest(
    answer: str, place: int, sources: dict[QuoteCase | None, str], shortest: int
) -> tuple[int, QuoteCase | None]:
    """Length and case of the longest quotation that ``answer[place:]`` begins with; 0 if under `shortest`."""
    start = answer[place : place + shortest]
    if len(start) < shortest:
        return 0, None
    found = [(_agreement(answer, place, text), case) for case, text in sources.items() if start in text]
    return max(found, key=lambda item: item[0], default=(0, None))


def _agreement(answer: str, place: int, text: str) -> int:
    """Length of the longest beginning of ``answer[place:]`` that `text` contains, by bisection."""
    low, high = 0, len(answer) - place
    while low < high:
        middle = (low + high + 1) // 2
        if answer[place : place + middle] in text:
            low = middle
        else:
            high = middle - 1
    return low
