"""What the index shows of each board, worked out before any template sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from evaluator.records.board import BoardSpec
from evaluator.records.references import left
from site_src.generator import endpoints, formats
from site_src.generator.pages.board import BoardView, Control
from site_src.generator.pages.snapshots import BoardSnapshots, SnapshotItem
from site_src.generator.results import MEANINGS

if TYPE_CHECKING:
    from site_src.generator.site import Site


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
#: How many snapshots are listed, and how many changes; how many models a change names.
SNAPSHOTS, CHANGES, NAMED = 5, 5, 3
#: Letters of a model's name in the search's data, since one name may be longer than all others together.
LONGEST = 120
#: And in a change.
SHORT = 60


class BoardSummary(BaseModel):
    """What other pages than its own say of a board.

    `leader` is an id and a label, None where no model is ranked; `certain` says whether it leads alone, as
    far as the examples can tell. `models` are ids, labels and ranks; `origins`: how many models' numbers came
    about in which way; `words`: what else the board may be found by. `timestamp` is that of its newest
    result, and `overlapping` says which of its metrics say nearly the same. `changes` are days, as ISO dates,
    with what happened on them: the newest results, and models that were removed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    leader: tuple[str, str] | None
    certain: str
    ranked: int
    models: tuple[tuple[str, str, int | None], ...]
    origins: tuple[tuple[str, int], ...]
    words: str
    timestamp: str | None
    overlapping: tuple[str, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def updated(self) -> str:
        """When its newest result was made."""
        return formats.moment(self.timestamp)


@dataclass(frozen=True)
class BoardRow:
    """One board on the index."""

    spec: BoardSpec
    task: str
    summary: BoardSummary


@dataclass(frozen=True)
class IndexView:
    """All boards. `tasks` and `kinds` are ids with labels and numbers of boards; `island` is what the search
    reads. `live` is the board to try, None where none is fit for it, and `controls` its heaviest weights.
    `changes` are the latest ones of all boards: the day, the board, and what happened. `snapshots` are the
    newest ones with the titles of their boards.
    """

    rows: tuple[BoardRow, ...]
    tasks: tuple[tuple[str, str, int], ...]
    kinds: tuple[tuple[str, str, int], ...]
    updated: str
    models: int
    live: BoardView | None
    changes: tuple[tuple[str, BoardSpec, str], ...]
    snapshots: tuple[tuple[str, SnapshotItem], ...]
    island: dict[str, Any] = field(repr=False)

    @property
    def controls(self) -> list[Control]:
        """The heaviest weights of the live board, in its own order."""
        found = self.live.metric_controls if self.live else ()
        heaviest = sorted(found, key=lambda control: -control.value)[:SLIDERS]
        return [control for control in found if control in heaviest]


def index_view(
    boards: Sequence[BoardSpec],
    summaries: Mapping[str, BoardSummary],
    small: Sequence[BoardView],
    frozen: Sequence[BoardSnapshots],
) -> IndexView:
    """The index of boards, in their order, with the summary of each by its id, and what was frozen of them.

    `small` are those that may be live: all that have few models.
    """
    rows = tuple(BoardRow(board, task_label(board.task), summaries[board.id]) for board in boards)
    tasks = Counter(board.task for board in boards)
    kinds = Counter(kind for row in rows for kind, _ in row.summary.origins)
    items = [(board.title, item) for board in frozen for item in board.items]
    return IndexView(
        rows=rows,
        tasks=tuple((task, task_label(task), count) for task, count in tasks.items()),
        kinds=tuple((kind, kind, kinds[kind]) for kind in MEANINGS if kinds[kind]),
        updated=updated(summaries.values()),
        models=len({label for row in rows for _, label, _ in row.summary.models}),
        live=_live(small),
        changes=_changes(rows),
        snapshots=tuple(sorted(items, key=lambda pair: pair[1].created, reverse=True)[:SNAPSHOTS]),
        island={"models": [[at, *model] for at, row in enumerate(rows) for model in _found(row.summary)]},
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
    return view.certainty.known, sum(row.entry.provenance == "measured" for row in view.rows)


def _changes(rows: Iterable[BoardRow]) -> tuple[tuple[str, BoardSpec, str], ...]:
    """The latest changes of all boards; those of one day in the order of the boards."""
    found = ((day, row.spec, words) for row in rows for day, words in row.summary.changes)
    return tuple(sorted(found, key=lambda change: change[0], reverse=True)[:CHANGES])


def updated(summaries: Iterable[BoardSummary]) -> str:
    """When the newest result of any board was made."""
    times = [summary.timestamp for summary in summaries if summary.timestamp]
    return formats.moment(max(times, default=None))


def task_label(task: str) -> str:
    """A task in words."""
    return TASKS.get(task, task.replace("-", " ").capitalize())


def _found(board: BoardSummary) -> list[tuple[str, str, int | None]]:
    """Id, label and rank of each model, as the search has them."""
    return [(id_, formats.shortened(label, LONGEST), rank) for id_, label, rank in board.models]


def summary_of(view: BoardView) -> BoardSummary:
    """What other pages say of a board."""
    kinds, leader = Counter(row.entry.provenance for row in view.rows), next(iter(view.leaders), None)
    names = [*(column.label for column in view.columns), *(dataset.label for dataset in view.scoring)]
    return BoardSummary(
        leader=(leader.entry.id, leader.entry.label) if leader else None,
        certain=_certain(view),
        ranked=view.ranked,
        models=tuple((row.entry.id, row.entry.label, row.rank) for row in view.rows),
        origins=tuple((kind, kinds[kind]) for kind in MEANINGS if kinds[kind]),
        words=" ".join(names),
        timestamp=view.assembled.timestamp,
        overlapping=tuple(pair.warning(view.spec.id) for pair in view.overlaps),
        changes=(*_newest(view), *_removals(view)),
    )


def _newest(view: BoardView) -> Iterator[tuple[str, str]]:
    """The day of the board's newest result, and the models that have one of that day."""
    if view.assembled.timestamp is None:
        return
    day = view.assembled.timestamp[:10]
    entries = [row.entry for row in view.rows]
    fresh = [
        formats.isolated(formats.shortened(entry.label, SHORT))
        for entry in entries
        if any(result.created[:10] == day for result in entry.results.values())
    ]
    whose = (
        f"all {len(fresh)} models"
        if len(fresh) == len(entries) > NAMED
        else formats.listed(fresh[:NAMED], len(fresh) - NAMED)
    )
    yield day, f"results of {whose}"


def _removals(view: BoardView) -> Iterator[tuple[str, str]]:
    for model in view.assembled.removed:
        if model.removed:
            yield str(model.removed.date), left(formats.isolated(model.label), model.removed).rstrip(".")


def _certain(view: BoardView) -> str:
    if not view.leaders:
        return ""
    if not view.certainty.known:
        reported = all(row.entry.provenance == "reported" for row in view.rows)
        return "unknown, no examples" if reported else "unknown"
    level = len(view.certainty.heat)
    return f"dead heat of {level}" if level else "leads alone"


def write_index(site: Site, summaries: Mapping[str, BoardSummary], views: Sequence[BoardView]) -> None:
    """Write the site's first page and its data, with the summary of each board by its id."""
    index = index_view(site.boards.boards, summaries, views, site.frozen_boards)
    site.write("index.html", "index.html", 0, index=index, data_file="index.json")
    site.put("index.json", endpoints.index_json(site.boards, summaries))
