"""The page of a board's quality as a benchmark: criteria, verdicts and evidence, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.publish.quality import assess, counts, facts_of
from evaluator.records.board import CRITERIA_SOURCE, STAGES
from site_src.generator.pages.board import BoardView

if TYPE_CHECKING:
    from site_src.generator.site import Site


#: What each verdict means.
MEANINGS = {
    "proven": "the board's own files show it",
    "stated": "its maintainers say so",
    "not met": "neither",
}


def write_quality(site: Site, view: BoardView) -> None:
    """Write the page of which criteria of a good benchmark a board meets."""
    snapshots = sum(len(board.items) for board in site.frozen_boards if board.id == view.spec.id)
    sets = {row.entry.id: row.ranks for row in view.rows if row.rank is not None}
    found = assess(facts_of(site.boards, view.assembled, sets, snapshots))
    site.write(
        f"{view.spec.id}/quality/index.html",
        "quality.html",
        2,
        view=view,
        # Of each stage of a benchmark's life its place in the page, and its criteria.
        stages=[
            (stage, stage.split()[0].lower(), [row for row in found if row.criterion.stage == stage])
            for stage in STAGES
        ],
        counts=counts(found),
        meanings=MEANINGS,
        source=CRITERIA_SOURCE,
    )
