"""What a suite of perturbations is made of: edits of texts, and transformations that give them.

A suite is a pure function of dataset, spec and seed. Standard library only, as a page perturbs a visitor's
text, too.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from evaluator.data.suites.reading import read
from evaluator.records.errors import UserError

#: Who makes a transformation, unless it is another program.
OURS = "steelyard"
SuiteKind = Literal["robustness", "fairness", "placebo", "neutral"]
FieldTexts = Mapping[str, str]
#: A stretch of a text, from its first character to the one after its last.
Span = tuple[int, int]
#: Stretches of each field that must stay as they are, under every transformation.
Protected = Mapping[str, Sequence[Span]]


class SuitePackageError(UserError):
    """A package that a suite needs is not installed; the message says how to get it."""


class UndecidedError(Exception):
    """A text that does not show what a word in it is; the example is left as it is, and counted."""


class Edit(NamedTuple):
    """``text[start:end]`` becomes `text`; offsets are characters of the original.

    A tuple, since suites make them by the hundred thousand.
    """

    start: int
    end: int
    text: str


Edits = dict[str, list[Edit]]


@dataclass(frozen=True)
class Transformation:
    """One way to perturb an example; it gives at most one variant of each.

    `edit` gets the texts of the fields it may touch, a generator of its own for the example, and what
    must stay, in order and disjoint; it returns the edits of each field, none where it does not apply, and
    raises `UndecidedError` where the texts do not show whether it does. It may use nothing else: no clock, no
    set order, no state. Its work grows no faster than the texts. `version` changes whenever its edits
    would; `options` are its severities and sources, and enter the suite's hash.
    """

    name: str
    version: int
    edit: Callable[[FieldTexts, random.Random, Protected], Edits]
    options: Mapping[str, Any] = field(default_factory=dict)
    backend: str = OURS

    def spec(self) -> dict[str, Any]:
        """What decides its edits, as JSON data."""
        return {
            "name": self.name,
            "version": self.version,
            "options": dict(self.options),
            "backend": self.backend,
        }


def each_text(
    edit: Callable[[str, random.Random, Sequence[Span]], list[Edit]],
) -> Callable[[FieldTexts, random.Random, Protected], Edits]:
    """A transformation of one text applied to every field by itself, in the fields' order."""

    def edit_all(texts: FieldTexts, rng: random.Random, protected: Protected) -> Edits:
        return {name: edit(text, rng, protected.get(name, ())) for name, text in texts.items()}

    return edit_all


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


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def touches(edit: Edit, spans: Sequence[Span]) -> bool:
    """Whether an edit changes or splits one of the spans, or borders on one and would lengthen it.

    The spans are in order and disjoint, as `merged` gives them. An insertion at the very edge of a span
    leaves its characters but would join the word in it, so it counts; a replacement that only ends where a
    span starts does not.
    """
    if edit.start == edit.end:
        at = bisect_left(spans, edit.start, key=_end)
        return at < len(spans) and spans[at][0] <= edit.start
    return overlaps(edit.start, edit.end, spans)


def overlaps(start: int, end: int, spans: Sequence[Span]) -> bool:
    """Whether a stretch shares a character with one of the spans, or has an empty one inside.

    The spans are in order and disjoint.
    """
    at = bisect_right(spans, start, key=_end)
    return at < len(spans) and spans[at][0] < end


def _end(span: Span) -> int:
    return span[1]


def changed_texts(
    transformation: Transformation, texts: FieldTexts, rng: random.Random, protected: Protected
) -> dict[str, str] | None:
    """The fields whose text is another one afterwards; None where the transformation does not apply.

    Transformations see texts as `evaluator.data.suites.reading` says; what they do not change keeps its form.

    Raises `UndecidedError` where the texts do not show whether it does, and ValueError if it breaks its
    promise: edits that overlap or touch what is `protected`.
    """
    ours = transformation.backend == OURS
    readings = {name: reading for name, text in texts.items() if ours and (reading := read(text))}
    if readings:
        seen = {name: reading.text for name, reading in readings.items()}
        protected = {
            name: readings[name].spans(spans) if name in readings else spans
            for name, spans in protected.items()
        }
    protected = {name: merged(spans) for name, spans in protected.items()}
    edits = transformation.edit({**texts, **seen} if readings else texts, rng, protected)
    if not any(edits.values()):
        return None
    for name, spans in protected.items():
        if any(touches(edit, spans) for edit in edits.get(name, ())):
            raise ValueError(f"{transformation.name}: {name}: an edit touches what must stay")
    for name in readings.keys() & edits.keys():
        edits[name] = [Edit(*change) for change in readings[name].changes(edits[name])]
    after = {name: apply(texts[name], found) for name, found in edits.items() if found}
    return {name: text for name, text in after.items() if text != texts[name]}


def places(word: str, text: str) -> Iterator[Span]:
    """Wherever `word` is in `text`, also within other words."""
    start = text.find(word) if word else -1
    while start >= 0:
        yield start, start + len(word)
        start = text.find(word, start + 1)


def seed_of(seed: int, transformation: str, example: str) -> int:
    """The seed of one example's chances, by the suite's seed and what it is a variant of."""
    content = f"{seed}\0{transformation}\0{example}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest())
