"""A board's ranking and how sure it is, as one document: what ``rank --json`` prints and notebooks show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What describes boards takes a second to import, and a table of numbers is ranked without it.
    from evaluator.rank.dynascore import Board, Columns, Question, Ranking
    from evaluator.rank.rank_sets import Certainty
    from evaluator.records.board import BoardEntry

#: What a rank set is about.
TARGET = "other examples from the same source, at the exchange rates shown"


@dataclass(frozen=True)
class Sure:
    """How sure a board's ranks are, by the ids of its models; see `evaluator.rank.rank_sets`.

    `sets` are (best, worst) ranks, None where unknown, and `reasons` says why. `leads` are shares of draws, 0
    to 1, of the models that may be first. `smallest_gap` is in the unit of the scores, None where unknown.
    """

    confidence: float
    sets: dict[str, tuple[int, int] | None]
    reasons: dict[str, str]
    leads: dict[str, float]
    separated: list[tuple[str, str]]
    smallest_gap: float | None


@dataclass(frozen=True)
class Doubts:
    """What a reader has to know of one model's numbers, as plain data.

    `reasons` say why some are not ranked; `suspect` has the timings that are ranked and may be wrong, which
    `warnings` say in sentences.
    """

    reasons: list[str]
    suspect: list[Any]
    warnings: list[str]

    @classmethod
    def of(cls, entry: BoardEntry) -> Doubts:
        """Those of a model whose results are at hand."""
        suspect = [
            {"dataset": timing.dataset, "metrics": timing.metrics, "reasons": timing.reasons}
            for timing in entry.suspect
        ]
        return cls(list(entry.kept_apart), suspect, list(map(str, entry.suspect)))


def sure_of(certainty: Certainty, question: Question, columns: Columns, confidence: float) -> Sure:
    """How sure the ranking `columns`, the answer to `question`, is.

    Raises ValueError for a confidence that is not from 0.5 to under 1.
    """
    models = certainty.board.models
    found = certainty.sets(question, columns, confidence)
    leads = certainty.leading(question, columns, found)
    return Sure(
        confidence,
        dict(zip(models, found.sets, strict=True)),
        {models[index]: reason for index, reason in found.reasons.items()},
        {models[index]: share for index, share in leads.items()},
        [(models[higher], models[lower]) for higher, lower in found.separated],
        certainty.smallest_gap(question, confidence),
    )


def ranking_document(
    board: Board, ranking: Ranking, sure: Sure | None, doubts: Mapping[str, Doubts]
) -> dict[str, Any]:
    """The ranking as plain data, with how sure it is, and which numbers are kept apart or in doubt."""
    shown = ranking.to_dict()
    for row in shown["models"]:
        model = row["model"]
        if sure is not None:
            row["rank_set"] = sure.sets[model]
            row["rank_set_unknown"] = sure.reasons.get(model)
            row["leads"] = sure.leads.get(model, 0.0) if row["rank_set"] else None
        if found := doubts.get(model):
            row["reasons"] = found.reasons
            row["floored"] = board.models.index(model) in board.floored
            row["suspect"] = found.suspect
    if sure is not None:
        shown["confidence"], shown["target"] = sure.confidence, TARGET
        shown["separated"], shown["smallest_gap"] = sure.separated, sure.smallest_gap
    return shown
