"""How many n-grams texts have in common, for all texts of a report at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evaluator.score.metrics.base import Integers
from evaluator.score.metrics.words import IDENTITY_BITS, Tokens

# Tokens looked at together: enough that numpy's overhead is nothing, few enough for the cache.
CHUNK = 1 << 18


def matches(tokens: Tokens, first: Integers, others: Integers, unit: Integers, orders: int) -> Integers:
    """Clipped matches (u, orders) of n-grams of 1 to `orders` tokens.

    Text ``first[i]`` is compared with each ``others[j]`` whose ``unit[j]`` is i (ascending): an n-gram
    of the first text matches as often as it occurs there, at most as often as in the other text that
    has it most.
    """
    found = np.zeros((len(first), orders), dtype=np.int64)
    for low, high, left, right in _chunks(tokens, first, unit):
        among = unit[left:right] - low
        nth = 1 + np.arange(left, right) - np.searchsorted(unit, unit[left:right])
        found[low:high] = _chunk_matches(
            tokens,
            np.concatenate([first[low:high], others[left:right]]),
            np.concatenate([np.arange(high - low), among]),
            np.concatenate([np.zeros(high - low, dtype=np.int64), nth]),
            high - low,
            orders,
        )
    return found


def _chunks(tokens: Tokens, first: Integers, unit: Integers) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of units, and of the others that belong to them, of about CHUNK tokens of first texts."""
    ends = np.cumsum(tokens.lengths[first] + 1)
    low = 0
    while low < len(first):
        begun = ends[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(ends, begun + CHUNK)))
        left, right = np.searchsorted(unit, [low, high])
        yield low, high, int(left), int(right)
        low = high


def _chunk_matches(
    tokens: Tokens, texts: Integers, units: Integers, sides: Integers, many: int, orders: int
) -> Integers:
    lengths = tokens.lengths[texts]
    begins = np.cumsum(lengths) - lengths
    ids = tokens.ids[np.repeat(tokens.starts[texts] - begins, lengths) + np.arange(lengths.sum())]
    unit, side = np.repeat(units, lengths), np.repeat(sides, lengths)
    left = np.repeat(begins + lengths, lengths) - np.arange(len(ids))  # tokens from here to the text's end
    found = np.zeros((many, orders), dtype=np.int64)
    at, group, width = np.arange(len(ids)), unit, int(sides.max(initial=0)) + 1
    for order in range(orders):
        group, groups = _numbered((group << IDENTITY_BITS) | ids[at + order])
        counts = np.bincount(group * width + side[at], minlength=groups * width).reshape(groups, width)
        common = np.minimum(counts[:, 0], counts[:, 1:].max(axis=1))
        unit_of = np.zeros(groups, dtype=np.int64)
        unit_of[group] = unit[at]
        found[:, order] = np.bincount(unit_of, weights=common, minlength=many)
        # An n-gram can only match where its beginning did.
        go_on = (common[group] > 0) & (left[at] > order + 1)
        at, group = at[go_on], group[go_on]
        if not len(at):
            break
    return found


def _numbered(keys: Integers) -> tuple[Integers, int]:
    """Numbers from 0 for the keys, equal for equal keys, and how many there are."""
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.empty(len(keys), dtype=np.int64)
    new[:1] = 0
    new[1:] = ordered[1:] != ordered[:-1]
    number = np.empty(len(keys), dtype=np.int64)
    number[order] = np.cumsum(new)
    return number, int(number[order[-1]]) + 1 if len(keys) else 0
