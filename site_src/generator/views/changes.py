"""A text before and after a change, with what was removed and what was added marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Literal

from site_src.generator.views import formats

#: A word or a sign with the white space before it: alone, white space would match everywhere.
TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])|\s+")
#: Pairs of an old and a new token that are compared; a change with more is shown whole.
PAIRS = 250_000
#: Characters around a change that are shown, of a change that are shown, and pieces of a text.
AROUND, CHANGED, PIECES = 80, 400, 60
CUT = "[…]"

ChangeKind = Literal["same", "gone", "come", "cut"]


@dataclass(frozen=True)
class ChangedPiece:
    """A stretch of a text; `cut` stands for one that is left out."""

    kind: ChangeKind
    text: str


def compared(before: str, after: str) -> tuple[tuple[ChangedPiece, ...], tuple[ChangedPiece, ...]]:
    """Both texts in pieces, word by word; what is far from any change is cut out of both alike."""
    steps = list(_steps(TOKEN.findall(before), TOKEN.findall(after)))
    old: list[tuple[ChangeKind, str]] = [("same" if gone == come else "gone", gone) for gone, come in steps]
    new: list[tuple[ChangeKind, str]] = [("same" if gone == come else "come", come) for gone, come in steps]
    return _pieces(old), _pieces(new)


def _steps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Stretches of the old text beside those of the new, equal and different ones in turn."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    middle = old[start : len(old) - end], new[start : len(new) - end]
    yield "".join(old[:start]), "".join(new[:start])
    for gone, come in _differences(*middle):
        space = _leading_space(gone, come) if gone != come else ""
        yield space, space
        yield gone.removeprefix(space), come.removeprefix(space)
    yield "".join(old[len(old) - end :]), "".join(new[len(new) - end :])


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many tokens two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Word for word where both have as many words, else the differences that mark least."""
    small = len(old) * len(new) <= PAIRS
    steps = _closest(old, new) if small else [("".join(old), "".join(new))]
    if len(old) == len(new):
        in_place = _in_place(old, new)
        steps = in_place if not small or _marked(in_place) <= 2 * _marked(steps) else steps
    yield from steps


def _in_place(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Each word beside the one in its place, equal and different ones in runs."""
    runs = groupby(zip(old, new, strict=True), key=lambda pair: pair[0] == pair[1])
    found = [list(run) for _, run in runs]
    return [("".join(a for a, _ in run), "".join(b for _, b in run)) for run in found]


def _closest(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [("".join(old[a:b]), "".join(new[c:d])) for _, a, b, c, d in matcher.get_opcodes()]


def _marked(steps: Sequence[tuple[str, str]]) -> int:
    """How many characters are marked in both texts together."""
    return sum(len(gone) + len(come) for gone, come in steps if gone != come)


def _leading_space(gone: str, come: str) -> str:
    """White space that both begin with, and that did not change."""
    spaces = (re.match(r"\s*", text) for text in (gone, come))
    first, second = (space[0] for space in spaces if space)
    return first if first == second else ""


def _pieces(steps: Sequence[tuple[ChangeKind, str]]) -> tuple[ChangedPiece, ...]:
    joined: list[ChangedPiece] = []
    for kind, text in steps:
        if joined and joined[-1].kind == kind:
            joined[-1] = ChangedPiece(kind, joined[-1].text + text)
        elif text:
            joined.append(ChangedPiece(kind, text))
    shown = [
        part for at, piece in enumerate(joined) for part in _short(piece, at == 0, at == len(joined) - 1)
    ]
    return tuple(shown) if len(shown) <= PIECES else (*shown[:PIECES], ChangedPiece("cut", CUT))


def _short(piece: ChangedPiece, first: bool, last: bool) -> tuple[ChangedPiece, ...]:
    """A piece without what is far from its neighbours."""
    text = piece.text
    if piece.kind != "same":
        return (ChangedPiece(piece.kind, formats.shortened(text, CHANGED)),)
    head, tail = text[:AROUND] if not first or last else "", text[-AROUND:] if not last or first else ""
    if len(text) <= len(head) + len(tail) + len(CUT):
        return (piece,)
    found = (ChangedPiece("same", head), ChangedPiece("cut", CUT), ChangedPiece("same", tail))
    return tuple(part for part in found if part.text)
