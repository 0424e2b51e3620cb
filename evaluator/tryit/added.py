"""Added tokens of a tokeniser, such as ``<mask>``, found in a text before it is split; standard library only.

Some are found in the text as it was typed, others once it is normalised. Where several match at a place, the
longest counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chunk:
    """A part of a text, and whether the text begins with it."""

    text: str
    starts: bool


class AddedTokens:
    """The tokens of a description that `added_export.added` makes."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.typed, self.normalized = (_Found(spec[name], spec["spaces"]) for name in ("typed", "normalized"))

    def parts(self, text: str, normalise: Callable[[str], str]) -> Iterator[Chunk | int]:
        """The numbers of the added tokens in a text, and what stands between them, normalised."""
        for part in self.typed.parts(Chunk(text, True)):
            if isinstance(part, int):
                yield part
            else:
                yield from self.normalized.parts(Chunk(normalise(part.text), part.starts))


class _Found:
    """Tokens as text, number, and whether one takes the `spaces` on its left and on its right."""

    def __init__(self, tokens: Sequence[tuple[str, int, bool, bool]], spaces: str) -> None:
        self.tokens = {text: (number, left, right) for text, number, left, right in tokens}
        texts = sorted(self.tokens, key=len, reverse=True)
        self.pattern = re.compile("|".join(map(re.escape, texts))) if texts else None
        self.spaces = spaces

    def parts(self, chunk: Chunk) -> Iterator[Chunk | int]:
        text, done = chunk.text, 0
        for found in self.pattern.finditer(text) if self.pattern else ():
            number, left, right = self.tokens[found[0]]
            start, stop = found.span()
            if left:
                start = max(done, len(text[:start].rstrip(self.spaces)))
            if done < start:
                yield Chunk(text[done:start], chunk.starts and not done)
            done = len(text) - len(text[stop:].lstrip(self.spaces)) if right else stop
            # One of spaces, all of which the one before took, is lost.
            if start < done:
                yield number
        if done < len(text):
            yield Chunk(text[done:], chunk.starts and not done)
