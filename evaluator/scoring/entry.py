"""What became of one example that a model was asked about."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.tasks import Prediction

NO_ANSWER = Prediction()


@dataclass(frozen=True)
class Entry:
    """What became of one example: a checked answer, or (kind, message) of what went wrong.

    Then `answer` says nothing, but for how sure the model was of what is no answer, if it said so.
    """

    answer: Prediction = NO_ANSWER
    failure: tuple[str, str] | None = None
