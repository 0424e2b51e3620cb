"""The model card to show where a model has several results."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.records.references import ModelCard
from evaluator.records.result import Result


def card_of(results: Iterable[Result]) -> ModelCard:
    """The card of the newest result that says anything; an empty one where none does."""
    with_card = [result for result in results if result.model.card != ModelCard()]
    newest = max(with_card, key=lambda result: (result.created, result.dataset.id), default=None)
    return newest.model.card if newest else ModelCard()
