"""Each criterion with its verdict: proven by the board's files, stated by its maintainer, or not met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from evaluator.publish.quality.evidence import PROOFS, BoardFacts, Evidence
from evaluator.records.board import CRITERIA, Criterion

#: How a criterion is met: files show it, the maintainer says it, or neither.
CriterionVerdict = Literal["proven", "stated", "not met"]
VERDICTS: tuple[CriterionVerdict, ...] = ("proven", "stated", "not met")


@dataclass(frozen=True)
class Assessment:
    """A criterion, by its number from 1, with its verdict.

    `evidence` is what the board's files show of it, also where that is not enough, or None where they can
    show nothing. `statement` is what the board file says, empty where it says nothing.
    """

    number: int
    criterion: Criterion
    verdict: CriterionVerdict
    evidence: Evidence | None
    statement: str


def assess(facts: BoardFacts) -> tuple[Assessment, ...]:
    """All criteria in their order, of one board."""
    statements = facts.boards.quality | facts.board.quality
    return tuple(
        _assessed(number, criterion, facts, statements.get(criterion.id, ""))
        for number, criterion in enumerate(CRITERIA, 1)
    )


def counts(assessments: tuple[Assessment, ...]) -> dict[CriterionVerdict, int]:
    """How many criteria have each verdict."""
    found = Counter(one.verdict for one in assessments)
    return {verdict: found[verdict] for verdict in VERDICTS}


def _assessed(number: int, criterion: Criterion, facts: BoardFacts, statement: str) -> Assessment:
    evidence = PROOFS[criterion.id](facts) if criterion.id in PROOFS else None
    verdict: CriterionVerdict = "stated" if statement else "not met"
    return Assessment(
        number, criterion, "proven" if evidence and evidence.holds else verdict, evidence, statement
    )
