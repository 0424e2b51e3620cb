"""What a comparison of our code with a reference is made of, and how far they are apart."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

SEED = 0
#: Numbers that two sides have to agree on; None where one is undefined.
Values = Sequence[float | None]


@dataclass(frozen=True)
class Comparison:
    """`ours` and `theirs` take one input; `draw` makes one by chance, and `nasty` lists the worst.

    Where inputs take long, of the random ones that are asked for one in `every` is enough.
    """

    name: str
    reference: str
    draw: Callable[[random.Random], Any]
    nasty: Sequence[Any]
    ours: Callable[[Any], Values]
    theirs: Callable[[Any], Values]
    every: int = 1


@dataclass(frozen=True)
class Agreement:
    """The largest difference over all inputs."""

    comparison: Comparison
    random: int
    difference: float

    def line(self) -> str:
        """A row of the page's table."""
        one = self.comparison
        return f"| {one.name} | {one.reference} | {self.random} | {len(one.nasty)} | {self.difference:.1e} |"


def agree(comparison: Comparison, inputs: int, seed: int = SEED) -> Agreement:
    """Compare on so many random inputs and on all nasty ones."""
    chance, inputs = random.Random(f"{seed}/{comparison.name}"), -(-inputs // comparison.every)
    drawn = (comparison.draw(chance) for _ in range(inputs))
    largest = max(
        (difference(comparison.ours(one), comparison.theirs(one)) for one in (*comparison.nasty, *drawn)),
        default=0.0,
    )
    return Agreement(comparison, inputs, largest)


def difference(ours: Values, theirs: Values) -> float:
    """The largest absolute difference; infinite where only one of two has a number."""
    if len(ours) != len(theirs):
        return math.inf
    return max((_apart(one, other) for one, other in zip(ours, theirs, strict=True)), default=0.0)


def _apart(one: float | None, other: float | None) -> float:
    if one is None or other is None:
        return 0.0 if one is other else math.inf
    return abs(float(one) - float(other))
