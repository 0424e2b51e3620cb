"""What stays of a board's ranking where its exchange rates are off, by the ids of its models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluator.rank.dynascore import Board, Columns, Question
from evaluator.rank.rank_sets import Certainty
from evaluator.rank.rate_factor import FACTOR, RATE, Lead, lead_of, lead_words, ranks_within, stretched
from evaluator.rank.significance import CONFIDENCE

Ranks = dict[str, tuple[int, int] | None]


@dataclass(frozen=True)
class RatesOff:
    """See `evaluator.rank.rate_factor`.

    `ranks` are (best, worst) with every rate off by up to `factor`: rank sets, None where these are unknown;
    of a table, of which nothing says how it varies, ranks of its scores as they are. `lead` is how far rates
    may be off before the first model is first no more, None where several are first; `rival` is who is then.
    `rate` is what a rate is called.
    """

    factor: float
    ranks: Ranks
    lead: Lead | None
    rival: str | None
    rate: str

    @property
    def words(self) -> str:
        """How far the lead holds, in a sentence; empty without a lead."""
        return lead_words(self.lead)

    def plain(self) -> dict[str, Any]:
        """As JSON has it, but for the ranks; ``break_factor`` is null where no factor ends the lead."""
        until = self.lead.factor if self.lead and self.rival else None
        return {
            "factor": self.factor,
            "break_factor": until,
            "rival": self.rival,
            "about": self.words or "the first place is shared",
        }


def rates_off(
    board: Board,
    question: Question,
    columns: Columns,
    certainty: Certainty | None,
    confidence: float = CONFIDENCE,
) -> RatesOff | None:
    """What stays of the ranking `columns`, the answer to `question`; None where no rates decide anything."""
    if not stretched(board, question, columns):
        return None
    if certainty is None:
        found = ranks_within(board, question, columns)
    else:
        found = certainty.sets(question, columns, confidence, FACTOR).sets
    lead = lead_of(board, question, columns)
    rival = None if lead is None or lead.rival is None else board.models[lead.rival]
    return RatesOff(FACTOR, dict(zip(board.models, found, strict=True)), lead, rival, RATE[columns.by])
