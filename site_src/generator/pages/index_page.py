"""What the index shows of each board, worked out before any template sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from site_src.generator.views import formats
from site_src.generator.views.board import BoardView, RowView
from site_src.generator.views.columns import Column
from site_src.generator.views.provenance import MEANINGS

#: Tasks as people call them; a board's own task is named by its id.
TASKS = {
    "classification": "Classification",
    "generation": "Text generation",
    "hate-speech": "Hate speech",
    "nli": "Natural language inference",
    "qa": "Question answering",
    "sentiment": "Sentiment",
}
#: Width of the picture of a board's weights.
WIDTH = 320.0
#: Letters of a model's name in the search's data, since one name may be longer than all others together.
LONGEST = 120


@dataclass(frozen=True)
class Share:
    """A metric's part of a board's default weights: from `x`, `width` wide, of `WIDTH`."""

    column: Column
    text: str
    x: float
    width: float


@dataclass(frozen=True)
class Card:
    """One board on the index. `origins`: how many models' numbers came about in which way."""

    view: BoardView
    task: str
    origins: tuple[tuple[str, int], ...]
    shares: tuple[Share, ...]


@dataclass(frozen=True)
class IndexView:
    """All boards. `tasks` are ids with labels and numbers of boards; `island` is what the search reads."""

    cards: tuple[Card, ...]
    tasks: tuple[tuple[str, str, int], ...]
    updated: str
    models: int
    island: dict[str, Any] = field(repr=False)
    width: float = WIDTH


def index_view(views: Sequence[BoardView]) -> IndexView:
    """The index of these boards, in their order."""
    counts = Counter(view.spec.task for view in views)
    return IndexView(
        cards=tuple(_card(view) for view in views),
        tasks=tuple((task, task_label(task), count) for task, count in counts.items()),
        updated=updated(views),
        models=len({(view.spec.task, row.entry.id) for view in views for row in view.rows}),
        island={"models": [_model(at, row) for at, view in enumerate(views) for row in view.rows]},
    )


def updated(views: Sequence[BoardView]) -> str:
    """When the newest result of any board was made."""
    times = [view.assembled.timestamp for view in views if view.assembled.timestamp]
    return formats.moment(max(times, default=None))


def task_label(task: str) -> str:
    """A task in words."""
    return TASKS.get(task, task.replace("-", " ").capitalize())


def _model(board: int, row: RowView) -> list[Any]:
    """Board (by position), id, label and rank of a model."""
    return [board, row.entry.id, formats.shortened(row.entry.label, LONGEST), row.rank]


def _card(view: BoardView) -> Card:
    kinds = Counter(row.entry.provenance for row in view.rows)
    return Card(
        view=view,
        task=task_label(view.spec.task),
        origins=tuple((kind, kinds[kind]) for kind in MEANINGS if kinds[kind]),
        shares=_shares(view),
    )


def _shares(view: BoardView) -> tuple[Share, ...]:
    """The metrics that have weight, the heaviest first; equal ones in the order of the columns."""
    shares = {control.name: control.share for control in view.metric_controls}
    columns = sorted(view.columns, key=lambda column: -shares[column.name])
    found, x = [], 0.0
    for column in columns:
        width = shares[column.name] * WIDTH
        if width > 0:
            found.append(Share(column, _percent(shares[column.name]), x, width))
        x += width
    return tuple(found)


def _percent(share: float) -> str:
    """A share in per cent, with a decimal only where it has one: halves of a quarter are common."""
    return formats.percent(share).replace(".0 ", " ")
