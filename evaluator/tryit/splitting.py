"""How tokenisers split a text into words before they look for chunks in them; standard library only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from evaluator.tryit.added import Chunk
from evaluator.tryit.characters import in_pattern

#: What makes words of a chunk of a text.
SplitChunk = Callable[[Chunk], Iterable[Chunk]]
#: How GPT-2 splits (Radford et al. 2019), where L, N and S are letters, numbers and spaces.
GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?[L]+| ?[N]+| ?[^SLN]+|[S]+(?![^S])|[S]+"


def splitting(steps: Iterable[Mapping[str, Any]]) -> SplitChunk:
    """The steps of a description that `splitting_export.described` makes, one after the other."""
    functions = [STEPS[step["type"]](step) for step in steps]

    def split(chunk: Chunk) -> Iterable[Chunk]:
        chunks: Iterable[Chunk] = [chunk]
        for function in functions:
            chunks = [word for one in chunks for word in function(one) if word.text]
        return chunks

    return split


def _words(step: Mapping[str, Any]) -> SplitChunk:
    """Runs of what is no space."""
    return _matches(re.compile(f"[^{in_pattern(step['spaces'])}]+"))


def _matches(pattern: re.Pattern[str]) -> SplitChunk:
    def split(chunk: Chunk) -> Iterator[Chunk]:
        for found in pattern.finditer(chunk.text):
            yield Chunk(found[0], chunk.starts and not found.start())

    return split


def _gpt2(step: Mapping[str, Any]) -> SplitChunk:
    """Words with the space before them, as GPT-2 has them."""
    pattern = GPT2
    for name, kind in (("letters", "L"), ("numbers", "N"), ("spaces", "S")):
        pattern = pattern.replace(kind, in_pattern(step[name]))
    return _matches(re.compile(pattern))


def _prefix(step: Mapping[str, Any]) -> SplitChunk:
    """A space before each chunk that has none."""

    def split(chunk: Chunk) -> Iterator[Chunk]:
        yield chunk if chunk.text.startswith(" ") else replace(chunk, text=f" {chunk.text}")

    return split


def _bytes(step: Mapping[str, Any]) -> SplitChunk:
    """Each byte of UTF-8 as a character: as in Latin-1 if it can be seen there, else one from U+0100 on."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    table = dict(zip((byte for byte in range(256) if byte not in seen), range(0x100, 0x200), strict=False))

    def split(chunk: Chunk) -> Iterator[Chunk]:
        yield replace(chunk, text=chunk.text.encode().decode("latin-1").translate(table))

    return split


def _metaspace(step: Mapping[str, Any]) -> SplitChunk:
    """A mark for each space, one before the text, and words that begin with it (`sentencepiece`)."""
    mark, prepends, splits = step["mark"], step["prepends"], step["splits"]
    pattern = re.compile(f"{re.escape(mark)}[^{re.escape(mark)}]*|[^{re.escape(mark)}]+")

    def split(chunk: Chunk) -> Iterable[Chunk]:
        text = chunk.text.replace(" ", mark)
        if not text.startswith(mark) and (prepends == "always" or (prepends == "first" and chunk.starts)):
            text = mark + text
        marked = replace(chunk, text=text)
        return _matches(pattern)(marked) if splits else [marked]

    return split


def _after(step: Mapping[str, Any]) -> SplitChunk:
    """Words that end with a text."""
    return _matches(re.compile(f"(?s:.*?){re.escape(step['text'])}|(?s:.+)"))


#: What makes the function of each type of step.
STEPS: Mapping[str, Callable[[Mapping[str, Any]], SplitChunk]] = {
    "words": _words,
    "prefix": _prefix,
    "gpt2": _gpt2,
    "bytes": _bytes,
    "metaspace": _metaspace,
    "after": _after,
}
