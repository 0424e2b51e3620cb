"""How the models of a board did from snapshot to snapshot, drawn as lines of ranks that need no script.

Drawing only: ranks and scores are those of the snapshots.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.publish.snapshots import Point
from evaluator.rank.citations import plain
from evaluator.rank.moves import within_noise
from site_src.generator.views import formats

#: How many snapshots, the newest, the picture shows; the list beside it has all.
COLUMNS = 24
#: Size of its parts: room for ranks at the left, for dates above, for names at the right; a row's height.
LEFT, TOP, NAMES, ROW = 40, 44, 264, 22
#: Smallest and largest distance between two snapshots, and about that from the first to the last.
CLOSEST, WIDEST, WHOLE = 28, 144, 560
#: Room that a date needs.
DATE = 76
LONGEST = 34


#: Rank and score, and whether the move from the column before is within noise: None if unknown, if there is
#: no move, or if the weights changed, which examples do not explain.
HistoryCell = tuple[int | None, float | None, bool | None]


@dataclass(frozen=True)
class HistoryLine:
    """A model: its place in the order of the newest snapshot shown that ranks it, its path and dots."""

    label: str
    place: int
    path: str
    dots: tuple[tuple[float, float], ...]
    at: tuple[float, float]
    text: str


@dataclass(frozen=True)
class HistoryColumn:
    """A snapshot: its place, and what is written above; no date where there is no room."""

    id: str
    x: float
    created: str
    dated: bool


@dataclass(frozen=True)
class Picture:
    """The lines, and the table behind them: a row for each model, and what it was in each column."""

    width: float
    height: float
    columns: tuple[HistoryColumn, ...]
    lines: tuple[HistoryLine, ...]
    rows: tuple[tuple[str, tuple[HistoryCell, ...]], ...]
    left_out: int

    @property
    def noise(self) -> bool:
        """Whether it says of any move whether it is within noise."""
        return any(noise is not None for _, cells in self.rows for _, _, noise in cells)

    @property
    def bottom(self) -> float:
        return self.height - ROW / 2


def picture(
    points: Mapping[str, Sequence[Point]], snapshots: Sequence[str], labels: Mapping[str, str]
) -> Picture:
    """The picture of `points` (see `publish.snapshots.history`); `snapshots` are ids, oldest first."""
    shown = list(snapshots[-COLUMNS:])
    table = {model: {point.snapshot: point for point in found} for model, found in points.items()}
    times = {point.snapshot: point.created for found in points.values() for point in found}
    step = max(CLOSEST, min(WIDEST, WHOLE / max(1, len(shown) - 1)))
    every = math.ceil(DATE / step)
    columns = tuple(
        HistoryColumn(id_, LEFT + at * step, times.get(id_, ""), (len(shown) - 1 - at) % every == 0)
        for at, id_ in enumerate(shown)
    )
    slots = [_slots(table, id_) for id_ in shown]
    names = {model: plain(labels.get(model, model)) for model in table}
    lines = [line for model in table if (line := _line(names[model], model, table, columns, slots))]
    height = TOP + ROW * max((len(found) for found in slots), default=0)
    last = columns[-1].x if columns else LEFT
    return Picture(
        width=last + 16 + NAMES,
        height=height,
        columns=columns,
        lines=tuple(sorted(lines, key=lambda line: -line.place)),
        rows=_rows(table, shown, labels),
        left_out=len(snapshots) - len(shown),
    )


def _slots(table: Mapping[str, Mapping[str, Point]], snapshot: str) -> dict[str, int]:
    """A line of its own for each ranked model, also for those that share a rank."""
    ranked = [
        (point.rank, model)
        for model, found in table.items()
        if (point := found.get(snapshot)) and point.rank is not None
    ]
    return {model: at for at, (_, model) in enumerate(sorted(ranked))}


def _line(
    label: str,
    model: str,
    table: Mapping[str, Mapping[str, Point]],
    columns: Sequence[HistoryColumn],
    slots: Sequence[Mapping[str, int]],
) -> HistoryLine | None:
    """None for a model that no snapshot shown ranks."""
    path, dots, place, open_ = "", [], 0, False
    for column, found in zip(columns, slots, strict=True):
        if model not in found:
            open_ = False
            continue
        place = found[model]
        x, y = column.x, TOP + ROW * place + ROW / 2
        path += f"{'L' if open_ else 'M'}{x:.1f} {y:.1f}"
        dots.append((x, y))
        open_ = True
    if not dots:
        return None
    newest = table[model].get(columns[-1].id)
    gone = newest is None or newest.rank is None
    rank = "" if gone or newest is None else f"{newest.rank} "
    score = "" if gone or newest is None else f"  {formats.number(newest.score)}"
    name = formats.isolated(formats.shortened(label, LONGEST))
    return HistoryLine(label, place, path, tuple(dots), dots[-1], f"{rank}{name}{score}")


def _rows(
    table: Mapping[str, Mapping[str, Point]], shown: Sequence[str], labels: Mapping[str, str]
) -> tuple[tuple[str, tuple[HistoryCell, ...]], ...]:
    def places(model: str) -> tuple[HistoryCell, ...]:
        found = [table[model].get(id_) for id_ in shown]
        return tuple(_cell(*pair) for pair in itertools.pairwise([None, *found]))

    rows = [(labels.get(model, model), places(model)) for model in table]
    return tuple(sorted(rows, key=lambda row: (row[1][-1][0] or math.inf, row[0])))


def _cell(before: Point | None, point: Point | None) -> HistoryCell:
    if point is None:
        return None, None, None
    comparable = before is not None and before.weights == point.weights
    noise = within_noise(before.place, point.place) if before and comparable else None
    return point.rank, point.score, noise
