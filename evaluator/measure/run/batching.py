"""Inputs in batches, and whether a model answers to a batch as it does to one input at a time."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluator.measure.run.inputs import ExampleInputs
from evaluator.measure.run.predict import answer_key
from evaluator.records.result import BatchCheck
from evaluator.score.entry import Entry

#: Inputs asked at once, at most.
SIZE = 32
#: Characters of a batch, at most, once every text is padded to the longest: about 8,000 tokens.
BUDGET = 32 * 1024
#: How many inputs are asked both one by one and in a batch.
SAMPLE = 32
#: How far a probability may be off in a batch: padding changes the last digits of 32-bit sums.
TOLERANCE = 1e-4


def length(inputs: ExampleInputs) -> int:
    """The characters of an input's texts."""
    return sum(len(value) for value in inputs.values() if isinstance(value, str))


class InputBatch(NamedTuple):
    """Keys of inputs that a worker takes at once, and how many characters the `longest` has."""

    keys: list[str]
    longest: int

    @property
    def cost(self) -> int:
        """What it takes of a network, in characters: every text as long as the longest."""
        return len(self.keys) * self.longest


def in_batches(inputs: Mapping[str, ExampleInputs], keys: Sequence[str], size: int) -> list[InputBatch]:
    """The keys in batches of at most `size` inputs of about one length, within the `BUDGET`.

    The batches come in an order that nobody knows beforehand.
    """
    lengths = {key: length(inputs[key]) for key in keys}
    batches: list[InputBatch] = []
    for key in sorted(keys, key=lengths.__getitem__, reverse=True):
        last = batches[-1] if batches else None
        if last and len(last.keys) < size and (len(last.keys) + 1) * last.longest <= BUDGET:
            last.keys.append(key)
        else:
            batches.append(InputBatch([key], lengths[key]))
    secrets.SystemRandom().shuffle(batches)
    return batches


def compare(alone: Sequence[Entry], together: Sequence[Entry]) -> BatchCheck:
    """The answers to the same inputs, one by one and in a batch."""
    differences = [_difference(*pair) for pair in zip(alone, together, strict=True)]
    same = [answer_key(one) == answer_key(other) for one, other in zip(alone, together, strict=True)]
    far = [
        not equal or (difference or 0) > TOLERANCE
        for equal, difference in zip(same, differences, strict=True)
    ]
    known = [difference for difference in differences if difference is not None]
    return BatchCheck(
        sample=len(far),
        differing=sum(far),
        tolerance=TOLERANCE,
        largest_difference=max(known, default=None),
    )


def _difference(one: Entry, other: Entry) -> float | None:
    """The largest difference of a probability; None where the model gives none."""
    first, second = one.answer.probabilities, other.answer.probabilities
    if first is None or second is None or len(first) != len(second):
        return None
    return max(abs(a - b) for a, b in zip(first, second, strict=True))
