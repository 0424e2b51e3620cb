"""What a model answered: read as its task wants it, in words that may be published, and kept line by line.

A model's exception or an invalid answer may quote the text that the model was given. Where a dataset's
licence does not allow its text to be shown, results say what kind of thing went
wrong and where, in the harness's own words only.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from pydantic import RootModel, ValidationError

from evaluator.data.tasks import FieldError, Prediction
from evaluator.measure.worker import Reply, WorkerError
from evaluator.records.result import Failure
from evaluator.score.answers import Entry, checked_entry

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
    if show_text:
        message = str(error) if isinstance(error, FieldError) else error.message
    elif isinstance(error, FieldError):
        # Which part of the answer is wrong, and what would be right.
        place = _PLACES.match(error.field)
        message = f"{place[0] if place else 'output'}: not what the task asks for; {error.fix}"
    elif error.kind == "raised":
        found = _RAISED.match(error.message)
        message = f"{found[0] if found else 'predict raised an exception'}; {NOT_KEPT}"
    else:
        message = f"{QUOTING[error.kind]}; {NOT_KEPT}" if error.kind in QUOTING else error.message
    return message.encode("utf-8", "backslashreplace").decode()


def failure_of(error: Exception, show_text: bool, kind: str | None = None, **fields: Any) -> Failure:
    """What may be published of an error, under the worker's kind of it unless another is given."""
    if isinstance(error, WorkerError):
        message = publishable_message(error, show_text)
        return Failure(kind=kind or error.kind, message=message, count=1, **fields)
    return Failure(kind=kind or "not-prepared", message=str(error), count=1, **fields)


#: What an answer says: a label's index, or a text. Probabilities may differ in the last digits.
AnswerKey = tuple[int, str | None]


def answer_key(entry: Entry) -> AnswerKey:
    """What the answer of an entry says; invalid answers all say the same."""
    return entry.answer.label, entry.answer.text


@dataclass(frozen=True)
class AnswerReader:
    """Reads what comes back from a model; a failure is described in its words only if `show_text`."""

    task: str
    labels: tuple[str, ...]
    show_text: bool

    def entry(self, outcome: Reply | WorkerError) -> Entry:
        """An answer if it is what the task asks for, else what is wrong."""
        if isinstance(outcome, WorkerError):
            return Entry(failure=(outcome.kind, publishable_message(outcome, self.show_text)))
        return self.checked(outcome.output)

    def checked(self, output: Any) -> Entry:
        """An output as an entry; an invalid answer keeps its confidence."""
        describe = partial(publishable_message, show_text=self.show_text)
        return checked_entry(self.task, self.labels, output, describe)


#: Seconds between two moments at which all lines are on disk.
SYNC_S = 1.0


#: What an entry is of: an example's number, or the hash of an input.
Key = TypeVar("Key", int, str)
_Fields = tuple[int | str, int, float | None, tuple[float, ...] | None, str | None, tuple[str, str] | None]


class _Line(RootModel[_Fields]):
    """Key, label, confidence, probabilities, text, failure."""


class Journal(Generic[Key]):
    """Entries by a key of what was asked, appended as they come. Use as a context manager.

    An entry whose key is not `known` to be asked ends the journal as well.
    """

    def __init__(self, path: Path, known: Callable[[Key], bool]) -> None:
        self.entries: dict[Key, Entry] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = 0
        for line, key, entry in _entries(path):
            if not known(key):
                break
            self.entries[key] = entry
            whole += len(line)
        self._file = path.open("ab")
        self._file.truncate(whole)
        self._synced = time.monotonic()

    def append(self, key: Key, entry: Entry) -> None:
        """Record one example; returns when the line is written."""
        self.extend([(key, entry)])

    def extend(self, entries: Iterable[tuple[Key, Entry]]) -> None:
        """Record what was answered at once; returns when the lines are written."""
        new = dict(entries)
        for key, entry in new.items():
            said = entry.answer
            fields = (key, said.label, said.confidence, said.probabilities, said.text, entry.failure)
            self._file.write(json.dumps(fields).encode("ascii") + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_S:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()
        self.entries |= new

    def __enter__(self) -> Journal[Key]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()


def _entries(path: Path) -> Iterator[tuple[bytes, Any, Entry]]:
    """Each line up to the first that is cut off or none, with its key and entry."""
    for line in path.read_bytes().splitlines(keepends=True) if path.exists() else []:
        try:
            fields = _Line.model_validate_json(line, strict=True).root
        except ValidationError:
            return
        if not line.endswith(b"\n"):
            return
        key, label, confidence, probabilities, text, failure = fields
        yield line, key, Entry(Prediction(label, confidence, probabilities, text), failure)
