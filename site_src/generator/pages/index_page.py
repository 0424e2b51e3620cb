"""What the index shows of each board, worked out before any template sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from site_src.generator.pages.snapshots_page import BoardSnapshots, SnapshotItem
from site_src.generator.views import formats
from site_src.generator.views.board import BoardView, Control
from site_src.generator.views.provenance import MEANINGS
from site_src.generator.views.rows import RowView

#: Tasks as people call them; a board's own task is named by its id.
TASKS = {
    "classification": "Classification",
    "generation": "Text generation",
    "hate-speech": "Hate speech",
    "nli": "Natural language inference",
    "qa": "Question answering",
    "sentiment": "Sentiment",
}
#: Sliders of the live board; further metrics keep their weights.
SLIDERS = 4
#: A live board has at most this many models, so that all of it fits the screen.
LIVE_MODELS = 12
#: How many snapshots are listed.
CHANGES = 5
#: Letters of a model's name in the search's data, since one name may be longer than all others together.
LONGEST = 120


@dataclass(frozen=True)
class BoardRow:
    """One board on the index. `origins`: how many models' numbers came about in which way; `words`: what else
    it may be found by."""

    view: BoardView
    task: str
    origins: tuple[tuple[str, int], ...]
    words: str

    @property
    def leader(self) -> RowView | None:
        return next(iter(self.view.leaders), None)

    @property
    def certain(self) -> str:
        """Whether the leader leads alone, as far as the examples can tell."""
        if self.leader is None:
            return ""
        if not self.view.sure.known:
            return "unknown"
        level = len(self.view.sure.heat)
        return f"dead heat of {level}" if level else "leads alone"


@dataclass(frozen=True)
class IndexView:
    """All boards. `tasks` and `kinds` are ids with labels and numbers of boards; `island` is what the search
    reads. `live` is the board to try, None where none is fit for it, and `controls` its heaviest weights.
    `changes` are the newest snapshots with the titles of their boards.
    """

    rows: tuple[BoardRow, ...]
    tasks: tuple[tuple[str, str, int], ...]
    kinds: tuple[tuple[str, str, int], ...]
    updated: str
    models: int
    live: BoardView | None
    changes: tuple[tuple[str, SnapshotItem], ...]
    island: dict[str, Any] = field(repr=False)

    @property
    def controls(self) -> list[Control]:
        """The heaviest weights of the live board, in its own order."""
        found = self.live.metric_controls if self.live else ()
        heaviest = sorted(found, key=lambda control: -control.value)[:SLIDERS]
        return [control for control in found if control in heaviest]


def index_view(views: Sequence[BoardView], frozen: Sequence[BoardSnapshots]) -> IndexView:
    """The index of these boards, in their order, and of what was frozen of them."""
    rows = tuple(_row(view) for view in views)
    tasks = Counter(view.spec.task for view in views)
    kinds = Counter(kind for row in rows for kind, _ in row.origins)
    items = [(board.title, item) for board in frozen for item in board.items]
    return IndexView(
        rows=rows,
        tasks=tuple((task, task_label(task), count) for task, count in tasks.items()),
        kinds=tuple((kind, kind, kinds[kind]) for kind in MEANINGS if kinds[kind]),
        updated=updated(views),
        models=len({row.entry.label for view in views for row in view.rows}),
        live=_live(views),
        changes=tuple(sorted(items, key=lambda pair: pair[1].created, reverse=True)[:CHANGES]),
        island={"models": [_model(at, row) for at, view in enumerate(views) for row in view.rows]},
    )


def _live(views: Sequence[BoardView]) -> BoardView | None:
    """The board to try: of few models and three metrics or more, that with the most models measured here."""
    fit = [
        view
        for view in views
        if len(view.columns) >= 3 and 2 <= len(view.rows) <= LIVE_MODELS and view.leaders
    ]
    return max(fit, key=_measured, default=None)


def _measured(view: BoardView) -> tuple[bool, int]:
    return view.sure.known, sum(row.entry.provenance == "measured" for row in view.rows)


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


def _row(view: BoardView) -> BoardRow:
    kinds = Counter(row.entry.provenance for row in view.rows)
    names = [*(column.label for column in view.columns), *(dataset.label for dataset in view.scoring)]
    return BoardRow(
        view=view,
        task=task_label(view.spec.task),
        origins=tuple((kind, kinds[kind]) for kind in MEANINGS if kinds[kind]),
        words=" ".join(names),
    )
