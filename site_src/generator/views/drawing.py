"""Where the marks of a board's charts go. `assets/charts/drawing.js` says the same in the browser.

Drawing only: no score is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

#: Size of a contribution bar's own coordinates; its middle is the reference model.
WIDTH, HEIGHT = 240, 14
HALF = WIDTH / 2
#: The corners of the marks at either end that say that a bar is cut.
CUTS = ("8,0 14,0 10,14 4,14", "230,0 236,0 232,14 226,14")
#: Width of a whisker.
RANGE = 64
#: The last place of a dot on the range of its metric, one pixel from the place before.
LAST = 56


@dataclass(frozen=True)
class Segment:
    """One metric's part of a bar: right of the middle it raises the score, left of it it lowers it."""

    metric: str
    difference: float
    x: float
    width: float

    @property
    def points(self) -> str:
        """The corners of its polygon; none where it is too narrow to be seen."""
        left, right = f"{self.x:.2f}", f"{self.x + self.width:.2f}"
        return "" if left == right else f"{left},2 {right},2 {right},12 {left},12"


@dataclass(frozen=True)
class Bar:
    """A model's difference from the reference model.

    `cut` are the sums of what lowers and of what raises the score, where that side is longer than there is
    room for; else 0.
    """

    segments: tuple[Segment, ...]
    cut: tuple[float, float]

    @property
    def marks(self) -> list[str]:
        """The corners of the mark at either end; none where the bar is not cut there."""
        return [points if length else "" for points, length in zip(CUTS, self.cut, strict=True)]


def reference(models: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The median model: the middle one of those ranked, the better of two; None where none is."""
    ranked = [model for model in models if model["rank"] is not None]
    return ranked[(len(ranked) - 1) // 2] if ranked else None


def bars(
    models: Sequence[Mapping[str, Any]], metrics: Sequence[str], other: Mapping[str, Any] | None = None
) -> dict[str, Bar]:
    """A bar for every model, all on one scale: the difference from `other`, the median model if None.

    The bar of a model without a rank is empty.
    """
    other = other or reference(models)
    if other is None:
        return {model["model"]: _bar([0.0] * len(metrics), metrics, 0.0) for model in models}
    differences = {model["model"]: _differences(model, other, metrics) for model in models}
    full = _full_scale([max(_sides(row)) for row in differences.values()])
    return {model: _bar(row, metrics, full) for model, row in differences.items()}


def _differences(model: Mapping[str, Any], other: Mapping[str, Any], metrics: Sequence[str]) -> list[float]:
    if model["rank"] is None:
        return [0.0] * len(metrics)
    return [_part(model, name) - _part(other, name) for name in metrics]


def _part(model: Mapping[str, Any], metric: str) -> float:
    part: float = model["contributions"].get(metric, 0.0)
    return part


def _sides(row: Sequence[float]) -> tuple[float, float]:
    """The sums of what lowers and of what raises the score, both as lengths. Plain additions, so that the
    browser draws the same to the last bit."""
    raised = lowered = 0.0
    for difference in row:
        if difference > 0:
            raised += difference
        else:
            lowered -= difference
    return lowered, raised


def _full_scale(extents: Sequence[float]) -> float:
    """The length that fills half a bar: the upper quartile, so that a few far longer leave room for others.

    The reference's own, which is zero, does not count.
    """
    lengths = sorted(extent for extent in extents if extent > 0)
    return lengths[3 * (len(lengths) - 1) // 4] if lengths else 0.0


def _bar(row: Sequence[float], metrics: Sequence[str], full: float) -> Bar:
    lowered, raised = (side if side > full * (1 + 1e-9) else 0.0 for side in _sides(row))
    unit = HALF / full if full > 0 else 0.0
    left, right, segments = HALF, HALF, []
    for metric, difference in zip(metrics, row, strict=True):
        width = abs(difference) * unit
        if difference < 0:
            left -= width
        segments.append(_segment(metric, difference, left if difference < 0 else right, width))
        if difference > 0:
            right += width
    return Bar(tuple(segments), (-lowered, raised))


def _segment(metric: str, difference: float, x: float, width: float) -> Segment:
    """As much of a segment as there is room for."""
    start, end = min(max(x, 0.0), WIDTH), min(max(x + width, 0.0), WIDTH)
    return Segment(metric, difference, start, end - start)


def extremes(models: Sequence[Mapping[str, Any]], metric: str) -> tuple[float, float] | None:
    """The smallest and the largest value of a metric on the board."""
    known = [model["values"][metric] for model in models if model["values"][metric] is not None]
    return (min(known), max(known)) if known else None


def position(value: float, low: float, high: float) -> float:
    """Where a value's dot goes on a whisker; in the middle where all are equal."""
    return 4 + _share(value, low, high) * (RANGE - 8)


def place(value: float, low: float, high: float) -> int:
    """Which place, 0 to `LAST`, a value has on its metric's range; the style sheet has a class for each."""
    return floor(_share(value, low, high) * LAST + 0.5)


def _share(value: float, low: float, high: float) -> float:
    return 0.5 if high == low else (value - low) / (high - low)
