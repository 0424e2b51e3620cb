"""The page of a board's quality as a benchmark: criteria, verdicts and evidence, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.publish.quality import Assessment, CriterionVerdict, assess, counts, facts_of
from evaluator.records.board import CRITERIA_SOURCE, STAGES, Boards
from site_src.generator.pages.board import BoardView

if TYPE_CHECKING:
    from site_src.generator.site import Site


#: What each verdict means.
MEANINGS = {
    "proven": "the board's own files show it",
    "stated": "its maintainers say so",
    "not met": "neither",
}


@dataclass(frozen=True)
class StageRows:
    """The criteria of one stage of a benchmark's life; `anchor` is the place in the page."""

    title: str
    anchor: str
    rows: tuple[Assessment, ...]


@dataclass(frozen=True)
class QualityPage:
    """Everything on the page; `source` is the citation of the criteria and its address."""

    stages: tuple[StageRows, ...]
    counts: Mapping[CriterionVerdict, int]
    meanings: dict[str, str]
    source: tuple[str, str]


def quality_page(boards: Boards, view: BoardView, snapshots: int) -> QualityPage:
    """The page of a board that was frozen in so many `snapshots`."""
    sets = {row.entry.id: row.ranks for row in view.rows if row.rank is not None}
    found = assess(facts_of(boards, view.assembled, sets, snapshots))
    stages = tuple(
        StageRows(
            stage, stage.split()[0].lower(), tuple(row for row in found if row.criterion.stage == stage)
        )
        for stage in STAGES
    )
    return QualityPage(stages, counts(found), MEANINGS, CRITERIA_SOURCE)


def write_quality(site: Site, view: BoardView) -> None:
    """Write the page of which criteria of a good benchmark a board meets."""
    snapshots = sum(len(board.items) for board in site.frozen_boards if board.id == view.spec.id)
    page = quality_page(site.boards, view, snapshots)
    site.write(f"{view.spec.id}/quality/index.html", "quality.html", 2, view=view, page=page)
