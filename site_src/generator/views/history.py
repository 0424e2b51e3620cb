"""How the models of a board did from snapshot to snapshot: a table, which a script draws as lines."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.publish.snapshots import Point
from evaluator.rank.moves import within_noise

#: How many snapshots, the newest, the picture shows; the list beside it has all.
COLUMNS = 24
#: Room in the picture for ranks and names, for dates above, and a row's height (see ``table-lines.js``).
SIDES, TOP, ROW = 320, 44, 22
#: Smallest and largest distance between two snapshots, and about that from the first to the last.
CLOSEST, WIDEST, WHOLE = 28, 144, 560

#: Rank and score, and whether the move from the column before is within noise: None if unknown, if there is
#: no move, or if the weights changed, which examples do not explain.
HistoryCell = tuple[int | None, float | None, bool | None]


@dataclass(frozen=True)
class History:
    """Snapshots, each with its time, and the table: a row for each model, and what it was in each of them."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[HistoryCell, ...]], ...]
    left_out: int

    @property
    def noise(self) -> bool:
        """Whether it says of any move whether it is within noise."""
        return any(noise is not None for _, cells in self.rows for _, _, noise in cells)

    @property
    def lines(self) -> int:
        """How many models any of the snapshots ranks."""
        return sum(any(rank is not None for rank, _, _ in cells) for _, cells in self.rows)

    @property
    def width(self) -> int:
        """Of the picture, in pixels."""
        apart = len(self.columns) - 1
        return SIDES + apart * max(CLOSEST, min(WIDEST, WHOLE // max(1, apart)))

    @property
    def height(self) -> int:
        """Of the picture, in pixels."""
        columns = zip(*(cells for _, cells in self.rows), strict=True)
        ranked = (sum(rank is not None for rank, _, _ in column) for column in columns)
        return TOP + ROW * max(ranked, default=0)


def history_of(
    points: Mapping[str, Sequence[Point]], snapshots: Sequence[str], labels: Mapping[str, str]
) -> History:
    """The history of `points` (see `publish.snapshots.history`); `snapshots` are ids, oldest first."""
    shown = list(snapshots[-COLUMNS:])
    table = {model: {point.snapshot: point for point in found} for model, found in points.items()}
    times = {point.snapshot: point.created for found in points.values() for point in found}
    columns = tuple((id_, times.get(id_, "")) for id_ in shown)
    return History(columns, _rows(table, shown, labels), len(snapshots) - len(shown))


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
