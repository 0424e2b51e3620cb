"""When a difference is more than chance, and which ranks follow: levels, exact tests, and rank sets.

What `rank.rank_sets` says of a board and `rank.difficulty` of a ranking by difficulty is told by
the same code. Standard library only, and the same bits everywhere: sums go through `math.fsum`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

CONFIDENCE = 0.95
#: Chance of seeing a gap that is there, in `smallest`.
POWER = 0.8
#: What is said of models whose rank sets include the first rank.
DEAD_HEAT = (
    "Dead heat with the leader, marked at the left edge: other examples from the same source could put any of"
    " these models first."
)
NO_DEAD_HEAT = "No model is in a dead heat with the leader."


class RankedLast:
    """The models that are no better than a constant answer, which are ranked last whatever their scores."""

    def __init__(self, floored: frozenset[int], ranked: Sequence[int]) -> None:
        self.floored = floored
        self.under = sum(index in floored for index in ranked)
        self.all = len(ranked)

    def divides(self, i: int, j: int) -> bool:
        """Whether just one of two models is ranked last, so that their scores do not decide."""
        return (i in self.floored) != (j in self.floored)

    def rank_set(self, index: int, above: int, below: int) -> tuple[int, int]:
        """The rank set of a model that so many of its own group are significantly above and below."""
        if index in self.floored:
            return 1 + self.all - self.under + above, self.all - below
        return 1 + above, self.all - self.under - below


def rival_level(ranked: int, confidence: float = CONFIDENCE) -> float:
    """The standard errors that a difference must pass in the rank sets of so many ranked models."""
    return normal_quantile((1.0 - confidence) / 2.0 / max(1, ranked - 1))


def marginal(
    known: Iterable[int], apart: Iterable[tuple[float, int, int]], level: float, size: int, last: RankedLast
) -> list[tuple[int, int] | None]:
    """The rank sets of the `known` of `size` models, None of the others.

    `apart` are pairs (difference over its standard error, higher, lower).
    """
    above, below = [0] * size, [0] * size
    for ratio, higher, lower in apart:
        if ratio > level:
            above[lower] += 1
            below[higher] += 1
    sets: list[tuple[int, int] | None] = [None] * size
    for index in known:
        sets[index] = last.rank_set(index, above[index], below[index])
    return sets


def smallest(variances: Iterable[float], ranked: int, confidence: float = CONFIDENCE) -> float | None:
    """The difference that the median pair shows with `POWER`, corrected for the rivals.

    From the variances of the known pairs of so many `ranked` models; None without any.
    """
    known = sorted(variances)
    if not known:
        return None
    return (rival_level(ranked, confidence) + normal_quantile(1.0 - POWER)) * math.sqrt(
        known[len(known) // 2]
    )


def mcnemar(first: int, second: int) -> float:
    """McNemar's exact two-sided p: how often chance alone divides first + second examples so unevenly.

    Twice the tail of the binomial with one half, at most 1 (McNemar 1947; exact as in Fagerland et al. 2013).
    """
    together, ways, tail = first + second, 1, 0
    for count in range(min(first, second) + 1):
        tail += ways
        ways = ways * (together - count) // (count + 1)
    return min(1.0, 2 * tail / (1 << together))


@functools.cache
def normal_quantile(tail: float) -> float:
    """How many standard deviations leave `tail` (under 0.5) above them; to seven digits.

    Algorithm AS 241 of Wichura 1988, PPND7. Raises ValueError for a tail that is not above 0 and at most 0.5.
    """
    if not 0.0 < tail <= 0.5:
        raise ValueError(f"tail: {tail!r} is not above 0 and at most 0.5")
    middle = 0.5 - tail
    if middle <= 0.425:
        r = 0.180625 - middle * middle
        return middle * _ratio(
            r,
            (3.3871327179, 50.434271938, 159.29113202, 59.109374720),
            (1.0, 17.895169469, 78.757757664, 67.187563600),
        )
    r = math.sqrt(-_logarithm(tail))
    if r <= 5.0:
        return _ratio(
            r - 1.6,
            (1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103),
            (1.0, 0.73700164250, 0.12021132975),
        )
    return _ratio(
        r - 5.0,
        (6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997),
        (1.0, 0.24197894225, 0.012258202635),
    )


def _ratio(at: float, over: Sequence[float], under: Sequence[float]) -> float:
    return _polynomial(at, over) / _polynomial(at, under)


def _polynomial(at: float, coefficients: Sequence[float]) -> float:
    value = 0.0
    for coefficient in reversed(coefficients):
        value = value * at + coefficient
    return value


def _logarithm(value: float) -> float:
    """The natural logarithm, the same bits everywhere: `math.log` is the platform's own."""
    mantissa, exponent = math.frexp(value)
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = _polynomial(square, [1.0 / odd for odd in range(1, 60, 2)])
    return exponent * 0.6931471805599453 + 2.0 * ratio * series


def set_words(found: tuple[int, int] | None) -> str:
    """A rank set as people read it: "1-3", "2", or "unknown"."""
    if found is None:
        return "unknown"
    best, worst = found
    return str(best) if best == worst else f"{best}-{worst}"
