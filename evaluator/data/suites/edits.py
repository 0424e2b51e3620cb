"""Changes to a text as replaced stretches: everything else is kept, to the character."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Span = tuple[int, int]


class Edit(NamedTuple):
    """``text[start:end]`` becomes `text`; offsets are characters of the original.

    A tuple, since suites make them by the hundred thousand.
    """

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """`text` with the edits made. Raises ValueError unless they are in it and do not overlap."""
    pieces, place, size = [], 0, len(text)
    for start, end, new in sorted(edits):
        if not place <= start <= end <= size:
            raise ValueError(
                f"{Edit(start, end, new)} overlaps another edit or leaves a text of {size} characters"
            )
        pieces.append(text[place:start])
        pieces.append(new)
        place = end
    pieces.append(text[place:])
    return "".join(pieces)


def moved(spans: Iterable[Span], edits: Sequence[Edit]) -> list[Span]:
    """The places, after the edits, of spans that no edit touches."""
    ordered = sorted(edits)
    return [(start + _shift(start, ordered), end + _shift(start, ordered)) for start, end in spans]


def _shift(offset: int, edits: Sequence[Edit]) -> int:
    return sum(len(edit.text) - (edit.end - edit.start) for edit in edits if edit.end <= offset)


def touches(edit: Edit, spans: Iterable[Span]) -> bool:
    """Whether an edit changes or splits one of the spans, or borders on one and would lengthen it.

    An insertion at the very edge of a span leaves its characters but would join the word in it, so it
    counts; a replacement that only ends where a span starts does not.
    """
    if edit.start == edit.end:
        return any(start <= edit.start <= end for start, end in spans)
    return any(edit.start < end and start < edit.end for start, end in spans)
