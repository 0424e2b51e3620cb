"""Whether a difference between models is more than chance: examples resampled, the same for all models.

One of the modules behind `rank.difficulty`; standard library only. Of the paired bootstraps it takes
the quickest, double or nothing (Owen & Eckles 2012, "Bootstrapping data arrays of arbitrary order"): in each
resample every example counts twice or not at all, with equal chance, which gives it the mean 1 and the
variance 1 of an ordinary bootstrap. A resample is a row of random bits, and a sum is a count of bits.
"""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_RESAMPLES = 100_000
#: Weights are rounded to whole numbers of so many bits, the greatest weight having all of them set.
BITS = 16
#: What is left out at either end of an interval.
TAIL = 0.025


@dataclass(frozen=True)
class Vote:
    """A model in bits, one an example: where its answers count as right, where they are right, and its
    examples' weights by binary places."""

    counted: int
    right: int
    places: Sequence[int]


@dataclass(frozen=True)
class Resampled:
    """By model, one entry a resample: its value, its rank by it, and its rank by accuracy less that.

    None where a model has no value. Ranks are shared by models that tie.
    """

    values: dict[str, list[float | None]]
    ranks: dict[str, list[int | None]]
    moved: dict[str, list[int | None]]


def bits(flags: Sequence[int]) -> int:
    """A number with a bit for each flag, 0 or 1, the first flag lowest."""
    return int("".join(map(str, reversed(flags))) or "0", 2)


def places(weights: Sequence[float]) -> list[int]:
    """Weights of 0 or more by binary places, the highest first: entry n has a bit for each example.

    Whole weights that fit in are kept as they are, others only in proportion.
    """
    top = max(weights, default=0.0)
    if not top:
        return [0] * BITS
    whole = top < 1 << BITS and all(float(weight).is_integer() for weight in weights)
    scale = 1.0 if whole else ((1 << BITS) - 1) / top
    words = [format(round(weight * scale), f"0{BITS}b") for weight in reversed(weights)]
    return [int("".join(column), 2) for column in zip(*words, strict=True)]


def resample(
    votes: Mapping[str, Vote],
    examples: int,
    score: Callable[[float, float], float | None],
    resamples: int,
    seed: int,
) -> Resampled:
    """Values and ranks of the models in each resample of the examples.

    `score` makes a value of the weight of the right answers and of all. Same seed, same resamples.
    """
    chance = random.Random(seed)
    found = Resampled(_lists(votes), _lists(votes), _lists(votes))
    for _ in range(resamples):
        drawn = chance.getrandbits(examples)
        values = _values(votes, drawn, score)
        accuracies = [
            None if value is None else (vote.right & drawn).bit_count()
            for vote, value in zip(votes.values(), values, strict=True)
        ]
        ranked = zip(votes, values, ranks(values), ranks(accuracies), strict=True)
        for model, value, rank, accuracy_rank in ranked:
            found.values[model].append(value)
            found.ranks[model].append(rank)
            moved = None if rank is None or accuracy_rank is None else accuracy_rank - rank
            found.moved[model].append(moved)
    return found


def _lists(names: Iterable[str]) -> dict[str, list[Any]]:
    return {name: [] for name in names}


def _values(
    votes: Mapping[str, Vote], drawn: int, score: Callable[[float, float], float | None]
) -> list[float | None]:
    masked: dict[int, tuple[list[int], int]] = {}
    values = []
    for vote in votes.values():
        # Models that share weights share the list, so that it is masked once.
        if id(vote.places) not in masked:
            kept = [place & drawn for place in vote.places]
            masked[id(vote.places)] = kept, _amount(kept)
        kept, total = masked[id(vote.places)]
        values.append(score(_amount([place & vote.counted for place in kept]), total))
    return values


def _amount(kept: Sequence[int]) -> int:
    amount = 0
    for place in kept:
        amount = 2 * amount + place.bit_count()
    return amount


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """Ranks of values, the greatest first; equal ones share a rank, None has none."""
    ordered = sorted(-value for value in values if value is not None)
    return [None if value is None else bisect_left(ordered, -value) + 1 for value in values]


def percentile_interval(values: Sequence[float | None]) -> list[float] | None:
    """The 95 % percentile interval of `values`, of which some may be None; None if all are."""
    known = sorted(value for value in values if value is not None)
    cut = int(TAIL * len(known))
    return [known[cut], known[-1 - cut]] if known else None


def apart(
    values: Sequence[float], resampled: Sequence[Sequence[float | None]]
) -> list[tuple[float, int, int]]:
    """Of each two models whose values differ: the difference over its standard error, higher and lower.

    `resampled` has each model's values in the resamples, whose spread is the error; one that lacks either
    value does not count.
    """
    found = []
    for i, j in itertools.combinations(range(len(values)), 2):
        high, low = (i, j) if values[i] > values[j] else (j, i)
        if values[i] != values[j]:
            error = _spread(resampled[i], resampled[j])
            found.append(((values[high] - values[low]) / error if error else math.inf, high, low))
    return found


def _spread(first: Sequence[float | None], second: Sequence[float | None]) -> float:
    """The standard deviation of differences."""
    pairs = zip(first, second, strict=True)
    gaps = [a - b for a, b in pairs if a is not None and b is not None]
    mean = math.fsum(gaps) / max(1, len(gaps))
    return math.sqrt(math.fsum([(gap - mean) * (gap - mean) for gap in gaps]) / max(1, len(gaps)))


def swap(up: str, down: str, resampled: Resampled) -> dict[str, Any]:
    """A pair in another order than by accuracy, and the share of resamples in which `up` is above `down`."""
    pairs = zip(resampled.values[up], resampled.values[down], strict=True)
    held = [a > b for a, b in pairs if a is not None and b is not None]
    return {"up": up, "down": down, "share": sum(held) / len(held) if held else 0.0}
