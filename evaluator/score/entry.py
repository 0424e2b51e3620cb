"""What became of one example that a model was asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.data.tasks import FieldError, Prediction, get_task
from evaluator.data.tasks.answers import stated_confidence

NO_ANSWER = Prediction()


@dataclass(frozen=True)
class Entry:
    """What became of one example: a checked answer, or (kind, message) of what went wrong.

    Then `answer` says nothing, except for how sure the model was of what is no answer, if it said so.
    """

    answer: Prediction = NO_ANSWER
    failure: tuple[str, str] | None = None


def checked_entry(
    task: str, labels: Sequence[str], output: Any, describe: Callable[[FieldError], str] = str
) -> Entry:
    """An output of a model as an entry; an invalid answer keeps its confidence.

    `describe` says what is wrong with it.
    """
    try:
        return Entry(get_task(task).check_output(output, labels))
    except FieldError as error:
        return Entry(Prediction(confidence=stated_confidence(output)), ("invalid-answer", describe(error)))
