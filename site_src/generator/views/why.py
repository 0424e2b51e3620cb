"""How the leader's Dynascore comes about, for a page without scripts. `assets/parts/why.js` says the same.

No score is computed here: the contributions are the ranking's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.records.board import BoardEntry
from site_src.generator.views.columns import ShownColumn


@dataclass(frozen=True)
class Term:
    """One metric's part of a Dynascore.

    `value` is in the metric's own unit; a cost enters as `cap` less the value. `rate` is units of the
    metric for one of the base metric, None where that is undefined and the metric therefore counts 0.
    """

    column: ShownColumn
    value: float | None
    cap: float | None
    rate: float | None
    share: float
    contribution: float | None

    @property
    def good(self) -> float | None:
        """The value as something of which more is better."""
        return self.value if self.cap is None or self.value is None else self.cap - self.value

    @property
    def converted(self) -> float | None:
        """What the value is worth in units of the base metric."""
        if self.good is None:
            # A missing cell that the board counts as the worst has a contribution all the same.
            return self.contribution / self.share if self.contribution is not None else None
        return self.good / self.rate if self.rate else 0.0


@dataclass(frozen=True)
class Explanation:
    """The terms of one model's Dynascore, in the order of the columns."""

    label: str
    score: float
    terms: tuple[Term, ...]

    @property
    def weighing(self) -> tuple[Term, ...]:
        """The terms that have weight."""
        return tuple(term for term in self.terms if term.share > 0 and term.contribution is not None)


def explanation(
    columns: Sequence[ShownColumn],
    ranking: Mapping[str, Any],
    weights: Mapping[str, float],
    entries: Mapping[str, BoardEntry],
) -> Explanation | None:
    """The leader's Dynascore under these weights; None where no model is ranked."""
    leader = next((model for model in ranking["models"] if model["rank"] is not None), None)
    if leader is None:
        return None
    total = sum(weights.values())
    terms = tuple(
        Term(
            column=column,
            value=leader["values"][column.name],
            cap=_cap(column, ranking["models"]),
            rate=ranking["exchange_rates"][column.name]["rate"],
            share=weights[column.name] / total,
            contribution=leader["contributions"].get(column.name),
        )
        for column in columns
    )
    return Explanation(entries[leader["model"]].label, leader["dynascore"], terms)


def _cap(column: ShownColumn, models: Sequence[Mapping[str, Any]]) -> float | None:
    """What a cost is taken from: its cap, or the largest value on the board; None for a good."""
    if column.spec.direction != "lower":
        return None
    if column.spec.cap != "max":
        return column.spec.cap
    return max((v for model in models if (v := model["values"][column.name]) is not None), default=0.0)
