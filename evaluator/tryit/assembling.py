"""What a network is given for one or two texts: their tokens, cut, with special ones around.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

#: What stands around the texts: each part has a `token` or the place of a `text`, and its segment's `type`.
Template = Sequence[Mapping[str, int]]


class Tokenizer(Protocol):
    """Numbers texts as a network takes them."""

    def encode(self, texts: Sequence[str], most: int) -> dict[str, list[int]]:
        """`ids`, `type_ids` and `attention_mask` of one or two texts, each list of at most `most` numbers."""
        ...


def assembled(texts: Sequence[list[int]], template: Template, most: int) -> dict[str, list[int]]:
    """As `Tokenizer.encode`, from the numbers of all tokens of each text."""
    room = most - sum("token" in part for part in template)
    cut = truncated(texts, room)
    found = [
        (number, part["type"])
        for part in template
        for number in ([part["token"]] if "token" in part else cut[part["text"]])
    ]
    return {
        "ids": [number for number, _ in found],
        "type_ids": [type_ for _, type_ in found],
        "attention_mask": [1] * len(found),
    }


def truncated(texts: Sequence[list[int]], room: int) -> Sequence[list[int]]:
    """One or two texts cut at their ends to `room` tokens together, as `models.base.SequenceClassifier` says.

    Where the second alone leaves no room the longer one is cut first, and both to half if that is not enough.
    """
    if len(texts) == 1:
        return [texts[0][:room]]
    lengths = [len(text) for text in texts]
    if sum(lengths) <= room:
        return texts
    if lengths[1] < room:
        return [texts[0][: room - lengths[1]], texts[1]]
    shorter = min(lengths)
    kept = [shorter, max(shorter, room - shorter)] if shorter <= room else [shorter, shorter]
    if sum(kept) > room:
        kept = [room // 2, room - room // 2]
    if lengths[0] > lengths[1]:
        kept.reverse()
    return [text[:count] for text, count in zip(texts, kept, strict=True)]
