"""What went wrong with an answer, in words that may be published.

A model's exception or an invalid answer may quote the text that the model was given. Where a dataset's
licence does not allow its text to be shown (DESIGN, invariant 8), results say what kind of thing went
wrong and where, in the harness's own words only.
"""

from __future__ import annotations

import re
from typing import Any

from evaluator.data.tasks import FieldError
from evaluator.measure.worker import WorkerError
from evaluator.records.result import Failure

NOT_KEPT = "its words are not kept, for they may quote the dataset"
#: Messages of these kinds of failure repeat what the model wrote.
QUOTING = {
    "not-json": "the answer holds something that is not JSON data",
    "not-a-number": "the answer holds a number that is not finite",
    "network": "the model tried to use the network, which is cut off",
    "protocol": "the model wrote to the worker's connection",
}
_PLACES = re.compile(r"output(\.(label|answer|confidence|probabilities))?")
_RAISED = re.compile(r"predict raised [A-Za-z_][\w.]{0,80}")


def publishable_message(error: FieldError | WorkerError, show_text: bool) -> str:
    """The error's message, without words of the model or the dataset unless `show_text`.

    What is no text, such as half a surrogate pair, is escaped: it could not be written to a file.
    """
    if isinstance(error, FieldError):
        message = str(error) if show_text else _field(error)
    else:
        message = error.message if show_text else _without_words(error)
    return message.encode("utf-8", "backslashreplace").decode()


def failure_of(error: Exception, show_text: bool, kind: str | None = None, **fields: Any) -> Failure:
    """What may be published of an error, under the worker's kind of it unless another is given."""
    if isinstance(error, WorkerError):
        message = publishable_message(error, show_text)
        return Failure(kind=kind or error.kind, message=message, count=1, **fields)
    return Failure(kind=kind or "not-prepared", message=str(error), count=1, **fields)


def _without_words(error: WorkerError) -> str:
    if error.kind == "raised":
        found = _RAISED.match(error.message)
        return f"{found[0] if found else 'predict raised an exception'}; {NOT_KEPT}"
    return f"{QUOTING[error.kind]}; {NOT_KEPT}" if error.kind in QUOTING else error.message


def _field(error: FieldError) -> str:
    """Which part of the answer is wrong, of what type it should be, and what would be right."""
    place = _PLACES.match(error.field)
    return f"{place[0] if place else 'output'}: not what the task asks for; {error.fix}"
