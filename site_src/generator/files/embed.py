"""A board to embed in another page: its ranking and nothing else, in a frame."""

from __future__ import annotations

from dataclasses import dataclass

from site_src.generator.views.board import BoardView
from site_src.generator.views.columns import Cell
from site_src.generator.views.rows import RowView

#: Models that the table shows; the board has them all.
SHOWN = 100


@dataclass(frozen=True)
class EmbedRow:
    """A model: the base metric's number comes first, since it is what a narrow frame has room for."""

    row: RowView
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Embed:
    """The best models of a board, and how many `others` there are."""

    view: BoardView
    rows: tuple[EmbedRow, ...]
    others: int


def embed_of(view: BoardView) -> Embed:
    """The table of a board at its default weights."""
    base = view.base.name
    rows = tuple(
        EmbedRow(row, tuple(sorted(row.cells, key=lambda cell: cell.column.name != base)))
        for row in view.rows[:SHOWN]
    )
    return Embed(view, rows, len(view.rows) - len(rows))
