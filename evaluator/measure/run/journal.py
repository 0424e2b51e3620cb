"""What a model answered so far, one line each, written before the next one is asked for.

A process that is killed loses at most what it is asking for, a machine that stops at most the last second:
waiting for the disk after every line would disturb what is timed meanwhile. A line that was cut off, or
that is none of a journal's, ends the journal when it is opened again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from pydantic import RootModel, ValidationError

from evaluator.data.tasks import Prediction
from evaluator.score.entry import Entry

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
        self._file.write("".join(_line(*pair) for pair in new.items()).encode("ascii"))
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


def _line(key: int | str, entry: Entry) -> str:
    answer = entry.answer
    fields = (key, answer.label, answer.confidence, answer.probabilities, answer.text, entry.failure)
    return json.dumps(fields) + "\n"


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
