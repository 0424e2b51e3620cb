"""What became of one example that a model was asked about."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.tasks import Prediction

NO_ANSWER = Prediction()


@dataclass(frozen=True)
class Entry:
    """What became of one example: a checked answer, or none and (kind, message) of what went wrong."""

    answer: Prediction = NO_ANSWER
    failure: tuple[str, str] | None = None
