"""The site's first page: all boards, one of them to try, and what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.publish.installation import this_installation
from evaluator.rank.significance import number_words
from evaluator.records.errors import UserError
from evaluator.records.references import left
from site_src.generator import endpoints, formats
from site_src.generator.pages.board import BoardView, Control
from site_src.generator.results import MEANINGS

if TYPE_CHECKING:
    from evaluator.records.board import BoardSpec
    from site_src.generator.site import Site


#: Tasks as people call them; a board's own task is named by its id.
TASKS = {
    "classification": "Classification",
    "generation": "Text generation",
    "hate-speech": "Hate speech",
    "nli": "Natural language inference",
    "qa": "Question answering",
    "scored": "Published scores",
    "sentiment": "Sentiment",
}
#: Sliders of the live board; further metrics keep their weights.
SLIDERS = 4
#: A live board has at most this many models, the first ten of which are in sight.
LIVE_MODELS, IN_SIGHT = 60, 10
#: How many snapshots are listed, and how many changes; how many models a change names.
SNAPSHOTS, CHANGES, NAMED = 5, 5, 3
#: Letters of a model's name in the search's data, since one name may be longer than all others together.
LONGEST = 120


@dataclass(frozen=True)
class IndexRow:
    """One board.

    `certain` says whether its leader leads alone, as far as the examples can tell; `origins` are the ways in
    which its numbers came about; `metrics` are its columns, each as the board file calls it, which is what
    boards are found by, and as its page does: "Fairness" and "Gender swaps"; `words` is what the search finds
    it by and the row does not show.
    """

    view: BoardView
    task: str
    certain: str
    origins: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]
    words: str


def write_index(site: Site, views: Sequence[BoardView]) -> None:
    """Write the site's first page and its data."""
    specs = {board.id: board for board in site.boards.boards}
    rows = [_row(view, specs[view.spec.id]) for view in views]
    by_id = {row.view.spec.id: row for row in rows}
    tasks, kinds = (
        Counter(task for row in rows for task in row.view.assembled.tasks),
        Counter(kind for r in rows for kind in r.origins),
    )
    frozen = [(board.title, item) for board in site.frozen_boards for item in board.items]
    live = _live(views)
    site.write(
        "index.html",
        "index.html",
        0,
        groups=[(name, [by_id[board.id] for board in boards]) for name, boards in site.boards.by_group],
        count=len(rows),
        choices=(
            ("task", "Task", [(task, _task_label(task), count) for task, count in tasks.items()]),
            ("numbers", "Numbers", [(kind, kind, kinds[kind]) for kind in MEANINGS if kinds[kind]]),
        ),
        metrics=_telling_apart(rows),
        updated=updated(views),
        models=len({row.entry.label for view in views for row in view.rows}),
        view=live,
        in_sight=IN_SIGHT,
        controls=_heaviest(live.metric_controls) if live else (),
        changes=sorted(_changes(views), key=lambda change: change[0], reverse=True)[:CHANGES],
        snapshots=sorted(frozen, key=lambda pair: pair[1].created, reverse=True)[:SNAPSHOTS],
        found={"models": [[at, *model] for at, view in enumerate(views) for model in _found(view)]},
        data_file="index.json",
        install=_install(),
    )
    site.put("index.json", endpoints.index_json(site.boards, views))


def updated(views: Iterable[BoardView]) -> str:
    """When the newest result of any board was made."""
    return formats.moment(max(filter(None, (view.assembled.timestamp for view in views)), default=None))


def _install() -> str | None:
    """How visitors get the Steelyard that makes this site; None where only this machine has it."""
    try:
        installation = this_installation()
    except UserError:
        return None
    return None if installation.local else installation.command


def _row(view: BoardView, spec: BoardSpec) -> IndexRow:
    called = {metric.name: metric.label for metric in spec.metrics}
    metrics = tuple((called[column.name], column.label) for column in view.columns)
    kinds = {row.entry.provenance for row in view.rows}
    return IndexRow(
        view=view,
        task=", ".join(map(_task_label, view.assembled.tasks)),
        certain=_certain(view),
        origins=tuple(kind for kind in MEANINGS if kind in kinds),
        metrics=metrics,
        words=" ".join([*dict(metrics), *(dataset.label for dataset in view.scoring)]),
    )


def _telling_apart(rows: Sequence[IndexRow]) -> list[tuple[str, int]]:
    """The metrics that several boards have and others lack, as board files call them, with how many have
    them, the most frequent first. What one board has alone is found by its name."""
    called = Counter(name for row in rows for name in dict(row.metrics))
    return [(name, boards) for name, boards in called.most_common() if 1 < boards < len(rows)]


def _task_label(task: str) -> str:
    return TASKS.get(task, task.replace("-", " ").capitalize())


def _certain(view: BoardView) -> str:
    if not view.leaders:
        return ""
    if not view.certainty.known:
        reported = all(row.entry.provenance == "reported" for row in view.rows)
        return "unknown: no predictions published" if reported else "unknown"
    level = len(view.certainty.heat)
    given = sorted({*view.certainty.answer["given"].values()})
    return ", ".join([f"tie of {number_words(level)}" if level else "leads alone", *given[:1]])


def _live(views: Iterable[BoardView]) -> BoardView | None:
    """The board to try: the first with something to weigh and rank sets, else with numbers of here."""
    weighed = [view for view in views if len(view.columns) >= 3 and not view.is_traded]
    fit = [view for view in weighed if view.ranked >= 2 and len(view.rows) <= LIVE_MODELS]

    def preferred(view: BoardView) -> int:
        own = any(row.entry.provenance != "reported" for row in view.rows)
        return 2 if view.certainty.known else int(own)

    return max(fit, key=preferred, default=None)


def _heaviest(controls: Sequence[Control]) -> list[Control]:
    """The heaviest weights of the live board, in its own order."""
    heaviest = sorted(controls, key=lambda control: -control.value)[:SLIDERS]
    return [control for control in controls if control in heaviest]


def _found(view: BoardView) -> Iterator[tuple[Any, ...]]:
    """Id, label and rank of each model, as the search has them."""
    for row in view.rows:
        yield row.entry.id, formats.shortened(row.entry.label, LONGEST), row.rank


def _changes(views: Iterable[BoardView]) -> Iterator[tuple[str, BoardView, str]]:
    """A day, a board, and what happened on it then: its newest results, and models that were removed."""
    for view in views:
        if view.assembled.timestamp:
            day = view.assembled.timestamp[:10]
            yield day, view, f"results of {_whose(view, day)}"
        for model in view.assembled.removed:
            if model.removed:
                sentence = left(formats.isolated(model.label), model.removed)
                yield str(model.removed.date), view, sentence.rstrip(".")


def _whose(view: BoardView, day: str) -> str:
    """The models that have a result of a day."""
    fresh = [
        formats.isolated(row.short)
        for row in view.rows
        if any(result.created[:10] == day for result in row.entry.results.values())
    ]
    if len(fresh) == len(view.rows) > NAMED:
        return f"all {len(fresh)} models"
    return formats.listed(fresh[:NAMED], len(fresh) - NAMED)
