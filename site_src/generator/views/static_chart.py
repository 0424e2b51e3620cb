"""The scatter that a board's page has before any script runs: its base metric against another.

`assets/charts/scatter.js` draws the same of any two metrics, at the width of the screen. Drawing only:
which models are on the front is worked out by `evaluator.rank.tradeoffs`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.rank.tradeoffs import pareto_front
from site_src.generator.views import formats
from site_src.generator.views.columns import ShownColumn

#: Size of the picture in its own coordinates, and where its ground begins and ends.
WIDTH, HEIGHT = 640, 360
LEFT, TOP, RIGHT, BOTTOM = 64, 32, 624, 312
#: Pages of longer boards would grow by more than a picture is worth without script.
MOST_MODELS = 60
#: A range that spans more than this is drawn in powers of ten.
WIDE = 100.0
#: Room left at both ends, as a share of the range.
MARGIN = 0.04
#: Smallest distance of two marks on an axis; letters that names are cut to, and about how wide each is.
GAP_ACROSS, GAP_UP = 80, 48
LETTERS, LETTER = 22, 6.8
#: Where a name may be placed beside its mark: its anchor, and the shift of that.
PLACES = (("start", 9, 4), ("start", 7, -8), ("end", -9, 4), ("end", -7, -8), ("start", 7, 16))

#: Left, top, right, bottom.
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Tick:
    """A round number on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Tag:
    """The place of a name: its anchor is the end of it that is at (x, y)."""

    anchor: str
    x: float
    y: float


@dataclass(frozen=True)
class Dot:
    """A model's mark, and the place of its name: `tag` is None where it has no place."""

    x: float
    y: float
    front: bool
    name: str
    tag: Tag | None


@dataclass(frozen=True)
class StaticChart:
    """The picture: ticks, marks and the front as a staircase of "x y" points."""

    across: ShownColumn
    up: ShownColumn
    finding: str
    ticks_across: tuple[Tick, ...]
    ticks_up: tuple[Tick, ...]
    dots: tuple[Dot, ...]
    staircase: tuple[str, ...]
    ground: str


