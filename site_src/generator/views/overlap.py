"""Metrics of a board that say nearly the same of its models, so that together they count twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from site_src.generator.views.columns import ShownColumn

#: Metrics that correlate more than this are nearly the same.
NEARLY_ONE = 0.99
#: Of fewer models a correlation says nothing.
FEWEST = 4


@dataclass(frozen=True)
class Overlap:
    """Two metrics, and how their values correlate (Pearson's r), each turned so that more is better."""

    one: ShownColumn
    other: ShownColumn
    correlation: float

    def warning(self, board: str) -> str:
        """What to tell whoever keeps the board of that id."""
        return (
            f"board {board}: {self.one.name} and {self.other.name} say nearly the same of its models"
            f" (correlation {self.correlation:.3f}), so what they measure counts twice;"
            " give one of them weight 0"
        )


def overlaps(columns: Sequence[ShownColumn], values: Sequence[Sequence[float | None]]) -> tuple[Overlap, ...]:
    """The pairs of `columns` that say nearly the same.

    `values` has a row for each model, and in it a value for each column.
    Only models that have both values count, and a pair of which fewer than `FEWEST` do is left out.
    """
    return tuple(_pairs(columns, values))


def _pairs(columns: Sequence[ShownColumn], values: Sequence[Sequence[float | None]]) -> Iterator[Overlap]:
    for left, right in combinations(range(len(columns)), 2):
        known = [(row[left], row[right]) for row in values]
        pairs = [(a, b) for a, b in known if a is not None and b is not None]
        turned = columns[left].spec.direction != columns[right].spec.direction
        found = correlation(pairs) if len(pairs) >= FEWEST else 0.0
        if (-found if turned else found) > NEARLY_ONE:
            yield Overlap(columns[left], columns[right], abs(found))


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's r; 0 where one side does not vary."""
    xs, ys = zip(*pairs, strict=True)
    x, y = _centred(xs), _centred(ys)
    spread = sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y, strict=True)) / spread if spread else 0.0


def _centred(values: Sequence[float]) -> list[float]:
    # Divided by the largest first, so that no square is too large or too small for a number.
    largest = max(map(abs, values)) or 1.0
    scaled = [value / largest for value in values]
    mean = sum(scaled) / len(scaled)
    return [value - mean for value in scaled]