class Axis:
    """Places of values from `start` to `end`; the same rule as in ``assets/charts/axes.js``."""

    def __init__(self, values: Sequence[float], start: float, end: float, gap: float) -> None:
        low, high = min(values), max(values)
        self.log = low > 0 and high / low > WIDE
        self.scale: Callable[[float], float] = math.log10 if self.log else float
        self.low, self.high = _widened(self.scale(low), self.scale(high))
        self.start, self.end = start, end
        self.most = max(2, int(abs(end - start) / gap))

    def at(self, value: float) -> float:
        share = (self.scale(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> tuple[Tick, ...]:
        values = self._powers() if self.log else self._steps()
        return tuple(Tick(self.at(value), _text(value, step)) for value, step in values)

    def _steps(self) -> list[tuple[float, float]]:
        step = _round_step((self.high - self.low) / self.most)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [(at * step, step) for at in range(first, min(last, first + 2 * self.most) + 1)]

    def _powers(self) -> list[tuple[float, float]]:
        every = max(1, math.ceil((self.high - self.low) / self.most))
        heads = (1, 2, 5) if self.high - self.low < self.most / 3 else (1,)
        powers = [
            power for power in range(math.floor(self.low), math.ceil(self.high) + 1) if power % every == 0
        ]
        values = [head * 10.0**power for power in powers for head in heads]
        return [(value, value) for value in values if self.low <= math.log10(value) <= self.high]


def axes(columns: Sequence[ShownColumn], base: str) -> tuple[ShownColumn, ...]:
    """The metrics that a board's scatter shows first: across and up. Nothing with one metric only."""
    up = next(column for column in columns if column.name == base)
    others = {column.name: column for column in columns if column.name != base}
    return (others.get("throughput", next(iter(others.values()))), up) if others else ()


def front(columns: Sequence[ShownColumn], models: Sequence[Mapping[str, Any]]) -> list[int]:
    """Positions in `models` of those that none beats at both metrics."""
    if not columns:
        return []
    across, up = ([model["values"][column.name] for model in models] for column in columns)
    signs = [-1 if column.spec.direction == "lower" else 1 for column in columns]
    return list(pareto_front(across, up, *signs))


def draw(
    columns: Sequence[ShownColumn], models: Sequence[Mapping[str, Any]], labels: Mapping[str, str]
) -> StaticChart | None:
    """The scatter of two metrics over the rows of a ranking; None without two metrics or on long boards."""
    if not columns or len(models) > MOST_MODELS:
        return None
    across, up = columns
    best = front(columns, models)
    points = [(model["values"][across.name], model["values"][up.name]) for model in models]
    known = [at for at, point in enumerate(points) if None not in point]
    if not known:
        return None
    x = Axis([points[at][0] for at in known], LEFT, RIGHT, GAP_ACROSS)
    y = Axis([points[at][1] for at in known], BOTTOM, TOP, GAP_UP)
    places = {at: (x.at(points[at][0]), y.at(points[at][1])) for at in known}
    stairs, worst = _staircase([places[at] for at in best], across, up)
    return StaticChart(
        across=across,
        up=up,
        finding=_finding(across, up, [labels[models[at]["model"]] for at in best], len(known)),
        ticks_across=x.ticks(),
        ticks_up=y.ticks(),
        dots=_dots(places, best, [labels[model["model"]] for model in models]),
        staircase=tuple(f"{a:.1f} {b:.1f}" for a, b in stairs),
        ground=f"{worst[0]} {worst[1]}",
    )


def _finding(across: ShownColumn, up: ShownColumn, best: Sequence[str], count: int) -> str:
    both = f"both {up.label} and {across.label}"
    name = formats.isolated(formats.shortened(best[0], 80))
    if count == 1:
        return f"{name} is the only model with a number for {both}."
    if len(best) == 1:
        return f"No trade-off here: {name} is at least as good as every other model at {both}."
    front = f"{len(best)} of {count} models are on the front"
    other = f"is better than one of them at {up.label} is worse at {across.label}"
    return f"{front}: what {other}, and the other way round."


def _staircase(
    best: Sequence[tuple[float, float]], across: ShownColumn, up: ShownColumn
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """The front from one end of the ground to the other, and the corner where both metrics are worst."""
    worst = (
        RIGHT if across.spec.direction == "lower" else LEFT,
        TOP if up.spec.direction == "lower" else BOTTOM,
    )
    points = sorted(best, key=lambda point: (abs(point[0] - worst[0]), -abs(point[1] - worst[1])))
    stairs = [(worst[0], points[0][1]), points[0]]
    for before, point in itertools.pairwise(points):
        stairs += [(before[0], point[1]), point]
    return [*stairs, (points[-1][0], worst[1])], worst


def _dots(
    places: Mapping[int, tuple[float, float]], best: Sequence[int], labels: Sequence[str]
) -> tuple[Dot, ...]:
    """Marks, those on the front last and with their names where these find a free place."""
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in places.values()]
    others = [Dot(*place, False, "", None) for at, place in places.items() if at not in set(best)]
    named = []
    for at in best:
        name = labels[at] if len(labels[at]) <= LETTERS else labels[at][: LETTERS - 1] + "…"
        named.append(Dot(*places[at], True, name, _tag(*places[at], len(name) * LETTER, taken)))
    return (*others, *named)


def _tag(x: float, y: float, width: float, taken: list[Box]) -> Tag | None:
    """The first place beside a mark where a name of `width` has room; takes that room."""
    for anchor, dx, dy in PLACES:
        left = x + dx - (width if anchor == "end" else 0)
        box = (left, y + dy - 12, left + width, y + dy + 3)
        inside = left >= LEFT and left + width <= WIDTH and box[1] >= TOP / 2
        if inside and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            return Tag(anchor, x + dx, y + dy)
    return None


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _widened(low: float, high: float) -> tuple[float, float]:
    room = (high - low) * MARGIN if high > low else abs(low) * 0.1 or 1.0
    return low - room, high + room


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(head * power for head in (1, 2, 5, 10) if head * power >= rough * (1 - 1e-9))


def _text(value: float, step: float) -> str:
    """A mark as it is written among marks that are `step` apart."""
    decimals = max(0, -_magnitude(step))
    size = abs(value)
    if size < 1e9 and decimals <= 6:
        return formats.number(value, decimals)
    if size < step / 2:
        return "0"
    digits = max(0, _magnitude(size) - _magnitude(step))
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _magnitude(size: float) -> int:
    """The power of ten of a positive number's first digit."""
    return math.floor(math.log10(size) + 1e-9)
